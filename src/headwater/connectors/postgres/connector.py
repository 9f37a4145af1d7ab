"""The PostgreSQL connector: decides at start what to do, then snapshots and streams."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from headwater.config.options import Config, OptionSet
from headwater.connectors.base import Stores
from headwater.connectors.postgres import preflight, slots
from headwater.connectors.postgres.config import OPTIONS
from headwater.connectors.postgres.handler import MessageHandler
from headwater.connectors.postgres.offsets import Position
from headwater.connectors.postgres.schema import PostgresSchema
from headwater.connectors.postgres.slots import SlotState
from headwater.connectors.postgres.snapshot import Snapshot
from headwater.drivers.postgres import Connection, MadeSlot, PostgresSettings, ReplicationStream, connect
from headwater.errors import HeadwaterError, PositionLost
from headwater.events.debezium.emitter import Emitter, context_headers
from headwater.events.debezium.heartbeat import Heartbeat
from headwater.events.debezium.table_schema import TableSchema
from headwater.model import Record
from headwater.source.base import OffsetMap, Source, SourceBatch
from headwater.source.progress import Progress
from headwater.source.retry import Backoff
from headwater.source.snapshot import plan
from headwater.source.transactions import TransactionMonitor
from headwater.wire.postgres.copyboth import Keepalive, XLogData
from headwater.wire.postgres.lsn import format_lsn
from headwater.wire.postgres.pgoutput import Relation

log = logging.getLogger(__name__)

IDLE_SECONDS = 0.1
_DROP_ATTEMPTS = 10
_DROP_PAUSE = 0.3
T = TypeVar("T")


class PostgresSource:
    """One running capture of a PostgreSQL database."""

    def __init__(self, config: Config, stores: Stores) -> None:
        self.config = config
        self.partition = {"server": config["topic.prefix"]}
        self.progress = Progress()
        self._stores = stores
        self._settings = PostgresSettings.from_config(config)
        self._stopping = threading.Event()
        self._stream: ReplicationStream | None = None
        self._connection: Connection | None = None
        self._version = 0

    # -- the engine's side

    def batches(self) -> Iterator[SourceBatch]:
        """Snapshot (if the mode and the offset ask for one), then the stream."""
        stored = self._stores.offset(self.partition)
        position = Position.load(stored) if stored else None
        connection = self._connection = connect(self._settings)
        self._version = connection.server_version
        unfinished = position is not None and position.snapshot_unfinished
        todo = plan(self.config["snapshot.mode"], self.config, offset=position is not None, unfinished=unfinished)
        preflight.check(connection, self.config, streams=todo.stream, unfinished=unfinished and not todo.data)
        self._build(stored)
        made: MadeSlot | None = None
        if todo.stream:
            slots.ensure_publication(connection, self._schema)
            slots.set_identities(connection, self._schema)
            slot = slots.slot_state(connection, self.config)
            if position is not None and not unfinished:
                try:
                    slots.check_position(slot, position, self.config)
                except PositionLost as e:
                    if not todo.on_data_error:
                        raise
                    log.warning("%s; taking a new snapshot", e)
                    todo, position = plan("initial", self.config, offset=False, unfinished=False), None
            made = self._slot_and_snapshot(self._open_stream(), slot, snapshot=todo.data)
        if todo.data:
            snapshot = Snapshot(connection, self._schema, self._emitter, made, self.progress, self._stopping.is_set)
            yield from snapshot.run()
            if not snapshot.finished:
                return
            position = Position.load(snapshot.finished_offset())
            if made is not None and made.temporary:
                self._open_stream().drop_slot(made.name)
        if made is None:
            log.info("snapshot.mode=%s does not stream: done", self.config["snapshot.mode"])
            return
        yield from self._streaming(Position(lsn=made.lsn) if position is None else position)

    def committed(self, offset: OffsetMap) -> None:
        """`offset` is stored: the server may forget the log before it."""
        position = offset.get("lsn_commit")
        if position is None and offset.get("lsn_proc") is None:
            position = offset.get("lsn")
        if self._stream is not None and position and self.config["lsn.flush.mode"] != "manual":
            try:
                self._stream.confirm(int(position))
            except HeadwaterError as e:
                log.debug("a position could not be confirmed: %s", e)

    def stop(self) -> None:
        """Asks the batches to end."""
        self._stopping.set()
        if self._stream is not None:
            self._stream.wake()

    def close(self) -> None:
        """Closes the connections; drops the slot if that is configured."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
            if self.config["slot.drop.on.stop"] and self._stopping.is_set():
                self._drop_slot()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _drop_slot(self) -> None:
        name = self.config["slot.name"]
        for attempt in range(_DROP_ATTEMPTS):
            try:
                self._ask(lambda c: c.query("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                                            "WHERE slot_name = %s", [name]))  # fmt: skip
            except HeadwaterError as e:
                # The server's side of the stream may take a moment to let go of it.
                if attempt == _DROP_ATTEMPTS - 1:
                    log.warning("the slot %s could not be dropped: %s", name, e)
                else:
                    time.sleep(_DROP_PAUSE)
            else:
                return

    # -- parts

    def _build(self, stored: OffsetMap | None) -> None:
        config = self.config
        exact = config["compatibility.mode"] == "exact"
        self._schema = PostgresSchema(config)
        naming = self._schema.naming
        headers = context_headers(config["topic.prefix"], "postgresql") if config["extended.headers.enabled"] else ()
        monitor = TransactionMonitor(naming.transactions, enabled=config["provide.transaction.metadata"], exact=exact)
        if stored:
            monitor.context.load(stored)
        self._emitter = Emitter(
            self.partition, headers, tombstones=config["tombstones.on.delete"], skipped=config["skipped.operations"],
            skip_unchanged=config["skip.messages.without.change"], exact=exact, monitor=monitor,
        )  # fmt: skip
        self._handler = MessageHandler(self._schema, self._emitter, monitor, self._relation)
        self._heartbeat = Heartbeat(naming.heartbeat, config["topic.prefix"], config["heartbeat.interval.ms"])

    def _relation(self, relation: Relation) -> TableSchema:
        return self._ask(lambda connection: self._schema.relation(connection, relation))

    def _ask(self, question: Callable[[Connection], T]) -> T:
        """Asks the server on the query connection; opens a new one where that has broken."""
        if self._connection is None:
            self._connection = connect(self._settings)
        try:
            return question(self._connection)
        except HeadwaterError as e:
            if not e.retriable:
                raise
            self._connection.close()
            self._connection = connect(self._settings)
            return question(self._connection)

    def _open_stream(self) -> ReplicationStream:
        if self._stream is None:
            self._stream = ReplicationStream(self._settings, self.config["status.update.interval.ms"] / 1000)
        return self._stream

    def _slot_and_snapshot(self, stream: ReplicationStream, slot: SlotState | None, *, snapshot: bool) -> MadeSlot:
        """Makes the slot if it is missing. For a snapshot beside an existing slot a temporary one exports it."""
        plugin, name = self.config["plugin.name"], self.config["slot.name"]
        if slot is None:
            options = "(SNAPSHOT 'export', FAILOVER)" if self.config["slot.failover"] and self._version >= 170000 else ""
            log.info("creating the slot %s", name)
            return stream.create_slot(name, plugin, options)
        if snapshot:
            return stream.create_slot(f"headwater_{os.getpid()}_{name}"[:63], "pgoutput", temporary=True)
        return MadeSlot(name, slot.confirmed, "", temporary=False)

    # -- streaming

    def _streaming(self, position: Position) -> Iterator[SourceBatch]:
        backoff = Backoff.from_config(self.config)
        while not self._stopping.is_set():
            try:
                for batch in self._connected(position):
                    backoff.reset()
                    yield batch
            except HeadwaterError as e:
                if not e.retriable or not backoff.more():
                    raise
                log.warning("%s; trying again in %.1f s", e, backoff.delay)
                if self._stream is not None:
                    self._stream.close()
                    self._stream = None
                end = time.monotonic() + backoff.next()
                while not self._stopping.is_set() and time.monotonic() < end:
                    yield SourceBatch([])
                    time.sleep(IDLE_SECONDS)
            position = Position.load(self._handler.offset())

    def _connected(self, position: Position) -> Iterator[SourceBatch]:
        stream = self._open_stream()
        options = {"proto_version": "1", "publication_names": self.config["publication.name"]}
        if self._version >= 140000:
            options["messages"] = "true"
        for part in str(self.config["slot.stream.params"] or "").split(";"):
            key, sep, value = part.partition("=")
            if sep:
                options[key.strip()] = value.strip()
        self._handler.resume(position)
        stream.start(self.config["slot.name"], position.start, options)
        log.info("streaming from %s", format_lsn(position.start))
        while not self._stopping.is_set():
            yield self._take(stream.read(IDLE_SECONDS))

    def _take(self, messages: list[XLogData | Keepalive]) -> SourceBatch:
        out: list[Record] = []
        now, handler = time.time_ns(), self._handler
        moved = False
        for message in messages:
            if isinstance(message, XLogData):
                handler.handle(message.start, message.body, out, now)
                moved = True
            elif handler.idle(message.end):
                # Stored and confirmed like any other position, so that quiet tables do not hold the server's log.
                moved = True
        if self._heartbeat.interval and self._heartbeat.due():
            self._beat(out)
        return SourceBatch(out, handler.offset()) if moved or out else SourceBatch([])

    def _beat(self, out: list[Record]) -> None:
        out.append(self._heartbeat.record(self.partition, self._handler.offset()))
        query = self.config["heartbeat.action.query"]
        if query:
            try:
                self._ask(lambda connection: connection.query(query))
            except HeadwaterError as e:
                log.warning("heartbeat.action.query failed: %s", e)


class PostgresConnector:
    """The connector plug-in."""

    name = "postgres"
    needs_history = False

    def options(self) -> OptionSet:
        return OPTIONS

    def source(self, config: Config, stores: Stores) -> Source:
        return PostgresSource(config, stores)
