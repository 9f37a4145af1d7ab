"""Schema history in memory: gone at exit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headwater._plugins import Plugin


class MemoryHistoryStore:
    """Keeps documents while the process runs, as copies."""

    def __init__(self) -> None:
        self._documents: list[str] = []

    def exists(self) -> bool:
        return bool(self._documents)

    def create(self) -> None:
        """Nothing to make."""

    def append(self, documents: Iterable[dict[str, Any]]) -> None:
        self._documents.extend(json.dumps(d) for d in documents)

    def read(self) -> Iterator[dict[str, Any]]:
        return (json.loads(d) for d in list(self._documents))

    def close(self) -> None:
        """Nothing to close."""


def make(config: Mapping[str, str]) -> MemoryHistoryStore:
    """A store without options."""
    return MemoryHistoryStore()


PLUGIN = Plugin(
    "history",
    "memory",
    make,
    aliases=("io.debezium.relational.history.MemorySchemaHistory", "io.debezium.relational.history.MemoryDatabaseHistory"),
    summary="Memory; gone at exit",
)
