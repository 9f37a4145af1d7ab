"""What a column becomes: its schema, its conversion and its fallback.

One `ValueType` per column and table version. Families (numeric, temporal, ...) build them from plain
facts (bits, scale, fraction digits); connectors map their native types to families.
Must not know a protocol, a server or a connector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from headwater.model.schema import Schema
from headwater.types.convert_cy import Step

Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class TypeOptions:
    """The configured modes, as the options' canonical (lower-case) values.

    `exact` reproduces the reference's visible defects (`compatibility.mode=exact`).
    """

    temporal: str = "adaptive_time_microseconds"
    decimal: str = "precise"
    unsigned_bigint: str = "long"
    binary: str = "bytes"
    adjust_years: bool = True
    exact: bool = False
    hstore: str = "json"
    interval: str = "numeric"
    money_digits: int = 2
    unknown_types: bool = False
    placeholder: str = "__debezium_unavailable_value"


@dataclass(frozen=True, slots=True)
class ValueType:
    """How one column is written.

    `schema` is required and has no default; optionality and default are put on per column. `steps` turn a
    canonical value of the log into a raw one, `snapshot_steps` one read by a query (None: the same).
    `fallback` is the raw value for null in a required column. `default` turns the model's default
    expression into a raw value, None where it gives none; it raises ValueError for text it cannot read.
    """

    schema: Schema
    steps: Steps = ()
    snapshot_steps: Steps | None = None
    fallback: Any = None
    default: Callable[[str], Any] = field(default=lambda text: None)

    def steps_for(self, snapshot: bool) -> Steps:
        """The steps of one front door."""
        if snapshot and self.snapshot_steps is not None:
            return self.snapshot_steps
        return self.steps


def convert(steps: Steps, value: Any) -> Any:
    """One value through a chain of steps; None stays None."""
    for step in steps:
        value = step(value)
    return value
