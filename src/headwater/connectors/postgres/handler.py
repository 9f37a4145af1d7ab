"""Replication messages -> records: transactions, positions, rows.

Takes messages in order and appends records. Must not know sockets or sinks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.connectors.postgres import types
from headwater.connectors.postgres.offsets import Position
from headwater.connectors.postgres.schema import SOURCE, PostgresSchema
from headwater.connectors.postgres.source_info import source_values
from headwater.events.debezium import schemas
from headwater.events.debezium.emitter import Emitter
from headwater.events.debezium.table_schema import TableSchema
from headwater.model import Record, Schema, TableId
from headwater.model.schema import BYTES, OPTIONAL_INT64, OPTIONAL_STRING, STRING, struct
from headwater.source.base import OffsetMap
from headwater.source.transactions import TransactionMonitor
from headwater.types import binary
from headwater.types.base import convert
from headwater.wire.postgres import pgoutput
from headwater.wire.postgres.rows_cy import UNCHANGED, RowDecoder

log = logging.getLogger(__name__)

_PREFIX = "io.debezium.connector.postgresql."
_TYPES = {"c": "INSERT", "u": "UPDATE", "d": "DELETE"}


class Captured(NamedTuple):
    """A captured relation."""

    schema: TableSchema
    decoder: RowDecoder
    placeholders: list[Any]


class MessageHandler:
    """The state between messages: the open transaction and the positions processed."""

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
        self.in_transaction = False

    def resume(self, position: Position) -> None:
        """Starts, or starts again, from a stored position."""
        self._relations.clear()
        self.in_transaction = False
        self._ts_us = 0
        self._xid: int | None = position.tx_id
        self._lsn = position.lsn or 0
        self._proc = position.lsn_proc
        self._commit = position.lsn_commit
        self._type = position.message_type
        # Inside a transaction the server sends it again from its start; what was processed is passed over.
        self._skip_xid = position.tx_id if position.inside_transaction else None
        self._skip_to = position.lsn_proc or 0
        self._origin: pgoutput.Origin | None = None

    # -- messages

    def handle(self, lsn: int, body: bytes, out: list[Record], now_ns: int) -> None:
        """One message of the plug-in, whose frame starts at `lsn`."""
        message = pgoutput.parse(body, self._decoder)
        if isinstance(message, pgoutput.RowChange):
            self._row(message, lsn, out, now_ns)
        elif message is None:
            if body[:1] in b"IUD":
                self._processed(lsn, {"I": "INSERT", "U": "UPDATE", "D": "DELETE"}[chr(body[0])])
        elif isinstance(message, pgoutput.Begin):
            self._begin(message, lsn, out)
        elif isinstance(message, pgoutput.Commit):
            self._commit_transaction(lsn, out)
        elif isinstance(message, pgoutput.Relation):
            self._relation(message)
        elif isinstance(message, pgoutput.Truncate):
            self._truncate(message, lsn, out, now_ns)
        elif isinstance(message, pgoutput.LogicalMessage):
            self._logical(message, lsn, out, now_ns)
        elif isinstance(message, pgoutput.Origin):
            self._origin = message

    def _decoder(self, oid: int) -> RowDecoder | None:
        captured = self._relations.get(oid)
        return None if captured is None else captured.decoder

    def _relation(self, relation: pgoutput.Relation) -> None:
        table_id = TableId(None, relation.schema, relation.table)
        if not self._schema.filter.includes(table_id):
            self._relations[relation.oid] = None
            return
        schema = self._read_relation(relation)
        decoder = RowDecoder(self._schema.formats(schema))
        holders = [types.placeholder(c, self._schema.types) for c in schema.read_columns]
        self._relations[relation.oid] = Captured(schema, decoder, holders)

    # -- transactions

    def _begin(self, message: pgoutput.Begin, lsn: int, out: list[Record]) -> None:
        self.in_transaction = True
        self._ts_us, self._xid, self._origin = message.commit_us, message.xid, None
        self._lsn, self._type = lsn, "BEGIN"
        if self._skip_xid is not None and self._skip_xid != message.xid:
            self._skip_xid = None
        if self._monitor.enabled and (record := self._monitor.begin(f"{message.xid}:{lsn}", self._ts_us // 1000)):
            out.append(record.replace(source_partition=self._emitter.partition, offset=self.offset()))

    def _commit_transaction(self, lsn: int, out: list[Record]) -> None:
        self.in_transaction = False
        self._skip_xid = None
        self._lsn = self._proc = self._commit = lsn
        self._type = "COMMIT"
        if self._monitor.enabled and (record := self._monitor.end(self._ts_us // 1000)):
            out.append(record.replace(source_partition=self._emitter.partition, offset=self.offset()))
            self._monitor.context.end()

    def _processed(self, lsn: int, kind: str) -> None:
        self._lsn = self._proc = lsn
        self._type = kind

    def offset(self) -> OffsetMap:
        """The offset of everything handled so far."""
        out: dict[str, Any] = dict(self._monitor.context.offset()) if self._monitor.enabled else {}
        out.update(ts_usec=self._ts_us, txId=self._xid, lsn=self._lsn)
        if self._proc is not None:
            out["lsn_proc"] = self._proc
        if self._commit is not None:
            out["lsn_commit"] = self._commit
        if self._type:
            out["messageType"] = self._type
        return out

    @property
    def confirmed(self) -> int:
        """The position behind the last whole transaction."""
        return self._commit or 0

    # -- rows

    def _row(self, change: pgoutput.RowChange, lsn: int, out: list[Record], now_ns: int) -> None:
        captured = self._relations[change.relation]
        if captured is None or (self._skip_xid is not None and lsn <= self._skip_to):
            return
        self._processed(lsn, _TYPES[change.op])
        schema = captured.schema
        source = self._source(schema.table.id, lsn)
        offset = self.offset()
        after = None if change.new is None else self._complete(captured, change.new, change.old)
        before = None if change.old is None else self._complete(captured, change.old, None)
        emitter = self._emitter
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

    @staticmethod
    def _complete(captured: Captured, row: list[Any], old: list[Any] | None) -> list[Any]:
        """A converted row; TOASTed values that were not sent come from the old row, or a placeholder stands for them."""
        missing = [i for i, v in enumerate(row) if v is UNCHANGED]
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
        origin = self._origin
        return source_values(
            self._config, ts_us=self._ts_us, snapshot=None, table=table, sequence=(self._commit, lsn), tx_id=self._xid,
            lsn=lsn, origin=origin.name if origin else None, origin_lsn=origin.lsn if origin else None,
        )  # fmt: skip

    def _truncate(self, message: pgoutput.Truncate, lsn: int, out: list[Record], now_ns: int) -> None:
        if self._skip_xid is not None and lsn <= self._skip_to:
            return
        self._lsn, self._type = lsn, "TRUNCATE"
        wanted = [c for r in message.relations if (c := self._relations.get(r)) is not None]
        if "t" not in self._emitter.skipped:
            for i, captured in enumerate(wanted):
                if i == len(wanted) - 1:
                    self._proc = lsn
                offset = self.offset()
                source = self._source(captured.schema.table.id, lsn)
                self._emitter.truncate(captured.schema, source, lambda o=offset: o, now_ns, out)  # type: ignore[misc]
        self._proc = lsn

    # -- logical messages

    def _logical(self, message: pgoutput.LogicalMessage, lsn: int, out: list[Record], now_ns: int) -> None:
        include = self._config["message.prefix.include.list"]
        exclude = self._config["message.prefix.exclude.list"]
        self._lsn, self._type = lsn, "MESSAGE"
        if not message.transactional:
            self._proc = self._commit = lsn
        if (include and not include.matches(message.prefix)) or (exclude and exclude.matches(message.prefix)):
            return
        source = self._source(None, lsn)
        if not message.transactional:
            source[11] = None
        content = convert(self._content.steps, message.content)
        value = ["m", now_ns // 1_000_000, source, None, [message.prefix, content]]
        topic = self._schema.naming.data(TableId(None, None, "message"))
        out.append(Record(topic, _MESSAGE_KEY, [message.prefix], self._message_schema, value, self._emitter.partition, self.offset()))


_MESSAGE_KEY = struct(_PREFIX + "MessageKey", ("prefix", OPTIONAL_STRING), version=1)


def _message_schema(content: Schema) -> Schema:
    body = struct(_PREFIX + "Message", ("prefix", OPTIONAL_STRING), ("content", content or BYTES), version=1)
    return struct(_PREFIX + "MessageValue", ("op", STRING), ("ts_ms", OPTIONAL_INT64), ("source", SOURCE),
                  ("transaction", schemas.TRANSACTION_BLOCK), ("message", body), version=1)  # fmt: skip
