"""Intervals, as microseconds or as ISO-8601 text."""

from __future__ import annotations

import re
from typing import NamedTuple

from headwater.model.schema import Schema
from headwater.types.base import TypeOptions, ValueType
from headwater.types.convert_cy import CALL, Step

_FORM = re.compile(
    r"(?:([+-]?\d+) years?)? ?(?:([+-]?\d+) mons?)? ?(?:([+-]?\d+) days?)? ?"
    r"(?:([+-])?(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?"
)
# A month counts a twelfth of 365.25 days.
_MONTH = 2_629_800_000_000
_DAY = 86_400_000_000


class Interval(NamedTuple):
    """The three parts that an interval keeps apart: months, days, microseconds."""

    months: int
    days: int
    micros: int


def parse_interval(text: str) -> Interval:
    """PostgreSQL's interval text (IntervalStyle postgres). Raises ValueError."""
    m = _FORM.fullmatch(text)
    if m is None:
        raise ValueError(f"{text!r} is not an interval")
    years, months, days, sign, hours, minutes, seconds, fraction = m.groups()
    clock = (int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)) * 1_000_000
    clock += int((fraction or "0").ljust(6, "0"))
    return Interval(int(years or 0) * 12 + int(months or 0), int(days or 0), -clock if sign == "-" else clock)


def micros(value: Interval) -> int:
    """The length in microseconds."""
    return value.months * _MONTH + value.days * _DAY + value.micros


def _quotient(number: int, unit: int) -> tuple[int, int]:
    """Quotient and rest of a division that rounds towards zero: each part carries the sign."""
    whole = abs(number) // unit * (1 if number >= 0 else -1)
    return whole, number - whole * unit


def iso_text(value: Interval) -> str:
    """`P1Y2M3DT4H5M6.789S`: every part is written, each with its own sign."""
    years, months = _quotient(value.months, 12)
    minutes, rest = _quotient(value.micros, 60_000_000)
    hours, minutes = _quotient(minutes, 60)
    seconds, fraction = divmod(abs(rest), 1_000_000)
    shown = f"{'-' if rest < 0 else ''}{seconds}" + (f".{fraction:06d}".rstrip("0") if fraction else "")
    return f"P{years}Y{months}M{value.days}DT{hours}H{minutes}M{shown}S"


def interval(options: TypeOptions) -> ValueType:
    """An interval in the configured form."""
    if options.interval == "string":
        schema = Schema("string", name="io.debezium.time.Interval", version=1)
        return ValueType(schema, (Step(CALL, 0, iso_text),), fallback="P0Y0M0DT0H0M0S",
                         default=lambda text: iso_text(parse_interval(text)))  # fmt: skip
    schema = Schema("int64", name="io.debezium.time.MicroDuration", version=1)
    return ValueType(schema, (Step(CALL, 0, micros),), fallback=0, default=lambda text: micros(parse_interval(text)))
