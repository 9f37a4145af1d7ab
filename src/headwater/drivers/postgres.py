"""Connections to PostgreSQL on psycopg 3: queries, COPY, and the replication stream.

Errors become Headwater's and name the fix; they never show a password.
"""

from __future__ import annotations

import contextlib
import re
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, Self

from headwater.errors import (
    AuthenticationError,
    ConnectionFailed,
    HeadwaterError,
    PositionLost,
    PreflightError,
    SourceError,
)
from headwater.wire.postgres import copyboth
from headwater.wire.postgres.lsn import format_lsn, parse_lsn

# The text forms that wire/postgres reads.
_SESSION = "-c DateStyle=ISO -c TimeZone=UTC -c extra_float_digits=3 -c IntervalStyle=postgres -c lc_monetary=C"

_NO_LOGIN = re.compile(r'password authentication failed|no password supplied|no pg_hba.conf entry|role ".*" does not exist')
_NO_DATABASE = re.compile(r'database ".*" does not exist')


@dataclass(frozen=True, slots=True)
class PostgresSettings:
    """Where and how to connect. `repr` shows no password."""

    host: str
    port: int = 5432
    user: str = ""
    password: str = field(default="", repr=False)
    database: str = "postgres"
    sslmode: str = "prefer"
    ssl: tuple[tuple[str, str], ...] = ()
    initial_statements: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        names = (("sslrootcert", "sslrootcert"), ("sslcert", "sslcert"), ("sslkey", "sslkey"), ("sslpassword", "sslpassword"))
        given = tuple((n, str(config[f"database.{k}"])) for n, k in names if config.get(f"database.{k}"))
        statements = str(config["database.initial.statements"] or "").replace(";;", "\0").split(";")
        return cls(
            host=str(config["database.hostname"]), port=int(config["database.port"]), user=str(config["database.user"]),
            password=str(config["database.password"] or ""), database=str(config["database.dbname"]),
            sslmode=str(config["database.sslmode"]), ssl=given,
            initial_statements=tuple(s.replace("\0", ";").strip() for s in statements if s.strip()),
        )  # fmt: skip

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}/{self.database}"

    def parameters(self, purpose: str) -> dict[str, str]:
        """libpq's parameters."""
        out = {"host": self.host, "port": str(self.port), "user": self.user, "dbname": self.database,
               "sslmode": self.sslmode, "application_name": purpose, "client_encoding": "UTF8", "connect_timeout": "30",
               "options": _SESSION, **dict(self.ssl)}  # fmt: skip
        if self.password:
            out["password"] = self.password
        return out


class Connection:
    """A connection for queries and COPY, in autocommit mode."""

    def __init__(self, raw: Any, settings: PostgresSettings) -> None:
        self._raw = raw
        self.settings = settings

    @property
    def server_version(self) -> int:
        """As 150004 for 15.4."""
        return int(self._raw.info.server_version)

    def query(self, sql: str, parameters: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """Runs a statement; all rows."""
        import psycopg

        try:
            cursor = self._raw.execute(sql, parameters)
            return list(cursor.fetchall()) if cursor.description is not None else []
        except psycopg.Error as e:
            raise_mapped(e, self.settings)

    def copy_lines(self, query: str) -> Iterator[bytes]:
        """The rows of a query in COPY's text form, as they arrive."""
        import psycopg
        from psycopg import pq

        conn = self._raw.pgconn
        result = conn.exec_(f"COPY ({query}) TO STDOUT".encode())
        if result.status != pq.ExecStatus.COPY_OUT:
            raise_result(result, self.settings)
        done = False
        try:
            while True:
                size, data = conn.get_copy_data(0)
                if size == -1:
                    break
                yield bytes(data)
            done = True
            final = conn.get_result()
            while final is not None:
                if final.status == pq.ExecStatus.FATAL_ERROR:
                    raise_result(final, self.settings)
                final = conn.get_result()
        except psycopg.Error as e:
            raise_mapped(e, self.settings)
        finally:
            if not done:
                self.close()

    def close(self) -> None:
        """Closes; never raises."""
        with contextlib.suppress(Exception):
            self._raw.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def connect(settings: PostgresSettings, *, purpose: str = "Debezium General") -> Connection:
    """Opens a connection and runs the initial statements."""
    import psycopg

    try:
        raw = psycopg.connect(**settings.parameters(purpose), autocommit=True)  # type: ignore[arg-type]
    except psycopg.Error as e:
        raise_mapped(e, settings)
    connection = Connection(raw, settings)
    try:
        for statement in settings.initial_statements:
            connection.query(statement)
    except HeadwaterError:
        connection.close()
        raise
    return connection


def raise_result(result: Any, settings: PostgresSettings) -> NoReturn:
    """Raises the error of a failed libpq result."""
    from psycopg import pq

    state = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
    text = (result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or result.error_message or b"").decode("utf-8", "replace")
    raise map_state(state, text.strip(), settings)


def raise_mapped(error: Any, settings: PostgresSettings) -> NoReturn:
    """Raises the Headwater error for one of psycopg's."""
    state = getattr(error, "sqlstate", None) or ""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    raise map_state(state, (primary or str(error)).strip(), settings) from error


def map_state(state: str, text: str, settings: PostgresSettings) -> HeadwaterError:
    """An SQL state -> the error that tells what to do."""
    where = f"at {settings.address} with user '{settings.user}'"
    # libpq gives no state for what fails while it connects.
    if state in ("28000", "28P01") or _NO_LOGIN.search(text):
        return AuthenticationError(f"Failed to authenticate to the database {where}: {text}. "
                                   "Check database.user, database.password and the server's pg_hba.conf")
    if state == "42501":
        return PreflightError(
            f"the user '{settings.user}' lacks a privilege {where}: {text}. Grant it, or: "
            f"ALTER ROLE \"{settings.user}\" REPLICATION; GRANT SELECT ON ALL TABLES IN SCHEMA public TO \"{settings.user}\""
        )
    if state == "3D000" or _NO_DATABASE.search(text):
        return PreflightError(f"there is no such database {where}: {text}. Check database.dbname")
    if "wal_level" in text:
        return PreflightError(
            f"the server {where} does not write logical changes: {text}. "
            "Run: ALTER SYSTEM SET wal_level = 'logical'; and restart the server"
        )
    if "output plugin" in text or "output_plugin_libraries" in text:
        return PreflightError(
            f"the server {where} does not allow the output plug-in: {text}. Add it to output_plugin_libraries: "
            "ALTER SYSTEM SET output_plugin_libraries = 'pgoutput,...'; SELECT pg_reload_conf()"
        )
    if "has already been removed" in text or "can no longer get changes" in text:
        return PositionLost(f"the server {where} no longer has the log of the slot: {text}. Take a new snapshot")
    if state == "42704" and "replication slot" in text:
        return PositionLost(f"the slot is gone {where}: {text}. Take a new snapshot, or remove the offsets to begin anew")
    if state == "42704" and "publication" in text:
        return PreflightError(f"the publication is gone {where}: {text}. Run: CREATE PUBLICATION ... FOR ALL TABLES")
    if not state or state[:2] in ("08", "57") or state in ("53300", "55006"):
        return ConnectionFailed(f"Unable to connect to the database {where}: {text}. "
                                "Check database.hostname and database.port, and that the server runs and can be reached from here")
    error = SourceError(f"{text} (SQL state {state}) {where}")
    error.sqlstate = state  # type: ignore[attr-defined]
    return error


class MadeSlot(NamedTuple):
    """A slot as its creation left it: its consistent point, and the snapshot exported there ("" if none)."""

    name: str
    lsn: int
    snapshot: str
    temporary: bool


class ReplicationStream:
    """A replication connection: creates slots, and streams.

    A thread answers for it while the reader waits for its sink, so that the server does not give it up.
    """

    STATUS_SECONDS = 10.0

    def __init__(self, settings: PostgresSettings, status_seconds: float = STATUS_SECONDS) -> None:
        from psycopg import pq
        from psycopg.conninfo import make_conninfo

        self._settings = settings
        self._lock = threading.Lock()
        self._received = 0
        self._flushed = 0
        self._closed = threading.Event()
        self._every = status_seconds
        self._sent = time.monotonic()
        self._waker, self._woken = socket.socketpair()
        info = make_conninfo(**settings.parameters("Debezium Streaming"), replication="database")
        self._conn = pq.PGconn.connect(info.encode())
        if self._conn.status != pq.ConnStatus.OK:
            text = self._conn.error_message.decode("utf-8", "replace").strip()
            self.close()
            raise map_state("", text, settings)
        self._poll = select.poll()
        self._poll.register(self._conn.socket, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)
        self._thread: threading.Thread | None = None

    def command(self, sql: str) -> list[list[str]]:
        """Runs a replication command; its rows as text."""
        from psycopg import pq

        result = self._execute(sql)
        if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            raise_result(result, self._settings)
        return [
            [(result.get_value(row, i) or b"").decode() for i in range(result.nfields)] for row in range(result.ntuples)
        ]

    def _execute(self, sql: str) -> Any:
        import psycopg

        try:
            return self._conn.exec_(sql.encode())
        except psycopg.Error as e:
            raise_mapped(e, self._settings)

    def create_slot(self, name: str, plugin: str, options: str = "", *, temporary: bool = False) -> MadeSlot:
        """Creates a logical slot and exports a snapshot, which lasts until the next replication command.

        A temporary slot goes with the connection, and holds the server's log until then: drop it after use.
        """
        kind = " TEMPORARY" if temporary else ""
        row = self.command(f'CREATE_REPLICATION_SLOT "{name}"{kind} LOGICAL {plugin} {options}'.strip())[0]
        return MadeSlot(name, parse_lsn(row[1]), row[2], temporary)

    def drop_slot(self, name: str) -> None:
        """Drops a slot that nobody streams from."""
        self.command(f'DROP_REPLICATION_SLOT "{name}"')

    def start(self, slot: str, lsn: int, options: Mapping[str, str]) -> None:
        """Starts streaming from a position."""
        from psycopg import pq

        given = ", ".join(f"\"{k}\" '{v}'" for k, v in options.items())
        result = self._execute(f'START_REPLICATION SLOT "{slot}" LOGICAL {format_lsn(lsn)} ({given})')
        if result.status != pq.ExecStatus.COPY_BOTH:
            raise_result(result, self._settings)
        self._received = self._flushed = 0
        self._thread = threading.Thread(target=self._answer, name="headwater-keepalive", daemon=True)
        self._thread.start()

    def _answer(self) -> None:
        while not self._closed.wait(self._every / 2):
            if time.monotonic() - self._sent >= self._every:
                with contextlib.suppress(HeadwaterError):
                    self.send_status()

    @property
    def streaming(self) -> bool:
        """Whether the stream has started."""
        return self._thread is not None

    def send_status(self) -> None:
        """Tells the server what was received and what is durable."""
        with self._lock:
            if self._closed.is_set():
                return
            message = copyboth.status_update(self._received, self._flushed, time.time_ns() // 1000)
            try:
                self._conn.put_copy_data(message)
                self._conn.flush()
            except Exception as e:
                raise ConnectionFailed(f"the replication stream of {self._settings.address} broke: {e}") from e
            self._sent = time.monotonic()

    def confirm(self, lsn: int) -> None:
        """Everything before `lsn` is durable; said at once."""
        if lsn > self._flushed and self.streaming:
            self._flushed = lsn
            self._received = max(self._received, lsn)
            self.send_status()

    def read(self, timeout: float) -> list[copyboth.XLogData | copyboth.Keepalive]:
        """What has arrived; waits up to `timeout` seconds for the first message."""
        out = self._drain()
        if out:
            return out
        ready = self._poll.poll(timeout * 1000)
        if any(fd == self._woken.fileno() for fd, _ in ready):
            self._woken.recv(64)
        return self._drain() if ready else []

    def _drain(self, limit: int = 5000) -> list[copyboth.XLogData | copyboth.Keepalive]:
        """What libpq has, without waiting."""
        out: list[copyboth.XLogData | copyboth.Keepalive] = []
        reply = False
        with self._lock:
            for data in self._copy_data(limit):
                message = copyboth.parse(data)
                if isinstance(message, copyboth.Keepalive):
                    reply = reply or message.reply
                    self._received = max(self._received, message.end)
                else:
                    self._received = max(self._received, message.start)
                out.append(message)
        if reply:
            self.send_status()
        return out

    def _copy_data(self, limit: int) -> Iterator[bytes]:
        import psycopg

        try:
            self._conn.consume_input()
            for _ in range(limit):
                size, data = self._conn.get_copy_data(1)
                if size == 0:
                    return
                if size == -1:
                    self._ended()
                yield bytes(data)
        except psycopg.Error as e:
            raise ConnectionFailed(f"the replication stream of {self._settings.address} broke: {e}") from e

    def _ended(self) -> NoReturn:
        from psycopg import pq

        result = self._conn.get_result()
        if result is not None and result.error_field(pq.DiagnosticField.SQLSTATE):
            raise_result(result, self._settings)
        raise map_state("08006", "the server closed the replication stream", self._settings)

    def wake(self) -> None:
        """Makes a waiting `read` return. Any thread."""
        with contextlib.suppress(OSError):
            self._waker.send(b"w")

    def close(self) -> None:
        """Closes; never raises."""
        self._closed.set()
        with self._lock, contextlib.suppress(Exception):
            if hasattr(self, "_conn"):
                self._conn.finish()
        for end in (self._waker, self._woken):
            end.close()
