"""Streaming: the dump connection, its reconnections, and the batches it gives.

Reads bytes, lets the parser and the handler work, and yields; must not know a sink.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator

from headwater.config.options import Config
from headwater.connectors.mysql.handler_cy import EventHandler
from headwater.connectors.mysql.offsets import Mark, Position
from headwater.connectors.mysql.server import ServerFacts
from headwater.drivers.mysql import Connection, DumpStream, MySqlSettings, connect, map_server_error, open_dump
from headwater.errors import ConnectionFailed, HeadwaterError, PositionLost
from headwater.events.debezium.heartbeat import Heartbeat
from headwater.model import Record
from headwater.source.base import SourceBatch
from headwater.source.retry import Backoff
from headwater.wire.mysql.events_cy import EventParser
from headwater.wire.mysql.gtid import GtidSet
from headwater.wire.mysql.servererror import ServerError

log = logging.getLogger(__name__)

# The longest a read waits: bounds how late a stop, a heartbeat or a commit comes on an idle log.
IDLE_SECONDS = 0.1


class Stream:
    """Streams from a position until asked to stop."""

    def __init__(
        self,
        config: Config,
        settings: MySqlSettings,
        server: ServerFacts,
        handler: EventHandler,
        heartbeat: Heartbeat,
        partition: dict[str, str],
        stopping: Callable[[], bool],
    ) -> None:
        self._config = config
        self._settings = settings
        self._server = server
        self._handler = handler
        self._heartbeat = heartbeat
        self._partition = partition
        self._stopping = stopping
        self._dump: DumpStream | None = None
        self._action: Connection | None = None
        self._backoff = Backoff.from_config(config)

    def run(self, position: Position) -> Iterator[SourceBatch]:
        """Yields batches from `position` on; reconnects with growing pauses while the failure may pass."""
        while not self._stopping():
            try:
                for batch in self._connected(position):
                    self._backoff.reset()
                    yield batch
            except HeadwaterError as e:
                if not e.retriable or not self._backoff.more():
                    raise
                log.warning("%s; trying again in %.1f s", e, self._backoff.delay)
                self.close()
                yield from self._pause(self._backoff.next())
            # A connection that broke before the handler took the position over leaves it as it is.
            if self._handler.file is not None:
                position = Position.load(self._handler.mark().offset())

    def _pause(self, seconds: float) -> Iterator[SourceBatch]:
        end = time.monotonic() + seconds
        while not self._stopping() and (left := end - time.monotonic()) > 0:
            yield SourceBatch([])
            time.sleep(min(left, IDLE_SECONDS))

    def _connected(self, position: Position) -> Iterator[SourceBatch]:
        gtids = self._resume_set(position)
        dump = self._dump = open_dump(
            self._settings, server_id=self._config["database.server.id"], file=position.file, pos=position.pos,
            gtids=None if gtids is None else gtids.dump, keep_alive=self._keep_alive(),
            annotate=self._config["include.query"], mariadb=self._server.mariadb,
        )  # fmt: skip
        self._handler.resume(position, None if gtids is None else gtids.done)
        parser = EventParser(self._handler.resolve, checksum=dump.checksum)
        log.info("streaming from %s:%d%s", position.file, position.pos,
                 f" with GTIDs {gtids.done}" if gtids is not None else "")  # fmt: skip
        read = dump.read
        idle = SourceBatch([])
        while not self._stopping():
            data = read(IDLE_SECONDS)
            out: list[Record] = []
            if data:
                self._take(parser, data, out)
            if self._heartbeat.interval and self._heartbeat.due():
                self._beat(out)
            if data or out:
                yield SourceBatch(out, self._handler.mark())
            else:
                yield idle
            if self._handler.ended:
                raise ConnectionFailed(f"the server at {self._settings.address} ended the log stream")

    def _take(self, parser: EventParser, data: bytes, out: list[Record]) -> None:
        """Parses and handles bytes; a statement is dealt with before what follows it is decoded."""
        now, handler = time.time_ns(), self._handler
        try:
            handler.handle(parser.feed(data), out, now)
            while parser.paused:
                if handler.tables_changed:
                    handler.tables_changed = False
                    parser.forget_tables()
                handler.handle(parser.next(), out, now)
        except ServerError as e:
            raise map_server_error(e, self._settings) from e

    def _keep_alive(self) -> float:
        if not self._config["connect.keep.alive"]:
            return 0.0
        return float(self._config["connect.keep.alive.interval.ms"]) / 1000

    def _resume_set(self, position: Position) -> ResumeSet | None:
        """The GTIDs done before the position, and those to tell the server; None: start from file and position."""
        if not self._server.gtid_mode or position.gtids is None or self._config["gtid.ignore.on.recovery"]:
            return None
        done = GtidSet.parse(position.gtids)
        if self._server.mariadb:
            return ResumeSet(done, done)
        with connect(self._settings, purpose="position") as connection:
            purged = GtidSet.parse(self._server.purged_gtids(connection))
        # What the server purged from sources the offset does not know cannot be read; asking for it would fail.
        unknown = purged.subtract(done).without_sources(done)
        return ResumeSet(done, done.union(unknown))

    def _beat(self, out: list[Record]) -> None:
        mark: Mark = self._handler.mark()
        out.append(self._heartbeat.record(self._partition, mark))
        query = self._config["heartbeat.action.query"]
        if not query:
            return
        try:
            if self._action is None:
                self._action = connect(self._settings, purpose="heartbeat")
            self._action.query(query)
        except HeadwaterError as e:
            self._close_action()
            state = getattr(e, "sqlstate", None)
            if state in ("42000", "3D000"):
                raise
            log.warning("heartbeat.action.query failed: %s", e)

    def _close_action(self) -> None:
        if self._action is not None:
            self._action.close()
            self._action = None

    def wake(self) -> None:
        """Makes a waiting read return. Any thread."""
        dump = self._dump
        if dump is not None:
            dump.wake()

    def close(self) -> None:
        """Closes the connections; never raises."""
        self._close_action()
        if self._dump is not None:
            self._dump.close()
            self._dump = None


class ResumeSet:
    """GTIDs before the position (`done`) and the set sent to the server (`dump`)."""

    def __init__(self, done: GtidSet, dump: GtidSet) -> None:
        self.done = done
        self.dump = dump


def available(connection: Connection, server: ServerFacts, position: Position) -> str | None:
    """Why a stored position cannot be read any more; None where it can."""
    if position.gtids and server.gtid_mode:
        if server.mariadb:
            return None
        done = GtidSet.parse(position.gtids)
        executed = GtidSet.parse(str(connection.query("SELECT @@global.gtid_executed")[0][0]))
        if not executed.contains(done):
            return f"the server has not executed the GTIDs {done.subtract(executed)}"
        missing = GtidSet.parse(server.purged_gtids(connection)).subtract(done)
        lost = missing.of_sources(done)
        return f"the server purged the GTIDs {lost}" if lost else None
    files = server.binlog_files(connection)
    if position.file in files:
        return None
    return f"the server no longer has the log file {position.file} (its oldest is {files[0] if files else 'none'})"


def lost(position: Position, reason: str) -> PositionLost:
    """The error for a position the server no longer has."""
    at = f"GTIDs {position.gtids}" if position.gtids else f"{position.file}:{position.pos}"
    return PositionLost(
        f"The connector is trying to read the change log starting at {at}, but {reason}: this position is no longer "
        "available on the server. Reconfigure the connector to use a snapshot mode when needed "
        "(snapshot.mode=when_needed), or remove its offsets to begin anew"
    )
