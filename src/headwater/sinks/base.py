"""What a sink is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from headwater.model import Record


class Batch(NamedTuple):
    """Records with their serialised parts, as parallel lists of equal length.

    `keys` and `values` hold bytes, or None for null. `headers` holds a tuple of (name, bytes or None) each;
    it is empty where no header converter is configured. Topic and partition are on the record.
    """

    records: list[Record]
    keys: list[bytes | None]
    values: list[bytes | None]
    headers: list[tuple[tuple[str, bytes | None], ...]]


class Sink(Protocol):
    """Takes batches in order. One thread calls it.

    `write` may hand over and return before the data is durable, and blocks while too much is in flight;
    `flush` returns only when everything written so far is acknowledged, and raises SinkError where
    that failed. After an error only `close` is called. `raw` sinks take `Batch.records` alone
    (the other lists are empty): they serialise themselves or do not need to.
    """

    raw: bool

    def open(self) -> None: ...
    def write(self, batch: Batch) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class SinkFactory(Protocol):
    """`target` is what follows the sink's name in `--to NAME:TARGET` (may be empty); `config` the whole configuration."""

    def __call__(self, target: str, config: Mapping[str, str]) -> Sink: ...


def no_options(config: Mapping[str, Any]) -> None:
    """For sinks without options of their own."""
