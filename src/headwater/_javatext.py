"""Numbers as Java 17 prints them: Double.toString, Float.toString, BigDecimal.toString.

Must not know JSON: not-a-number and the infinities come out as Java's words, unquoted.
"""

from __future__ import annotations

import math
import struct

from headwater._javadigits import digits


def double_text(value: float) -> str:
    """Double.toString."""
    special = _special(value)
    if special:
        return special
    number = abs(value)
    if shortest_is_exact(number, 53):
        return _layout(value, *_digits_of(repr(number)))
    return _layout(value, *digits(number, 53))


def float_text(value: float) -> str:
    """Float.toString of the nearest 32-bit float; beyond its range an infinity."""
    try:
        near: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        near = math.copysign(math.inf, value)
    return _special(near) or _layout(near, *digits(abs(near), 24))


def decimal_text(unscaled: int, scale: int) -> str:
    """BigDecimal.toString: an exponent where the scale is negative or the value very small."""
    sign, number = ("-", str(-unscaled)) if unscaled < 0 else ("", str(unscaled))
    exponent = len(number) - 1 - scale
    if scale == 0:
        return sign + number
    if scale > 0 and exponent >= -6:
        padded = number.rjust(scale + 1, "0")
        return f"{sign}{padded[:-scale]}.{padded[-scale:]}"
    mantissa = number[0] + ("." + number[1:] if len(number) > 1 else "")
    power = f"E{exponent:+d}" if exponent else ""
    return sign + mantissa + power


def shortest_is_exact(number: float, precision: int) -> bool:
    """Whether Java 17 prints the shortest digits for a positive number, known without trying.

    True for all but powers of two below 2**-20, subnormal numbers, and the range in which a short decimal
    can lie exactly between two numbers.
    """
    if math.frexp(number)[0] == 0.5:
        return 2.0**-20 <= number < 2.0 ** (precision - 2)
    if precision == 24:
        return 2.0**-126 <= number < 2.0**21
    return 2.0**-1022 <= number < 2.0**51 or 1e41 <= number < math.inf


def _special(value: float) -> str:
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1.0, value) < 0 else "0.0"
    return ""


def _digits_of(text: str) -> tuple[str, int]:
    # The digits of a positive number as Python prints it, and the place of the decimal point.
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    significant = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(significant))
    return significant.rstrip("0"), point


def _layout(value: float, number: str, point: int) -> str:
    sign = "-" if value < 0 else ""
    if 0 < point <= 7:
        return f"{sign}{number[:point].ljust(point, '0')}.{number[point:] or '0'}"
    if -3 < point <= 0:
        return f"{sign}0.{'0' * -point}{number}"
    return f"{sign}{number[0]}.{number[1:] or '0'}E{point - 1}"
