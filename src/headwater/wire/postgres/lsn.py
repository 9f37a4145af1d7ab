"""Log sequence numbers: text `X/Y` in hex <-> 64-bit numbers."""

from __future__ import annotations

import re

from headwater.errors import DecodeError

_FORM = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")


def parse_lsn(text: str) -> int:
    """`16/B374D848` -> number. Raises DecodeError."""
    m = _FORM.fullmatch(text)
    if m is None:
        raise DecodeError(f"{text!r} is not a log position")
    return int(m[1], 16) << 32 | int(m[2], 16)


def format_lsn(number: int) -> str:
    """Number -> `X/Y`."""
    return f"{number >> 32:X}/{number & 0xFFFFFFFF:X}"
