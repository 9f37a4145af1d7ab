"""The PostgreSQL connector: decides at start what to do, then snapshots and streams."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator

from headwater.config.options import Config, OptionSet
from headwater.connectors.base import Stores
from headwater.connectors.postgres import preflight, slots
from headwater.connectors.postgres.config import OPTIONS
from headwater.connectors.postgres.handler import MessageHandler
from headwater.connectors.postgres.offsets import Position
from headwater.connectors.postgres.schema import PostgresSchema
from headwater.connectors.postgres.snapshot import Snapshot
from headwater.drivers.postgres import Connection, PostgresSettings, ReplicationStream, connect
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
from headwater.wire.postgres.pgoutput import Relation

log = logging.getLogger(__name__)

IDLE_SECONDS = 0.1


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
        self._unconfirmed = False

    # -- the engine's side

    def batches(self) -> Iterator[SourceBatch]:
        """Snapshot (if the mode and the offset ask for one), then the stream."""
        stored = self._stores.offset(self.partition)
        position = Position.load(stored) if stored else None
        connection = self._connection = connect(self._settings)
        unfinished = position is not None and position.snapshot_unfinished
        todo = plan(self.config["snapshot.mode"], self.config, offset=position is not None, unfinished=unfinished)
        preflight.check(connection, self.config, streams=todo.stream)
        self._build(stored)
        stream = self._stream = ReplicationStream(self._settings, self.config["status.update.interval.ms"] / 1000)
        slot = self._slot(connection, todo.stream, position)
        if slot is None and position is not None and not unfinished and todo.on_data_error:
            todo, position = plan("initial", self.config, offset=False, unfinished=False), None
        lsn, exported = self._slot_and_snapshot(stream, slot, streams=todo.stream, snapshot=todo.data)
        if todo.data:
            snapshot = Snapshot(connection, self._schema, self._emitter, lsn, exported, self.progress, self._stopping.is_set)
            for batch in snapshot.run():
                self._unconfirmed = True
                yield batch
            if not snapshot.finished:
                return
            position = Position.load(snapshot.finished_offset())
        elif position is None or unfinished:
            position = Position(lsn=lsn)
        if not todo.stream:
            log.info("snapshot.mode=%s does not stream: done", self.config["snapshot.mode"])
            return
        yield from self._streaming(position)

    def committed(self, offset: OffsetMap) -> None:
        """Everything yielded is durable: the server may forget the log up to the last whole transaction."""
        self._unconfirmed = False
        commit = offset.get("lsn_commit")
        if self._stream is not None and commit and self.config["lsn.flush.mode"] != "manual":
            try:
                self._stream.confirm(int(commit))
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
        if self._connection is not None:
            if self.config["slot.drop.on.stop"] and self._stopping.is_set():
                self._drop_slot(self._connection)
            self._connection.close()
            self._connection = None

    def _drop_slot(self, connection: Connection) -> None:
        for attempt in range(3):
            try:
                connection.query("SELECT pg_drop_replication_slot(%s)", [self.config["slot.name"]])
                return
            except HeadwaterError as e:
                log.warning("the slot %s could not be dropped: %s", self.config["slot.name"], e)
                if attempt < 2:
                    time.sleep(1)

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
        if self._connection is None:
            self._connection = connect(self._settings)
        try:
            return self._schema.relation(self._connection, relation)
        except HeadwaterError as e:
            if not e.retriable:
                raise
            self._connection.close()
            self._connection = connect(self._settings)
            return self._schema.relation(self._connection, relation)

    def _slot(self, connection: Connection, streams: bool, position: Position | None) -> tuple[int, int] | None:
        """The slot's positions; checks that the server still has the stored one."""
        if not streams:
            return None
        slots.ensure_publication(connection, self._schema)
        slot = slots.slot_position(connection, self.config)
        if position is None or position.snapshot_unfinished or not self.config["internal.log.position.check.enable"]:
            return slot
        wanted = position.lsn_proc or position.lsn or 0
        if slot is not None and slot[1] <= wanted:
            return slot
        if self.config["snapshot.mode"] == "when_needed":
            log.warning("the stored position is gone from the slot: taking a new snapshot")
            return None
        what = "its slot does not exist" if slot is None else f"the slot's log starts at {slot[1]}"
        raise PositionLost(
            f"The connector is trying to read the change log starting at {wanted}, but {what}: this position is no "
            "longer available on the server. Reconfigure the connector to use a snapshot mode when needed "
            "(snapshot.mode=when_needed), or remove its offsets to begin anew"
        )

    def _slot_and_snapshot(self, stream: ReplicationStream, slot: tuple[int, int] | None, *, streams: bool,
                           snapshot: bool) -> tuple[int, str]:  # fmt: skip
        """Creates the slot if it is missing; (position, exported snapshot). A temporary slot exports for an existing one."""
        plugin, name = self.config["plugin.name"], self.config["slot.name"]
        if streams and slot is None:
            options = "(SNAPSHOT 'export', FAILOVER)" if self.config["slot.failover"] and self._version() >= 170000 else ""
            log.info("creating the slot %s", name)
            return stream.create_slot(name, plugin, options)
        if snapshot:
            return stream.create_slot(f"headwater_{os.getpid()}_{name}"[:63], "pgoutput", temporary=True)
        return (slot[0] if slot else 0), ""

    def _version(self) -> int:
        return self._connection.server_version if self._connection is not None else 0

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
        stream = self._stream
        if stream is None:
            stream = self._stream = ReplicationStream(self._settings, self.config["status.update.interval.ms"] / 1000)
        options = {"proto_version": "1", "publication_names": self.config["publication.name"]}
        if self._version() >= 140000:
            options["messages"] = "true"
        for part in str(self.config["slot.stream.params"] or "").split(";"):
            key, sep, value = part.partition("=")
            if sep:
                options[key.strip()] = value.strip()
        self._handler.resume(position)
        stream.start(self.config["slot.name"], position.start, options)
        log.info("streaming from %d", position.start)
        while not self._stopping.is_set():
            yield self._take(stream, stream.read(IDLE_SECONDS))

    def _take(self, stream: ReplicationStream, messages: list[XLogData | Keepalive]) -> SourceBatch:
        out: list[Record] = []
        now, handler = time.time_ns(), self._handler
        moved = False
        for message in messages:
            if isinstance(message, XLogData):
                handler.handle(message.start, message.body, out, now)
                moved = True
            elif not (handler.in_transaction or self._unconfirmed or moved) and self.config["lsn.flush.mode"] != "manual":
                # Nothing is on its way: the log may go, so that a quiet table never holds it.
                stream.confirm(message.end)
        if self._heartbeat.interval and self._heartbeat.due():
            self._beat(out)
        if not (moved or out):
            return SourceBatch([])
        self._unconfirmed = True
        return SourceBatch(out, handler.offset())

    def _beat(self, out: list[Record]) -> None:
        out.append(self._heartbeat.record(self.partition, self._handler.offset()))
        query = self.config["heartbeat.action.query"]
        if query and self._connection is not None:
            try:
                self._connection.query(query)
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
