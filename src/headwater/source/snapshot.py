"""What snapshots of every connector share: the modes' decisions, and the first/last markers.

Must not know a database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.events.debezium.schemas import SNAPSHOT_INDEX
from headwater.model import Record

_SOURCE_INDEX = 2  # of the envelope


@dataclass(frozen=True, slots=True)
class SnapshotPlan:
    """A mode's answers for one start: read schemas, read rows, stream, and what to do when something is missing."""

    schema: bool
    data: bool
    stream: bool
    on_schema_error: bool = False
    on_data_error: bool = False
    keep_position: bool = False

    @property
    def needed(self) -> bool:
        return self.schema or self.data


def plan(mode: str, config: Mapping[str, Any], *, offset: bool, unfinished: bool) -> SnapshotPlan:
    """The plan of `snapshot.mode`. `offset`: a position is stored; `unfinished`: it lies inside a snapshot."""
    fresh = not offset or unfinished
    if mode == "always":
        return SnapshotPlan(schema=True, data=True, stream=True)
    if mode == "initial_only":
        return SnapshotPlan(schema=fresh, data=fresh, stream=False)
    if mode in ("no_data", "never", "schema_only"):
        return SnapshotPlan(schema=fresh, data=False, stream=True)
    if mode in ("recovery", "schema_only_recovery"):
        return SnapshotPlan(schema=True, data=False, stream=True, on_schema_error=True, keep_position=True)
    if mode == "when_needed":
        return SnapshotPlan(schema=fresh, data=fresh, stream=True, on_schema_error=True, on_data_error=True)
    if mode == "configuration_based":
        key = "snapshot.mode.configuration.based."
        return SnapshotPlan(
            schema=bool(config[key + "snapshot.schema"]),
            data=bool(config[key + "snapshot.data"]),
            stream=bool(config[key + "start.stream"]),
            on_schema_error=bool(config[key + "snapshot.on.schema.error"]),
            on_data_error=bool(config[key + "snapshot.on.data.error"]),
        )
    return SnapshotPlan(schema=fresh, data=fresh, stream=True)


def set_marker(record: Record, marker: str) -> None:
    """Writes `source.snapshot` of a snapshot record in place."""
    value: Any = record.value
    source = value[_SOURCE_INDEX] if isinstance(value, list) else value.values[_SOURCE_INDEX]
    (source if isinstance(source, list) else source.values)[SNAPSHOT_INDEX] = marker


class Markers:
    """Puts `first`, `last` and the per-table markers on snapshot rows.

    Rows arrive marked `true`. One record is always held back, since only the next one (or the end)
    tells whether it was the last.
    """

    def __init__(self, *, exact: bool = False) -> None:
        self._exact = exact
        self._tables = 0
        self._held: Record | None = None
        self._held_first_in_table = False
        self._held_first = False
        self._table_ended = False
        self._new_table = True
        self._any = False

    def table(self) -> None:
        """A new table begins."""
        self._tables += 1
        self._table_ended = True
        self._new_table = True

    def push(self, records: list[Record]) -> list[Record]:
        """Takes the next rows; returns those whose marker is final."""
        if not records:
            return []
        out: list[Record] = []
        self._release(out)
        first = records[0]
        if self._new_table:
            # The reference gives `first` to a row of the first table only; if that is empty there is none.
            later = self._any or (self._exact and self._tables > 1)
            set_marker(first, "first_in_data_collection" if later else "first")
        if len(records) > 1:
            out.extend(records[:-1])
        self._held = records[-1]
        single = len(records) == 1
        self._held_first_in_table = self._new_table and single
        self._held_first = self._held_first_in_table and not (self._any or (self._exact and self._tables > 1))
        self._any = True
        self._new_table = False
        self._table_ended = False
        return out

    def _release(self, out: list[Record]) -> None:
        if self._held is None:
            return
        if self._table_ended and not self._held_first:
            set_marker(self._held, "last_in_data_collection")
        out.append(self._held)
        self._held = None

    def finish(self, offset: Callable[[], dict[str, Any]]) -> list[Record]:
        """The end: the held record becomes `last` and carries the offset of a finished snapshot."""
        if self._held is None:
            return []
        last = self._held.replace(offset=offset)
        self._held = None
        set_marker(last, "last")
        return [last]
