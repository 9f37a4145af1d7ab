"""The replication connection: asks a MySQL or MariaDB server for its log and hands over the bytes as they come.

Must not know events: `wire.mysql.events_cy` parses the bytes.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import uuid

from headwater.drivers.mysql_connection import RECEIVE, Connection, MySqlSettings, open_raw
from headwater.errors import ConnectionFailed, PositionLost
from headwater.wire.mysql import packets
from headwater.wire.mysql.gtid import GtidSet

_SOCKET_BUFFER = 4 * 1024 * 1024
# The first event of a log file.
_FIRST_POSITION = 4
# Part of the keep-alive's time after which the server must speak up.
_HEARTBEAT_PART = 0.8
_HEARTBEAT_SECONDS = 30.0
# This MariaDB client understands GTID events.
_MARIADB_CAPABILITY = 4


class DumpStream:
    """The running dump of a server's log. `read` in one thread; `wake` from any.

    `checksum`: whether its events end in a CRC32. `keep_alive` seconds of silence, heartbeats included, break the
    stream; 0 is never.
    """

    def __init__(self, connection: Connection, checksum: bool, keep_alive: float) -> None:
        self.checksum = checksum
        self._connection = connection
        self._socket = connection.socket
        self._keep_alive = keep_alive
        self._silent = 0.0
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        self._tls = isinstance(self._socket, ssl.SSLSocket)
        # With TLS a readable socket may hold a part of a record only: the wait for the rest has an end, too.
        self._socket.settimeout(keep_alive or None)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def read(self, timeout: float) -> bytes | None:
        """The next bytes; None after `timeout` seconds without any, or when woken. Raises ConnectionFailed."""
        address = self._connection.settings.address
        try:
            if not self._wait(timeout):
                return None
            data = self._socket.recv(RECEIVE)
        except TimeoutError as e:
            raise self._too_silent() from e
        except OSError as e:
            raise ConnectionFailed(f"the log stream of {address} broke: {e}") from e
        if not data:
            raise ConnectionFailed(f"the server at {address} closed the log stream")
        self._silent = 0.0
        return data

    def _wait(self, timeout: float) -> bool:
        """Whether bytes are there."""
        if self._tls and self._socket.pending():  # type: ignore[attr-defined]
            return True
        ready = self._poll.poll(timeout * 1000)
        if not ready:
            self._silent += timeout
            if self._keep_alive and self._silent > self._keep_alive:
                raise self._too_silent()
            return False
        if any(fd == self._woken.fileno() for fd, _ in ready):
            self._woken.recv(4096)
            return False
        return True

    def _too_silent(self) -> ConnectionFailed:
        return ConnectionFailed(
            f"the server at {self._connection.settings.address} sent nothing, no heartbeat either, "
            f"for {self._keep_alive:g} s"
        )

    def wake(self) -> None:
        """Makes a waiting `read` return None. Any thread, also a signal handler."""
        with contextlib.suppress(OSError):
            self._waker.send(b"w")

    def close(self) -> None:
        """Closes the connection; never raises."""
        self._connection.close()
        for end in (self._waker, self._woken):
            end.close()


def open_dump(
    settings: MySqlSettings,
    *,
    server_id: int,
    file: str,
    pos: int,
    gtids: GtidSet | None,
    keep_alive: float,
    annotate: bool = False,
    mariadb: bool = False,
) -> DumpStream:
    """Opens a replication connection and asks for the log: from a GTID set if given, else from file and position.

    `keep_alive`: seconds, see DumpStream; the server's heartbeats are asked for more often. `annotate`: MariaDB's
    statement texts. Raises ConnectionFailed, AuthenticationError, PreflightError; a position that the server no
    longer has shows in the stream. Raises PositionLost for one that cannot be asked for.
    """
    if mariadb and not gtids:
        # An empty set would mean the log's very beginning.
        gtids = None
    if gtids is None and pos > 0xFFFFFFFF:
        raise PositionLost(
            f"the log position {file}:{pos} is beyond 4 GiB, where {settings.address} cannot start. "
            "Take a new snapshot: snapshot.mode=when_needed"
        )
    connection = open_raw(settings, "stream")
    try:
        checksum = _prepare(connection, keep_alive)
        if mariadb:
            _prepare_mariadb(connection, gtids)
        with contextlib.suppress(OSError):
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SOCKET_BUFFER)
        connection.command(packets.register_replica(server_id, socket.gethostname()))
        flags = packets.SEND_ANNOTATE_ROWS if mariadb and annotate else 0
        if gtids is None:
            connection.send(packets.dump(server_id, file, max(pos, _FIRST_POSITION), flags))
        elif mariadb:
            connection.send(packets.dump(server_id, "", 0, flags))
        else:
            connection.send(packets.dump_gtid(server_id, gtids))
        return DumpStream(connection, checksum, keep_alive)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: Connection, keep_alive: float) -> bool:
    """The session's settings for a dump, under both names that versions know; whether events have checksums."""
    rows = connection.query("SHOW GLOBAL VARIABLES LIKE 'binlog_checksum'")
    checksum = bool(rows) and str(rows[0][1]).upper() != "NONE"
    if checksum:
        connection.query(
            "SET @master_binlog_checksum = @@global.binlog_checksum, @source_binlog_checksum = @@global.binlog_checksum"
        )
    seconds = keep_alive * _HEARTBEAT_PART if keep_alive else _HEARTBEAT_SECONDS
    period = max(int(seconds * 1e9), 1_000_000)
    connection.query(f"SET @master_heartbeat_period = {period}, @source_heartbeat_period = {period}")
    # A name of our own: the server drops an older dump of the same name.
    identity = uuid.uuid4()
    connection.query(f"SET @slave_uuid = '{identity}', @replica_uuid = '{identity}'")
    return checksum


def _prepare_mariadb(connection: Connection, gtids: GtidSet | None) -> None:
    connection.query(f"SET @mariadb_slave_capability = {_MARIADB_CAPABILITY}")
    if gtids is not None:
        connection.query(f"SET @slave_connect_state = '{gtids}'")
        connection.query("SET @slave_gtid_strict_mode = 0, @slave_gtid_ignore_duplicates = 0")
