"""What a converter is."""

from __future__ import annotations

from typing import Any, Protocol

from headwater.model import Record, Schema


class Converter(Protocol):
    """Turns (schema, raw value) into bytes for a topic, and back. One thread calls it."""

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """One value. A null value with a null schema is None (a Kafka tombstone)."""

    def keys(self, records: list[Record]) -> list[bytes | None]:
        """The keys of a batch, in order. The fast path."""

    def values(self, records: list[Record]) -> list[bytes | None]:
        """The values of a batch, in order. The fast path."""

    def to_connect(self, topic: str, data: bytes | None) -> tuple[Schema | None, Any]:
        """The inverse of `from_connect`."""
