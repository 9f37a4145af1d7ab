"""Replication messages -> records: transactions, rows, truncations, logical messages.

Takes messages in order and appends records. Must not know sockets or sinks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.connectors.postgres.offsets import Cursor, Position
from headwater.connectors.postgres.placeholders import placeholder
from headwater.connectors.postgres.schema import SOURCE, PostgresSchema
from headwater.connectors.postgres.source_info import source_values
from headwater.errors import DecodeError
from headwater.events.debezium import schemas
from headwater.events.debezium.emitter import Emitter
from headwater.events.debezium.table_schema import TableSchema
from headwater.model import Record, Schema, TableId
from headwater.model.schema import OPTIONAL_INT64, OPTIONAL_STRING, STRING, struct
from headwater.source.base import OffsetMap
from headwater.source.transactions import TransactionMonitor
from headwater.types import binary
from headwater.types.base import convert
from headwater.wire.postgres import pgoutput
from headwater.wire.postgres.rows_cy import UNCHANGED, RowDecoder

log = logging.getLogger(__name__)

_PREFIX = "io.debezium.connector.postgresql."
_TYPES = {"c": "INSERT", "u": "UPDATE", "d": "DELETE"}
_BLOCK_INDEX = 3  # of the envelope


class Captured(NamedTuple):
    """A captured relation."""

    schema: TableSchema
    decoder: RowDecoder
    placeholders: list[Any]


class MessageHandler:
    """The state between messages: the open transaction, the relations, the positions processed."""

    def __init__(self, schema: PostgresSchema, emitter: Emitter, monitor: TransactionMonitor,
                 read_relation: Callable[[pgoutput.Relation], TableSchema]) -> None:  # fmt: skip
        self._schema = schema
        self._config = schema.config
        self._emitter = emitter
        self._monitor = monitor
        self._read_relation = read_relation
        self._relations: dict[int, Captured | None] = {}
        self._content = binary.binary(schema.types)
        self._message_schema = _message_schema(self._content.schema)
        self._include = self._config["message.prefix.include.list"]
        self._exclude = self._config["message.prefix.exclude.list"]
        self.resume(Position())

    def resume(self, position: Position) -> None:
        """Starts, or starts again, from a stored position."""
        self._relations.clear()
        self.in_transaction = False
        self._cursor = Cursor(position)
        self._origin: pgoutput.Origin | None = None

    def offset(self) -> OffsetMap:
        """The offset of everything handled so far."""
        if not self._monitor.enabled:
            return self._cursor.offset()
        return {**self._monitor.context.offset(), **self._cursor.offset()}

    def idle(self, end: int) -> bool:
        """The server has sent its log up to `end`; whether that moves the offset."""
        return not self.in_transaction and self._cursor.idle(end)

    # -- messages

    def handle(self, lsn: int, body: bytes, out: list[Record], now_ns: int) -> None:
        """One message of the plug-in, whose frame starts at `lsn`. Raises DecodeError."""
        message = pgoutput.parse(body, self._decoder)
        if isinstance(message, pgoutput.RowChange):
            self._row(message, lsn, out, now_ns)
        elif isinstance(message, pgoutput.Begin):
            self._begin(message, lsn, out)
        elif isinstance(message, pgoutput.Commit):
            self._commit(lsn, out)
        elif isinstance(message, pgoutput.SkippedRow):
            if not self._cursor.passes(lsn):
                self._cursor.processed(lsn, _TYPES[message.op])
        elif isinstance(message, pgoutput.Relation):
            self._relation(message)
        elif isinstance(message, pgoutput.Truncate):
            self._truncate(message, lsn, out, now_ns)
        elif isinstance(message, pgoutput.LogicalMessage):
            self._logical(message, lsn, out, now_ns)
        elif isinstance(message, pgoutput.Origin):
            self._origin = message

    def _decoder(self, oid: int) -> RowDecoder | None:
        try:
            captured = self._relations[oid]
        except KeyError:
            raise DecodeError(f"a row of the relation {oid}, which the log has not described") from None
        return None if captured is None else captured.decoder

    def _relation(self, relation: pgoutput.Relation) -> None:
        table_id = TableId(None, relation.schema, relation.table)
        if not self._schema.filter.includes(table_id):
            self._relations[relation.oid] = None
            return
        schema = self._read_relation(relation)
        decoder = RowDecoder(self._schema.formats(schema))
        holders = [placeholder(c, self._schema.types) for c in schema.read_columns]
        self._relations[relation.oid] = Captured(schema, decoder, holders)

    # -- transactions

    def _begin(self, message: pgoutput.Begin, lsn: int, out: list[Record]) -> None:
        self.in_transaction = True
        self._origin = None
        self._cursor.begin(lsn, message.commit_us, message.xid)
        if self._monitor.enabled:
            record = self._monitor.begin(str(message.xid), message.commit_us // 1000)
            if record is not None:
                out.append(self._transaction(record, lsn))

    def _commit(self, lsn: int, out: list[Record]) -> None:
        self.in_transaction = False
        self._cursor.committed(lsn)
        if self._monitor.enabled and (record := self._monitor.end(self._cursor.ts_us // 1000)):
            out.append(self._transaction(record, lsn))
            self._monitor.context.end()

    def _transaction(self, record: Record, lsn: int) -> Record:
        # The reference's transaction id carries the position of the moment, so it differs inside one transaction.
        tx_id = f"{self._cursor.xid}:{lsn}"
        status, _, *rest = record.value
        return record.replace(key=[tx_id], value=[status, tx_id, *rest], source_partition=self._emitter.partition,
                              offset=self.offset())  # fmt: skip

    # -- rows

    def _row(self, change: pgoutput.RowChange, lsn: int, out: list[Record], now_ns: int) -> None:
        captured = self._relations[change.relation]
        cursor = self._cursor
        if captured is None or cursor.passes(lsn):
            return
        before_lsn = cursor.proc
        cursor.processed(lsn, _TYPES[change.op])
        schema = captured.schema
        source = self._source(schema.table.id, lsn)
        offset = cursor.offset()
        after = None if change.new is None else self._complete(captured, change.new, change.old)
        before = None if change.old is None else self._complete(captured, change.old, None)
        emitter = self._emitter
        start = len(out)
        if change.op == "c" and after is not None:
            if "c" not in emitter.skipped:
                emitter.create(schema, after, source, lambda: offset, now_ns, out)
        elif change.op == "d" and before is not None:
            if "d" not in emitter.skipped:
                emitter.delete(schema, before, source, lambda: offset, now_ns, out)
        elif after is not None:
            if before is not None and change.old_kind == "K" and schema.key(before) == schema.key(after):
                before = None
            emitter.update(schema, before, after, source, lambda: offset, now_ns, out)
        self._settle(out, start, lsn, before_lsn)

    def _settle(self, out: list[Record], start: int, lsn: int, before: int | None) -> None:
        """Several records of one message: only with the last one delivered is the message processed."""
        if self._monitor.enabled:
            tx_id = f"{self._cursor.xid}:{lsn}"
            for record in out[start:]:
                if record.value is not None and record.value[_BLOCK_INDEX] is not None:
                    record.value[_BLOCK_INDEX][0] = tx_id
        for i in range(start, len(out) - 1):
            out[i] = out[i].replace(offset={**out[i].source_offset, "lsn_proc": before})

    @staticmethod
    def _complete(captured: Captured, row: list[Any], old: list[Any] | None) -> list[Any]:
        """A converted row; TOASTed values that were not sent come from the old row, or a placeholder stands for them."""
        missing = [i for i, v in enumerate(row) if v is UNCHANGED] if UNCHANGED in row else ()
        for i in missing:
            known = old[i] if old is not None else None
            row[i] = None if known is UNCHANGED else known
        gaps = [i for i in missing if row[i] is None]
        captured.schema.convert_stream.apply(row)
        for i in gaps:
            if captured.placeholders[i] is not None:
                row[i] = captured.placeholders[i]
        return row

    def _source(self, table: TableId | None, lsn: int) -> list[Any]:
        origin, cursor = self._origin, self._cursor
        return source_values(
            self._config, ts_us=cursor.ts_us, snapshot=None, table=table, sequence=(cursor.commit, lsn), tx_id=cursor.xid,
            lsn=lsn, origin=origin.name if origin else None, origin_lsn=origin.lsn if origin else None,
        )  # fmt: skip

    def _truncate(self, message: pgoutput.Truncate, lsn: int, out: list[Record], now_ns: int) -> None:
        cursor = self._cursor
        if cursor.passes(lsn):
            return
        before_lsn = cursor.proc
        cursor.processed(lsn, "TRUNCATE")
        wanted = [c for r in message.relations if (c := self._relations.get(r)) is not None]
        if "t" in self._emitter.skipped:
            return
        offset = cursor.offset()
        start = len(out)
        for captured in wanted:
            source = self._source(captured.schema.table.id, lsn)
            self._emitter.truncate(captured.schema, source, lambda: offset, now_ns, out)
        self._settle(out, start, lsn, before_lsn)

    # -- logical messages

    def _logical(self, message: pgoutput.LogicalMessage, lsn: int, out: list[Record], now_ns: int) -> None:
        cursor = self._cursor
        if message.transactional:
            if cursor.message_passes(lsn):
                return
        else:
            cursor.message(lsn)
        prefix = message.prefix
        if (self._include and not self._include.matches(prefix)) or (self._exclude and self._exclude.matches(prefix)):
            return
        source = self._source(None, lsn)
        content = convert(self._content.steps, message.content)
        value = ["m", now_ns // 1_000_000, source, None, [prefix, content]]
        topic = self._schema.naming.data(TableId(None, None, "message"))
        out.append(Record(topic, _MESSAGE_KEY, [prefix], self._message_schema, value, self._emitter.partition, self.offset()))


_MESSAGE_KEY = struct(_PREFIX + "MessageKey", ("prefix", OPTIONAL_STRING), version=1)


def _message_schema(content: Schema) -> Schema:
    body = struct(_PREFIX + "Message", ("prefix", OPTIONAL_STRING), ("content", content.with_(optional=True)), version=1)
    return struct(_PREFIX + "MessageValue", ("op", STRING), ("ts_ms", OPTIONAL_INT64), ("source", SOURCE),
                  ("transaction", schemas.TRANSACTION_BLOCK), ("message", body), version=1)  # fmt: skip
