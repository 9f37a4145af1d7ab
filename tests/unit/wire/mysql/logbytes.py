"""Builders of binary log events and dump stream packets for the parser's tests."""

from __future__ import annotations

import struct
import zlib


def event(code: int, body: bytes, *, end: int = 0, flags: int = 0, checksum: bool = False, time: int = 1_700_000_000,
          server: int = 7) -> bytes:  # fmt: skip
    """An event: header, body and, if wanted, a right CRC32."""
    size = 19 + len(body) + 4 * checksum
    raw = struct.pack("<IBIIIH", time, code, server, size, end, flags) + body
    return raw + zlib.crc32(raw).to_bytes(4, "little") if checksum else raw


def packet(payload: bytes, sequence: int = 0) -> bytes:
    """A payload as packets: those of 16 MiB - 1 are followed by another."""
    out = b""
    while len(payload) >= 0xFFFFFF:
        out += b"\xff\xff\xff" + bytes((sequence,)) + payload[:0xFFFFFF]
        payload, sequence = payload[0xFFFFFF:], (sequence + 1) & 0xFF
    return out + len(payload).to_bytes(3, "little") + bytes((sequence,)) + payload


def streamed(raw: bytes) -> bytes:
    """An event as the dump stream sends it."""
    return packet(b"\0" + raw)


def table_map_body(number: int = 5, table: bytes = b"t", types: bytes = b"\x03") -> bytes:
    """`shop.<table>` with columns that have no metadata."""
    bitmap = bytes((len(types) + 7) // 8)
    return (
        number.to_bytes(6, "little") + b"\1\0" + b"\4shop\0" + bytes((len(table),)) + table + b"\0"
        + bytes((len(types),)) + types + b"\0" + bitmap
    )  # fmt: skip


def rows_body(rows: bytes, number: int = 5, *, columns: int = 1, images: int = 1, version: int = 2) -> bytes:
    """A rows event with all columns present; `images` bitmaps."""
    head = number.to_bytes(6, "little") + b"\1\0" + (b"\2\0" if version == 2 else b"")
    return head + bytes((columns,)) + b"\xff" * ((columns + 7) // 8) * images + rows


def query_body(sql: bytes, database: bytes = b"shop", status: bytes = b"", thread: int = 9, error: int = 0) -> bytes:
    """A QUERY event's body."""
    return struct.pack("<IIBHH", thread, 0, len(database), error, len(status)) + status + database + b"\0" + sql


def gtid_body(source: bytes, number: int, *, flags: int = 1, times: bytes = b"", clock: tuple[int, int] = (4, 5)) -> bytes:
    """A GTID event's body; `times`: what follows the logical clock."""
    return bytes((flags,)) + source + struct.pack("<QBQQ", number, 2, *clock) + times


def format_body(algorithm: int) -> bytes:
    """A format event's body, its own checksum's bytes included."""
    return b"\4\0" + b"9.7.0".ljust(50, b"\0") + bytes(4) + b"\x13" + bytes(40) + bytes((algorithm,)) + bytes(4)
