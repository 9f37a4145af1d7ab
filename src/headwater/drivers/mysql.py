"""Connections to MySQL and MariaDB.

PyMySQL does handshake, authentication, TLS and plain queries; bulk rows and the dump stream are read from
its socket in large pieces. Errors become Headwater's, and never show a password.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self

from headwater.drivers.mysql_tls import TlsSettings
from headwater.errors import AuthenticationError, ConnectionFailed, HeadwaterError, PositionLost, PreflightError
from headwater.wire.mysql import packets
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.gtid import GtidSet
from headwater.wire.mysql.servererror import ServerError
from headwater.wire.mysql.text_cy import TextRowDecoder

RECEIVE = 512 * 1024
_SOCKET_BUFFER = 4 * 1024 * 1024
_DENIED = frozenset((1045, 1698, 1251, 2059, 2061, 1862, 1820, 3118))
_PRIVILEGE = frozenset((1044, 1142, 1143, 1227, 1370))
_GONE = frozenset((1040, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 2003, 2006, 2013, 2014, 2055, 3169, 4031))


@dataclass(frozen=True, slots=True)
class MySqlSettings:
    """Where and how to connect. `repr` shows no password."""

    host: str
    port: int = 3306
    user: str = ""
    password: str = field(default="", repr=False)
    tls: TlsSettings = field(default_factory=TlsSettings)
    connect_timeout: float = 30.0
    initial_statements: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        raw: Mapping[str, str] = getattr(config, "raw", {})
        return cls(
            host=str(config["database.hostname"]),
            port=int(config["database.port"]),
            user=str(config["database.user"]),
            password=str(config["database.password"] or ""),
            tls=TlsSettings(
                mode=str(config["database.ssl.mode"]),
                ca=str(config["database.ssl.truststore"] or ""),
                cert=str(config["database.ssl.keystore"] or ""),
                key=raw.get("database.ssl.key", ""),
                key_password=str(config["database.ssl.keystore.password"] or ""),
            ),
            connect_timeout=int(config["connect.timeout.ms"]) / 1000,
            initial_statements=split_statements(config["database.initial.statements"] or ""),
        )

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


def split_statements(text: str) -> tuple[str, ...]:
    """`database.initial.statements`: split on `;`, a doubled one is a semicolon."""
    parts = text.replace(";;", "\0").split(";")
    return tuple(s for p in parts if (s := p.replace("\0", ";").strip()))


class Connection:
    """A connection for queries."""

    def __init__(self, raw: Any, settings: MySqlSettings) -> None:
        self._raw = raw
        self.settings = settings

    def query(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Runs a statement; all rows. Raises SourceError (with `code`), ConnectionFailed, PreflightError."""
        import pymysql

        try:
            with self._raw.cursor() as cursor:
                cursor.execute(sql)
                return list(cursor.fetchall())
        except (pymysql.Error, OSError) as e:
            raise_mapped(e, self.settings)

    def stream(self, sql: str, formats: Sequence[ColumnFormat]) -> Iterator[list[list[Any]]]:
        """Runs a query; yields lists of canonical rows as they arrive, without holding the result."""
        import pymysql

        decoder = TextRowDecoder(formats)
        raw = self._raw
        try:
            raw._execute_command(packets.COM_QUERY, sql)
            count = raw._read_packet().read_length_encoded_integer()
            if count != len(formats):
                raise HeadwaterError(f"a query gave {count} columns instead of {len(formats)}: {sql[:200]}")
            for _ in range(count + 1):  # the definitions and the packet that ends them
                raw._read_packet()
            data = raw._rfile.read1(RECEIVE)
            while True:
                if not data:
                    raise ConnectionFailed(f"the server at {self.settings.address} closed the connection during a query")
                rows = decoder.feed(data)
                if rows:
                    yield rows
                if decoder.done:
                    return
                data = raw._rfile.read1(RECEIVE)
        except (pymysql.Error, OSError) as e:
            raise_mapped(e, self.settings)
        except ServerError as e:
            raise map_server_error(e, self.settings) from e
        finally:
            if not decoder.done:
                # Rows still on their way would be taken for the next answer.
                self.close()

    def send(self, payload: bytes) -> None:
        """Sends a command without waiting for an answer."""
        self._raw._write_bytes(packets.frame(payload))

    def command(self, payload: bytes) -> None:
        """Sends a command and waits for its OK."""
        import pymysql

        try:
            self._raw._next_seq_id = 1
            self.send(payload)
            self._raw._read_packet()
        except (pymysql.Error, OSError) as e:
            raise_mapped(e, self.settings)

    @property
    def socket(self) -> socket.socket:
        sock: socket.socket = self._raw._sock
        return sock

    def close(self) -> None:
        """Closes at once; never raises."""
        with contextlib.suppress(Exception):
            self._raw._force_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def connect(settings: MySqlSettings, *, purpose: str = "") -> Connection:
    """Opens a connection with UTF-8 results, the session time zone +00:00 and the initial statements run."""
    connection = _open(settings, purpose)
    try:
        connection.query("SET NAMES utf8mb4")
        connection.query("SET SESSION time_zone = '+00:00'")
        for statement in settings.initial_statements:
            connection.query(statement)
    except HeadwaterError:
        connection.close()
        raise
    return connection


def _open(settings: MySqlSettings, purpose: str) -> Connection:
    import pymysql

    context = settings.tls.context()
    required = settings.tls.required

    class Checked(pymysql.connections.Connection):  # its private parts are not in the stubs
        def _request_authentication(self) -> None:
            # Before the password leaves: a mode that demands TLS must not fall back to plain text.
            if required and not self.server_capabilities & pymysql.constants.CLIENT.SSL:  # type: ignore[attr-defined]
                raise ConnectionFailed(
                    f"the server at {settings.address} offers no TLS, which database.ssl.mode={settings.tls.mode} demands"
                )
            super()._request_authentication()  # type: ignore[misc]

    try:
        raw = Checked(
            host=settings.host, port=settings.port, user=settings.user, password=settings.password,
            charset="utf8mb4", autocommit=True, connect_timeout=max(int(settings.connect_timeout), 1),
            ssl=context, ssl_disabled=context is None, program_name=f"headwater {purpose}".strip(),
        )  # fmt: skip
    except ConnectionFailed:
        raise
    except (pymysql.Error, OSError, ssl.SSLError, RuntimeError) as e:
        raise_mapped(e, settings)
    return Connection(raw, settings)


def raise_mapped(error: Exception, settings: MySqlSettings) -> NoReturn:
    """Raises the Headwater error for one of the driver's."""
    cause = error.__cause__ or error
    if isinstance(cause, ssl.SSLCertVerificationError):
        raise ConnectionFailed(
            f"the certificate of {settings.address} was not accepted ({cause.verify_message}): "
            "check database.ssl.truststore and database.ssl.mode"
        ) from error
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    text = str(error.args[1]) if len(error.args) > 1 else str(error)
    state = "28000" if code in _DENIED else "42000" if code in _PRIVILEGE else "HY000"
    if isinstance(error, OSError) or code in (0, 2003):
        raise ConnectionFailed(
            f"Unable to connect to the database at {settings.address} with user '{settings.user}': {text}"
        ) from error
    raise map_server_error(ServerError(code, state, text), settings) from error


def map_server_error(error: ServerError, settings: MySqlSettings) -> HeadwaterError:
    """A server's error number -> the error that tells what to do."""
    where = f"at {settings.address} with user '{settings.user}'"
    if error.code in _DENIED:
        return AuthenticationError(f"Failed to authenticate to the database {where}: {error.text}")
    if error.code in _PRIVILEGE:
        return PreflightError(
            f"the user '{settings.user}' lacks a privilege {where}: {error.text}. Grant it: GRANT SELECT, RELOAD, "
            f"SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '{settings.user}'@'%'"
        )
    if error.code == 1236:
        if "same server_uuid" in error.text or "same server_id" in error.text:
            return PreflightError(
                f"another reader with the same database.server.id has connected to {settings.address}: {error.text}. "
                "Give each reader a number of its own"
            )
        return PositionLost(
            f"the server at {settings.address} cannot send its log from the stored position: {error.text}. "
            "Take a new snapshot: snapshot.mode=when_needed"
        )
    if error.code in _GONE:
        return ConnectionFailed(f"the connection {where} broke: {error.text}")
    return error


class DumpStream:
    """The running dump of a server's log. `read` in one thread; `wake` from any."""

    def __init__(self, connection: Connection, checksum: bool, keep_alive: float) -> None:
        self.checksum = checksum
        self._connection = connection
        self._socket = connection.socket
        self._keep_alive = keep_alive
        self._silent = 0.0
        self._waker, self._woken = socket.socketpair()
        self._tls = isinstance(self._socket, ssl.SSLSocket)
        self._socket.settimeout(None)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def read(self, timeout: float) -> bytes | None:
        """The next bytes; None after `timeout` seconds without any, or when woken. Raises ConnectionFailed."""
        address = self._connection.settings.address
        try:
            if not (self._tls and self._socket.pending()):  # type: ignore[attr-defined]
                ready = self._poll.poll(timeout * 1000)
                if not ready:
                    self._silent += timeout
                    if self._keep_alive and self._silent > self._keep_alive:
                        raise ConnectionFailed(
                            f"the server at {address} sent nothing, no heartbeat either, for {self._keep_alive:.0f} s"
                        )
                    return None
                if all(fd == self._woken.fileno() for fd, _ in ready):
                    self._woken.recv(64)
                    return None
            data = self._socket.recv(RECEIVE)
        except OSError as e:
            raise ConnectionFailed(f"the log stream of {address} broke: {e}") from e
        self._silent = 0.0
        if not data:
            raise ConnectionFailed(f"the server at {address} closed the log stream")
        return data

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
    """Opens a replication connection and asks for the log: from a GTID set if given, else from file and position."""
    connection = _open(settings, "stream")
    try:
        checksum = _prepare(connection, server_id, keep_alive, gtids, mariadb)
        with contextlib.suppress(OSError):
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SOCKET_BUFFER)
        connection.command(packets.register_replica(server_id, socket.gethostname()))
        flags = packets.SEND_ANNOTATE_ROWS if mariadb and annotate else 0
        if gtids is None:
            connection.send(packets.dump(server_id, file, max(pos, 4), flags))
        elif mariadb:
            connection.send(packets.dump(server_id, "", 0, flags))
        else:
            connection.send(packets.dump_gtid(server_id, gtids))
    except (HeadwaterError, OSError) as e:
        connection.close()
        if isinstance(e, OSError):
            raise_mapped(e, settings)
        raise
    return DumpStream(connection, checksum, keep_alive)


def _prepare(connection: Connection, server_id: int, keep_alive: float, gtids: GtidSet | None, mariadb: bool) -> bool:
    rows = connection.query("SHOW GLOBAL VARIABLES LIKE 'binlog_checksum'")
    checksum = bool(rows) and str(rows[0][1]).upper() != "NONE"
    if checksum:
        connection.query("SET @master_binlog_checksum = @@global.binlog_checksum")
        connection.query("SET @source_binlog_checksum = @@global.binlog_checksum")
    # The server must speak up well before the keep-alive gives up on it.
    period = int(max(keep_alive, 1.0) * 0.8 * 1_000_000_000) if keep_alive else 30_000_000_000
    connection.query(f"SET @master_heartbeat_period = {period}")
    connection.query(f"SET @source_heartbeat_period = {period}")
    identity = uuid.uuid5(uuid.NAMESPACE_DNS, f"headwater-{server_id}-{uuid.uuid4()}")
    connection.query(f"SET @slave_uuid = '{identity}', @replica_uuid = '{identity}'")
    if mariadb:
        connection.query("SET @mariadb_slave_capability = 4")
        if gtids is not None:
            connection.query(f"SET @slave_connect_state = '{gtids}'")
            connection.query("SET @slave_gtid_strict_mode = 0")
            connection.query("SET @slave_gtid_ignore_duplicates = 0")
    return checksum
