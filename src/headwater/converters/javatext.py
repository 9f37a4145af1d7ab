"""Numbers as Java prints them.

Digits are the shortest that give the number back, in Java's layout. Java before 19 prints a digit more than
needed for rare values (2e23 as 1.9999999999999998E23); those come out shorter here, and read back equal.
"""

from __future__ import annotations

import struct


def double_text(value: float) -> str:
    """Double.toString: plain for 1e-3 <= abs < 1e7, else with an exponent. Not for NaN and infinities."""
    return "-4.9E-324" if value == -5e-324 else "4.9E-324" if value == 5e-324 else _layout(repr(value))


def float_text(value: float) -> str:
    """Float.toString of the nearest 32-bit float."""
    try:
        near = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"
    # Every normal float has six sure digits; subnormal ones have fewer, and Java prints at least two.
    for digits in (6, 7, 8, 9) if abs(near) >= 1.2e-38 else range(2, 10):
        text = f"{near:.{digits}g}"
        if struct.unpack("<f", struct.pack("<f", float(text)))[0] == near:
            break
    return _layout(text if "e" in text or "." in text else text + ".0")


def _layout(text: str) -> str:
    """Python's digits in Java's layout."""
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    if not digits.strip("0"):
        return sign + "0.0"
    point = len(whole) + power - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if -3 < point <= 7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def decimal_text(unscaled: int, scale: int) -> str:
    """BigDecimal.toString: an exponent where the scale is negative or the value very small."""
    sign, digits = ("-", str(-unscaled)) if unscaled < 0 else ("", str(unscaled))
    exponent = len(digits) - 1 - scale
    if scale == 0:
        return sign + digits
    if scale > 0 and exponent >= -6:
        padded = digits.rjust(scale + 1, "0")
        return f"{sign}{padded[:-scale]}.{padded[-scale:]}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}E{'+' if exponent >= 0 else ''}{exponent}"
