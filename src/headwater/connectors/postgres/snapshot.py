"""The initial snapshot: rows read under the snapshot that a slot's creation exported.

Slot and snapshot meet exactly: what is in the snapshot is not streamed, what is not in it is. Where nothing
is streamed, no slot is needed, and the transaction has the configured isolation.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from headwater.connectors.postgres import catalog
from headwater.connectors.postgres.schema import PostgresSchema
from headwater.connectors.postgres.source_info import source_values
from headwater.drivers.postgres import Connection, MadeSlot
from headwater.errors import SourceError
from headwater.events.debezium.emitter import Emitter
from headwater.events.debezium.table_schema import TableSchema
from headwater.model import Record, TableId
from headwater.source.base import OffsetMap, SourceBatch
from headwater.source.progress import Progress
from headwater.source.snapshot import Markers
from headwater.wire.postgres.lsn import format_lsn, parse_lsn
from headwater.wire.postgres.rows_cy import RowDecoder

log = logging.getLogger(__name__)

BATCH = 2048
_ISOLATION = {
    "serializable": "SERIALIZABLE, READ ONLY, DEFERRABLE", "repeatable_read": "REPEATABLE READ, READ ONLY",
    "read_committed": "READ COMMITTED, READ ONLY", "read_uncommitted": "READ UNCOMMITTED, READ ONLY",
}  # fmt: skip
_WAL_POSITION = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END::text"


class Snapshot:
    """One initial snapshot, under the snapshot exported by `slot`; without a slot nothing is streamed afterwards."""

    def __init__(self, connection: Connection, schema: PostgresSchema, emitter: Emitter, slot: MadeSlot | None,
                 progress: Progress, stopping: Callable[[], bool]) -> None:  # fmt: skip
        self._connection = connection
        self._schema = schema
        self._config = schema.config
        self._emitter = emitter
        self._slot = slot
        self._lsn = 0 if slot is None else slot.lsn
        self._progress = progress
        self._stopping = stopping
        self._tx_id: int | None = None
        self._ts_us = 0
        self.finished = False

    def run(self) -> Iterator[SourceBatch]:
        """Yields rows. Ends early when asked to stop; `finished` tells."""
        self._begin()
        try:
            tables = self._tables()
            self._progress.start([str(t) for t in tables])
            markers = Markers(exact=self._schema.types.exact)
            for table in tables:
                markers.table()
                for records in self._rows(table):
                    yield SourceBatch(markers.push(records), self._offset())
                    if self._stopping():
                        return
                self._progress.table_done(str(table))
            self.finished = True
            self._progress.finish()
            yield SourceBatch(markers.finish(self.finished_offset), self.finished_offset())
        finally:
            self._rollback()

    def _begin(self) -> None:
        query = self._connection.query
        if self._slot is not None:
            query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            query(f"SET TRANSACTION SNAPSHOT '{self._slot.snapshot}'")
        else:
            query(f"BEGIN ISOLATION LEVEL {_ISOLATION[self._config['snapshot.isolation.mode']]}")
            self._lsn = parse_lsn(str(query(_WAL_POSITION)[0][0]))
        # A standby gives out no transaction ids.
        self._tx_id = int(query("SELECT CASE WHEN pg_is_in_recovery() THEN 0 ELSE txid_current() END")[0][0])
        log.info("the snapshot reads at %s", format_lsn(self._lsn))

    def _rollback(self) -> None:
        try:
            self._connection.query("ROLLBACK")
        except SourceError as e:
            log.debug("closing the snapshot's transaction failed: %s", e)

    def _tables(self) -> list[TableId]:
        flt = self._schema.filter
        found = [t for t in catalog.list_tables(self._connection) if flt.includes(t) and flt.snapshots(t)]
        return sorted(found, key=lambda t: (flt.list_index(t), str(t)))

    # -- rows

    def _rows(self, table: TableId) -> Iterator[list[Record]]:
        schema = self._schema.read(self._connection, table)
        now = self._connection.query("SELECT (extract(epoch FROM CURRENT_TIMESTAMP) * 1000000)::bigint")
        self._ts_us = int(now[0][0])
        estimate = self._connection.query("SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [table.quoted()])
        self._progress.table(str(table), max(int(estimate[0][0]), 0) or None)
        if not schema.read_columns:
            return
        columns = ", ".join('"' + c.name.replace('"', '""') + '"' for c in schema.read_columns)
        decoder = RowDecoder([f for f in self._schema.formats(schema) if f.include])
        lines = self._connection.copy_lines(f"SELECT {columns} FROM {table.quoted()}")
        yield from self._batches(table, schema, decoder, lines)

    def _batches(self, table: TableId, schema: TableSchema, decoder: RowDecoder, lines: Iterator[bytes]) -> Iterator[list[Record]]:
        source = source_values(
            self._config, ts_us=self._ts_us, snapshot="true", table=table, sequence=(None, self._lsn),
            tx_id=self._tx_id, lsn=self._lsn,
        )  # fmt: skip
        convert, read = schema.convert_snapshot.apply, self._emitter.read
        records: list[Record] = []
        now = time.time_ns()
        for line in lines:
            row = convert(decoder.copy_line(line))
            records.append(read(schema, row, source.copy(), self._offset, now))
            if len(records) >= BATCH:
                self._progress.rows(len(records))
                yield records
                records, now = [], time.time_ns()
        self._progress.rows(len(records))
        yield records

    # -- offsets

    def _offset(self) -> OffsetMap:
        return self._map(done=False)

    def finished_offset(self) -> OffsetMap:
        """The offset of the last row."""
        return self._map(done=True)

    def _map(self, *, done: bool) -> dict[str, Any]:
        return {
            "last_snapshot_record": done, "lsn": self._lsn, "txId": self._tx_id, "ts_usec": self._ts_us,
            "snapshot": "INITIAL", "snapshot_completed": done,
        }  # fmt: skip
