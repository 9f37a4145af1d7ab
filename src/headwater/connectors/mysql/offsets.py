"""Positions in the binary log: what an offset holds, how it moves, how two compare.

An offset is the point to start reading from (`file`/`pos`, or the `gtids` already done) and what to
skip from there: `event` whole events of the open transaction, then `row` rows of the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater.errors import OffsetError
from headwater.wire.mysql.gtid import GtidSet

_FILE_NUMBER = re.compile(r"^(.*)\.(\d+)$")


@dataclass(frozen=True, slots=True)
class Position:
    """A stored offset, read strictly."""

    file: str
    pos: int
    gtids: str | None = None
    event: int = 0
    row: int = 0
    server_id: int = 0
    ts_sec: int = 0
    snapshot: str | None = None

    @classmethod
    def load(cls, offset: dict[str, Any]) -> Position:
        """Reads an offset map of either maker. Raises OffsetError naming the field."""
        if not offset.get("file"):
            raise OffsetError("Source offset 'file' parameter is missing")
        snapshot = offset.get("snapshot")
        if snapshot is True:
            snapshot = "INITIAL"
        return cls(
            file=str(offset["file"]),
            pos=_number(offset, "pos"),
            gtids=str(offset["gtids"]) if offset.get("gtids") else None,
            event=_number(offset, "event"),
            row=_number(offset, "row"),
            server_id=_number(offset, "server_id"),
            ts_sec=_number(offset, "ts_sec"),
            snapshot=str(snapshot).upper() if snapshot else None,
        )

    @property
    def snapshot_unfinished(self) -> bool:
        """Whether the offset was written inside an initial snapshot."""
        return self.snapshot == "INITIAL"


def _number(offset: dict[str, Any], key: str) -> int:
    value = offset.get(key)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise OffsetError(f"the stored offset's '{key}' is not a number: {value!r}")
    try:
        number = int(value)
    except ValueError as e:
        raise OffsetError(f"the stored offset's '{key}' is not a number: {value!r}") from e
    if number < 0:
        raise OffsetError(f"the stored offset's '{key}' is negative: {number}")
    return number


def at_or_before(recorded: Position, wanted: Position, accept: Callable[[str], bool] | None = None) -> bool:
    """Whether `recorded` is at or before `wanted`, as recovery of the table model needs it.

    GTID sets by containment; a position with GTIDs is newer than one without; without GTIDs and from
    different servers by time; else by file, position, event, row. A snapshot position comes before the
    same one without the mark. `accept` filters the sources of a GTID set (`uuid` -> keep).
    """
    if recorded.gtids or wanted.gtids:
        if not wanted.gtids:
            return False
        if not recorded.gtids:
            return True
        done, goal = GtidSet.parse(recorded.gtids), GtidSet.parse(wanted.gtids)
        if accept is not None:
            done, goal = done.filtered(accept), goal.filtered(accept)
        if done != goal:
            return goal.contains(done)
        return _within(recorded) <= _within(wanted)
    if recorded.server_id and wanted.server_id and recorded.server_id != wanted.server_id:
        return recorded.ts_sec <= wanted.ts_sec
    return (*_file_key(recorded.file), recorded.pos, *_within(recorded)) <= (
        *_file_key(wanted.file), wanted.pos, *_within(wanted),
    )  # fmt: skip


def _within(position: Position) -> tuple[int, int, int]:
    return (0 if position.snapshot else 1, position.event, position.row)


def _file_key(name: str) -> tuple[int, str]:
    m = _FILE_NUMBER.match(name)
    return (int(m[2]), m[1]) if m else (0, name)


class GtidNode:
    """The GTID set after a transaction: the node before it plus one GTID, made into a set on demand.

    Nodes are immutable in meaning, so a record can hold one and be asked for its offset at any time.
    """

    __slots__ = ("_gtid", "_prev", "_set")

    def __init__(self, prev: GtidNode | None, gtid: str | None, known: GtidSet | None = None) -> None:
        self._prev = prev
        self._gtid = gtid
        self._set = known

    def gtid_set(self) -> GtidSet:
        """The set. Do not change it."""
        if self._set is None:
            pending: list[str] = []
            node: GtidNode = self
            while node._set is None:
                if node._gtid is not None:
                    pending.append(node._gtid)
                if node._prev is None:
                    raise OffsetError("a GTID set has no beginning")
                node = node._prev
            done = node._set.copy()
            for gtid in reversed(pending):
                done.add(gtid)
            self._set = done
            self._prev = None
        return self._set

    def __str__(self) -> str:
        return str(self.gtid_set())


class Mark:
    """A restart point, shared by the records of one event. Calling it with a row count gives the offset."""

    __slots__ = ("event", "extra", "file", "gtids", "pos", "server_id", "snapshot", "ts_sec")

    def __init__(self, file: str, pos: int, gtids: GtidNode | None, *, event: int = 0, server_id: int = 0,
                 ts_sec: int | None = None, snapshot: str | None = None,
                 extra: dict[str, Any] | None = None) -> None:  # fmt: skip
        self.file = file
        self.pos = pos
        self.gtids = gtids
        self.event = event
        self.server_id = server_id
        self.ts_sec = ts_sec
        self.snapshot = snapshot
        self.extra = extra

    def offset(self, row: int = 0) -> dict[str, Any]:
        """The offset map, keys in the reference's form."""
        out: dict[str, Any] = dict(self.extra) if self.extra else {}
        out.update(ts_sec=self.ts_sec, file=self.file, pos=self.pos)
        if self.gtids is not None and (text := str(self.gtids)):
            out["gtids"] = text
        if self.snapshot:
            out["snapshot"] = self.snapshot
        if row:
            out["row"] = row
        if self.server_id:
            out["server_id"] = self.server_id
        if self.event:
            out["event"] = self.event
        return out

    def __call__(self) -> dict[str, Any]:
        return self.offset()


class RowOffset:
    """The offset of one record: a mark and the number of rows of the event delivered with it."""

    __slots__ = ("mark", "row")

    def __init__(self, mark: Mark, row: int) -> None:
        self.mark = mark
        self.row = row

    def __call__(self) -> dict[str, Any]:
        return self.mark.offset(self.row)
