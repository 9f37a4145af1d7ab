# cython: language_level=3
"""Dates as the server checks them, and the count of days and microseconds from them.

Shared by the log's and the query's decoder, so that both call the same dates invalid. Must not know bytes or text.
"""

from __future__ import annotations

import cython


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.cfunc
def valid_day(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.bint:
    """Whether the day exists; one with a zero in month or day does not."""
    if month < 1 or month > 12 or day < 1 or day > 31:
        return False
    if day <= 28:
        return True
    if month == 2:
        return day == 29 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= 30 or month == 1 or month == 3 or month == 5 or month == 7 or month == 8 or month == 10 or month == 12


@cython.cfunc
@cython.cdivision(True)
def days(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.longlong:
    """Days from 1970-01-01 to a valid day of the years 0 to 9999, proleptic Gregorian."""
    # Years begin in March, so that the leap day is the last; shifted by 400 years, so that no division sees a
    # negative number (C rounds those the other way).
    y: cython.longlong = year + 400 if month > 2 else year + 399
    shifted: cython.longlong = month - 3 if month > 2 else month + 9
    of_year: cython.longlong = (153 * shifted + 2) // 5 + day - 1
    return y * 365 + y // 4 - y // 100 + y // 400 + of_year - 719468 - 146097


@cython.cfunc
def micros(year: cython.longlong, month: cython.longlong, day: cython.longlong, hour: cython.longlong,
           minute: cython.longlong, second: cython.longlong, fraction: cython.longlong) -> object:  # fmt: skip
    """Microseconds from 1970-01-01T00:00:00; None where there is no such moment. `fraction` in microseconds."""
    if not valid_day(year, month, day) or hour > 23 or minute > 59 or second > 59:
        return None
    seconds: cython.longlong = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    return seconds * 1000000 + fraction
