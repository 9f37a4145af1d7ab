"""PostgreSQL's date and time types -> the temporal family, with the infinities and the reference's snapshot dates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from headwater.model import Column
from headwater.types import temporal, text
from headwater.types.base import Steps, TypeOptions, ValueType, convert
from headwater.types.convert_cy import CALL, ISO_TIME, Step, civil_from_days, days_from_civil, iso_datetime
from headwater.wire.postgres.rows_cy import (
    DATE_INFINITY,
    DATE_NEGATIVE_INFINITY,
    TIMESTAMP_INFINITY,
    TIMESTAMP_NEGATIVE_INFINITY,
)

TYPES = frozenset(("date", "time", "timetz", "timestamp", "timestamptz"))

# What the reference makes of infinite dates: its arithmetic wraps at 32 bits, differently at each front door.
_STREAM_INFINITY = {DATE_INFINITY: -2147472692, DATE_NEGATIVE_INFINITY: -2147472691}
_SNAPSHOT_INFINITY = {DATE_INFINITY: -622191234, DATE_NEGATIVE_INFINITY: -625821272}
_YEAR_ONE = -719162  # 0001-01-01
_GAP = range(-141437, -141427)  # 1582-10-05 to 14, which Java's older calendar does not have
_NANO_INFINITY = {TIMESTAMP_INFINITY: 2**63 - 1, TIMESTAMP_NEGATIVE_INFINITY: -(2**63)}


def value_type(column: Column, options: TypeOptions) -> ValueType:
    """What one of `TYPES` becomes."""
    digits = 6 if column.scale is None else column.scale
    options = replace(options, adjust_years=False)
    if column.type_name == "date":
        return _date(options)
    if column.type_name == "time":
        return temporal.time(digits, options)
    if column.type_name == "timestamp":
        return _timestamp(digits, options)
    if column.type_name == "timestamptz":
        return _zoned(digits, options)
    return text.named("io.debezium.time.ZonedTime", fallback="00:00:00Z", steps=(Step(ISO_TIME),))


def _date(options: TypeOptions) -> ValueType:
    kind = temporal.date(options)
    if not options.exact:
        return kind
    stream: Steps = (Step(CALL, 0, lambda days: _STREAM_INFINITY.get(days, days)), *kind.steps)
    return replace(kind, steps=stream, snapshot_steps=(Step(CALL, 0, _snapshot_date), *kind.steps))


def _snapshot_date(days: int) -> int:
    """A date as the reference reads it in a snapshot: no era, and lenient where its calendar has a gap."""
    if days in _SNAPSHOT_INFINITY:
        return _SNAPSHOT_INFINITY[days]
    if days < _YEAR_ONE:
        year, month, day = civil_from_days(days)
        return days_from_civil(1 - year, month, day)
    return days + 10 if days in _GAP else days


def _timestamp(digits: int, options: TypeOptions) -> ValueType:
    kind = temporal.datetime(digits, options)
    if options.temporal != "nanoseconds":
        return kind
    finite = kind.steps
    return replace(kind, steps=(Step(CALL, 0, lambda v: _NANO_INFINITY[v] if v in _NANO_INFINITY else convert(finite, v)),))


def _zoned(digits: int, options: TypeOptions) -> ValueType:
    kind = temporal.zoned_timestamp(digits, digits, options)
    step = Step(CALL, 0, partial(_zoned_text, digits))
    return replace(kind, steps=(step,), snapshot_steps=None, fallback=step(0))


def _zoned_text(digits: int, micros: int) -> str:
    if micros in (TIMESTAMP_INFINITY, TIMESTAMP_NEGATIVE_INFINITY):
        return "infinity" if micros > 0 else "-infinity"
    return iso_datetime(micros, digits)
