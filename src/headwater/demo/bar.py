"""The progress of a snapshot as a bar on a terminal, as plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from headwater.model import Record
from headwater.source.progress import Progress

_SAMPLES = 3


class SnapshotBar:
    """Follows a source's progress."""

    def __init__(self, source: Any) -> None:
        self.finished = False
        self._shown: dict[str, int] = {}
        self._bar: Any = None
        self._task: Any = None
        progress: Progress = source.progress
        progress.listener = self._changed

    def _changed(self, progress: Progress) -> None:
        if sys.stdout.isatty():
            self._draw(progress)
        elif progress.current is not None and progress.current.done and progress.current.name not in self._shown:
            self._shown[progress.current.name] = 0
            print(f"  snapshot: {progress}", flush=True)
        if progress.tables and not progress.running:
            self.finished = True

    def _draw(self, progress: Progress) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        if self._bar is None:
            self._bar = Bar(TextColumn("snapshot {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        total = sum(max(t.estimate or 0, t.rows) for t in progress.tables.values())
        name = progress.current.name if progress.current is not None else ""
        self._bar.update(self._task, description=name, completed=progress.total_rows, total=total or None)

    def sample(self, records: list[Record]) -> None:
        """Prints the first rows of each table, so that one sees what an event looks like."""
        from headwater.sinks.pretty import PrettySink

        sink = PrettySink(sys.stdout.isatty())
        write = self._bar.console.print if self._bar is not None else None
        for record in records:
            seen = self._shown.setdefault("rows " + record.topic, 0)
            if seen >= _SAMPLES:
                continue
            self._shown["rows " + record.topic] = seen + 1
            line = sink.line(record) or ""
            if write is not None:
                from rich.text import Text

                write(Text.from_ansi(line))
            else:
                print("  " + line, flush=True)

    def close(self) -> None:
        """Takes the bar down."""
        if self._bar is not None:
            self._bar.stop()
