"""Numbers: integers, booleans, bits, floats, decimals."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from headwater.model.schema import BOOLEAN, DECIMAL, FLOAT32, FLOAT64, INT16, INT32, INT64, STRING, Schema
from headwater.types.base import TypeOptions, ValueType
from headwater.types.convert_cy import BITS, DECIMAL_FLOAT, DECIMAL_TEXT, TO_BOOL, WRAP_64, Step

_INTEGERS = {16: INT16, 32: INT32, 64: INT64}
_WIDE = Context(prec=200, rounding=ROUND_HALF_UP)


def integer(bits: int) -> ValueType:
    """A signed Connect integer of 16, 32 or 64 bits."""
    return ValueType(_INTEGERS[bits], fallback=0, default=_integer_default)


def _integer_default(text: str) -> int:
    text = text.strip()
    if text.lower() in ("true", "false"):
        return int(text.lower() == "true")
    return int(_decimal(text).to_integral_value(ROUND_HALF_UP))


def unsigned_64(options: TypeOptions) -> ValueType:
    """An unsigned 64-bit integer: wrapped to int64, or a Decimal of scale 0."""
    if options.unsigned_bigint == "precise":
        return ValueType(decimal_schema(0, 20), fallback=0, default=_integer_default)

    def default(text: str) -> int:
        value = _integer_default(text)
        # The reference clamps defaults although it wraps values.
        if options.exact:
            return min(value, 2**63 - 1)
        return value - 2**64 if value >= 2**63 else value

    return ValueType(INT64, (Step(WRAP_64),), fallback=0, default=default)


def boolean() -> ValueType:
    """An integer read as a boolean: not zero is true."""
    return ValueType(BOOLEAN, (Step(TO_BOOL),), fallback=False, default=_boolean_default)


def _boolean_default(text: str) -> bool:
    word = text.strip().lower()
    if word in ("true", "t", "false", "f"):
        return word in ("true", "t")
    return parse_bits(word) != 0


def bits(length: int) -> ValueType:
    """BIT(n), n > 1: little-endian bytes under the Bits schema, parameter `length`."""
    size = (length + 7) // 8
    schema = Schema("bytes", name="io.debezium.data.Bits", version=1, parameters={"length": str(length)})

    def default(text: str) -> bytes:
        return parse_bits(text).to_bytes(size, "little")

    return ValueType(schema, (Step(BITS, size),), fallback=b"", default=default)


def parse_bits(text: str) -> int:
    """A bit literal: `b'101'`, `0b101`, `x'0f'`, `0x0f`, or a decimal number."""
    word = text.strip().lower()
    for prefix, base in (("b'", 2), ("0b", 2), ("x'", 16), ("0x", 16)):
        if word.startswith(prefix):
            return int(word[2:].rstrip("'") or "0", base)
    return int(word)


def floating(double: bool) -> ValueType:
    """A 32 or 64-bit float."""
    return ValueType(FLOAT64 if double else FLOAT32, fallback=0.0, default=lambda text: float(text.strip()))


def decimal_schema(scale: int, precision: int | None) -> Schema:
    """Connect's Decimal with Debezium's precision parameter."""
    parameters = {"scale": str(scale)}
    if precision is not None:
        parameters["connect.decimal.precision"] = str(precision)
    return Schema("bytes", name=DECIMAL, version=1, parameters=parameters)


def decimal(precision: int | None, scale: int, options: TypeOptions) -> ValueType:
    """A fixed-scale decimal; canonical and raw value is the unscaled int in mode `precise`."""

    def unscaled(text: str) -> int:
        return int(_decimal(text).scaleb(scale, _WIDE).to_integral_value(ROUND_HALF_UP, _WIDE))

    if options.decimal == "string":
        step = Step(DECIMAL_TEXT, scale)
        return ValueType(STRING, (step,), fallback="0", default=lambda text: step(unscaled(text)))
    if options.decimal == "double":
        step = Step(DECIMAL_FLOAT, scale)
        return ValueType(FLOAT64, (step,), fallback=0.0, default=lambda text: step(unscaled(text)))
    return ValueType(decimal_schema(scale, precision), fallback=0, default=unscaled)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text.strip())
    except InvalidOperation as e:
        raise ValueError(f"{text!r} is not a number") from e


def plain_text(value: Any) -> str:
    """A Decimal in plain notation (no exponent)."""
    return format(value, "f")
