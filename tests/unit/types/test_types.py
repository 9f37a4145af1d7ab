"""Conversions and defaults of the type families."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from headwater.types import binary, numeric, temporal
from headwater.types.base import TypeOptions, ValueType, convert
from headwater.types.convert_cy import (
    ADJUST_DATE,
    FLOOR_DIV,
    RowConverter,
    Step,
    civil_from_days,
    days_from_civil,
    decimal_text,
    iso_date,
    iso_datetime,
    iso_time,
)

NOON = 1515836907123456  # 2018-01-13 09:48:27.123456


@pytest.mark.parametrize("step", [997, 1461, 36524])
def test_calendar_agrees_with_python(step: int) -> None:
    for n in range(-719162, 2932896, step):
        day = datetime.date.fromordinal(n + 719163)
        assert civil_from_days(n) == (day.year, day.month, day.day)
        assert days_from_civil(day.year, day.month, day.day) == n


def test_calendar_before_year_one() -> None:
    # 44-03-15 BC is the year -43.
    assert days_from_civil(-43, 3, 15) == -735160
    for n in range(-1_000_000, -719_000, 311):
        assert days_from_civil(*civil_from_days(n)) == n


# DATE 2018-01-13, TIME 09:48:27, TIME(3), TIME(6) -838:59:58.999999, DATETIME(6), per time.precision.mode
@pytest.mark.parametrize(
    ("mode", "date", "time", "time3", "time6", "stamp"),
    [
        ("adaptive_time_microseconds", 17544, 35307000000, 35307123000, -3020398999999, NOON),
        ("microseconds", 17544, 35307000000, 35307123000, -3020398999999, NOON),
        ("nanoseconds", 17544, 35307000000000, 35307123000000, -3020398999999000, NOON * 1000),
        ("connect", 17544, 35307000, 35307123, None, 1515836907123),
        ("isostring", "2018-01-13Z", "09:48:27Z", "09:48:27.123Z", None, "2018-01-13T09:48:27.123456Z"),
    ],
)
def test_temporal_modes(mode: str, date: Any, time: Any, time3: Any, time6: Any, stamp: Any) -> None:
    options = TypeOptions(temporal=mode)

    def value(kind: ValueType, canonical: int) -> Any:
        try:
            return convert(kind.steps, canonical)
        except ValueError:
            return None

    assert value(temporal.date(options), 17544) == date
    assert value(temporal.time(0, options), 35307000000) == time
    assert value(temporal.time(3, options), 35307123000) == time3
    assert value(temporal.time(6, options), -3020398999999) == time6
    assert value(temporal.datetime(6, options), NOON) == stamp


@pytest.mark.parametrize(
    ("micros", "digits", "text"),
    [(0, -1, "1970-01-01T00:00:00Z"), (NOON, 6, "2018-01-13T09:48:27.123456Z"), (NOON - 456, -1, "2018-01-13T09:48:27.123Z"),
     (-1, 3, "1969-12-31T23:59:59.999Z"), (253402300799999999, 6, "9999-12-31T23:59:59.999999Z")],
)  # fmt: skip
def test_iso_datetime(micros: int, digits: int, text: str) -> None:
    assert iso_datetime(micros, digits) == text


def test_iso_date_and_time() -> None:
    assert iso_date(days_from_civil(20000, 1, 1)) == "+20000-01-01Z"
    assert iso_date(days_from_civil(-43, 3, 15)) == "-0043-03-15Z"
    assert iso_time(86399999999) == "23:59:59.999999Z"


@pytest.mark.parametrize(("year", "adjusted"), [(0, 2000), (18, 2018), (69, 2069), (70, 1970), (99, 1999), (100, 100), (2024, 2024)])
def test_two_digit_years(year: int, adjusted: int) -> None:
    step = Step(ADJUST_DATE)
    assert civil_from_days(step(days_from_civil(year, 5, 6))) == (adjusted, 5, 6)


@pytest.mark.parametrize(("unscaled", "scale", "text"), [(9990, 2, "99.90"), (-5, 3, "-0.005"), (7, 0, "7"), (0, 2, "0.00")])
def test_decimal_text(unscaled: int, scale: int, text: str) -> None:
    assert decimal_text(unscaled, scale) == text


@pytest.mark.parametrize(
    ("kind", "expression", "default"),
    [
        (numeric.integer(32), "  8 ", 8),
        (numeric.integer(16), "TRUE", 1),
        (numeric.integer(32), "1e2", 100),
        (numeric.boolean(), "TRUE", True),
        (numeric.boolean(), "b'1'", True),
        (numeric.bits(10), "b'1000000001'", b"\x01\x02"),
        (numeric.decimal(8, 3, TypeOptions()), "1.2345", 1235),
        (numeric.decimal(8, 3, TypeOptions(decimal="string")), "3.14", "3.140"),
        (numeric.decimal(8, 3, TypeOptions(decimal="double")), "3.14", 3.14),
        (numeric.unsigned_64(TypeOptions(exact=True)), "18446744073709551615", 2**63 - 1),
        (numeric.unsigned_64(TypeOptions()), "18446744073709551615", -1),
        (temporal.date(TypeOptions()), "2001-2-3", 11356),
        (temporal.date(TypeOptions(exact=True)), "2001-2-3", None),
        (temporal.date(TypeOptions()), "0000-00-00", None),
        (temporal.time(0, TypeOptions()), "-01:02:03", -3723000000),
        (temporal.datetime(0, TypeOptions()), "CURRENT_TIMESTAMP", 0),
        (temporal.datetime(6, TypeOptions()), "2001-02-03 04:05:06.5", 981173106500000),
        (temporal.zoned_timestamp(0, 0, TypeOptions()), "1970-01-01 00:00:00", "1970-01-01T00:00:00Z"),
        (temporal.year(TypeOptions(), snapshot_zero=0, stream_zero=0), "75", 1975),
        (binary.binary(TypeOptions(binary="hex")), "ab", "6162"),
    ],
)
def test_defaults(kind: ValueType, expression: str, default: Any) -> None:
    assert kind.default(expression) == default


def test_row_converter() -> None:
    seen: list[tuple[int, Any]] = []

    def failed(index: int, value: Any, error: Exception) -> None:
        seen.append((index, value))

    rows = RowConverter([(0, [Step(FLOOR_DIV, 1000)], None), (2, [Step(FLOOR_DIV, 1)], 7)], failed)
    assert rows.apply([-1, "x", None]) == [-1, "x", 7]
    assert rows.apply_all([[1999, 0, 5]]) == [[1, 0, 5]]
    assert rows.apply(["no", 0, 5]) == [None, 0, 5]
    assert seen == [(0, "no")]
