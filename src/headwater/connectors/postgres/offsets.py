"""Positions in PostgreSQL's log: what an offset holds, and how it moves with the stream.

Must not know sockets, records or tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.errors import OffsetError

_CHANGES = frozenset(("INSERT", "UPDATE", "DELETE", "TRUNCATE"))


@dataclass(frozen=True, slots=True)
class Position:
    """A stored offset. Positions are numbers; None where the offset has none.

    `lsn` is the last message, `lsn_proc` the last one processed as a whole, `lsn_commit` the last commit.
    `row` counts, from 0, the row among those that share `lsn` (COPY writes many rows into one log record).
    """

    lsn: int | None = None
    lsn_proc: int | None = None
    lsn_commit: int | None = None
    tx_id: int | None = None
    ts_us: int = 0
    message_type: str | None = None
    snapshot: str | None = None
    completed: bool = True
    row: int = 0

    @classmethod
    def load(cls, offset: dict[str, Any]) -> Position:
        """Reads an offset map, also one of 1.9. Raises OffsetError naming the field."""
        snapshot = offset.get("snapshot")
        if snapshot in (True, "true"):
            snapshot = "INITIAL"
        return cls(
            lsn=_number(offset, "lsn"), lsn_proc=_number(offset, "lsn_proc"), lsn_commit=_number(offset, "lsn_commit"),
            tx_id=_number(offset, "txId"), ts_us=_number(offset, "ts_usec") or 0,
            message_type=offset.get("messageType"), snapshot=str(snapshot) if snapshot else None,
            completed=bool(offset.get("snapshot_completed", offset.get("last_snapshot_record", not snapshot))),
            row=_number(offset, "lsn_row") or 0,
        )  # fmt: skip

    @property
    def snapshot_unfinished(self) -> bool:
        """Whether the offset was written inside an initial snapshot."""
        return self.snapshot == "INITIAL" and not self.completed

    @property
    def start(self) -> int:
        """Where to ask the server to start: behind the last commit that was processed."""
        return self.lsn_commit or self.lsn or 0

    @property
    def inside_transaction(self) -> bool:
        """Whether some changes of a transaction were processed, and its commit was not.

        A BEGIN says nothing about its transaction's changes: the positions are of the one before, and may
        be higher than those of changes still to come.
        """
        if self.tx_id is None or self.lsn is None or self.lsn_proc is None:
            return False
        if self.message_type is None:  # 1.9 wrote no type
            return self.lsn_commit is not None and self.lsn_proc > self.lsn_commit
        return self.message_type in _CHANGES or (self.message_type == "MESSAGE" and self.lsn_commit != self.lsn)


def _number(offset: dict[str, Any], key: str) -> int | None:
    value = offset.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise OffsetError(f"the stored offset's '{key}' is not a number: {value!r}")
    return value


class Cursor:
    """The positions of a running stream.

    After a restart inside a transaction the server sends the transaction again from its beginning;
    `passes` says which of its changes were processed before.
    """

    __slots__ = ("_done_lsn", "_done_rows", "_done_xid", "_idle", "_row", "_row_lsn", "commit", "kind",
                 "lsn", "proc", "row", "ts_us", "xid")  # fmt: skip

    def __init__(self, position: Position) -> None:
        self.ts_us = position.ts_us
        self.xid = position.tx_id
        self.lsn = position.lsn or 0
        self.proc = position.lsn_proc
        self.commit = position.lsn_commit
        self.kind = position.message_type
        self.row = position.row
        self._row = 0
        self._row_lsn = -1
        self._idle = 0
        self._done_xid = position.tx_id if position.inside_transaction else None
        self._done_lsn = self.lsn
        # A record made before its message was through (the delete of a key change) has the older lsn_proc; a
        # logical message has the position behind its log record, where the next row may begin.
        self._done_rows = position.row + 1 if position.lsn_proc == position.lsn else position.row
        if position.message_type == "MESSAGE":
            self._done_rows = 0

    def begin(self, lsn: int, ts_us: int, xid: int) -> None:
        """A transaction begins."""
        self._row_lsn = -1
        self.ts_us, self.xid = ts_us, xid
        if self._done_xid is not None:
            if self._done_xid == xid:
                return
            self._done_xid = None
        if self.proc is None:
            self.proc = max(self.lsn, self._idle)
        self.lsn, self.kind, self.row = lsn, "BEGIN", 0

    def passes(self, lsn: int) -> bool:
        """Counts a change at `lsn`; whether it was processed before the restart."""
        row = self._row = self._row + 1 if lsn == self._row_lsn else 0
        self._row_lsn = lsn
        if self._done_xid is not None and (lsn < self._done_lsn or (lsn == self._done_lsn and row < self._done_rows)):
            return True
        self.lsn, self.row = lsn, row
        return False

    def processed(self, lsn: int, kind: str) -> None:
        """A change is processed as a whole."""
        self.lsn = self.proc = lsn
        self.kind = kind

    def committed(self, lsn: int) -> None:
        """The transaction ends."""
        self._done_xid = None
        self.lsn = self.proc = self.commit = lsn
        self.kind, self.row = "COMMIT", 0

    def message_passes(self, lsn: int) -> bool:
        """A logical message inside a transaction; whether it was processed before the restart."""
        if self._done_xid is not None and lsn <= self._done_lsn:
            return True
        self.lsn, self.kind, self.row = lsn, "MESSAGE", 0
        return False

    def message(self, lsn: int) -> None:
        """A logical message outside of transactions commits its own position."""
        self.xid = None
        self.lsn = self.proc = self.commit = lsn
        self.kind, self.row = "MESSAGE", 0

    def idle(self, end: int) -> bool:
        """Between transactions the server says that its log is sent up to `end`; whether that is news."""
        if end <= max(self._idle, self.lsn, self.commit or 0):
            return False
        self._idle = self.lsn = end
        if self.proc is not None:
            self.proc = end
            self.kind = "COMMIT"
        return True

    def offset(self) -> dict[str, Any]:
        """The offset of everything handled so far."""
        out: dict[str, Any] = {"ts_usec": self.ts_us, "lsn": self.lsn}
        if self.xid is not None:
            out["txId"] = self.xid
        if self.proc is not None:
            out["lsn_proc"] = self.proc
        if self.commit is not None:
            out["lsn_commit"] = max(self.commit, self._idle)
        if self.kind is not None:
            out["messageType"] = self.kind
        if self.row:
            out["lsn_row"] = self.row
        return out
