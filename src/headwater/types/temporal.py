"""Dates, times and timestamps in every `time.precision.mode`.

Canonical values are ints: days, or microseconds (see `docs/design/interfaces.md`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.model.schema import Schema
from headwater.types.base import Steps, TypeOptions, ValueType, convert
from headwater.types.convert_cy import (
    ADJUST_DATE,
    ADJUST_MICROS,
    FLOOR_DIV,
    IN_DAY,
    INT64_RANGE,
    ISO_DATE,
    ISO_DATETIME,
    ISO_TIME,
    Step,
    days_from_civil,
)

_DEBEZIUM = "io.debezium.time."
_CONNECT = "org.apache.kafka.connect.data."


def _named(kind: str, name: str) -> Schema:
    return Schema(kind, name=name, version=1)


# The forms of date defaults the reference reads; others it leaves out of the schema.
_STRICT = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?")


def _build(schema: Schema, steps: Steps, zero: int, parse: Callable[[str], int | None], *,
           strict: bool = False) -> ValueType:  # fmt: skip
    """A value type whose fallback is the canonical `zero` and whose defaults are parsed, then converted."""

    def default(text: str) -> object:
        if strict and not _STRICT.fullmatch(text) and text.strip("0") != "":
            return None
        value = parse(text)
        return None if value is None else convert(steps, value)

    return ValueType(schema, steps, fallback=convert(tuple(s for s in steps if s.op != IN_DAY), zero), default=default)


def date(options: TypeOptions) -> ValueType:
    """A calendar date."""
    adjust = (Step(ADJUST_DATE),) if options.adjust_years else ()
    if options.temporal == "connect":
        return _build(_named("int32", _CONNECT + "Date"), adjust, 0, parse_date, strict=options.exact)
    if options.temporal == "isostring":
        return _build(_named("string", _DEBEZIUM + "IsoDate"), (*adjust, Step(ISO_DATE)), 0, parse_date, strict=options.exact)
    return _build(_named("int32", _DEBEZIUM + "Date"), adjust, 0, parse_date, strict=options.exact)


def time(fsp: int, options: TypeOptions) -> ValueType:
    """A time of day or a duration (MySQL): microseconds, perhaps negative or beyond a day."""
    mode = options.temporal
    if mode == "connect":
        return _build(_named("int32", _CONNECT + "Time"), (Step(IN_DAY), Step(FLOOR_DIV, 1000)), 0, parse_time)
    if mode == "isostring":
        return _build(_named("string", _DEBEZIUM + "IsoTime"), (Step(IN_DAY), Step(ISO_TIME)), 0, parse_time)
    if mode == "nanoseconds":
        return _build(_named("int64", _DEBEZIUM + "NanoTime"), (Step(INT64_RANGE, 1000),), 0, parse_time)
    if mode == "adaptive" and fsp <= 3:
        return _build(_named("int32", _DEBEZIUM + "Time"), (Step(FLOOR_DIV, 1000),), 0, parse_time)
    return _build(_named("int64", _DEBEZIUM + "MicroTime"), (), 0, parse_time)


def datetime(fsp: int, options: TypeOptions) -> ValueType:
    """A date and time without zone, read as if it were UTC."""
    adjust: Steps = (Step(ADJUST_MICROS),) if options.adjust_years else ()
    mode = options.temporal
    millis = (*adjust, Step(FLOOR_DIV, 1000))
    if mode == "connect":
        return _build(_named("int64", _CONNECT + "Timestamp"), millis, 0, parse_datetime, strict=options.exact)
    if mode == "isostring":
        return _build(_named("string", _DEBEZIUM + "IsoTimestamp"), (*adjust, Step(ISO_DATETIME, -1)), 0, parse_datetime, strict=options.exact)
    if mode == "nanoseconds":
        return _build(_named("int64", _DEBEZIUM + "NanoTimestamp"), (*adjust, Step(INT64_RANGE, 1000)), 0, parse_datetime, strict=options.exact)
    if mode != "microseconds" and fsp <= 3:
        return _build(_named("int64", _DEBEZIUM + "Timestamp"), millis, 0, parse_datetime, strict=options.exact)
    return _build(_named("int64", _DEBEZIUM + "MicroTimestamp"), adjust, 0, parse_datetime, strict=options.exact)


def zoned_timestamp(stream_digits: int, snapshot_digits: int, options: TypeOptions) -> ValueType:
    """A point in time, printed in UTC with the suffix Z.

    Digits of the fraction for the stream and for the snapshot; -1 prints as many as needed.
    """
    adjust: Steps = (Step(ADJUST_MICROS),) if options.adjust_years else ()
    stream: Steps = (*adjust, Step(ISO_DATETIME, stream_digits))
    snapshot: Steps = (*adjust, Step(ISO_DATETIME, snapshot_digits))
    trimmed = (*adjust, Step(ISO_DATETIME, -1))

    def default(text: str) -> object:
        value = parse_datetime(text)
        return None if value is None else convert(trimmed, value)

    return ValueType(_named("string", _DEBEZIUM + "ZonedTimestamp"), stream, snapshot,
                     fallback="1970-01-01T00:00:00Z", default=default)  # fmt: skip


def year(options: TypeOptions, *, snapshot_zero: int, stream_zero: int) -> ValueType:
    """A year. Year 0 is written as the given numbers (the reference gives two different ones)."""

    def fix(zero: int) -> Steps:
        from headwater.types.convert_cy import CALL

        return () if zero == 0 else (Step(CALL, 0, lambda value: value or zero),)

    def default(text: str) -> int:
        value = int(text.strip())
        if len(text.strip()) <= 2:
            value += 2000 if value <= 69 else 1900
        return value

    return ValueType(_named("int32", _DEBEZIUM + "Year"), fix(stream_zero), fix(snapshot_zero), fallback=0, default=default)


_DATE = re.compile(r"(\d{1,4})\D(\d{1,2})\D(\d{1,2})")
_COMPACT = re.compile(r"(\d{2}|\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?(?:\.(\d+))?$")
_CLOCK = re.compile(r"\s*(-?)(?:(\d+)\s+)?(\d+)(?::(\d{1,2}))?(?::(\d{1,2}))?(?:\.(\d*))?$")
_NOW = re.compile(r"(?:current_timestamp|now|localtime|localtimestamp)\b", re.IGNORECASE)


def _day(year_: int, month: int, day: int) -> int | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return days_from_civil(year_, month, day)


def _micros_of(fraction: str | None) -> int:
    return int((fraction or "")[:6].ljust(6, "0"))


def parse_date(text: str) -> int | None:
    """A date literal -> days; None for a zero date."""
    text = text.strip()
    if m := _DATE.match(text):
        return _day(int(m[1]), int(m[2]), int(m[3]))
    if m := _COMPACT.match(text):
        return _day(int(m[1]), int(m[2]), int(m[3]))
    if text.strip("0") == "":
        return None
    raise ValueError(f"{text!r} is not a date")


def parse_time(text: str) -> int:
    """A time literal `[-][d ]h:mm[:ss[.f]]` -> microseconds."""
    m = _CLOCK.match(text.strip())
    if m is None:
        raise ValueError(f"{text!r} is not a time")
    sign, days, a, b, c, fraction = m.groups()
    if b is None:  # hhmmss written as one number
        number = int(a)
        hours, minutes, seconds = number // 10000, number // 100 % 100, number % 100
    else:
        hours, minutes, seconds = int(a), int(b), int(c or 0)
    total = ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds
    micros = total * 1_000_000 + _micros_of(fraction)
    return -micros if sign else micros


def parse_datetime(text: str) -> int | None:
    """A timestamp literal -> microseconds since the epoch; CURRENT_TIMESTAMP gives 0; a zero date None."""
    text = text.strip()
    if _NOW.match(text):
        return 0
    if m := _COMPACT.match(text):
        day = _day(int(m[1]), int(m[2]), int(m[3]))
        clock = parse_time(f"{m[4] or 0}:{m[5] or 0}:{m[6] or 0}.{m[7] or ''}")
    elif m := _DATE.match(text):
        day = _day(int(m[1]), int(m[2]), int(m[3]))
        rest = text[m.end() :].lstrip("T ").strip()
        clock = parse_time(rest) if rest else 0
    elif text.strip("0") == "":
        return None
    else:
        raise ValueError(f"{text!r} is not a timestamp")
    return None if day is None else day * 86_400_000_000 + clock
