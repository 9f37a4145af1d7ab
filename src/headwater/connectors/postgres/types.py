"""PostgreSQL column types -> how their text is read, and what they become.

Reads `model.Column` only: `type_name` is the server's internal name (`int4`, `_text`), `enum_values` an enum's
labels. A type that is not known has no value type and is left out, as the reference does.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import replace
from functools import partial
from typing import Any

from headwater.model import Column, Schema
from headwater.model.schema import BYTES, INT32
from headwater.types import binary, interval, numeric, spatial, temporal, text
from headwater.types.base import TypeOptions, ValueType, convert
from headwater.types.convert_cy import CALL, Step
from headwater.wire.postgres.rows_cy import ValueFormat, bytea, time_of_day, zone_offset
from headwater.wire.postgres.rows_cy import numeric as read_numeric

_INTEGERS = {"int2": 16, "int4": 32, "int8": 64, "oid": 64}
_STRINGS = frozenset((
    "varchar", "text", "bpchar", "char", "citext", "isbn", "inet", "cidr", "macaddr", "macaddr8", "int4range", "int8range",
    "numrange", "tsrange", "tstzrange", "daterange", "name",
))  # fmt: skip
_NAMED = {"json": "Json", "jsonb": "Json", "xml": "Xml", "uuid": "Uuid", "tsvector": "Tsvector", "ltree": "Ltree"}
_PLACEHOLDER = frozenset(("text", "varchar", "bpchar", "citext", "json", "jsonb", "xml", "ltree", "tsvector"))
VARIABLE_DECIMAL = Schema("struct", name="io.debezium.data.VariableScaleDecimal", version=1,
                          doc="Variable scaled decimal", fields=(("scale", INT32), ("value", BYTES)))  # fmt: skip


def is_array(column: Column) -> bool:
    return column.type_name.startswith("_")


def _element(column: Column) -> Column:
    return replace(column, type_name=column.type_name[1:], optional=True, has_default=False)


def value_format(column: Column, *, include: bool = True) -> ValueFormat:
    """How a column's text is read into a canonical value."""
    return replace_include(_format(column), include)


def replace_include(form: ValueFormat, include: bool) -> ValueFormat:
    """The format, for a column that is in the rows or not."""
    return form._replace(include=include)


def _format(column: Column) -> ValueFormat:
    name = column.type_name
    if is_array(column):
        element = _element(column)
        return ValueFormat("call", function=partial(parse_array, _reader(_format(element))))
    if name in _INTEGERS:
        return ValueFormat("int")
    simple = {"bool": "bool", "float4": "float", "float8": "float", "bytea": "bytes", "date": "date", "time": "time",
              "timestamp": "timestamp", "timestamptz": "timestamptz"}  # fmt: skip
    if name in simple:
        return ValueFormat(simple[name])
    if name == "numeric" and column.length is not None:
        return ValueFormat("numeric", scale=column.scale or 0)
    functions = {"numeric": _variable, "money": _money, "timetz": _timetz, "interval": interval.parse_interval,
                 "bit": _bits, "varbit": _bits, "point": _point_text}  # fmt: skip
    if name in functions:
        return ValueFormat("call", function=functions[name])
    return ValueFormat("text")


def _reader(form: ValueFormat) -> Any:
    """A function text -> canonical value for an array's elements."""
    from headwater.wire.postgres.rows_cy import RowDecoder

    decoder = RowDecoder([form])

    def read(item: str) -> Any:
        raw = item.encode()
        return decoder.tuple_data(b"\0\x01t" + len(raw).to_bytes(4, "big") + raw, 0)[0][0]

    return read


def value_type(column: Column, options: TypeOptions) -> ValueType | None:
    """What a column becomes; None for a type that is left out."""
    name = column.type_name
    if is_array(column):
        return _array(column, options)
    kind = _plain(column, name, options)
    if kind is None:
        return None
    return replace(kind, default=partial(_default, kind))


def _plain(column: Column, name: str, options: TypeOptions) -> ValueType | None:
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
        return numeric.decimal(None, options.money_digits, options)
    if (kind_t := _temporal(column, name, options)) is not None:
        return kind_t
    if name in ("bit", "varbit"):
        return _bit_type(column)
    if name == "bytea":
        return binary.binary(options, lambda t: bytea(t.encode()))
    if name in _NAMED:
        fallback = "" if name != "uuid" else "00000000-0000-0000-0000-000000000000"
        return text.named("io.debezium.data." + _NAMED[name], fallback=fallback)
    if name in _STRINGS:
        return text.string()
    if name == "hstore":
        return text.named("io.debezium.data.Json", fallback="{}", steps=(Step(CALL, 0, _hstore_json),))
    if name == "interval":
        return interval.micro_duration()
    if name == "point":
        return ValueType(spatial.POINT, fallback=[0.0, 0.0, None, None])
    return None


def _numeric(column: Column, options: TypeOptions) -> ValueType:
    if column.length is not None:
        kind = numeric.decimal(column.length, column.scale or 0, options)
        return replace(kind, steps=(Step(CALL, 0, _finite), *kind.steps)) if options.decimal != "double" else kind
    if options.decimal == "string":
        return ValueType(Schema("string"), (Step(CALL, 0, _variable_text),), fallback="0")
    if options.decimal == "double":
        return ValueType(Schema("double"), (Step(CALL, 0, lambda v: float(_variable_text(v))),), fallback=0.0)
    return ValueType(VARIABLE_DECIMAL, (Step(CALL, 0, _variable_struct),), fallback=[0, b"\0"])


def _finite(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError(f"{value} has no decimal form")
    return value


def _temporal(column: Column, name: str, options: TypeOptions) -> ValueType | None:
    fsp = 6 if column.scale is None else column.scale
    plain = replace(options, adjust_years=False)
    if name == "date":
        kind = temporal.date(plain)
        return replace(kind, steps=(Step(CALL, 0, partial(_infinite_days, options.exact)), *kind.steps))
    if name == "time":
        return temporal.time(fsp, plain)
    if name == "timestamp":
        kind = temporal.datetime(fsp, plain)
        return replace(kind, steps=(Step(CALL, 0, _infinite_micros), *kind.steps))
    if name == "timestamptz":
        kind = temporal.zoned_timestamp(fsp, fsp, plain)
        fallback = convert(kind.steps, 0)
        return replace(kind, steps=(Step(CALL, 0, partial(_zoned, kind.steps)),), snapshot_steps=None, fallback=fallback)
    if name == "timetz":
        from headwater.types.convert_cy import ISO_TIME

        return text.named("io.debezium.time.ZonedTime", fallback="00:00:00Z", steps=(Step(ISO_TIME),))
    return None


_INFINITY_MICROS = {"infinity": 9223372036825200000, "-infinity": -9223372036832400000}


def _infinite_days(exact: bool, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # The reference wraps at 32 bits and gives two neighbouring days of the distant past.
    wrapped = {"infinity": -2147472692, "-infinity": -2147472691}
    return (wrapped if exact else {"infinity": 2**31 - 1, "-infinity": -(2**31)})[value]


def _infinite_micros(value: Any) -> Any:
    return _INFINITY_MICROS[value] if isinstance(value, str) else value


def _zoned(steps: Any, value: Any) -> Any:
    return value if isinstance(value, str) else convert(steps, value)


def _bit_type(column: Column) -> ValueType:
    length = column.length
    if length == 1:
        return replace(numeric.boolean(), steps=(Step(CALL, 0, lambda v: v[0] != 0),))
    shown = 2147483647 if length is None else length
    schema = Schema("bytes", name="io.debezium.data.Bits", version=1, parameters={"length": str(shown)})
    return ValueType(schema, (Step(CALL, 0, _bit_bytes),), fallback=b"", default=lambda t: _bit_bytes(_bits(t.strip("B'"))))


def _bits(value: str) -> tuple[int, int]:
    return (int(value, 2) if value else 0, len(value))


def _bit_bytes(value: tuple[int, int]) -> bytes:
    number = value[0]
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


def _variable(value: str) -> Any:
    """(unscaled, scale) without trailing zeros; the word for NaN and the infinities."""
    if value[-1:] in "Ny":
        return value
    whole, _, fraction = value.partition(".")
    fraction = fraction.rstrip("0")
    return int(whole + fraction), len(fraction)


def _variable_struct(value: Any) -> list[Any]:
    unscaled, scale = _finite(value)
    size = ((unscaled if unscaled >= 0 else ~unscaled).bit_length()) // 8 + 1
    return [scale, unscaled.to_bytes(size, "big", signed=True)]


def _variable_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    from headwater.types.convert_cy import decimal_text

    return decimal_text(*value)


def _money(value: str) -> int:
    """`-$1,234.50` -> unscaled at two digits."""
    negative = "-" in value or "(" in value
    digits = re.sub(r"[^0-9.]", "", value)
    number = int(read_numeric(digits.encode(), 2))
    return -number if negative else number


def _timetz(value: str) -> int:
    """Microseconds of the day in UTC."""
    at = max(value.rfind("+"), value.rfind("-"))
    micros = time_of_day(value[:at].encode()) - zone_offset(value[at:].encode())
    return micros % 86_400_000_000


def _point_text(value: str) -> list[Any]:
    x, y = (float(n) for n in value.strip("()").split(","))
    wkb = struct.pack("<BIdd", 1, 1, x, y)
    return [x, y, wkb, None]


_PAIR = re.compile(r'"((?:[^"\\]|\\.)*)"=>(?:"((?:[^"\\]|\\.)*)"|NULL)')


def _hstore_json(value: str) -> str:
    pairs = {_unquote(k): None if v is None else _unquote(v) for k, v in (m.groups() for m in _PAIR.finditer(value))}
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value)


# -- arrays


def _array(column: Column, options: TypeOptions) -> ValueType | None:
    kind = _plain(_element(column), column.type_name[1:], options)
    if kind is None or column.type_name[1:] in ("money", "name", "interval", "varbit", "xml", "point"):
        return None
    items = kind.schema.with_(optional=not column.enum_values)

    def each(values: list[Any]) -> list[Any]:
        return [convert(kind.steps, v) for v in values]

    return ValueType(Schema("array", items=items), (Step(CALL, 0, each),), fallback=[])


def parse_array(read: Any, value: str) -> list[Any]:
    """`{a,"b c",NULL}` -> canonical elements. Of more dimensions only the outer length is kept, as the reference does."""
    if value[:1] == "[":
        value = value[value.index("=") + 1 :]
    out: list[Any] = []
    i, depth, quoted, current, was_quoted = 1, 1, False, [], False
    while i < len(value):
        ch = value[i]
        if quoted:
            if ch == "\\":
                i += 1
                current.append(value[i])
            elif ch == '"':
                quoted = False
            else:
                current.append(ch)
        elif ch == '"':
            quoted = was_quoted = True
        elif ch == "{":
            depth += 1
        elif ch == "}" and depth > 1:
            depth -= 1
            if depth == 1:
                out.append(None)
                current, was_quoted = [], False
                i += 1
                if i < len(value) and value[i] == ",":
                    i += 1
                continue
        elif (ch in ",}") and depth == 1:
            item = "".join(current)
            if was_quoted or item or ch == ",":
                out.append(None if not was_quoted and item == "NULL" else read(item))
            current, was_quoted = [], False
        elif depth == 1:
            current.append(ch)
        i += 1
    return out


# -- defaults

_LITERAL = re.compile(r"'((?:[^']|'')*)'(?:::.*)?$", re.DOTALL)
_CALL = re.compile(r"[\w.\"]+\s*\(")


def _default(kind: ValueType, expression: str) -> Any:
    """A column default as the server prints it -> the schema's default."""
    expression = expression.strip()
    if expression.upper().startswith("NULL"):
        return None
    if m := _LITERAL.match(expression):
        return _literal(kind, m[1].replace("''", "'"))
    if _CALL.match(expression) or expression.upper().startswith(("CURRENT_", "LOCALTIME")):
        return kind.fallback if kind.schema.type not in ("struct", "array") else None
    return _literal(kind, expression.partition("::")[0].strip("()"))


def _literal(kind: ValueType, value: str) -> Any:
    if kind.schema.name == "io.debezium.time.ZonedTimestamp":
        from headwater.wire.postgres.rows_cy import RowDecoder

        raw = value.encode()
        decoded = RowDecoder([ValueFormat("timestamptz")]).tuple_data(b"\0\x01t" + len(raw).to_bytes(4, "big") + raw, 0)
        return convert(kind.steps, decoded[0][0])
    return kind.default(value)


def placeholder(column: Column, options: TypeOptions) -> Any:
    """What stands for a TOASTed value the log does not hold; None where the reference has none."""
    name = column.type_name
    if name in _PLACEHOLDER or column.enum_values:
        return options.placeholder
    if name == "bytea":
        return {"bytes": options.placeholder.encode(), "hex": options.placeholder}.get(options.binary)
    if name == "hstore":
        return json.dumps({options.placeholder: options.placeholder}, separators=(",", ":"))
    if name in ("_text", "_varchar", "_bpchar", "_json", "_jsonb"):
        return [options.placeholder]
    return None


__all__ = ["placeholder", "value_format", "value_type"]
