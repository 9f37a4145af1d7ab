"""The MySQL connector: decides at start what to do, then snapshots and streams."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

from headwater.config.options import Config, OptionSet
from headwater.connectors.base import Stores
from headwater.connectors.mysql import preflight, stream
from headwater.connectors.mysql.changes import SchemaChangeRecords
from headwater.connectors.mysql.config import OPTIONS
from headwater.connectors.mysql.handler_cy import EventHandler
from headwater.connectors.mysql.offsets import Position
from headwater.connectors.mysql.schema import MySqlSchema
from headwater.connectors.mysql.server import ServerFacts
from headwater.connectors.mysql.snapshot import Snapshot
from headwater.connectors.mysql.source_info import source_schema
from headwater.drivers.mysql import Connection, MySqlSettings, connect
from headwater.errors import HistoryError, OffsetError
from headwater.events.debezium.emitter import Emitter, context_headers
from headwater.events.debezium.heartbeat import Heartbeat
from headwater.source.base import OffsetMap, Source, SourceBatch
from headwater.source.progress import Progress
from headwater.source.snapshot import SnapshotPlan, plan
from headwater.source.transactions import TransactionMonitor

log = logging.getLogger(__name__)


class MySqlSource:
    """One running capture of a MySQL or MariaDB server."""

    def __init__(self, config: Config, stores: Stores, plugin: str = "mysql") -> None:
        self.config = config
        self.partition = {"server": config["topic.prefix"]}
        self.progress = Progress()
        self._plugin = plugin
        self._stores = stores
        self._settings = MySqlSettings.from_config(config)
        self._stopping = threading.Event()
        self._stream: stream.Stream | None = None
        self._connection: Connection | None = None

    # -- the engine's side

    def batches(self) -> Iterator[SourceBatch]:
        """Snapshot (if the mode and the offset ask for one), then the stream."""
        stored = self._stores.offset(self.partition)
        position = Position.load(stored) if stored else None
        connection = self._connection = connect(self._settings, purpose="main")
        server = ServerFacts.read(connection)
        unfinished = position is not None and position.snapshot_unfinished
        todo = plan(self.config["snapshot.mode"], self.config, offset=position is not None, unfinished=unfinished)
        preflight.check(connection, server, self.config, streams=todo.stream)
        self._build(server, stored)
        todo, position = self._decide(todo, connection, server, position)
        if todo.needed:
            snapshot = self._snapshot(todo, connection, server)
            yield from snapshot.run()
            if not snapshot.finished or snapshot.mark is None:
                return
            if position is None or not todo.keep_position:
                position = Position.load(snapshot.mark.offset())
        connection.close()
        self._connection = None
        if not todo.stream:
            log.info("snapshot.mode=%s does not stream: done", self.config["snapshot.mode"])
            return
        if position is None:
            raise OffsetError("there is no position to stream from: a snapshot mode that reads schemas is needed first")
        yield from self._streaming(server, position)

    def committed(self, offset: OffsetMap) -> None:
        """Nothing to tell a MySQL server."""

    def stop(self) -> None:
        """Asks the batches to end."""
        self._stopping.set()
        if self._stream is not None:
            self._stream.wake()

    def close(self) -> None:
        """Closes the connections."""
        if self._stream is not None:
            self._stream.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # -- parts

    def _build(self, server: ServerFacts, stored: OffsetMap | None) -> None:
        config, plugin = self.config, self._plugin
        exact = config["compatibility.mode"] == "exact"
        source = source_schema(plugin)
        self._schema = MySqlSchema(config, plugin, source, self._stores.history(), self.partition,
                                   case_insensitive=server.case_insensitive)  # fmt: skip
        self._schema.session.server_version = server.version
        naming = self._schema.naming
        extended = config["extended.headers.enabled"]
        headers = context_headers(config["topic.prefix"], plugin) if extended else ()
        monitor = TransactionMonitor(naming.transactions, enabled=config["provide.transaction.metadata"], exact=exact)
        if stored:
            monitor.context.load(stored)
        self._emitter = Emitter(
            self.partition, headers, tombstones=config["tombstones.on.delete"], skipped=config["skipped.operations"],
            skip_unchanged=config["skip.messages.without.change"], exact=exact, monitor=monitor,
        )  # fmt: skip
        self._changes = SchemaChangeRecords(naming.schema_change, plugin, source, self.partition, headers)
        self._handler = EventHandler(self._schema, self._emitter, monitor, self._changes, plugin)
        self._heartbeat = Heartbeat(naming.heartbeat, config["topic.prefix"], config["heartbeat.interval.ms"])

    def _decide(self, todo: SnapshotPlan, connection: Connection, server: ServerFacts,
                position: Position | None) -> tuple[SnapshotPlan, Position | None]:  # fmt: skip
        """Checks history and position; the plan and the position to go on with."""
        if position is None or position.snapshot_unfinished:
            if todo.keep_position and position is None:
                raise OffsetError(
                    "Could not find existing redo log information while attempting schema only recovery snapshot. "
                    "snapshot.mode=recovery needs a stored offset; use initial or no_data for a first start"
                )
            self._schema.create_history()
            return todo, None
        if not self._schema.history_exists() and not todo.schema:
            if not todo.on_schema_error:
                raise HistoryError(
                    "The db history topic is missing. You may attempt to recover it by reconfiguring the connector "
                    "to recovery (snapshot.mode=recovery), if no table was altered since the stored offset"
                )
            todo = SnapshotPlan(schema=True, data=todo.data, stream=todo.stream, on_data_error=todo.on_data_error,
                                keep_position=not todo.on_data_error)  # fmt: skip
        if todo.stream and self.config["internal.log.position.check.enable"]:
            reason = stream.available(connection, server, position)
            if reason is not None:
                if not todo.on_data_error:
                    raise stream.lost(position, reason)
                log.warning("the stored position is gone (%s): taking a new snapshot", reason)
                return SnapshotPlan(schema=True, data=True, stream=True), None
        if todo.needed:
            self._schema.create_history()
        else:
            self._schema.recover(position)
        return todo, position

    def _snapshot(self, todo: SnapshotPlan, connection: Connection, server: ServerFacts) -> Snapshot:
        return Snapshot(connection, server, self._schema, self._emitter, self._changes, self._plugin, todo,
                        self.progress, self._stopping.is_set)  # fmt: skip

    def _streaming(self, server: ServerFacts, position: Position) -> Iterator[SourceBatch]:
        self._stream = stream.Stream(self.config, self._settings, server, self._handler, self._heartbeat,
                                     self.partition, self._stopping.is_set)  # fmt: skip
        yield from self._stream.run(position)


class MySqlConnector:
    """The connector plug-in."""

    name = "mysql"
    needs_history = True

    def options(self) -> OptionSet:
        return OPTIONS

    def source(self, config: Config, stores: Stores) -> Source:
        return MySqlSource(config, stores)

