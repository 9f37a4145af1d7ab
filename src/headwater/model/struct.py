"""Struct: a Connect struct value over a plain list of raw field values.

The list is shared, not copied: a row decoded from the log *is* the struct's storage, so wrapping it
costs one small object and only where somebody looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from headwater.model.schema import Schema


class Struct:
    """A value of a struct schema. `values` are raw (see `model.schema`), in field order.

    Item access by field name gives Python values: nested structs as `Struct`, Connect Decimals as
    `decimal.Decimal`; null gives the field's default where it has one, as Connect's getter does.
    """

    __slots__ = ("schema", "values")

    def __init__(self, schema: Schema, values: list[Any] | None = None) -> None:
        self.schema = schema
        self.values: list[Any] = [None] * len(schema.fields) if values is None else values

    def raw(self, name: str) -> Any:
        """The stored raw value, without the default. Raises KeyError for an unknown field."""
        f = self.schema.field(name)
        if f is None:
            raise KeyError(name)
        return self.values[f.index]

    def __getitem__(self, name: str) -> Any:
        f = self.schema.field(name)
        if f is None:
            raise KeyError(name)
        value = self.values[f.index]
        if value is None:
            value = f.schema.default
        return to_python(f.schema, value)

    def __setitem__(self, name: str, value: Any) -> None:
        f = self.schema.field(name)
        if f is None:
            raise KeyError(name)
        self.values[f.index] = from_python(f.schema, value)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if self.schema.field(name) is not None else default

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.schema.field(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (f.name for f in self.schema.fields)

    def __len__(self) -> int:
        return len(self.schema.fields)

    def items(self) -> Iterator[tuple[str, Any]]:
        return ((f.name, self[f.name]) for f in self.schema.fields)

    def to_dict(self) -> dict[str, Any]:
        """Nested dicts of Python values."""
        return {f.name: _plain(self[f.name]) for f in self.schema.fields}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Struct) and self.schema == other.schema and list(self.items()) == list(other.items())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Struct{" + ", ".join(f"{n}={v!r}" for n, v in self.items() if v is not None) + "}"


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value


def to_python(schema: Schema, value: Any) -> Any:
    """Raw value -> Python value (Decimal, Struct)."""
    if value is None:
        return None
    kind = schema.type
    if kind == "struct" and isinstance(value, list):
        return Struct(schema, value)
    if kind == "bytes" and schema.is_decimal and isinstance(value, int):
        return Decimal(value).scaleb(-schema.scale) if schema.scale else Decimal(value)
    if kind == "array" and schema.items is not None:
        return [to_python(schema.items, v) for v in value]
    if kind == "map" and schema.values is not None:
        return {k: to_python(schema.values, v) for k, v in value.items()}
    return value


def from_python(schema: Schema, value: Any) -> Any:
    """Python value -> raw value; the inverse of `to_python`. Raises ValueError for a wrong scale."""
    if isinstance(value, Decimal) and schema.is_decimal:
        scaled = value.scaleb(schema.scale)
        if scaled != scaled.to_integral_value():
            raise ValueError(f"{value} does not fit scale {schema.scale}")
        return int(scaled)
    if schema.type == "array" and schema.items is not None and isinstance(value, list):
        return [from_python(schema.items, v) for v in value]
    return value
