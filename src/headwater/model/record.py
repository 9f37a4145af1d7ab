"""Record: one message on its way to the sink, and where in the source it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.model.schema import Schema
from headwater.model.struct import Struct


class Header(NamedTuple):
    """A record header: name, schema (None for schemaless) and raw value."""

    name: str
    schema: Schema | None
    value: Any


class Record:
    """A Connect source record.

    `key` and `value` are raw (see `model.schema`); a struct is a plain list or a `Struct`. Use
    `key_struct` and `value_struct` to look inside. `headers` is an immutable tuple, shared between records.
    `kafka_partition` None leaves the choice to the partitioner.

    `source_partition` is the offset store's key map. `source_offset` is the offset map to store once
    this record and all before it are acknowledged; it is made on demand, since only the last record
    of a commit needs it: `_offset` is a dict or a function without arguments that returns one.

    `raw_row` values must not be changed in place by transforms that keep the record's schema object:
    rows may be shared (`before` and `after` never are). Replace `value` instead.
    """

    __slots__ = ("_offset", "headers", "kafka_partition", "key", "key_schema", "source_partition",
                 "timestamp", "topic", "value", "value_schema")  # fmt: skip

    def __init__(
        self,
        topic: str,
        key_schema: Schema | None,
        key: Any,
        value_schema: Schema | None,
        value: Any,
        source_partition: dict[str, Any] | None = None,
        offset: dict[str, Any] | Callable[[], dict[str, Any]] | None = None,
        headers: tuple[Header, ...] = (),
        kafka_partition: int | None = None,
        timestamp: int | None = None,
    ) -> None:
        self.topic = topic
        self.key_schema = key_schema
        self.key = key
        self.value_schema = value_schema
        self.value = value
        self.source_partition = source_partition or {}
        self._offset = offset
        self.headers = headers
        self.kafka_partition = kafka_partition
        self.timestamp = timestamp

    @property
    def source_offset(self) -> dict[str, Any]:
        """The offset map (a fresh or cached dict; do not change it)."""
        if self._offset is None:
            return {}
        if callable(self._offset):
            self._offset = self._offset()
        return self._offset

    @property
    def key_struct(self) -> Struct | None:
        return _as_struct(self.key_schema, self.key)

    @property
    def value_struct(self) -> Struct | None:
        return _as_struct(self.value_schema, self.value)

    @property
    def op(self) -> str | None:
        """The envelope's operation (`c r u d t m`), or None where the value is no envelope."""
        s = self.value_struct
        return s.get("op") if s is not None else None

    def replace(self, **changes: Any) -> Record:
        """A copy with some attributes changed."""
        have: dict[str, Any] = {
            "topic": self.topic, "key_schema": self.key_schema, "key": self.key,
            "value_schema": self.value_schema, "value": self.value, "source_partition": self.source_partition,
            "offset": self._offset, "headers": self.headers, "kafka_partition": self.kafka_partition,
            "timestamp": self.timestamp,
        }  # fmt: skip
        have.update(changes)
        return Record(**have)

    def __repr__(self) -> str:
        return f"<Record {self.topic} key={self.key_struct or self.key!r} op={self.op}>"


def _as_struct(schema: Schema | None, value: Any) -> Struct | None:
    if value is None or schema is None or schema.type != "struct":
        return None
    return value if isinstance(value, Struct) else Struct(schema, value)
