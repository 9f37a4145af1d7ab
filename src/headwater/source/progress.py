"""How far a snapshot is: rows per table, against the server's estimate.

Counts only; who shows it (a bar, a log line, metrics) subscribes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

LOG_EVERY = 10.0


@dataclass(slots=True)
class TableProgress:
    """One table: rows read, the estimate (None if unknown), whether it is done."""

    name: str
    rows: int = 0
    estimate: int | None = None
    done: bool = False


@dataclass(slots=True)
class Progress:
    """A snapshot's progress. `listener` is called after each change with this object."""

    listener: Callable[[Progress], None] | None = None
    tables: dict[str, TableProgress] = field(default_factory=dict)
    current: TableProgress | None = None
    started: float = 0.0
    running: bool = False
    _logged: float = 0.0

    def start(self, tables: list[str]) -> None:
        self.tables = {t: TableProgress(t) for t in tables}
        self.started = self._logged = time.monotonic()
        self.running = True
        self._tell()

    def table(self, name: str, estimate: int | None) -> None:
        """A table's rows begin."""
        self.current = self.tables.setdefault(name, TableProgress(name))
        self.current.estimate = estimate
        self._tell()

    def rows(self, count: int) -> None:
        """More rows of the current table."""
        if self.current is not None:
            self.current.rows += count
        now = time.monotonic()
        if now - self._logged >= LOG_EVERY:
            self._logged = now
            log.info("snapshot: %s", self)
        self._tell()

    def table_done(self, name: str) -> None:
        if name in self.tables:
            self.tables[name].done = True
        self._tell()

    def finish(self) -> None:
        """All tables are read."""
        self.running = False
        seconds = time.monotonic() - self.started
        log.info("snapshot finished: %d rows of %d tables in %.1f s", self.total_rows, len(self.tables), seconds)
        self._tell()

    @property
    def total_rows(self) -> int:
        return sum(t.rows for t in self.tables.values())

    @property
    def rate(self) -> float:
        """Rows per second so far."""
        return self.total_rows / max(time.monotonic() - self.started, 1e-6)

    def _tell(self) -> None:
        if self.listener is not None:
            self.listener(self)

    def __str__(self) -> str:
        done = sum(t.done for t in self.tables.values())
        text = f"{done}/{len(self.tables)} tables, {self.total_rows} rows, {self.rate:.0f} rows/s"
        if (t := self.current) is not None and not t.done:
            text += f", now {t.name} ({t.rows}" + (f" of about {t.estimate})" if t.estimate else ")")
        return text
