"""Connections to MySQL and MariaDB.

PyMySQL does handshake, authentication, TLS and plain queries; bulk rows are read from its socket in large pieces,
and so is the log (`mysql_dump`). Must not know tables or connectors.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from headwater.drivers.mysql_errors import connect_error, raise_query_error, server_error
from headwater.drivers.mysql_guard import connection_class
from headwater.drivers.mysql_tls import TlsSettings
from headwater.errors import ConfigError, ConfigProblem, ConnectionFailed, HeadwaterError
from headwater.wire.mysql import packets
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.servererror import ServerError
from headwater.wire.mysql.text_cy import TextRowDecoder

RECEIVE = 512 * 1024
# A peer that vanished is noticed after idle + count * interval seconds, not after the system's two hours.
_KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}


@dataclass(frozen=True, slots=True)
class MySqlSettings:
    """Where and how to connect; times in seconds, a `query_timeout` of 0 is none. `repr` shows no password.

    `allow_public_key_retrieval`: without TLS, whether the key that hides the password may come from the server
    itself; who stands between could then read the password.
    """

    host: str
    port: int = 3306
    user: str = ""
    password: str = field(default="", repr=False)
    tls: TlsSettings = field(default_factory=TlsSettings)
    connect_timeout: float = 30.0
    query_timeout: float = 0.0
    initial_statements: tuple[str, ...] = ()
    allow_public_key_retrieval: bool = False

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
            query_timeout=int(config["database.query.timeout.ms"]) / 1000,
            allow_public_key_retrieval=_driver_flag(raw, "allowPublicKeyRetrieval"),
            initial_statements=split_statements(config["database.initial.statements"] or ""),
        )

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


def _driver_flag(raw: Mapping[str, str], name: str) -> bool:
    """A switch of the Java driver, `driver.<name>` or the older `database.<name>`; false where not given."""
    for key in (f"driver.{name}", f"database.{name}"):
        value = raw.get(key, "").strip().lower()
        if value in ("true", "false"):
            return value == "true"
        if value:
            raise ConfigError([ConfigProblem(key, raw[key], "must be true or false", "true")])
    return False


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
            raise_query_error(e, self.settings.address, self.settings.user)

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
            raise_query_error(e, self.settings.address, self.settings.user)
        except ServerError as e:
            raise server_error(e, self.settings.address, self.settings.user) from e
        finally:
            if not decoder.done:
                # Rows still on their way would be taken for the next answer.
                self.close()

    def send(self, payload: bytes) -> None:
        """Sends a command without waiting for an answer. Raises ConnectionFailed."""
        import pymysql

        try:
            self._raw._write_bytes(packets.frame(payload))
        except (pymysql.Error, OSError) as e:
            raise_query_error(e, self.settings.address, self.settings.user)

    def command(self, payload: bytes) -> None:
        """Sends a command and waits for its OK."""
        import pymysql

        try:
            self._raw._next_seq_id = 1
            self.send(payload)
            self._raw._read_packet()
        except (pymysql.Error, OSError) as e:
            raise_query_error(e, self.settings.address, self.settings.user)

    @property
    def secure(self) -> bool:
        """Whether TLS is in use."""
        return bool(self._raw._secure)

    @property
    def socket(self) -> socket.socket:
        """The socket, between an answer and the next command: then nothing of it is buffered elsewhere."""
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
    connection = open_raw(settings, purpose)
    try:
        connection.query("SET NAMES utf8mb4")
        connection.query("SET SESSION time_zone = '+00:00'")
        for statement in settings.initial_statements:
            connection.query(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def map_server_error(error: ServerError, settings: MySqlSettings) -> HeadwaterError:
    """An error the server sent in its log stream or for a query -> the error that tells what to do."""
    return server_error(error, settings.address, settings.user)


def open_raw(settings: MySqlSettings, purpose: str) -> Connection:
    """A connection as the server gives it: no session settings, no initial statements."""
    import pymysql

    context = settings.tls.context()
    timeout = max(int(settings.connect_timeout), 1)
    try:
        raw = connection_class()(
            settings, host=settings.host, port=settings.port, user=settings.user, password=settings.password,
            charset="utf8mb4", autocommit=True, connect_timeout=timeout, read_timeout=timeout, write_timeout=timeout,
            ssl=context, ssl_disabled=context is None, program_name=f"headwater {purpose}".strip(),
        )  # fmt: skip
    except (pymysql.Error, OSError, RuntimeError, LookupError, ValueError, AssertionError, struct.error) as e:
        # The last ones: what answers there is no such server.
        raise connect_error(e, settings.address, settings.user) from e
    # The time to connect bounds the handshake, too; from here on it is the query's.
    raw._read_timeout = raw._write_timeout = settings.query_timeout or None
    raw._sock.settimeout(settings.query_timeout or None)
    for name, seconds in _KEEPALIVE.items():
        if hasattr(socket, name):
            raw._sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)
    return Connection(raw, settings)
