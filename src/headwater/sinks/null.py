"""Counts records and drops them; prints what it cost at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from headwater._plugins import Plugin
from headwater.sinks.base import Batch


class NullSink:
    """Takes serialised batches, so that conversion is part of what is measured."""

    raw = False

    def __init__(self) -> None:
        self.events = 0
        self.bytes = 0
        self._first = 0.0
        self._last = 0.0
        self._cpu = 0.0

    def open(self) -> None:
        self._cpu = time.process_time()

    def write(self, batch: Batch) -> None:
        self._last = time.monotonic()
        if not self.events:
            self._first = self._last
        self.events += len(batch.records)
        self.bytes += sum(len(v) for v in batch.values if v) + sum(len(k) for k in batch.keys if k)

    def flush(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        seconds = self._last - self._first
        cpu = time.process_time() - self._cpu
        rate = f", {self.events / seconds:,.0f} events/s" if seconds else ""
        sys.stderr.write(
            f"{self.events} events, {self.bytes} bytes, {seconds:.3f} seconds, {cpu:.3f} CPU seconds{rate}\n"
        )


def make(target: str, config: Mapping[str, str]) -> NullSink:
    """A sink without options."""
    return NullSink()


PLUGIN = Plugin("sink", "null", make, summary="Counts records and drops them")
