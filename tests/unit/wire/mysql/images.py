"""Builders of table maps, row images and text packets for the decoders' tests."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.wire.mysql.tablemap import TableMap


def table_map(*columns: tuple[int, int]) -> TableMap:
    """The table shop.orders with columns of (log type, metadata)."""
    types = bytes(wire for wire, _ in columns)
    return TableMap(7, 1, "shop", "orders", types, tuple(meta for _, meta in columns), b"\xff" * ((len(types) + 7) // 8))


def image(*values: bytes | None) -> bytes:
    """A row image: the null bitmap, then the values that are not NULL."""
    nulls = sum(1 << i for i, v in enumerate(values) if v is None)
    return nulls.to_bytes((len(values) + 7) // 8, "little") + b"".join(v for v in values if v is not None)


def packet(payload: bytes, sequence: int = 0) -> bytes:
    """A packet of the client protocol."""
    return len(payload).to_bytes(3, "little") + bytes((sequence,)) + payload


def text_row(*values: bytes | None) -> bytes:
    """A row of a text result set as a packet."""
    return packet(b"".join(b"\xfb" if v is None else lenenc(len(v)) + v for v in values))


def lenenc(n: int) -> bytes:
    """A length-encoded integer."""
    if n < 251:
        return bytes((n,))
    if n < 1 << 16:
        return b"\xfc" + n.to_bytes(2, "little")
    return b"\xfd" + n.to_bytes(3, "little") if n < 1 << 24 else b"\xfe" + n.to_bytes(8, "little")


def all_present(columns: Sequence[object]) -> bytes:
    """The bitmap of a full image."""
    return b"\xff" * ((len(columns) + 7) // 8)
