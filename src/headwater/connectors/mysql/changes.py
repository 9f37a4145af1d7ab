"""Schema changes -> records of the schema change topic."""

from __future__ import annotations

from typing import Any

from headwater.ddl import Change
from headwater.events.debezium import schemas
from headwater.model import Column, Header, Record, Schema, Table


class SchemaChangeRecords:
    """Makes the records; one instance per run."""

    def __init__(self, topic: str, plugin: str, source: Schema, partition: dict[str, Any],
                 headers: tuple[Header, ...]) -> None:  # fmt: skip
        self._topic = topic
        self._key = schemas.schema_change_key(plugin)
        self._value = schemas.schema_change_value(plugin, source)
        self._partition = partition
        self._headers = headers

    def record(self, change: Change, source: list[Any], offset: Any, ts_ms: int) -> Record:
        """The record of one change. `source` is the source block's values."""
        changes = []
        if change.type is not None and change.table_ids:
            changes.append([change.type, change.id.quoted(), _table(change.table)])
        value = [source, ts_ms, change.database, None, change.ddl, changes]
        return Record(self._topic, self._key, [change.database or ""], self._value, value,
                      self._partition, offset, self._headers, kafka_partition=0)  # fmt: skip


def _table(table: Table | None) -> list[Any] | None:
    if table is None:
        return None
    return [table.charset, list(table.primary_key), [_column(c) for c in table.columns], table.comment]


def _column(c: Column) -> list[Any]:
    return [
        c.name, c.jdbc_type, c.native_type, c.type_name, c.type_expression, c.charset, c.length, c.scale,
        c.position, c.optional, c.auto_incremented, c.generated, c.comment,
        c.default_expression if c.has_default else None, list(c.enum_values) or None,
    ]  # fmt: skip
