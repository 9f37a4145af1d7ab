"""Positions in PostgreSQL's log: what an offset holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.errors import OffsetError


@dataclass(frozen=True, slots=True)
class Position:
    """A stored offset. Positions are numbers; None where the offset has none."""

    lsn: int | None = None
    lsn_proc: int | None = None
    lsn_commit: int | None = None
    tx_id: int | None = None
    message_type: str | None = None
    snapshot: str | None = None
    completed: bool = True

    @classmethod
    def load(cls, offset: dict[str, Any]) -> Position:
        """Reads an offset map, also one of 1.9. Raises OffsetError naming the field."""
        snapshot = offset.get("snapshot")
        if snapshot in (True, "true"):
            snapshot = "INITIAL"
        return cls(
            lsn=_number(offset, "lsn"), lsn_proc=_number(offset, "lsn_proc"), lsn_commit=_number(offset, "lsn_commit"),
            tx_id=_number(offset, "txId"), message_type=offset.get("messageType"),
            snapshot=str(snapshot) if snapshot else None,
            completed=bool(offset.get("snapshot_completed", offset.get("last_snapshot_record", not snapshot))),
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
        """Whether some changes of a transaction were processed, and its commit was not."""
        return self.message_type in ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "BEGIN") and self.lsn_proc is not None


def _number(offset: dict[str, Any], key: str) -> int | None:
    value = offset.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise OffsetError(f"the stored offset's '{key}' is not a number: {value!r}")
    return value
