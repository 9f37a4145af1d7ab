"""MySQL and MariaDB column types -> families: how a column is decoded, and what it becomes.

Reads nothing but `model.Column`; the facts about defaults are those of the table model's expressions.
"""

from __future__ import annotations

import re
import struct
from functools import partial

from headwater.model import Column
from headwater.types import binary, numeric, spatial, temporal, text, vector
from headwater.types.base import TypeOptions, ValueType
from headwater.types.convert_cy import CALL, Step
from headwater.wire.mysql.columns import ColumnFormat

_MODIFIERS = re.compile(r"\b(?:UNSIGNED|ZEROFILL|SIGNED|BINARY|PRECISION|VARYING)\b")
_INTEGERS = {
    "TINYINT": 1, "INT1": 1, "SMALLINT": 2, "INT2": 2, "MEDIUMINT": 3, "MIDDLEINT": 3, "INT3": 3,
    "INT": 4, "INTEGER": 4, "INT4": 4, "BIGINT": 8, "INT8": 8, "SERIAL": 8,
}  # fmt: skip
_DECIMALS = ("DECIMAL", "DEC", "NUMERIC", "FIXED")
_BLOBS = ("BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "LONG VARBINARY")
_GEOMETRIES = (
    "GEOMETRY", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON",
    "GEOMETRYCOLLECTION", "GEOMCOLLECTION",
)  # fmt: skip
# bytes of a type -> bits of its Connect integer, signed and unsigned
_SIGNED_BITS = {1: 16, 2: 16, 3: 32, 4: 32, 8: 64}
_UNSIGNED_BITS = {1: 16, 2: 32, 3: 32, 4: 64}


def base_name(column: Column) -> str:
    """The type's first word or words without modifiers, upper case: `BIGINT UNSIGNED` -> `BIGINT`."""
    name = column.type_name.upper()
    if name in ("BINARY", "VARBINARY", "LONG VARBINARY"):
        return name
    return " ".join(_MODIFIERS.sub(" ", name).split()) or name


def is_unsigned(column: Column) -> bool:
    """Whether an integer type is unsigned; ZEROFILL and SERIAL imply it."""
    name = column.type_name.upper()
    return "UNSIGNED" in name or "ZEROFILL" in name or name.startswith("SERIAL")


def is_binary_text(column: Column) -> bool:
    """A character type of the binary character set: what the server turns into a binary type."""
    return (column.charset or "").lower() == "binary"


def _float_is_double(column: Column, exact: bool) -> bool:
    name = base_name(column)
    if name == "REAL":
        return not exact or column.jdbc_type == 8
    if name == "FLOAT4":
        return exact
    if name == "FLOAT":
        return column.scale is not None or (column.length or 0) > 24
    return True


def column_format(column: Column, *, exact: bool = False, include: bool = True) -> ColumnFormat:
    """How the log's and the query's values of a column are decoded."""
    make = partial(ColumnFormat, include=include)
    name = base_name(column)
    length = column.length or 0
    if name in _INTEGERS:
        return make("int", unsigned=is_unsigned(column))
    if name in ("BOOL", "BOOLEAN"):
        return make("int")
    if name in ("FLOAT", "FLOAT4"):
        return make("double" if column.scale is None and length > 24 else "float")
    if name in ("DOUBLE", "FLOAT8", "REAL"):
        return make("double")
    if name in _DECIMALS:
        return make("decimal", scale=column.scale or 0, length=length)
    simple = {"BIT": "bit", "YEAR": "year", "DATE": "date", "JSON": "json", "VECTOR": "vector"}
    if name in simple:
        return make(simple[name])
    if name in ("TIME", "DATETIME", "TIMESTAMP"):
        return make(name.lower(), fsp=max(length, 0))
    if name in ("ENUM", "SET"):
        return make(name.lower(), options=tuple(labels(column, exact)), charset=column.charset)
    if name == "POINT" or name in _GEOMETRIES:
        return make("geometry")
    if name in ("BINARY", "UUID", "INET4", "INET6"):
        return make("bytes", length={"UUID": 16, "INET4": 4, "INET6": 16}.get(name, length or 1))
    if name in _BLOBS or name == "VARBINARY" or (is_binary_text(column) and not exact):
        return make("bytes")
    return make("string", charset=column.charset)


def value_type(column: Column, options: TypeOptions) -> ValueType:
    """What a column becomes in the configured modes."""
    name = base_name(column)
    if name in _INTEGERS:
        return _integer(column, _INTEGERS[name], options)
    if name in ("BOOL", "BOOLEAN"):
        return numeric.boolean() if options.exact else numeric.integer(16)
    if name in ("FLOAT", "FLOAT4", "DOUBLE", "FLOAT8", "REAL"):
        return _float(column, options)
    if name in _DECIMALS:
        return numeric.decimal(column.length, column.scale or 0, options)
    if name == "BIT":
        return _bit(column, options)
    if (kind := _temporal(column, name, options)) is not None:
        return kind
    if name in ("ENUM", "SET"):
        return _enumeration(column, name == "SET", options)
    if name == "JSON":
        return text.json()
    if name == "VECTOR":
        return vector.float_vector()
    if name == "POINT":
        return spatial.point()
    if name in _GEOMETRIES:
        return spatial.geometry()
    if name == "UUID":
        return text.named("io.debezium.data.Uuid", steps=(Step(CALL, 0, _uuid_text),))
    if name in _BLOBS or name in ("BINARY", "VARBINARY") or (is_binary_text(column) and not options.exact):
        return binary.binary(options, partial(_binary_default, column, options.exact))
    return text.string(str if options.exact else unescape)


def _integer(column: Column, size: int, options: TypeOptions) -> ValueType:
    if not is_unsigned(column):
        return numeric.integer(_SIGNED_BITS[size])
    return numeric.unsigned_64(options) if size == 8 else numeric.integer(_UNSIGNED_BITS[size])


def _float(column: Column, options: TypeOptions) -> ValueType:
    double = _float_is_double(column, options.exact)
    kind = numeric.floating(double)
    if double and base_name(column) == "FLOAT" and column.scale is not None:
        # Stored in four bytes and widened; the query's text has to take the same way.
        return ValueType(kind.schema, (), (Step(CALL, 0, _as_float32),), kind.fallback, kind.default)
    return kind


def _as_float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _bit(column: Column, options: TypeOptions) -> ValueType:
    if (column.length or 1) == 1:
        return numeric.boolean()
    kind = numeric.bits(column.length or 1)

    def default(expression: str) -> object:
        if not expression.strip("01"):
            return kind.default(f"b'{expression}'")
        return None if options.exact else kind.default(expression)

    return ValueType(kind.schema, kind.steps, None, kind.fallback, default)


def _temporal(column: Column, name: str, options: TypeOptions) -> ValueType | None:
    fsp = max(column.length or 0, 0)
    if name == "DATE":
        return temporal.date(options)
    if name == "TIME":
        return temporal.time(fsp, options)
    if name == "DATETIME":
        return temporal.datetime(fsp, options)
    if name == "TIMESTAMP":
        # The reference trims the fraction in snapshots only; a consumer sees one value in two spellings.
        return temporal.zoned_timestamp(fsp, -1 if options.exact else fsp, options)
    if name == "YEAR":
        zeros = (2000, 1900) if options.exact else (0, 0)
        return temporal.year(options, snapshot_zero=zeros[0], stream_zero=zeros[1])
    return None


def _enumeration(column: Column, is_set: bool, options: TypeOptions) -> ValueType:
    return text.enumeration(labels(column, exact=True), is_set=is_set, default=str if options.exact else unescape)


def labels(column: Column, exact: bool) -> list[str]:
    """The labels of an ENUM or SET. `exact` gives the reference's spelling: escapes kept, commas escaped."""
    quoted = [v[1:-1] if len(v) >= 2 and v[0] in "'\"" else v for v in column.enum_values]
    if exact:
        return [v.replace("''", "'").replace(",", "\\,") for v in quoted]
    return [unescape(v) for v in quoted]


_ESCAPE = re.compile(r"''|\\(.)", re.DOTALL)
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unescape(literal: str) -> str:
    """The value of a quoted literal's inside: doubled quotes and backslash escapes resolved."""
    return _ESCAPE.sub(lambda m: "'" if m[0] == "''" else _ESCAPES.get(m[1], m[1]), literal)


def _binary_default(column: Column, exact: bool, expression: str) -> bytes:
    if exact:
        return expression.encode()
    value = unescape(expression).encode("latin-1", "replace")
    if base_name(column) == "BINARY":
        return value.ljust(column.length or 1, b"\0")
    return value


def _uuid_text(value: bytes | str) -> str:
    if isinstance(value, str):
        return value
    digits = value.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
