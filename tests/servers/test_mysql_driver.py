"""The MySQL driver against a real server: connecting, errors, bulk rows, the log's stream."""

from __future__ import annotations

import dataclasses
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.drivers import mysql
from headwater.errors import (
    AuthenticationError,
    ConfigError,
    ConnectionFailed,
    HeadwaterError,
    PositionLost,
    PreflightError,
    SourceError,
)
from headwater.wire.mysql import eventtypes as et
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.events_cy import EventParser
from headwater.wire.mysql.gtid import GtidSet
from headwater.wire.mysql.json_cy import render
from headwater.wire.mysql.rows_cy import BinlogRowDecoder
from headwater.wire.mysql.servererror import ServerError
from servers import support

SECRET = "f7-Secret-3"


@pytest.fixture
def settings(mysql_server: support.Server) -> mysql.MySqlSettings:
    return mysql.MySqlSettings(mysql_server.host, mysql_server.port, mysql_server.user, mysql_server.password)


@pytest.fixture
def user(mysql_server: support.Server) -> Iterator[str]:
    """A user without any privilege, and a password the server has not seen yet."""
    name = f"hw_{uuid.uuid4().hex[:10]}"
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE USER {name} IDENTIFIED WITH caching_sha2_password BY '{SECRET}'")
        yield name
        cursor.execute(f"DROP USER {name}")


def one(connection: mysql.Connection, sql: str) -> Any:
    return connection.query(sql)[0][0]


# -- connecting


def test_sessions_are_in_utc_and_utf8(settings: mysql.MySqlSettings) -> None:
    settings = dataclasses.replace(settings, initial_statements=("SET @a = 'é'", "SET @b = 2"))
    with mysql.connect(settings, purpose="test") as connection:
        assert one(connection, "SELECT CONCAT(@@time_zone, @a, @b)") == "+00:00é2"
        name = "SELECT attr_value FROM performance_schema.session_connect_attrs WHERE attr_name = 'program_name' AND processlist_id = CONNECTION_ID()"
        assert one(connection, name) == "headwater test"


@pytest.mark.parametrize("mode, secure", [("disabled", False), ("disable", False), ("preferred", True), ("required", True), ("trust", True)])
def test_tls_modes(settings: mysql.MySqlSettings, mode: str, secure: bool) -> None:
    settings = dataclasses.replace(settings, tls=mysql.TlsSettings(mode=mode), allow_public_key_retrieval=True)
    with mysql.connect(settings) as connection:
        assert connection.secure is secure
        assert bool(connection.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")[0][1]) is secure


@pytest.mark.parametrize("mode", ["verify_ca", "verify_identity", "verify-ca", "verify-full"])
def test_a_certificate_of_another_authority_is_refused(settings: mysql.MySqlSettings, mode: str, tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other", "-days", "2",
         "-keyout", tmp_path / "key.pem", "-out", ca], check=True, capture_output=True,
    )  # fmt: skip
    settings = dataclasses.replace(settings, tls=mysql.TlsSettings(mode=mode, ca=str(ca)))
    with pytest.raises(ConnectionFailed, match=r"certificate of .* was not accepted .*database\.ssl\.truststore"):
        mysql.connect(settings)


def test_passwords_are_not_hidden_by_a_key_the_server_sends_unless_allowed(settings: mysql.MySqlSettings, user: str) -> None:
    plain = dataclasses.replace(settings, user=user, password=SECRET, tls=mysql.TlsSettings(mode="disabled"))
    with pytest.raises(AuthenticationError, match=r"driver\.allowPublicKeyRetrieval=true"):
        mysql.connect(plain)
    with mysql.connect(dataclasses.replace(plain, allow_public_key_retrieval=True)) as connection:
        assert one(connection, "SELECT CURRENT_USER()") == f"{user}@%"
    # The server remembers the password now, and no key is needed any more.
    mysql.connect(plain).close()


def test_a_wrong_password_is_an_authentication_error_without_it(settings: mysql.MySqlSettings) -> None:
    wrong = dataclasses.replace(settings, password=SECRET)
    with pytest.raises(AuthenticationError) as caught:
        mysql.connect(wrong)
    assert f"at {settings.address} with user '{settings.user}'" in str(caught.value)
    assert not caught.value.retriable
    assert SECRET not in f"{caught.value!r} {caught.value} {caught.value.__cause__!r} {wrong!r}"


def test_nobody_listening_is_a_retriable_failure(settings: mysql.MySqlSettings, unused_port: int) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        mysql.connect(dataclasses.replace(settings, host="127.0.0.1", port=unused_port))
    assert caught.value.retriable
    assert f"127.0.0.1:{unused_port} with user '{settings.user}'" in str(caught.value)


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def test_initial_statements_that_fail(settings: mysql.MySqlSettings) -> None:
    with pytest.raises(SourceError):
        mysql.connect(dataclasses.replace(settings, initial_statements=("SET no_such_variable = 1",)))


# -- queries


def test_errors_of_statements_keep_their_number(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as connection:
        with pytest.raises(ServerError) as caught:
            connection.query("SELECT * FROM no_such_schema.t")
        assert (caught.value.code, caught.value.sqlstate) in ((1146, "42S02"), (1049, "42000"))
        assert one(connection, "SELECT 1") == 1


def test_missing_privileges_come_with_the_grant(settings: mysql.MySqlSettings, user: str) -> None:
    with mysql.connect(dataclasses.replace(settings, user=user, password=SECRET)) as connection:
        for sql in ("FLUSH TABLES WITH READ LOCK", "SELECT * FROM mysql.user", "SHOW BINARY LOGS", "USE mysql"):
            with pytest.raises(PreflightError, match=f"GRANT SELECT, .*REPLICATION CLIENT ON .* TO '{user}'"):
                connection.query(sql)


def test_a_killed_connection_is_retriable(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as victim, mysql.connect(settings) as killer:
        killer.query(f"KILL {one(victim, 'SELECT CONNECTION_ID()')}")
        with pytest.raises(ConnectionFailed) as caught:
            victim.query("SELECT 1")
        assert caught.value.retriable
        with pytest.raises(ConnectionFailed):
            victim.query("SELECT 1")


def test_a_query_has_a_time(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(dataclasses.replace(settings, query_timeout=0.3)) as connection, pytest.raises(ConnectionFailed):
        connection.query("SELECT SLEEP(20)")


# -- bulk rows

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i, REPEAT('x', i % 50) FROM n"
FORMATS = [ColumnFormat("int"), ColumnFormat("string", charset="utf8mb4")]


def test_rows_are_streamed(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as connection:
        connection.query("SET SESSION cte_max_recursion_depth = 1000000")
        batches = list(connection.stream(NUMBERS.format(100_000), FORMATS))
        rows = [row for batch in batches for row in batch]
        assert len(batches) > 1
        assert [r[0] for r in rows] == list(range(1, 100_001))
        assert all(r[1] == "x" * (r[0] % 50) for r in rows)
        # The connection is ready for what comes next.
        assert list(connection.stream("SELECT 1, 'a' WHERE FALSE", FORMATS)) == []
        assert one(connection, "SELECT 7") == 7


def test_rows_of_more_than_16_mib(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as connection:
        size = min(int(one(connection, "SELECT @@max_allowed_packet")) - 100, 0xFFFFFF + 5)
        (row,) = (r for batch in connection.stream(f"SELECT 1, REPEAT('x', {size})", FORMATS) for r in batch)
        assert row == [1, "x" * size]


def test_failures_while_streaming(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as connection, pytest.raises(ServerError, match="no_such"):
        list(connection.stream("SELECT no_such, 1", FORMATS))
    # An error after rows were sent.
    with mysql.connect(settings) as connection, pytest.raises(ServerError) as caught:
        list(connection.stream(
            "SELECT i, IF(i < 3, 'a', JSON_EXTRACT('no json', '$')) FROM (SELECT 1 AS i UNION SELECT 2 UNION SELECT 3) AS t", FORMATS
        ))  # fmt: skip
    assert caught.value.code == 3141
    with mysql.connect(settings) as connection, pytest.raises(HeadwaterError, match="gave 1 columns instead of 2"):
        list(connection.stream("SELECT 1", FORMATS))


def test_a_stream_left_early_closes_its_connection(settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as connection:
        connection.query("SET SESSION cte_max_recursion_depth = 10000000")
        rows = connection.stream(NUMBERS.format(1_000_000), FORMATS)
        next(rows)
        rows.close()  # type: ignore[attr-defined]
        with pytest.raises(ConnectionFailed):
            connection.query("SELECT 1")


# -- the log


class Target:
    """What a table map resolves to."""

    def __init__(self, decoder: Any) -> None:
        self.decoder = decoder


class Log:
    """A dump, its parser, and the events of one database so far."""

    def __init__(self, settings: mysql.MySqlSettings, database: str, formats: list[ColumnFormat], **options: Any) -> None:
        def resolve(table_map: Any) -> Target | None:
            return Target(BinlogRowDecoder(table_map, formats)) if table_map.database == database else None

        options = {"server_id": uuid.uuid4().int % 0x7FFFFFFF + 1, "keep_alive": 30.0, "gtids": None, "pos": 4} | options
        self.dump = mysql.open_dump(settings, **options)
        self.parser = EventParser(resolve, self.dump.checksum, verify=True)
        self.events: list[Any] = []

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *exc: object) -> None:
        self.dump.close()

    def until(self, found: Any, seconds: float = 20.0) -> list[Any]:
        """Reads until an event is found; all events so far."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            data = self.dump.read(0.2)
            new = self.parser.feed(data) if data else []
            while True:
                self.events += new
                if any(found(e) for e in new):
                    return self.events
                if not self.parser.paused:
                    break
                new = self.parser.next()
        raise AssertionError(f"not found in {self.events!r}")

    def rows(self) -> list[tuple[str, Any, Any]]:
        return [(e.op, e.befores, e.afters) for e in self.events if e.kind == et.ROWS and e.captured]


def place(settings: mysql.MySqlSettings) -> dict[str, Any]:
    with mysql.connect(settings) as connection:
        file, position = connection.query("SHOW BINARY LOG STATUS")[0][:2]
    return {"file": file, "pos": int(position)}


def is_statement(text: str) -> Any:
    return lambda e: e.kind == et.QUERY and text in e.sql


CHANGES = [
    "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(50))",
    "INSERT INTO t VALUES (1, 'a'), (2, 'é')",
    "UPDATE t SET v = NULL WHERE id = 2",
    "DELETE FROM t WHERE id = 1",
    "CREATE TABLE done (a INT)",
]
ROWS = [("c", None, [[1, "a"], [2, "é"]]), ("u", [[2, "é"]], [[2, None]]), ("d", [[1, "a"]], None)]


def change(server: support.Server, database: str, statements: list[str]) -> None:
    with server.connect(database) as connection, connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(sql)


@pytest.mark.parametrize("compressed", [0, 1])
@pytest.mark.parametrize("mode", ["disabled", "preferred"])
def test_the_log_from_a_position(
    mysql_server: support.Server, mysql_database: str, settings: mysql.MySqlSettings, mode: str, compressed: int
) -> None:
    settings = dataclasses.replace(settings, tls=mysql.TlsSettings(mode=mode), allow_public_key_retrieval=True)
    start = place(settings)
    change(mysql_server, mysql_database, [f"SET binlog_transaction_compression = {compressed}", *CHANGES])
    with Log(settings, mysql_database, FORMATS, **start) as log:
        events = log.until(is_statement("CREATE TABLE done"))
    assert log.rows() == ROWS
    rotate, description = events[:2]
    assert (rotate.kind, rotate.file, rotate.position) == (et.ROTATE, start["file"], start["pos"])
    assert description.kind == et.FORMAT
    inner = [e for e in events if e.kind == et.ROWS and e.captured]
    assert all(e.in_payload is bool(compressed) for e in inner)
    (created,) = (e for e in events if e.kind == et.QUERY and "CREATE TABLE t " in e.sql)
    assert (created.database, created.charset) == (mysql_database, "utf8mb4")
    # Each event starts where the one before ended.
    placed = [e for e in events[2:] if not e.in_payload]
    assert [e.start_pos for e in placed] == [start["pos"], *(e.end_pos for e in placed[:-1])]


def test_the_log_from_a_gtid_set(mysql_server: support.Server, mysql_database: str, settings: mysql.MySqlSettings) -> None:
    with mysql.connect(settings) as connection:
        executed = GtidSet.parse(one(connection, "SELECT @@global.gtid_executed"))
    change(mysql_server, mysql_database, ["SET gtid_next = 'automatic:hwtag'", *CHANGES[:2], "SET gtid_next = 'automatic'", *CHANGES[2:]])
    with Log(settings, mysql_database, FORMATS, file="", gtids=executed) as log:
        log.until(is_statement("CREATE TABLE done"))
        assert log.rows() == ROWS
        gtids = [e for e in log.events if e.kind == et.GTID]
        assert [":hwtag:" in e.text for e in gtids[:5]] == [True, True, False, False, False]
        assert all(e.immediate_commit_timestamp == e.original_commit_timestamp > 1.6e15 for e in gtids)
        assert all(e.transaction_length > 0 for e in gtids)
        # From a set with tags: only what is not in it comes.
        for e in gtids[:3]:
            executed.add(e.text)
    with Log(settings, mysql_database, FORMATS, file="", gtids=executed) as log:
        log.until(is_statement("CREATE TABLE done"))
        assert log.rows() == ROWS[2:]
    with mysql.connect(settings) as connection:
        text = one(connection, "SELECT @@global.gtid_executed")
        # The server's own arithmetic, and its way of printing.
        assert str(GtidSet.parse(text)) == text.replace("\n", "")
        assert one(connection, f"SELECT GTID_SUBTRACT('{text}', '{executed}')").replace("\n", "") == str(
            GtidSet.parse(text).subtract(executed)
        )


def test_rows_of_16_mib_come_through_tls(mysql_server: support.Server, mysql_database: str, settings: mysql.MySqlSettings) -> None:
    start = place(settings)
    size = 17 * 1024 * 1024
    change(mysql_server, mysql_database, [
        "CREATE TABLE t (id INT, v LONGTEXT)", f"INSERT INTO t VALUES (1, REPEAT('x', {size}))", "CREATE TABLE done (a INT)",
    ])  # fmt: skip
    with Log(settings, mysql_database, FORMATS, **start) as log:
        log.until(is_statement("CREATE TABLE done"))
    assert log.rows() == [("c", None, [[1, "x" * size]])]


JSON_VALUES = [
    "'{\"a\": [1, 2.5, \"é😀\", null, true, {\"deep\": [[[]]]}], \"\": \"q\\\\\"\\\\n\\\\u0001\"}'",
    "JSON_ARRAY(1e-16, 1e-15, 0.1e0, 1e15, 123456789012345.5e0, 1234567890123456.5e0, 1.5e300, -0.0e0, 100e0)",
    "JSON_ARRAY(-32769, 65535, 2147483648, 18446744073709551615, -9223372036854775808)",
    "JSON_ARRAY(CAST(-0.001 AS DECIMAL(10, 3)), CAST(12345678901234567890.5 AS DECIMAL(40, 10)), CAST(0 AS DECIMAL(5, 2)))",
    "JSON_ARRAY(TIMESTAMP'2024-02-29 12:34:56.789', DATE'1999-12-31', TIME'-12:34:56.000001', TIME'838:59:59')",
    "JSON_ARRAY(CAST('abc' AS BINARY), b'1010', CAST(2020 AS YEAR), ST_GeomFromText('POINT(1 2)'))",
    "JSON_OBJECT('big', REPEAT('x', 70000), 'n', JSON_ARRAY(70000, -70000))",
]


def test_json_is_printed_as_the_server_does(mysql_server: support.Server, mysql_database: str, settings: mysql.MySqlSettings) -> None:
    start = place(settings)
    change(mysql_server, mysql_database, [
        "CREATE TABLE j (id INT PRIMARY KEY AUTO_INCREMENT, doc JSON)", *(f"INSERT INTO j (doc) VALUES ({v})" for v in JSON_VALUES),
        "CREATE TABLE done (a INT)",
    ])  # fmt: skip
    with mysql.connect(settings) as connection:
        texts = [r[0] for r in connection.query(f"SELECT CAST(doc AS CHAR) FROM {mysql_database}.j ORDER BY id")]

    class Raw:
        """Gives the document's bytes: behind the null bitmap, the id, and four bytes of length."""

        def decode(self, data: bytes, pos: int, end: int, present: bytes) -> list[list[str]]:
            return [[render(data, pos + 9, end, "server")]]

    with Log(settings, mysql_database, [], **start) as log:
        log.parser = EventParser(lambda t: Target(Raw()) if t.database == mysql_database else None, log.dump.checksum)
        log.until(is_statement("CREATE TABLE done"))
    assert [afters[0][0] for _, _, afters in log.rows()] == texts


def test_a_quiet_server_sends_heartbeats(settings: mysql.MySqlSettings) -> None:
    start = place(settings)
    with Log(settings, "none", [], **start, keep_alive=0.5) as log:
        beat = log.until(lambda e: e.kind == et.HEARTBEAT)[-1]
    assert beat.file == start["file"]
    assert beat.position >= start["pos"]


def test_a_reader_can_be_woken(settings: mysql.MySqlSettings) -> None:
    with Log(settings, "none", [], **place(settings)) as log:
        while log.dump.read(0.3) is not None:
            pass
        threading.Timer(0.1, log.dump.wake).start()
        start = time.monotonic()
        assert log.dump.read(30) is None
        assert time.monotonic() - start < 10
        log.dump.wake()
        assert log.dump.read(30) is None


@pytest.mark.parametrize(
    "at", [{"file": "no-such-log.000001", "pos": 4}, {"file": "", "gtids": GtidSet.parse("0a000000-0000-0000-0000-00000000000a:1-5")}]
)
def test_a_position_the_server_does_not_have(settings: mysql.MySqlSettings, at: dict[str, Any]) -> None:
    if "gtids" in at:
        # A set that claims more of the server's own transactions than it has run.
        with mysql.connect(settings) as connection:
            own = one(connection, "SELECT @@global.server_uuid")
        at = {"file": "", "gtids": GtidSet.parse(f"{own}:1-999999999")}
    with Log(settings, "none", [], **at) as log, pytest.raises(ServerError) as caught:
        log.until(lambda e: False)
    assert caught.value.code == 1236
    error = mysql.map_server_error(caught.value, settings)
    assert isinstance(error, PositionLost)
    assert "snapshot.mode=when_needed" in str(error)


def test_a_position_beyond_what_can_be_asked_for(settings: mysql.MySqlSettings) -> None:
    with pytest.raises(PositionLost, match="4 GiB"):
        mysql.open_dump(settings, server_id=1, file="bin.000001", pos=1 << 32, gtids=None, keep_alive=1)


def test_the_log_needs_a_privilege(settings: mysql.MySqlSettings, user: str) -> None:
    with pytest.raises(PreflightError, match=f"REPLICATION SLAVE.* TO '{user}'"):
        mysql.open_dump(dataclasses.replace(settings, user=user, password=SECRET), server_id=77, file="b", pos=4, gtids=None, keep_alive=1)


def test_a_dump_that_ends_is_retriable(mysql_server: support.Server, settings: mysql.MySqlSettings) -> None:
    number = uuid.uuid4().int % 0x7FFFFFFF + 1
    with Log(settings, "none", [], **place(settings), server_id=number) as log:
        while log.dump.read(0.3) is not None:
            pass
        with mysql_server.connect() as connection, connection.cursor() as cursor:
            port = log.dump._socket.getsockname()[1]
            cursor.execute(f"SELECT ID FROM information_schema.PROCESSLIST WHERE HOST LIKE '%:{port}'")
            (thread,) = cursor.fetchone()
            cursor.execute(f"KILL {thread}")
        # The server says why, or just closes.
        with pytest.raises((ConnectionFailed, ServerError)) as caught:
            log.until(lambda e: False)
        error = caught.value
        if isinstance(error, ServerError):
            error = mysql.map_server_error(error, settings)
        assert error.retriable


def test_java_key_stores_are_refused_with_a_way_out(settings: mysql.MySqlSettings) -> None:
    settings = dataclasses.replace(settings, tls=mysql.TlsSettings(mode="verify_ca", ca="/keys/trust.JKS"))
    with pytest.raises(ConfigError, match=r"(?s)database\.ssl\.truststore.*keytool -importkeystore.*openssl pkcs12"):
        mysql.connect(settings)
