"""Commands of the replication protocol as packet payloads (without the four-byte packet header)."""

from __future__ import annotations

import struct

from headwater.wire.mysql.gtid import GtidSet

COM_QUERY = 0x03
COM_BINLOG_DUMP = 0x12
COM_REGISTER_SLAVE = 0x15
COM_BINLOG_DUMP_GTID = 0x1E

# Flags of MariaDB's dump command.
SEND_ANNOTATE_ROWS = 0x02

# Flag of COM_BINLOG_DUMP_GTID: the set decides, not the file and position.
_FROM_GTIDS = 0x04

MAX_PACKET = 0xFFFFFF


def register_replica(server_id: int, hostname: str = "", port: int = 0) -> bytes:
    """COM_REGISTER_SLAVE: makes the reader visible in the server's replica list."""
    host = hostname.encode()[:60]
    return (
        struct.pack("<BIB", COM_REGISTER_SLAVE, server_id, len(host)) + host + b"\0\0" + struct.pack("<HII", port, 0, 0)
    )


def dump(server_id: int, file: str, pos: int, flags: int = 0) -> bytes:
    """COM_BINLOG_DUMP from a file and position. Raises ValueError for a position the command cannot carry."""
    if not 0 <= pos <= 0xFFFFFFFF:
        raise ValueError(f"a log position of more than 32 bits: {pos}")
    return struct.pack("<BIHI", COM_BINLOG_DUMP, pos, flags, server_id) + file.encode()


def dump_gtid(server_id: int, gtids: GtidSet) -> bytes:
    """COM_BINLOG_DUMP_GTID: everything that is not in the set."""
    data = gtids.encode()
    return struct.pack("<BHIIQI", COM_BINLOG_DUMP_GTID, _FROM_GTIDS, server_id, 0, 4, len(data)) + data


def frame(payload: bytes, sequence: int = 0) -> bytes:
    """A packet: three bytes of length, one of sequence, the payload (shorter than 16 MiB)."""
    if len(payload) >= MAX_PACKET:
        raise ValueError("a command of 16 MiB or more")
    return len(payload).to_bytes(3, "little") + bytes((sequence,)) + payload
