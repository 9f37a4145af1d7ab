# cython: language_level=3
"""Log events -> records: the state machine of transactions, positions and rows.

Takes parsed events in order and appends records; keeps the restart point that goes with each. Must not
know sockets, threads or sinks. Hot: one call per batch of events, no per-event clock.
"""

from __future__ import annotations

import logging
from typing import Any

import cython

from headwater.connectors.mysql.changes import SchemaChangeRecords
from headwater.connectors.mysql.offsets import GtidNode, Mark, Position, RowOffset
from headwater.connectors.mysql.schema import MySqlSchema
from headwater.connectors.mysql.source_info import FORMAT_VERSION
from headwater.errors import DdlError, DecodeError, HeadwaterError, SchemaMismatch, SourceError
from headwater.events.debezium.emitter import Emitter
from headwater.events.debezium.table_schema import TableSchema
from headwater.model import TableId
from headwater.source.transactions import TransactionMonitor
from headwater.wire.mysql import eventtypes as kinds
from headwater.wire.mysql.rows_cy import BinlogRowDecoder

log = logging.getLogger(__name__)


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.cclass
class Captured:
    """A captured table as one table map describes it: its schema and its decoder."""

    schema = cython.declare(object, visibility="readonly")
    decoder = cython.declare(object, visibility="readonly")
    db = cython.declare(object)
    table = cython.declare(object)
    rows = cython.declare(object)

    def __init__(self, schema: TableSchema, decoder: Any) -> None:
        self.schema = schema
        self.decoder = decoder
        self.db = schema.table.id.catalog
        self.table = schema.table.id.table
        self.rows = schema.convert_stream


@cython.cclass
class EventHandler:
    """Handles events; `out` of `handle` receives the records."""

    file = cython.declare(object, visibility="public")
    _restart_file = cython.declare(object)
    _restart_pos = cython.declare(cython.longlong)
    _done = cython.declare(object)
    _next = cython.declare(object)
    _gtid = cython.declare(object)
    _in_tx = cython.declare(cython.bint)
    _event_no = cython.declare(cython.longlong)
    _skip_events = cython.declare(cython.longlong)
    _skip_rows = cython.declare(cython.longlong)
    _server_id = cython.declare(cython.longlong)
    _ts_sec = cython.declare(object)
    _commit_us = cython.declare(cython.longlong)
    _thread = cython.declare(object)
    _query = cython.declare(object)
    _schema = cython.declare(object)
    _emitter = cython.declare(object)
    _monitor = cython.declare(object)
    _changes = cython.declare(object)
    _plugin = cython.declare(object)
    _name = cython.declare(object)
    _options = cython.declare(object)
    _source_ts = cython.declare(object)
    ended = cython.declare(cython.bint, visibility="public")
    tables_changed = cython.declare(cython.bint, visibility="public")

    def __init__(self, schema: MySqlSchema, emitter: Emitter, monitor: TransactionMonitor,
                 changes: SchemaChangeRecords, plugin: str) -> None:  # fmt: skip
        config = schema.config
        self._schema = schema
        self._emitter = emitter
        self._monitor = monitor
        self._changes = changes
        self._plugin = plugin
        self._name = config["topic.prefix"]
        self._options = _Options(config)
        self.ended = False

    # -- positions

    def resume(self, position: Position, gtids: Any) -> None:
        """Starts, or starts again, from a stored offset. `gtids`: the set before the open transaction, or None."""
        self.file = position.file
        self._restart_file = position.file
        self._restart_pos = position.pos
        self._done = None if gtids is None else GtidNode(None, None, gtids)
        self._next = self._done
        self._gtid = None
        self._in_tx = False
        self._event_no = 0
        self._skip_events = position.event
        self._skip_rows = position.row
        self._server_id = position.server_id
        self._ts_sec = position.ts_sec or None
        self._commit_us = 0
        self._thread = None
        self._query = None
        self.ended = False
        self.tables_changed = False

    def mark(self) -> Mark:
        """The restart point after everything handled so far."""
        skipping = self._skip_events > self._event_no
        event = self._skip_events if skipping else self._event_no
        extra = self._monitor.context.offset() if self._monitor.enabled else None
        return Mark(self._restart_file, self._restart_pos, self._done, event=event,
                    server_id=self._server_id, ts_sec=self._ts_sec, extra=extra)  # fmt: skip

    # -- tables

    def resolve(self, table_map: Any) -> Any:
        """The parser's question at each new table map: what captures it, or None where rows are not wanted."""
        table_id = TableId(table_map.database, None, table_map.table)
        if not self._schema.filter.includes(table_id):
            return None
        schema = self._schema.table_schema(table_id)
        if schema is None:
            return self._unknown_table(table_id)
        try:
            decoder = BinlogRowDecoder(table_map, self._schema.formats(schema), self._options.json_style)
        except SchemaMismatch as e:
            if self._options.on_inconsistent == "fail":
                raise
            if self._options.on_inconsistent == "warn":
                log.warning("%s; its rows are dropped", e)
            return None
        return Captured(schema, decoder)

    def _unknown_table(self, table_id: TableId) -> None:
        text = (
            f"Encountered change event for table {table_id} whose schema isn't known to this connector. Its CREATE "
            "TABLE is not in the schema history: set snapshot.mode=recovery once to read the table models again"
        )
        if self._options.on_inconsistent == "fail":
            raise SchemaMismatch(text)
        if self._options.on_inconsistent == "warn":
            log.warning("%s; its rows are dropped", text)

    # -- events

    def handle(self, events: list, out: list, now_ns: int) -> None:
        """Handles a batch of events in order. `now_ns`: the processing time written into the records."""
        for event in events:
            kind: cython.int = event.kind
            if kind == kinds.ROWS:
                self._rows(event, out, now_ns)
                self._event_no += 1
            elif kind == kinds.TABLE_MAP:
                self._event_no += 1
            elif kind == kinds.XID:
                self._commit(event, out)
            elif kind == kinds.GTID:
                self._begin_gtid(event)
            elif kind == kinds.ROWS_QUERY:
                self._query = event.text
                self._event_no += 1
            elif kind == kinds.QUERY:
                self._on_query(event, out, now_ns)
            else:
                self._on_rare(event, kind, out)

    @cython.cfunc
    def _begin_gtid(self, event: object) -> None:
        self._gtid = event.text
        self._commit_us = event.original_commit_timestamp
        if self._done is not None:
            self._next = GtidNode(self._done, self._gtid)
        self._thread = None
        self._query = None

    @cython.cfunc
    def _seen(self, event: object) -> None:
        # The time of a change: the original commit where the server says it, else the event's seconds.
        self._server_id = event.server_id
        self._ts_sec = event.timestamp

    @cython.cfunc
    def _commit(self, event: object, out: list) -> None:
        self._seen(event)
        if self._monitor.enabled:
            self._end_transaction(out)
        self._leave(event)

    @cython.cfunc
    def _leave(self, event: object) -> None:
        # The restart point moves behind the event that ends the transaction.
        self._done = self._next
        self._restart_file = self.file
        self._restart_pos = event.end_pos
        self._in_tx = False
        self._event_no = 0
        self._skip_events = 0
        self._skip_rows = 0
        self._thread = None
        self._query = None

    @cython.cfunc
    def _end_transaction(self, out: list) -> None:
        record = self._monitor.end(self._millis())
        if record is not None:
            record.source_partition = self._emitter.partition
            record = record.replace(offset=self.mark().offset())
            out.append(record)
            self._monitor.context.end()

    @cython.cfunc
    def _millis(self) -> object:
        return self._commit_us // 1000 if self._commit_us else (self._ts_sec or 0) * 1000

    @cython.cfunc
    def _start(self, event: object, out: list) -> None:
        self._restart_file = self.file
        self._restart_pos = event.start_pos
        self._in_tx = True
        self._event_no = 0
        self._thread = event.thread_id
        self._query = None
        self._seen(event)
        if self._monitor.enabled:
            tx_id = self._gtid or f"file={self.file},pos={event.start_pos}"
            record = self._monitor.begin(tx_id, self._millis())
            if record is not None:
                record.source_partition = self._emitter.partition
                out.append(record.replace(offset=self.mark().offset()))
        self._event_no = 1

    def _on_query(self, event: Any, out: list, now_ns: int) -> None:
        sql: str = event.sql
        head = sql[:16].lstrip().upper()
        if head == "BEGIN":
            self._start(event, out)
            return
        if head == "COMMIT":
            self._commit(event, out)
            return
        if head.startswith(("XA START", "XA BEGIN")):
            self._start(event, out)
            return
        self._seen(event)
        if head.startswith("ROLLBACK") and not head.startswith("ROLLBACK TO"):
            log.warning("a transaction with changes of non-transactional tables was rolled back at %s:%d",
                        self.file, event.start_pos)  # fmt: skip
            self._commit(event, out)
            return
        if head.startswith(("SAVEPOINT", "ROLLBACK TO", "XA ")):
            self._event_no += 1
            return
        self._statement(event, sql, out, now_ns)

    def _statement(self, event: Any, sql: str, out: list, now_ns: int) -> None:
        if self._in_tx and self._event_no < self._skip_events:
            self._event_no += 1
            return
        if sql[:8].upper().startswith(("INSERT ", "UPDATE ", "DELETE ", "REPLACE ")):
            log.warning("statement-based logging is in use: a change at %s:%d cannot be captured "
                        "(set binlog_format=ROW): %.120s", self.file, event.start_pos, sql)  # fmt: skip
        elif not self._schema.already_recovered(self.file, event.end_pos):
            self._ddl(event, sql, out, now_ns)
        if self._in_tx:
            self._event_no += 1
        else:
            self._leave(event)

    def _ddl(self, event: Any, sql: str, out: list, now_ns: int) -> None:
        before = self.mark()
        self._schema.session.set_sql_mode(event.sql_mode or 0)
        try:
            applied = self._schema.apply(sql, event.database or None)
        except DdlError as e:
            raise SourceError(
                f"cannot follow a schema change at {self.file}:{event.start_pos}: {e}. "
                "To pass over it, set schema.history.internal.skip.unparseable.ddl=true"
            ) from e
        after = before
        if not self._in_tx:
            after = Mark(self.file, event.end_pos, self._next, server_id=self._server_id, ts_sec=self._ts_sec)
            before = Mark(self.file, event.end_pos, self._done, server_id=self._server_id, ts_sec=self._ts_sec)
        changes = applied.changes
        recorded = [c for c in changes if c.kind != "truncate" and self._schema.is_recorded(c)]
        if recorded:
            position = after.offset()
            self._schema.record_all([(c, position) for c in recorded])
        for i, change in enumerate(changes):
            mark = after if i == len(changes) - 1 else before
            if change.kind == "truncate":
                self._truncate(event, change.table_ids[0], mark, out, now_ns)
            elif self._options.schema_changes and self._schema.is_recorded(change):
                source = self._source(event, change.database or "", applied.tables, 0)
                out.append(self._changes.record(change, source, mark, now_ns // 1_000_000))
        self.tables_changed = True

    def _truncate(self, event: Any, table_id: TableId, mark: Mark, out: list, now_ns: int) -> None:
        if "t" in self._emitter.skipped or not self._schema.filter.includes(table_id):
            return
        schema = self._schema.table_schema(table_id)
        if schema is not None:
            source = self._source(event, table_id.catalog or "", table_id.table, 0)
            self._emitter.truncate(schema, source, mark, now_ns, out)

    def _on_rare(self, event: Any, kind: int, out: list) -> None:
        if kind == kinds.ROTATE:
            self.file = event.file
            if not self._in_tx:
                self._restart_file, self._restart_pos = event.file, event.position
        elif kind == kinds.HEARTBEAT:
            if not self._in_tx and event.file == self.file and event.position:
                self._restart_file, self._restart_pos = event.file, event.position
        elif kind == kinds.XA_PREPARE:
            self._commit(event, out)
        elif kind == kinds.END_OF_STREAM:
            self.ended = True
        elif kind == kinds.INCIDENT:
            raise SourceError(
                f"the server reports an incident at {self.file}:{event.start_pos}: changes may be missing from its "
                "log. Take a new snapshot (snapshot.mode=when_needed)"
            )
        elif kind in (kinds.PARTIAL_UPDATE, kinds.UNKNOWN):
            self._not_understood(event, kind)
        elif self._in_tx:
            self._event_no += 1

    def _not_understood(self, event: Any, kind: int) -> None:
        if kind == kinds.PARTIAL_UPDATE:
            if not event.captured:
                self._event_no += 1
                return
            raise SourceError(
                f"an update at {self.file}:{event.start_pos} was written as partial JSON, which is not supported: "
                "set binlog_row_value_options='' on the server"
            )
        raise DecodeError(
            f"the log has an event of unknown type {event.type_code} at {self.file}:{event.start_pos} that must not "
            "be ignored"
        )

    # -- rows

    @cython.cfunc
    def _rows(self, event: object, out: list, now_ns: object) -> None:
        self._seen(event)
        if event.target is None or self._event_no < self._skip_events:
            return
        captured: Captured = event.target
        op: str = event.op
        first: cython.Py_ssize_t = 0
        if self._skip_rows and self._event_no == self._skip_events:
            first = self._skip_rows
        mark = Mark(self._restart_file, self._restart_pos, self._done, event=self._event_no,
                    server_id=self._server_id, ts_sec=self._ts_sec)  # fmt: skip
        try:
            self._emit(captured, op, event, first, mark, out, now_ns)
        except HeadwaterError as e:
            if not isinstance(e, SourceError):
                raise SourceError(f"{e} (at {self.file}:{event.start_pos})") from e
            raise

    @cython.cfunc
    def _emit(self, captured: Captured, op: str, event: object, first: cython.Py_ssize_t, mark: object,
              out: list, now_ns: object) -> None:  # fmt: skip
        i: cython.Py_ssize_t
        schema = captured.schema
        emitter = self._emitter
        if op == "u":
            befores: list = captured.rows.apply_all(event.befores)
            afters: list = captured.rows.apply_all(event.afters)
            for i in range(first, len(afters)):
                source = self._source(event, captured.db, captured.table, i)
                emitter.update(schema, befores[i], afters[i], source, RowOffset(mark, i + 1), now_ns, out)
            return
        if op in emitter.skipped:
            return
        rows: list = captured.rows.apply_all(event.afters if op == "c" else event.befores)
        for i in range(first, len(rows)):
            source = self._source(event, captured.db, captured.table, i)
            if op == "c":
                emitter.create(schema, rows[i], source, RowOffset(mark, i + 1), now_ns, out)
            else:
                emitter.delete(schema, rows[i], source, RowOffset(mark, i + 1), now_ns, out)

    @cython.cfunc
    def _source(self, event: object, db: object, table: object, row: cython.Py_ssize_t) -> list:
        us: object = self._commit_us or (self._ts_sec or 0) * 1_000_000
        query = self._query if self._options.include_query else None
        return [
            FORMAT_VERSION, self._plugin, self._name, us // 1000, None, db, None, us, us * 1000, table,
            self._server_id, self._gtid, self.file, event.start_pos, row, self._thread, query,
        ]  # fmt: skip


class _Options:
    """The handler's switches, read once."""

    def __init__(self, config: Any) -> None:
        self.include_query: bool = config["include.query"]
        self.schema_changes: bool = config["include.schema.changes"]
        self.on_inconsistent: str = config["inconsistent.schema.handling.mode"]
        self.json_style = "compact" if config["compatibility.mode"] == "exact" else "server"
