# cython: language_level=3
"""Canonical values -> raw Connect values, for whole rows in place.

A column's conversion is a short chain of steps, each an operation code and a number; only columns
that need one are visited. Knows calendars and encodings; must not know a database, a schema or a log.
"""

from __future__ import annotations

import base64
from typing import Any

import cython

NONE = 0
CALL = 1  # a Python function
FLOOR_DIV = 2  # by arg
MULTIPLY = 3  # by arg
TO_BOOL = 4
BITS = 5  # int -> arg bytes, little-endian
WRAP_64 = 6  # unsigned -> signed 64 bit
DECIMAL_TEXT = 7  # unscaled int -> plain text, arg = scale
DECIMAL_FLOAT = 8  # unscaled int -> float, arg = scale
ISO_DATE = 9  # days -> 2020-01-31Z
ISO_TIME = 10  # microseconds of the day -> 01:02:03.456Z
ISO_DATETIME = 11  # microseconds -> 2020-01-31T01:02:03.456Z, arg = digits of the fraction, -1 = as needed
ADJUST_DATE = 12  # two-digit years, days
ADJUST_MICROS = 13  # two-digit years, microseconds
BASE64 = 14
BASE64_URL = 15
HEX = 16
IN_DAY = 17  # microseconds must lie within one day, else ConversionError
INT64_RANGE = 18  # multiply by arg; outside 64 bits is an error

_MICROS_PER_DAY = 86_400_000_000
_INT64_MAX = 9_223_372_036_854_775_807


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


class OutOfRange(ValueError):
    """The value has no form in the target type."""


@cython.cfunc
def _civil(days: cython.longlong) -> tuple[int, int, int]:
    # Proleptic Gregorian date of a day number, by cycles of 400 years. Division rounds down, compiled too.
    z: cython.longlong = days + 719468
    era: cython.longlong = z // 146097
    doe: cython.longlong = z - era * 146097
    yoe: cython.longlong = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy: cython.longlong = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp: cython.longlong = (5 * doy + 2) // 153
    day: cython.longlong = doy - (153 * mp + 2) // 5 + 1
    month: cython.longlong = mp + 3 if mp < 10 else mp - 9
    year: cython.longlong = yoe + era * 400
    if month <= 2:
        year += 1
    return year, month, day


@cython.cfunc
def _days(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.longlong:
    y: cython.longlong = year - 1 if month <= 2 else year
    era: cython.longlong = y // 400
    yoe: cython.longlong = y - era * 400
    mp: cython.longlong = month - 3 if month > 2 else month + 9
    doy: cython.longlong = (153 * mp + 2) // 5 + day - 1
    doe: cython.longlong = yoe * 365 + yoe // 4 - yoe // 100 + doy
    return era * 146097 + doe - 719468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day number (0 = 1970-01-01), proleptic Gregorian."""
    return _civil(days)


def days_from_civil(year: int, month: int, day: int) -> int:
    """Day number of a date, proleptic Gregorian; the inverse of `civil_from_days`."""
    return _days(year, month, day)


@cython.cfunc
def _year_text(year: cython.longlong) -> str:
    # ISO-8601: four digits at least; years beyond 9999 carry a plus sign.
    if 0 <= year <= 9999:
        return "%04d" % year
    if year > 9999:
        return "+%d" % year
    return "-%04d" % -year


@cython.cfunc
def _fraction(micros: cython.longlong, digits: cython.longlong) -> str:
    if digits == 0 or (digits < 0 and micros == 0):
        return ""
    text: str = "%06d" % micros
    return "." + (text.rstrip("0") if digits < 0 else text[:digits])


def iso_date(days: int) -> str:
    """ISO date with the suffix Z."""
    y, m, d = _civil(days)
    return "%s-%02d-%02dZ" % (_year_text(y), m, d)


def iso_time(micros: int, digits: int = -1) -> str:
    """ISO time of day with the suffix Z. `digits` of the fraction; -1 prints as many as needed."""
    seconds: cython.longlong = micros // 1_000_000
    rest: cython.longlong = micros - seconds * 1_000_000
    return "%02d:%02d:%02d%sZ" % (seconds // 3600, seconds // 60 % 60, seconds % 60, _fraction(rest, digits))


def iso_datetime(micros: int, digits: int = -1) -> str:
    """ISO timestamp in UTC with the suffix Z, from microseconds since the epoch."""
    total: cython.longlong = micros
    day: cython.longlong = total // _MICROS_PER_DAY
    rest: cython.longlong = total - day * _MICROS_PER_DAY
    y, m, d = _civil(day)
    seconds: cython.longlong = rest // 1_000_000
    rest -= seconds * 1_000_000
    return "%s-%02d-%02dT%02d:%02d:%02d%sZ" % (
        _year_text(y), m, d, seconds // 3600, seconds // 60 % 60, seconds % 60, _fraction(rest, digits),
    )  # fmt: skip


@cython.cfunc
def _adjusted(days: cython.longlong) -> cython.longlong:
    # Day numbers of the years 0 to 99: 0-69 become 2000-2069, 70-99 become 1970-1999.
    if days < -719528 or days >= -683003:
        return days
    y, m, d = _civil(days)
    year: cython.longlong = y
    if m == 2 and d == 29 and (year + (2000 if year <= 69 else 1900)) % 4 != 0:
        return days  # year 0 and 1900 differ only in leap days; keep what cannot be moved
    return _days(year + (2000 if year <= 69 else 1900), m, d)


def decimal_text(unscaled: int, scale: int) -> str:
    """Plain notation of unscaled * 10**-scale, keeping the scale: (9990, 2) -> 99.90."""
    if scale <= 0:
        return str(unscaled * 10**-scale)
    digits = str(-unscaled if unscaled < 0 else unscaled).rjust(scale + 1, "0")
    return ("-" if unscaled < 0 else "") + digits[:-scale] + "." + digits[-scale:]


@cython.cfunc
def _convert(op: cython.int, arg: object, fn: object, value: object) -> object:
    day: cython.longlong
    n: cython.longlong
    if op == FLOOR_DIV:
        return value // arg
    if op == ISO_DATETIME:
        return iso_datetime(value, arg)
    if op == MULTIPLY:
        return value * arg
    if op == TO_BOOL:
        return value != 0
    if op == BITS:
        return value.to_bytes(arg, "little")
    if op == WRAP_64:
        return value - 18446744073709551616 if value > _INT64_MAX else value
    if op == ADJUST_DATE:
        return _adjusted(value)
    if op == ADJUST_MICROS:
        n = value
        day = n // _MICROS_PER_DAY
        if day >= -683003 or day < -719528:
            return value
        return (_adjusted(day) - day) * _MICROS_PER_DAY + n
    if op == CALL:
        return fn(value)
    return _convert_rare(op, arg, value)


def _convert_rare(op: int, arg: Any, value: Any) -> Any:
    if op == DECIMAL_TEXT:
        return decimal_text(value, arg)
    if op == DECIMAL_FLOAT:
        return float(decimal_text(value, arg))
    if op == ISO_DATE:
        return iso_date(value)
    if op == ISO_TIME:
        return iso_time(value)
    if op == BASE64:
        return base64.b64encode(value).decode("ascii")
    if op == BASE64_URL:
        return base64.urlsafe_b64encode(value).decode("ascii")
    if op == HEX:
        return value.hex()
    if op == IN_DAY:
        if not 0 <= value < _MICROS_PER_DAY:
            raise OutOfRange(f"a time of {value} µs does not lie within one day")
        return value
    if op == INT64_RANGE:
        scaled = value * arg
        if not -_INT64_MAX - 1 <= scaled <= _INT64_MAX:
            raise OutOfRange(f"{value} times {arg} does not fit 64 bits")
        return scaled
    return value


@cython.cclass
class Step:
    """One operation of a conversion: an operation code, a number, and for CALL a function."""

    op = cython.declare(cython.int, visibility="readonly")
    arg = cython.declare(object, visibility="readonly")
    fn = cython.declare(object, visibility="readonly")

    def __init__(self, op: int, arg: int = 0, fn: Any = None) -> None:
        self.op = op
        self.arg = arg
        self.fn = fn

    def __call__(self, value: Any) -> Any:
        return None if value is None else _convert(self.op, self.arg, self.fn, value)

    def __repr__(self) -> str:
        return f"Step({self.op}, {self.arg!r}, {self.fn!r})"


@cython.cclass
class RowConverter:
    """Converts rows in place.

    `columns`: (index in the row, steps, fallback) per column that needs work; the fallback replaces null
    (None where null may stay). `on_error(index, value, error)` gives the value to use instead, or raises.
    """

    _indexes = cython.declare(list)
    _steps = cython.declare(list)
    _fallbacks = cython.declare(list)
    _on_error = cython.declare(object)
    _n = cython.declare(cython.Py_ssize_t)

    def __init__(self, columns: Any, on_error: Any) -> None:
        self._indexes = [c[0] for c in columns]
        self._steps = [tuple(c[1]) for c in columns]
        self._fallbacks = [c[2] for c in columns]
        self._on_error = on_error
        self._n = len(self._indexes)

    @property
    def empty(self) -> bool:
        """Whether no column needs work."""
        return self._n == 0

    @cython.ccall
    def apply(self, row: list) -> list:
        """Converts one row in place and returns it."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        steps: tuple
        step: Step
        for i in range(self._n):
            at = self._indexes[i]
            value = row[at]
            if value is None:
                row[at] = self._fallbacks[i]
                continue
            steps = self._steps[i]
            try:
                for k in range(len(steps)):
                    step = steps[k]
                    value = _convert(step.op, step.arg, step.fn, value)
            except Exception as e:
                value = self._on_error(at, row[at], e)
                if value is None:
                    value = self._fallbacks[i]
            row[at] = value
        return row

    @cython.ccall
    def apply_all(self, rows: list) -> list:
        """Converts every row in place."""
        if self._n:
            for row in rows:
                self.apply(row)
        return rows
