"""Geometry: WKB with an SRID, and points with their coordinates."""

from __future__ import annotations

import struct
from typing import Any

from headwater.model.schema import BYTES, FLOAT64, OPTIONAL_BYTES, OPTIONAL_INT32, Schema
from headwater.types.base import ValueType
from headwater.types.convert_cy import CALL, Step

_EMPTY_COLLECTION = struct.pack("<BII", 1, 7, 0)

POINT = Schema(
    "struct", name="io.debezium.data.geometry.Point", version=1, doc="Geometry (POINT)",
    fields=(("x", FLOAT64), ("y", FLOAT64), ("wkb", OPTIONAL_BYTES), ("srid", OPTIONAL_INT32)),
)  # fmt: skip
GEOMETRY = Schema(
    "struct", name="io.debezium.data.geometry.Geometry", version=1, doc="Geometry",
    fields=(("wkb", BYTES), ("srid", OPTIONAL_INT32)),
)  # fmt: skip


def _split(value: bytes) -> tuple[int | None, bytes]:
    if len(value) < 4:
        raise ValueError("a geometry of fewer than four bytes")
    srid = int.from_bytes(value[:4], "little")
    return srid or None, value[4:]


def _geometry(value: bytes) -> list[Any]:
    srid, wkb = _split(value)
    return [wkb, srid]


def _point(value: bytes) -> list[Any]:
    srid, wkb = _split(value)
    if len(wkb) < 21:
        raise ValueError("a point's WKB has 21 bytes")
    x, y = struct.unpack_from("<dd" if wkb[0] else ">dd", wkb, 5)
    return [x, y, wkb, srid]


def geometry() -> ValueType:
    """Any spatial type but POINT. Canonical value: 4 bytes little-endian SRID, then WKB."""
    return ValueType(GEOMETRY, (Step(CALL, 0, _geometry),), fallback=[_EMPTY_COLLECTION, None])


def point() -> ValueType:
    """POINT, with x and y taken from the WKB as stored."""
    return ValueType(POINT, (Step(CALL, 0, _point),), fallback=[0.0, 0.0, None, None])
