"""Bodies of the rarer log events, as plain fields: heartbeats, rotations, MariaDB's GTIDs and compressed statements.

Each function reads `data[pos:end]`, an event without header and checksum, and raises DecodeError. The common
events are read in `events_cy`.
"""

from __future__ import annotations

from typing import NamedTuple

from headwater.errors import DecodeError
from headwater.wire.mysql import compression
from headwater.wire.mysql.tablemap import Reader

# An old format event has no checksum algorithm: version, server version, time, header length, then a byte a type.
_FORMAT_FIXED = 2 + 50 + 4 + 1
_CRC32 = 1


class Place(NamedTuple):
    """A file of the log, and a position in it (0 where not known)."""

    file: str
    position: int


class MariaDbGtid(NamedTuple):
    """A MariaDB GTID without its server number, which stands in the event's header."""

    domain: int
    sequence: int
    flags: int


def uuid_text(raw: bytes) -> str:
    """16 bytes as a UUID is written."""
    digits = raw.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def rotate(data: bytes, pos: int, end: int) -> Place:
    """Where the log goes on."""
    r = Reader(data, pos, end)
    position = r.uint(8)
    if not r.left:
        raise DecodeError("a rotate event without a file name")
    return Place(r.take(r.left).decode("utf-8", "replace"), position)


def checksum_size(data: bytes, pos: int, end: int) -> int:
    """Of a format event, which always has its own checksum's bytes: those of every later event's, 0 or 4."""
    if end - pos < _FORMAT_FIXED:
        raise DecodeError(f"a format event of {end - pos} bytes")
    if end - pos < _FORMAT_FIXED + 5:
        return 0
    return 4 if data[end - 5] == _CRC32 else 0


def heartbeat(data: bytes, pos: int, end: int) -> str:
    """The file of a heartbeat of the first form; its position stands in the header."""
    return data[pos:end].decode("utf-8", "replace")


def heartbeat_v2(data: bytes, pos: int, end: int) -> Place:
    """A heartbeat of the second form, which can tell positions beyond 4 GiB."""
    r = Reader(data, pos, end)
    file, position = "", 0
    while r.left and (field := r.lenenc()) != 0:
        length = r.lenenc()
        value = Reader(r.take(length), 0, length)
        if field == 1:
            file = value.take(length).decode("utf-8", "replace")
        elif field == 2:
            position = value.lenenc()
    return Place(file, position)


def mariadb_gtid(data: bytes, pos: int, end: int) -> MariaDbGtid:
    """A MariaDB GTID event; what follows the flags is not needed."""
    r = Reader(data, pos, end)
    sequence, domain, flags = r.uint(8), r.uint(4), r.uint(1)
    return MariaDbGtid(domain, sequence, flags)


def inflate_query(data: bytes, pos: int, end: int) -> bytes:
    """The body of MariaDB's QUERY_COMPRESSED event as that of a QUERY event."""
    r = Reader(data, pos, end)
    head = r.take(13)
    # The status variables, the database and its zero byte stay plain; the statement is compressed.
    r.take(int.from_bytes(head[11:13], "little") + head[8] + 1)
    return data[pos : r.pos] + compression.mariadb_inflate(data, r.pos, end)


def inflate_rows(op: str, data: bytes, pos: int, end: int) -> bytes:
    """What follows the post-header of a compressed MariaDB rows event, rows plain. `op`: `c`, `u` or `d`."""
    r = Reader(data, pos, end)
    width = (r.lenenc() + 7) // 8
    r.take(width * (2 if op == "u" else 1))
    return data[pos : r.pos] + compression.mariadb_inflate(data, r.pos, end)
