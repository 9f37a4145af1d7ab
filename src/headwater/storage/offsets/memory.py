"""Offsets in memory: gone at exit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater._plugins import Plugin
from headwater.storage.base import Offset, Partition
from headwater.storage.offsets.keys import key_bytes


class MemoryOffsetStore:
    """Keeps offsets while the process runs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._entries: dict[bytes, Offset] = {}

    def open(self) -> None:
        """Nothing to open."""

    def load(self, partition: Partition) -> Offset | None:
        found = self._entries.get(key_bytes(self._name, partition))
        return None if found is None else dict(found)

    def save(self, offsets: Iterable[tuple[Partition, Offset | None]]) -> None:
        for partition, offset in offsets:
            key = key_bytes(self._name, partition)
            if offset is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = dict(offset)

    def close(self) -> None:
        """Nothing to close."""


def make(config: Mapping[str, str], name: str) -> MemoryOffsetStore:
    """A store without options."""
    return MemoryOffsetStore(name)


PLUGIN = Plugin(
    "offsets",
    "memory",
    make,
    aliases=("org.apache.kafka.connect.storage.MemoryOffsetBackingStore", "MemoryOffsetBackingStore"),
    summary="Memory; gone at exit",
)
