"""The messages inside the replication stream's copy data, and the standby's answer."""

from __future__ import annotations

import struct
from typing import NamedTuple

from headwater.errors import DecodeError

# PostgreSQL counts microseconds from 2000-01-01.
EPOCH_2000 = 946_684_800_000_000


class XLogData(NamedTuple):
    """One message of the output plug-in: where it starts in the log, where the log ends, the message."""

    start: int
    end: int
    body: bytes


class Keepalive(NamedTuple):
    """The server is alive; `end` is the end of its log, `reply` asks for a status at once."""

    end: int
    reply: bool


def parse(data: bytes) -> XLogData | Keepalive:
    """One copy-data payload. Raises DecodeError."""
    kind = data[:1]
    if kind == b"w" and len(data) >= 25:
        start, end = struct.unpack_from(">QQ", data, 1)
        return XLogData(start, end, data[25:])
    if kind == b"k" and len(data) >= 18:
        return Keepalive(int.from_bytes(data[1:9], "big"), data[17] != 0)
    raise DecodeError(f"a message of unknown kind {kind!r} and {len(data)} bytes in the replication stream")


def status_update(written: int, flushed: int, now_us: int, *, reply: bool = False) -> bytes:
    """The standby status: positions received and made durable. `now_us`: microseconds since the Unix epoch."""
    return b"r" + struct.pack(">QQQqB", written, flushed, flushed, now_us - EPOCH_2000, int(reply))
