"""The embedding API: a connector inside a Python program."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from headwater.config.load import from_mapping
from headwater.engine.build import build
from headwater.engine.pump import Pump
from headwater.errors import HeadwaterError
from headwater.model import Record
from headwater.sinks.base import Batch
from headwater.source.base import OffsetMap, Source
from headwater.storage.base import OffsetStore

log = logging.getLogger(__name__)

Handler = Callable[[list[Record]], None]


class Engine:
    """Captures changes with one connector.

    Iterate over records and commit what you have dealt with::

        with Engine(config) as engine:
            for record in engine:
                ...
                engine.commit()

    or hand whole batches to a function; each is committed after it returned::

        Engine(config, handler).run()

    `config` holds the connector's properties (strings, numbers and booleans are all accepted). Raises
    `headwater.errors.ConfigError` at once for an invalid configuration.
    """

    def __init__(self, config: Mapping[str, Any], handler: Handler | None = None) -> None:
        self._handler = handler
        self._run = build(from_mapping(config), [_HandlerSink(handler)] if handler is not None else [])
        self._delivered: Any = None
        self._batches: Iterator[Any] | None = None
        self._closed = False

    @property
    def name(self) -> str:
        """The connector's name: the namespace of its offsets."""
        return self._run.name

    @property
    def source(self) -> Source:
        """The running source (progress, metrics)."""
        return self._run.source

    # -- with a handler

    def run(self) -> None:
        """Delivers batches to the handler until the source ends or `stop` is called."""
        if self._handler is None:
            raise HeadwaterError("Engine.run() needs a handler: Engine(config, handler)")
        try:
            self._run.pump.run()
        finally:
            self.close()

    # -- as an iterator

    def batches(self, *, idle: bool = False) -> Iterator[list[Record]]:
        """Lists of records as they come. `idle` also yields empty lists while nothing comes."""
        for batch in self._run.source.batches():
            if batch.records or idle:
                yield batch.records
            # The consumer came back for more: it has this batch.
            if batch.offset is not None:
                self._delivered = batch.offset

    def __iter__(self) -> Iterator[Record]:
        for batch in self._run.source.batches():
            for record in batch.records:
                self._delivered = record
                yield record
            if batch.offset is not None:
                self._delivered = batch.offset

    def commit(self) -> None:
        """Stores the position after the last record the iteration gave."""
        offset = self._offset_of(self._delivered)
        self._delivered = None
        if offset:
            self._offsets.save([(self._run.source.partition, offset)])
            self._run.source.committed(offset)

    @staticmethod
    def _offset_of(delivered: Any) -> OffsetMap | None:
        if isinstance(delivered, Record):
            return delivered.source_offset
        offset: OffsetMap | None = delivered() if callable(delivered) else delivered
        return offset

    @property
    def _offsets(self) -> OffsetStore:
        return self._pump.offsets

    @property
    def _pump(self) -> Pump:
        return self._run.pump

    def stop(self) -> None:
        """Asks the iteration or `run` to end soon. Any thread."""
        self._run.source.stop()

    def close(self) -> None:
        """Ends the capture and closes its connections; safe to call twice."""
        if not self._closed:
            self._closed = True
            self._run.source.stop()
            self._pump.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _HandlerSink:
    """Gives batches to the user's function."""

    raw = True

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def open(self) -> None:
        """Nothing to open."""

    def write(self, batch: Batch) -> None:
        self._handler(batch.records)

    def flush(self) -> None:
        """The handler has returned: its records are dealt with."""

    def close(self) -> None:
        """Nothing to close."""
