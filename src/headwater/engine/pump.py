"""The loop of one connector's life: source -> transforms -> converters -> sinks -> acknowledged offset.

An offset is stored only after every sink has acknowledged everything before it. One thread runs it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from headwater.converters.base import Converter
from headwater.model import Record
from headwater.sinks.base import Batch, Sink
from headwater.source.base import OffsetMap, Source
from headwater.storage.base import OffsetStore

log = logging.getLogger(__name__)


class Transform(Protocol):
    """Turns records into records: a chain of single-message transforms."""

    def __call__(self, records: list[Record]) -> list[Record]: ...


class Serializer:
    """The configured converters for keys, values and headers."""

    def __init__(self, key: Converter, value: Converter, header: Converter | None = None) -> None:
        self._key = key
        self._value = value
        self._header = header

    def __call__(self, records: list[Record]) -> Batch:
        headers: list[tuple[tuple[str, bytes | None], ...]]
        headers = [self._headers(r) for r in records] if self._header is not None else [()] * len(records)
        return Batch(records, self._key.keys(records), self._value.values(records), headers)

    def _headers(self, record: Record) -> tuple[tuple[str, bytes | None], ...]:
        header = self._header
        if header is None:
            return ()
        return tuple((h.name, header.from_connect(record.topic, h.schema, h.value)) for h in record.headers)


class Pump:
    """Moves batches until the source ends or `stop` is called.

    `commit_interval` in seconds; the first batch with records is committed at once, as the reference does.
    """

    def __init__(
        self,
        source: Source,
        sinks: Sequence[Sink],
        serializer: Serializer | None,
        offsets: OffsetStore,
        *,
        transforms: Sequence[Transform] = (),
        commit_interval: float = 60.0,
        on_batch: Callable[[list[Record]], None] | None = None,
    ) -> None:
        self.source = source
        self.records = 0
        self._sinks = sinks
        self._serializer = serializer
        self.offsets = offsets
        self._transforms = transforms
        self._interval = commit_interval
        self._on_batch = on_batch
        self._pending: Any = None
        self._last_commit = 0.0

    def run(self) -> None:
        """Runs to the end. Whatever was delivered is acknowledged and its offset stored before it returns."""
        for sink in self._sinks:
            sink.open()
        for batch in self.source.batches():
            if batch.records:
                self._deliver(batch.records)
            if batch.offset is not None:
                self._pending = batch.offset
            if self._pending is not None and time.monotonic() - self._last_commit >= self._interval:
                self.commit()
        self.commit()

    def _deliver(self, records: list[Record]) -> None:
        for transform in self._transforms:
            records = transform(records)
        if not records:
            return
        self.records += len(records)
        batch: Batch | None = None
        for sink in self._sinks:
            if sink.raw:
                sink.write(Batch(records, [], [], []))
                continue
            if batch is None and self._serializer is not None:
                batch = self._serializer(records)
            if batch is not None:
                sink.write(batch)
        if self._on_batch is not None:
            self._on_batch(records)

    def commit(self) -> None:
        """Waits for the sinks, then stores the offset of everything handed to them."""
        pending, self._pending = self._pending, None
        self._last_commit = time.monotonic()
        if pending is None:
            return
        for sink in self._sinks:
            sink.flush()
        offset: OffsetMap = pending() if callable(pending) else pending
        self.offsets.save([(self.source.partition, offset)])
        self.source.committed(offset)

    def stop(self) -> None:
        """Asks the loop to end soon. Any thread."""
        self.source.stop()

    def close(self) -> None:
        """Closes everything; the first error is logged, none is raised."""
        closing: list[Callable[[], None]] = [self.source.close, *(s.close for s in self._sinks), self.offsets.close]
        for close in closing:
            try:
                close()
            except Exception as e:
                log.warning("closing failed: %s", e)
