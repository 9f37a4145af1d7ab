"""What an offset store and a schema history store are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

Offset = dict[str, Any]
Partition = Mapping[str, Any]


class OffsetStore(Protocol):
    """Keeps one offset map per (connector name, source partition).

    Raises OffsetError, leaving the stored state as it was, for anything it cannot read or write.
    """

    def open(self) -> None: ...

    def load(self, partition: Partition) -> Offset | None:
        """The stored offset, None if there is none."""

    def save(self, offsets: Iterable[tuple[Partition, Offset | None]]) -> None:
        """Stores durably, atomically where the medium allows; a None offset removes the entry."""

    def close(self) -> None: ...


class HistoryStore(Protocol):
    """An append-only list of schema history documents (dicts, keys as in the reference's JSON)."""

    def exists(self) -> bool:
        """Whether there is a history (storage made and not empty)."""

    def create(self) -> None:
        """Makes the storage if it is missing."""

    def append(self, documents: Iterable[dict[str, Any]]) -> None:
        """Appends in order; durable on return. Raises HistoryError."""

    def read(self) -> Iterator[dict[str, Any]]:
        """All documents in order. Raises HistoryError naming the place of a document it cannot read."""

    def close(self) -> None: ...
