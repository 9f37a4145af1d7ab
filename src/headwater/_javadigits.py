"""Decimal digits of binary floating-point numbers as Java 17 picks them.

Java before 19 does not always print the shortest digits that give a number back: it accepts digits only
strictly within half a unit of the last place, takes a quarter for powers of two, rounds integers beyond
the precision in decimal, and prints at least two digits in some ranges. Consumers compare texts, so the
same digits are made here, with the same arithmetic widths. Must not know the text's layout.
"""

from __future__ import annotations

from math import frexp, log10

# A double's significand, the hidden bit included. Floats are widened to it, with fewer significant bits.
_BITS = 53
# From this exponent on integers do not fit the 64-bit path.
_LAST_INTEGER_EXPONENT = 62


def digits(value: float, precision: int) -> tuple[str, int]:
    """The digits of a positive finite number and the place of its decimal point, counted from their start.

    `precision` is 53 for a double and 24 for a float; the value of a float must be exact.
    """
    fraction, exponent = frexp(value)
    exponent -= 1
    significand = int(fraction * (1 << _BITS))
    lowest = -1022 if precision == _BITS else -126
    significant = precision if exponent >= lowest else precision - (lowest - exponent)
    if exponent <= _LAST_INTEGER_EXPONENT and value.is_integer():
        return _integer_digits(int(value), exponent - significant)
    return _fraction_digits(significand, exponent, significant)


def _integer_digits(number: int, surplus: int) -> tuple[str, int]:
    # Bits beyond the precision carry no information: as many decimal digits as they fill are rounded off.
    dropped = int((surplus - 1) * log10(2)) if surplus > 2 else 0
    if dropped:
        number, rest = divmod(number, 10**dropped)
        if rest >= 10**dropped // 2:
            number += 1
    text = str(number)
    return text.rstrip("0"), len(text) + dropped


def _fraction_digits(significand: int, exponent: int, significant: int) -> tuple[str, int]:
    # number = remainder / unit; margin / unit is half the distance to the next number.
    trailing = (significand & -significand).bit_length() - 1
    used = _BITS - trailing
    power = _estimate(significand, exponent)
    tiny = max(0, used - exponent - 1)
    five_up, five_down = max(0, -power), max(0, power)
    up, down = five_up + tiny + exponent, five_down + tiny
    margin_up = up - significant
    up -= used - 1
    common = min(up, down)
    up, down, margin_up = up - common, down - common, margin_up - common
    if used == 1:
        margin_up -= 1
    if margin_up < 0:
        up, down, margin_up = up - margin_up, down - margin_up, 0
    width = _width(used + up + _five_bits(five_up), down + 1 + _five_bits(five_down + 1))
    remainder = (significand >> trailing) * 5**five_up << up
    return _generate(remainder, 5**five_down << down, 5**five_up << margin_up, power, width)


def _estimate(significand: int, exponent: int) -> int:
    # The decimal exponent, or one more: a tangent to the logarithm at 1.5.
    mantissa = significand / (1 << (_BITS - 1))
    guess = (mantissa - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981
    return int(guess // 1)


def _five_bits(power: int) -> int:
    # Bits of 5**power, as far as Java's table goes; beyond it an upper bound.
    return (5**power).bit_length() if 0 < power < 27 else power * 3


def _width(number_bits: int, unit_bits: int) -> int:
    # 32 or 64 bits where everything fits, else 0: big integers.
    most = max(number_bits, unit_bits)
    return 32 if most < 32 else 64 if most < 64 else 0


def _wrap(number: int, width: int) -> int:
    if not width:
        return number
    number &= (1 << width) - 1
    return number - (1 << width) if number >> (width - 1) else number


def _generate(remainder: int, unit: int, margin: int, power: int, width: int) -> tuple[str, int]:
    ten_units = 10 * unit

    def near() -> tuple[bool, bool]:
        # Whether the digits so far, and the digits so far plus one, are near enough to the number.
        above = _wrap(remainder + margin, width)
        return remainder < margin, above > ten_units if width else above >= ten_units

    out: list[int] = []
    digit, remainder = divmod(remainder, unit)
    remainder, margin = remainder * 10, _wrap(margin * 10, width)
    low, high = near()
    if digit == 0 and not high:
        power -= 1
    else:
        out.append(digit)
    if power < -3 or power >= 8:
        low = high = False
    while not low and not high:
        digit, remainder = divmod(remainder, unit)
        remainder, margin = remainder * 10, _wrap(margin * 10, width)
        low, high = near() if margin > 0 else (True, True)
        out.append(digit)
    if high and (not low or _rounds_up(2 * remainder - ten_units, out[-1])):
        number = str(int("".join(map(str, out))) + 1)
        carried = len(number) - len(out)
        if carried > 0:
            number, power = number[: len(out)], power + carried
        return number.rjust(len(out), "0"), power + 1
    return "".join(map(str, out)), power + 1


def _rounds_up(excess: int, last: int) -> bool:
    return excess > 0 or (excess == 0 and last % 2 == 1)
