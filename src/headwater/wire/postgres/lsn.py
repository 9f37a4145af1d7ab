"""Log sequence numbers: text `X/Y` in hex <-> 64-bit numbers."""

from __future__ import annotations

from headwater.errors import DecodeError


def parse_lsn(text: str) -> int:
    """`16/B374D848` -> number. Raises DecodeError."""
    high, sep, low = text.partition("/")
    try:
        number = int(high, 16) << 32 | int(low, 16)
    except ValueError:
        sep, number = "", 0
    if not sep or not 0 <= number < 1 << 64 or len(low) > 8 or len(high) > 8:
        raise DecodeError(f"{text!r} is not a log position")
    return number


def format_lsn(number: int) -> str:
    """Number -> `X/Y`."""
    return f"{number >> 32:X}/{number & 0xFFFFFFFF:X}"
