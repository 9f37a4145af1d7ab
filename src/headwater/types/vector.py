"""Vectors: arrays of floats."""

from __future__ import annotations

from headwater.model.schema import FLOAT32, FLOAT64, Schema
from headwater.types.base import ValueType


def float_vector() -> ValueType:
    """32-bit elements."""
    return ValueType(Schema("array", name="io.debezium.data.FloatVector", version=1, items=FLOAT32), fallback=[])


def double_vector() -> ValueType:
    """64-bit elements."""
    return ValueType(Schema("array", name="io.debezium.data.DoubleVector", version=1, items=FLOAT64), fallback=[])
