"""Intervals."""

from __future__ import annotations

import re

from headwater.model.schema import Schema
from headwater.types.base import ValueType

_UNIT = re.compile(r"([+-]?\d+) (year|mon|day)s?")
_CLOCK = re.compile(r"([+-])?(\d+):(\d\d):(\d\d)(?:\.(\d+))?$")
# A month counts a twelfth of 365.25 days.
_MICROS = {"year": 31_557_600_000_000, "mon": 2_629_800_000_000, "day": 86_400_000_000}


def parse_interval(text: str) -> int:
    """PostgreSQL's interval text -> microseconds."""
    total = sum(int(n) * _MICROS[unit] for n, unit in _UNIT.findall(text))
    if m := _CLOCK.search(text):
        sign, hours, minutes, seconds, fraction = m.groups()
        clock = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1_000_000
        clock += int((fraction or "").ljust(6, "0")[:6])
        total += -clock if sign == "-" else clock
    return total


def micro_duration() -> ValueType:
    """An interval in microseconds."""
    schema = Schema("int64", name="io.debezium.time.MicroDuration", version=1)
    return ValueType(schema, fallback=0, default=parse_interval)
