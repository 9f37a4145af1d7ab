"""Changes of rows -> records: envelopes, keys, tombstones, key changes, truncations."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from typing import Any

from headwater.events.debezium.table_schema import TableSchema
from headwater.model import Header, Record
from headwater.model.schema import STRING
from headwater.source.transactions import TransactionMonitor

Offset = Callable[[], dict[str, Any]]

_NEW_KEY = "__debezium.newkey"
_OLD_KEY = "__debezium.oldkey"


def context_headers(prefix: str, connector: str, task_id: str = "0") -> tuple[Header, ...]:
    """The headers of every event: logical name, task, connector, and a run id made anew at each start."""
    names = (("connectorLogicalName", prefix), ("taskId", task_id), ("connectorName", connector), ("runId", _uuid7()))
    return tuple(Header("__debezium.context." + n, STRING, v) for n, v in names)


def _uuid7() -> str:
    """A time-ordered UUID (version 7)."""
    number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    text = f"{number:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class Emitter:
    """Appends the records of one change to a list.

    `source` is the source block's values (a list, or another struct value); `now_ns` the processing time.
    Rows are raw (converted), of the table schema's `read_columns`. `exact` keeps the reference's treatment
    of skipped operations.
    """

    def __init__(
        self,
        partition: dict[str, Any],
        headers: tuple[Header, ...],
        *,
        tombstones: bool = True,
        skipped: Collection[str] = (),
        skip_unchanged: bool = False,
        exact: bool = False,
        monitor: TransactionMonitor | None = None,
    ) -> None:
        self.partition = partition
        self.headers = headers
        self.skipped = frozenset(skipped)
        self.unchanged = 0
        self._tombstones = tombstones
        self._skip_unchanged = skip_unchanged
        self._exact = exact
        self._monitor = monitor if monitor is not None and monitor.enabled else None

    def read(self, table: TableSchema, row: list[Any], source: Any, offset: Offset, now_ns: int) -> Record:
        """The record of a snapshot row."""
        return self._record(table, "r", table.key(row), None, table.value(row), source, offset, now_ns, self.headers)

    def create(self, table: TableSchema, row: list[Any], source: Any, offset: Offset, now_ns: int,
               out: list[Record]) -> None:  # fmt: skip
        """An inserted row."""
        key = table.key(row)
        out.append(self._record(table, "c", key, None, table.value(row), source, offset, now_ns, self.headers))

    def delete(self, table: TableSchema, row: list[Any], source: Any, offset: Offset, now_ns: int,
               out: list[Record], headers: tuple[Header, ...] | None = None) -> None:  # fmt: skip
        """A deleted row, with its tombstone."""
        key = table.key(row)
        headers = self.headers if headers is None else headers
        record = self._record(table, "d", key, table.value(row), None, source, offset, now_ns, headers)
        out.append(record)
        if self._tombstones:
            out.append(record.replace(value_schema=None, value=None))

    def update(self, table: TableSchema, before: list[Any] | None, after: list[Any], source: Any, offset: Offset,
               now_ns: int, out: list[Record]) -> None:  # fmt: skip
        """An updated row; a changed key becomes a delete and a create. `before` None: the log has no old row."""
        key = table.key(after)
        old_key = key if before is None else table.key(before)
        if before is None or key == old_key:
            if "u" in self.skipped:
                return
            old, new = None if before is None else table.value(before), table.value(after)
            if self._skip_unchanged and old == new:
                self.unchanged += 1
                return
            out.append(self._record(table, "u", key, old, new, source, offset, now_ns, self.headers))
            return
        if self._exact and "u" in self.skipped:
            return
        if "d" not in self.skipped:
            moved = (*self.headers, Header(_NEW_KEY, table.key_schema, key))
            self.delete(table, before, source, offset, now_ns, out, moved)
        if "c" not in self.skipped:
            came = (*self.headers, Header(_OLD_KEY, table.key_schema, old_key))
            out.append(self._record(table, "c", key, None, table.value(after), source, offset, now_ns, came))

    def truncate(self, table: TableSchema, source: Any, offset: Offset, now_ns: int, out: list[Record]) -> None:
        """A truncated table: no key, no rows."""
        value = _envelope(None, None, source, None, "t", now_ns)
        out.append(Record(table.topic, None, None, table.envelope, value, self.partition, offset, self.headers))

    def _record(self, table: TableSchema, op: str, key: Any, before: Any, after: Any, source: Any,
                offset: Offset, now_ns: int, headers: tuple[Header, ...]) -> Record:  # fmt: skip
        if self._monitor is None or self._monitor.context.id is None:
            value = _envelope(before, after, source, None, op, now_ns)
            return Record(table.topic, table.key_schema, key, table.envelope, value, self.partition, offset, headers)
        # The counters are part of the offset, so it is made now.
        block = self._monitor.block(table.table.id)
        value = _envelope(before, after, source, block, op, now_ns)
        counted = {**self._monitor.context.offset(), **offset()}
        return Record(table.topic, table.key_schema, key, table.envelope, value, self.partition, counted, headers)


def _envelope(before: Any, after: Any, source: Any, block: Any, op: str, now_ns: int) -> list[Any]:
    return [before, after, source, block, op, now_ns // 1_000_000, now_ns // 1000, now_ns]
