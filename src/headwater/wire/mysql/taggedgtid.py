"""GTID_TAGGED events of MySQL 8.3 and later, which use the server's own serialisation of numbered fields."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import DecodeError
from headwater.wire.mysql.tablemap import Reader


@dataclass(slots=True)
class TaggedGtid:
    """The event's fields; times in microseconds, `transaction_length` in bytes of log."""

    text: str = ""
    flags: int = 0
    last_committed: int = 0
    sequence_number: int = 0
    transaction_length: int = 0
    immediate_commit_timestamp: int = 0
    original_commit_timestamp: int = 0


def varlen(r: Reader) -> int:
    """An unsigned integer of 1 to 9 bytes: the low one-bits of the first byte count the bytes that follow."""
    first = r.uint(1)
    extra = 0
    while extra < 8 and first >> extra & 1:
        extra += 1
    if extra == 8:
        return r.uint(8)
    rest = r.uint(extra) if extra else 0
    return first >> (extra + 1) | rest << (7 - extra)


def signed_varlen(r: Reader) -> int:
    """A signed integer: the lowest bit of the unsigned form is the sign."""
    value = varlen(r)
    return -(value >> 1) - 1 if value & 1 else value >> 1


def parse_tagged(data: bytes, pos: int, end: int) -> TaggedGtid:
    """Reads the event's body. Raises DecodeError for a form not known here."""
    r = Reader(data, pos, end)
    version = varlen(r)
    if version != 1:
        raise DecodeError(f"a tagged GTID event of the unknown serialisation version {version}")
    varlen(r)  # the size of it all
    varlen(r)  # the last field that must not be ignored
    out = TaggedGtid()
    uuid = tag = ""
    number = 0
    while r.left:
        field = varlen(r)
        if field == 0:
            out.flags = varlen(r)
        elif field == 1:
            digits = bytes(varlen(r) & 0xFF for _ in range(16)).hex()
            uuid = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        elif field == 2:
            number = signed_varlen(r)
        elif field == 3:
            tag = r.take(varlen(r)).decode("ascii", "replace")
        elif field == 4:
            out.last_committed = signed_varlen(r)
        elif field == 5:
            out.sequence_number = signed_varlen(r)
        elif field == 6:
            out.immediate_commit_timestamp = varlen(r)
        elif field == 7:
            out.original_commit_timestamp = varlen(r)
        elif field == 8:
            out.transaction_length = varlen(r)
        elif field in (9, 10, 11):
            varlen(r)
        else:
            break
    if not uuid or number < 1:
        raise DecodeError("a tagged GTID event without its GTID")
    out.original_commit_timestamp = out.original_commit_timestamp or out.immediate_commit_timestamp
    out.text = f"{uuid}:{tag}:{number}" if tag else f"{uuid}:{number}"
    return out
