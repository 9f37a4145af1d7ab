"""PostgreSQL column types -> how their text is read, and what they become.

Reads `model.Column` only: `type_name` is the server's internal name (`int4`, `_text`), `enum_values` an enum's
labels. A type that is not known has no value type and is left out, as the reference does, unless
`include.unknown.datatypes` asks for its text.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import replace
from functools import partial
from typing import Any

from headwater.connectors.postgres import arrays, dates
from headwater.connectors.postgres.defaults import reader
from headwater.events.debezium.java_order import java_order
from headwater.model import Column, Schema
from headwater.model.schema import BYTES, FLOAT64, INT32, OPTIONAL_STRING, STRING
from headwater.types import binary, interval, numeric, spatial, text
from headwater.types.base import TypeOptions, ValueType
from headwater.types.convert_cy import CALL, Step, decimal_text
from headwater.wire.postgres.rows_cy import ValueFormat, bytea
from headwater.wire.postgres.rows_cy import numeric as read_numeric

_INTEGERS = {"int2": 16, "int4": 32, "int8": 64, "oid": 64}
_STRINGS = frozenset((
    "varchar", "text", "bpchar", "char", "citext", "isbn", "inet", "cidr", "macaddr", "macaddr8", "int4range", "int8range",
    "numrange", "tsrange", "tstzrange", "daterange", "name",
))  # fmt: skip
_NAMED = {"json": "Json", "jsonb": "Json", "xml": "Xml", "uuid": "Uuid", "tsvector": "Tsvector", "ltree": "Ltree"}
_VARIABLE_DECIMAL = Schema("struct", name="io.debezium.data.VariableScaleDecimal", version=1,
                           doc="Variable scaled decimal", fields=(("scale", INT32), ("value", BYTES)))  # fmt: skip
_SIMPLE = {"bool": "bool", "float4": "float", "float8": "float", "bytea": "bytes", "date": "date", "time": "time",
           "timestamp": "timestamp", "timestamptz": "timestamptz", "timetz": "timetz"}  # fmt: skip
# Types whose default stays out of the schema.
_NO_DEFAULT = frozenset((
    "money", "bytea", "timetz", "point", "inet", "hstore", "citext", "ltree", "oid", "char",
))  # fmt: skip
_UNBOUNDED = 2147483647


def value_format(column: Column, *, include: bool = True) -> ValueFormat:
    """How a column's text is read into a canonical value."""
    return _format(column)._replace(include=include)


def _format(column: Column) -> ValueFormat:
    name = column.type_name
    if arrays.is_array(column):
        return ValueFormat("call", function=arrays.parser(_format(arrays.element(column))))
    if name in _INTEGERS:
        return ValueFormat("int")
    if name in _SIMPLE:
        return ValueFormat(_SIMPLE[name])
    if name == "numeric" and column.length is not None:
        return ValueFormat("numeric", scale=column.scale or 0)
    functions = {"numeric": _variable, "money": _money, "interval": interval.parse_interval, "bit": _bits,
                 "varbit": _bits, "point": _point, "hstore": _hstore}  # fmt: skip
    if name in functions:
        return ValueFormat("call", function=functions[name])
    return ValueFormat("text")


def value_type(column: Column, options: TypeOptions) -> ValueType | None:
    """What a column becomes; None for a type that is left out."""
    if arrays.is_array(column):
        return arrays.value_type(column, options, _plain)
    kind = _plain(column, options)
    if kind is None:
        return _unknown(options) if options.unknown_types else None
    if column.type_name in _NO_DEFAULT or (column.type_name == "numeric" and column.length is None):
        return replace(kind, default=lambda expression: None)
    return replace(kind, default=reader(kind))


def _unknown(options: TypeOptions) -> ValueType:
    """The text of a value of a type that is not known, as bytes."""
    kind = binary.binary(options)
    return replace(kind, steps=(Step(CALL, 0, str.encode), *kind.steps), default=lambda expression: None)


def _plain(column: Column, options: TypeOptions) -> ValueType | None:
    name = column.type_name
    if column.enum_values:
        return text.enumeration(column.enum_values)
    if name in _INTEGERS:
        return numeric.integer(_INTEGERS[name])
    if name == "bool":
        return replace(numeric.boolean(), steps=())
    if name in ("float4", "float8"):
        return numeric.floating(name == "float8")
    if name == "numeric":
        return _numeric(column, options)
    if name == "money":
        return _money_type(options)
    if name in dates.TYPES:
        return dates.value_type(column, options)
    if name in ("bit", "varbit"):
        return _bit_type(column)
    if name in _NAMED:
        fallback = "" if name != "uuid" else "00000000-0000-0000-0000-000000000000"
        return text.named("io.debezium.data." + _NAMED[name], fallback=fallback)
    if name in _STRINGS:
        return _string(name, options)
    if name == "bytea":
        return binary.binary(options, lambda t: bytea(t.encode()))
    if name == "hstore":
        return _hstore_type(options)
    if name == "interval":
        return interval.interval(options)
    if name == "point":
        return ValueType(spatial.POINT, fallback=[0.0, 0.0, None, None])
    return None


def _string(name: str, options: TypeOptions) -> ValueType:
    kind = text.string()
    if name == "name" and options.exact and not options.unknown_types:
        # The reference loses it in the stream.
        return replace(kind, steps=(Step(CALL, 0, lambda value: None),), snapshot_steps=())
    return kind


# -- numbers

_SPECIAL = {"NaN": "NAN", "Infinity": "POSITIVE_INFINITY", "-Infinity": "NEGATIVE_INFINITY"}


def _numeric(column: Column, options: TypeOptions) -> ValueType:
    scale = column.scale or 0 if column.length is not None else None
    if options.decimal == "string":
        default = numeric.decimal(None, scale or 0, options).default
        return ValueType(STRING, (Step(CALL, 0, partial(_decimal_words, scale)),), fallback="0", default=default)
    if options.decimal == "double":
        return ValueType(FLOAT64, (Step(CALL, 0, partial(_decimal_float, scale)),), fallback=0.0, default=float)
    if scale is not None:
        kind = numeric.decimal(column.length, scale, options)
        return replace(kind, steps=(Step(CALL, 0, _finite), *kind.steps))
    return ValueType(_VARIABLE_DECIMAL, (Step(CALL, 0, _variable_struct),), fallback=[0, b"\0"])


def _finite(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError(f"{value} has no decimal form")
    return value


def _decimal_words(scale: int | None, value: Any) -> str:
    """Plain notation; `value` is unscaled at `scale`, or with its own scale where that is None."""
    if isinstance(value, str):
        return _SPECIAL[value]
    return decimal_text(*value) if scale is None else decimal_text(value, scale)


def _decimal_float(scale: int | None, value: Any) -> float:
    return float(value) if isinstance(value, str) else float(_decimal_words(scale, value))


def _variable(value: str) -> Any:
    """(unscaled, scale) as printed; the word for NaN and the infinities."""
    if value in _SPECIAL:
        return value
    scale = len(value.partition(".")[2])
    return read_numeric(value.encode(), scale), scale


def _variable_struct(value: Any) -> list[Any]:
    unscaled, scale = _finite(value)
    while scale and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    size = (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1
    return [scale, unscaled.to_bytes(size, "big", signed=True)]


def _money_type(options: TypeOptions) -> ValueType:
    kind = numeric.decimal(None, options.money_digits, options)
    shift = options.money_digits - 2
    return replace(kind, steps=(Step(CALL, 0, partial(_rescale, shift)), *kind.steps)) if shift else kind


def _rescale(shift: int, value: int) -> int:
    if shift >= 0:
        return int(value * 10**shift)
    unit: int = 10**-shift
    rounded = (2 * abs(value) + unit) // (2 * unit)
    return -rounded if value < 0 else rounded


_MONEY = re.compile(r"(-)?\$?([0-9,]+\.\d\d)")


def _money(value: str) -> int:
    """`-$1,234.50`, as lc_monetary=C prints it -> unscaled at two digits."""
    m = _MONEY.fullmatch(value)
    if m is None:
        raise ValueError("not an amount of money")
    number = int(read_numeric(m[2].replace(",", "").encode(), 2))
    return -number if m[1] else number


# -- bits


def _bit_type(column: Column) -> ValueType:
    if column.length == 1:
        return replace(numeric.boolean(), steps=(Step(CALL, 0, lambda v: v[0] != 0),))
    shown = _UNBOUNDED if column.length is None else column.length
    schema = Schema("bytes", name="io.debezium.data.Bits", version=1, parameters={"length": str(shown)})
    return ValueType(schema, (Step(CALL, 0, _bit_bytes),), fallback=b"", default=lambda t: _bit_bytes(_bits(t.strip("B'"))))


def _bits(value: str) -> tuple[int, int]:
    """The number, and how many digits it has."""
    if value.strip("01"):
        raise ValueError("bits are expected")
    return (int(value, 2) if value else 0, len(value))


def _bit_bytes(value: tuple[int, int]) -> bytes:
    number = value[0]
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


# -- the rest


def _point(value: str) -> list[Any]:
    x, y = (float(n) for n in value.strip("()").split(","))
    return [x, y, struct.pack("<BIdd", 1, 1, x, y), None]


_PAIR = re.compile(r'"((?:[^"\\]|\\.)*)"=>(?:"((?:[^"\\]|\\.)*)"|NULL)(?:, )?', re.DOTALL)


def _hstore(value: str) -> dict[str, str | None]:
    pairs: dict[str, str | None] = {}
    pos = 0
    while pos < len(value):
        m = _PAIR.match(value, pos)
        if m is None:
            raise ValueError("not an hstore")
        pairs[_unquote(m[1])] = None if m[2] is None else _unquote(m[2])
        pos = m.end()
    return pairs


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def _hstore_type(options: TypeOptions) -> ValueType:
    ordered: tuple[Step, ...] = (Step(CALL, 0, _java_map),) if options.exact else ()
    if options.hstore == "map":
        return ValueType(Schema("map", keys=STRING, values=OPTIONAL_STRING), ordered, fallback={})
    return text.named("io.debezium.data.Json", fallback="{}", steps=(*ordered, Step(CALL, 0, _json)))


def _java_map(pairs: dict[str, str | None]) -> dict[str, str | None]:
    return {k: pairs[k] for k in java_order(pairs)}


def _json(pairs: dict[str, str | None]) -> str:
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


__all__ = ["value_format", "value_type"]
