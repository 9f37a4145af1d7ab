"""The initial snapshot: lock, position, table definitions, unlock, rows.

Follows the reference's order of statements and records (see `docs/design/mysql.md`). Reads on one
connection inside one transaction; the caller commits nothing before the last record is acknowledged.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headwater import ddl
from headwater.connectors.mysql.changes import SchemaChangeRecords
from headwater.connectors.mysql.locks import SnapshotLock
from headwater.connectors.mysql.offsets import GtidNode, Mark
from headwater.connectors.mysql.schema import MySqlSchema
from headwater.connectors.mysql.server import ServerFacts
from headwater.connectors.mysql.source_info import source_values
from headwater.drivers.mysql import Connection
from headwater.errors import PreflightError, SourceError
from headwater.events.debezium.emitter import Emitter
from headwater.events.debezium.table_schema import TableSchema
from headwater.model import Record, TableId
from headwater.source.base import SourceBatch
from headwater.source.progress import Progress
from headwater.source.snapshot import Markers, SnapshotPlan, set_marker
from headwater.wire.mysql.gtid import GtidSet

log = logging.getLogger(__name__)


class Snapshot:
    """One initial snapshot. `run` yields its batches; afterwards `mark` is where streaming starts."""

    def __init__(
        self,
        connection: Connection,
        server: ServerFacts,
        schema: MySqlSchema,
        emitter: Emitter,
        changes: SchemaChangeRecords,
        plugin: str,
        plan: SnapshotPlan,
        progress: Progress,
        stopping: Callable[[], bool],
    ) -> None:
        self._connection = connection
        self._server = server
        self._schema = schema
        self._config = schema.config
        self._emitter = emitter
        self._changes = changes
        self._plugin = plugin
        self._plan = plan
        self._progress = progress
        self._stopping = stopping
        self._history: list[tuple[ddl.Change, dict[str, Any]]] = []
        self._held_change: Record | None = None
        self.mark: Mark | None = None
        self.finished = False

    # -- the whole

    def run(self) -> Iterator[SourceBatch]:
        """Yields schema change records, then rows. Ends early when asked to stop; `finished` tells."""
        if self._config["snapshot.delay.ms"]:
            yield from self._wait(self._config["snapshot.delay.ms"] / 1000)
        lock = SnapshotLock(self._connection, self._config["snapshot.locking.mode"],
                            max(int(self._config["snapshot.lock.timeout.ms"]) // 1000, 1))  # fmt: skip
        tables = self._tables()
        captured = self._data_order([t for t in tables if self._schema.filter.includes(t)])
        try:
            lock.prepare()
            lock.take_global()
            if lock.tables_only:
                lock.take_tables(captured)
            else:
                lock.begin()
            self._read_position()
            schemas = [t for t in tables if self._wants_schema(t)]
            early = [t for t in schemas if t in captured] if lock.tables_only else schemas
            yield from self._read_schemas(early)
            lock.schema_read()
            yield from self._read_data(captured)
            lock.release()
            if lock.tables_only:
                yield from self._late_schemas([t for t in schemas if t not in captured])
        finally:
            self._close(lock)

    def _wait(self, seconds: float) -> Iterator[SourceBatch]:
        end = time.monotonic() + seconds
        while not self._stopping() and time.monotonic() < end:
            yield SourceBatch([])
            time.sleep(min(0.1, seconds))

    def _close(self, lock: SnapshotLock) -> None:
        try:
            lock.release()
            self._connection.query("ROLLBACK")
        except SourceError as e:
            log.debug("closing the snapshot's transaction failed: %s", e)

    # -- tables

    def _tables(self) -> list[TableId]:
        """Every base table the user can see, of databases that are not the server's own, in the server's order."""
        found: list[TableId] = []
        for (database,) in self._connection.query("SHOW DATABASES"):
            name = str(database)
            if self._schema.filter.is_builtin_database(name):
                continue
            try:
                rows = self._connection.query(
                    f"SHOW FULL TABLES IN {ddl.quote(name)} where Table_Type = 'BASE TABLE'"
                )
            except SourceError as e:
                log.warning("database %s is left out, its tables cannot be listed: %s", name, e)
                continue
            found.extend(TableId(name, None, str(row[0])) for row in rows)
        return found

    def _wants_schema(self, table: TableId) -> bool:
        config = self._config
        if config["schema.history.internal.store.only.captured.tables.ddl"]:
            return self._schema.filter.includes(table)
        if config["schema.history.internal.store.only.captured.databases.ddl"]:
            return self._schema.filter.includes_database(table.catalog or "")
        return True

    def _data_order(self, tables: list[TableId]) -> list[TableId]:
        return sorted(tables, key=lambda t: (self._schema.filter.list_index(t), str(t)))

    # -- position

    def _read_position(self) -> None:
        status = self._server.binlog_status(self._connection)
        if status is None:
            raise PreflightError(
                f"Cannot read the binlog filename and position via '{self._server.status_statement}'. Make sure your "
                "server is correctly configured: log_bin must be on, and the user needs REPLICATION CLIENT"
            )
        gtids = GtidNode(None, None, GtidSet.parse(status.gtids)) if status.gtids else None
        self.mark = Mark(status.file, status.pos, gtids, ts_sec=int(time.time()), snapshot="INITIAL")
        log.info("the snapshot reads at %s:%d%s", status.file, status.pos,
                 f" (GTIDs {status.gtids})" if status.gtids else "")  # fmt: skip

    def _finished_mark(self) -> Mark:
        at = self._at()
        return Mark(at.file, at.pos, at.gtids, ts_sec=at.ts_sec)

    def _at(self) -> Mark:
        if self.mark is None:
            raise SourceError("the snapshot's position was not read")
        return self.mark

    # -- schemas

    def _read_schemas(self, tables: list[TableId]) -> Iterator[SourceBatch]:
        statements = list(self._setup_statements())
        by_database: dict[str, list[TableId]] = {}
        for table in tables:
            by_database.setdefault(table.catalog or "", []).append(table)
        statements += [
            ddl.Change.dropped(t, f"DROP TABLE IF EXISTS {t.quoted('`')}") for t in tables
        ]  # fmt: skip
        for change in statements:
            yield from self._publish(change)
        for database, members in by_database.items():
            yield from self._database_schemas(database, members)
            if self._stopping():
                return
        self._flush_history()

    def _setup_statements(self) -> Iterator[ddl.Change]:
        rows = self._connection.query(
            "SHOW VARIABLES WHERE Variable_name IN ('character_set_server','collation_server')"
        )
        settings = ", ".join(f"{name}={value}" for name, value in rows)
        statement = f"SET {settings}"
        self._schema.apply(statement, "")
        yield ddl.Change.of_database("set", "", statement)

    def _database_schemas(self, database: str, tables: list[TableId]) -> Iterator[SourceBatch]:
        quoted = ddl.quote(database)
        charset, collation = self._server.database_charset(self._connection, database)
        create = f"CREATE DATABASE {quoted} CHARSET {charset} COLLATE {collation}"
        drop = f"DROP DATABASE IF EXISTS {quoted}"
        for kind, statement in (("drop_database", drop), ("create_database", create), ("use", f"USE {quoted}")):
            self._schema.apply(statement, database)
            yield from self._publish(ddl.Change.of_database(kind, database, statement), database_level=True)
        for table in tables:
            if self._stopping():
                return
            definition = self._server.show_create(self._connection, table)
            if definition is None:
                log.warning("table %s is gone; it is left out", table)
                continue
            applied = self._schema.apply(definition, database)
            for change in applied.changes:
                yield from self._publish(change)

    def _late_schemas(self, tables: list[TableId]) -> Iterator[SourceBatch]:
        """Definitions of tables that were not locked: read once the rows are out, in the model and history only."""
        if tables and not self._stopping():
            yield from self._read_schemas(tables)

    def _publish(self, change: ddl.Change, *, database_level: bool = False) -> Iterator[SourceBatch]:
        mark = self._at()
        only_tables = self._config["schema.history.internal.store.only.captured.tables.ddl"]
        if not (database_level and only_tables):
            self._history.append((change, mark.offset()))
        if not self._config["include.schema.changes"]:
            return
        now = time.time_ns()
        table = change.table_ids[0].table if change.table_ids else None
        source = self._source(change.database or "", table, now)
        record = self._changes.record(change, source, mark, now // 1_000_000)
        if self._held_change is not None:
            yield SourceBatch([self._held_change], mark)
        self._held_change = record

    def _flush_history(self) -> None:
        if self._history:
            self._schema.record_all(self._history)
            self._history = []

    def _source(self, database: str, table: str | None, ts_ns: int) -> list[Any]:
        mark = self._at()
        return source_values(
            self._plugin, self._config["topic.prefix"], ts_ns=ts_ns, snapshot="true", db=database, table=table,
            server_id=0, gtid=None, file=mark.file, pos=mark.pos, row=0, thread=None, query=None,
        )  # fmt: skip

    # -- rows

    def _read_data(self, tables: list[TableId]) -> Iterator[SourceBatch]:
        mark, finished = self._at(), self._finished_mark()
        markers = Markers(exact=self._schema.exact)
        rows_any = False
        wanted = [t for t in tables if self._schema.filter.snapshots(t)] if self._plan.data else []
        self._progress.start([str(t) for t in wanted])
        for table in wanted:
            schema = self._schema.table_schema(table)
            if schema is None:
                continue
            markers.table()
            for records in self._rows(table, schema, mark):
                if self._held_change is not None:
                    records = [self._held_change, *markers.push(records)]
                    self._held_change = None
                else:
                    records = markers.push(records)
                rows_any = True
                yield SourceBatch(records, mark)
                if self._stopping():
                    return
            self._progress.table_done(str(table))
        last = markers.finish(finished)
        if not rows_any and self._held_change is not None:
            set_last(self._held_change)
            last = [self._held_change.replace(offset=finished)]
            self._held_change = None
        self.mark = finished
        self.finished = True
        self._progress.finish()
        yield SourceBatch(last, finished)

    def _rows(self, table: TableId, schema: TableSchema, mark: Mark) -> Iterator[list[Record]]:
        ts = self._server.now(self._connection)
        self._progress.table(str(table), self._server.estimated_rows(self._connection, table))
        columns = ", ".join(ddl.quote(c.name) for c in schema.read_columns)
        formats = [f for f in self._schema.formats(schema) if f.include]
        emitter, source = self._emitter, self._source(table.catalog or "", table.table, ts)
        statement = self._statement(table, columns)
        for rows in self._connection.stream(statement, formats):
            schema.convert_snapshot.apply_all(rows)
            now = time.time_ns()
            self._progress.rows(len(rows))
            yield [emitter.read(schema, row, source.copy(), mark, now) for row in rows]

    def _statement(self, table: TableId, columns: str) -> str:
        return f"SELECT {columns} FROM {table.quoted('`')}"


def set_last(record: Record) -> None:
    """Marks a schema change record as the snapshot's last."""
    record.value[0][4] = "last"


def captured_names(tables: Sequence[TableId]) -> str:
    """Table ids for a log line."""
    return ", ".join(str(t) for t in tables) or "none"


__all__ = ["Snapshot", "captured_names", "set_marker"]
