"""Against a real MySQL: the log's decoder and the query's decoder give the same value for every type."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from tables.mysql_values import VALUES

from headwater.drivers import mysql
from headwater.wire.mysql import charset_tables, charsets
from headwater.wire.mysql.events_cy import EventParser
from headwater.wire.mysql.rows_cy import BinlogRowDecoder
from headwater.wire.mysql.tablemap import TableMap
from servers import support

# Columns whose hundreds of labels the table abbreviates are left out.
COLUMNS = [v for v in VALUES if "..." not in v.column]
FORMATS = [v.form for v in COLUMNS]


class Target:
    """What a table map resolves to."""

    def __init__(self, table_map: TableMap) -> None:
        self.decoder = BinlogRowDecoder(table_map, FORMATS)


@pytest.fixture
def database(mysql_server: support.Server) -> Iterator[str]:
    name = f"hw_values_{uuid.uuid4().hex[:10]}"
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        yield name
        cursor.execute(f"DROP DATABASE {name}")


def settings(server: support.Server) -> mysql.MySqlSettings:
    return mysql.MySqlSettings(server.host, server.port, server.user, server.password)


def fill(server: support.Server, database: str) -> tuple[str, int]:
    """Makes the table `v` with a row of all values and one of NULLs; gives the log's place before."""
    columns = ", ".join(f"c{i} {v.column} NULL" for i, v in enumerate(COLUMNS)).replace(" NULL NULL", " NULL")
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'")
        cursor.execute(f"CREATE TABLE v ({columns})")
        cursor.execute("SHOW BINARY LOG STATUS")
        file, position = cursor.fetchone()[:2]
        cursor.execute(f"INSERT INTO v VALUES ({', '.join(v.sql for v in COLUMNS)})")
        cursor.execute(f"INSERT INTO v VALUES ({', '.join('NULL' for _ in COLUMNS)})")
    return file, int(position)


def logged(server: support.Server, database: str, file: str, position: int) -> list[list[Any]]:
    """The two rows from the log."""
    stream = mysql.open_dump(settings(server), server_id=uuid.uuid4().int & 0x7FFFFFFF | 1, file=file, pos=position,
                             gtids=None, keep_alive=10)  # fmt: skip
    parser = EventParser(lambda t: Target(t) if t.database == database else None, stream.checksum)
    rows: list[list[Any]] = []
    try:
        while len(rows) < 2:
            data = stream.read(10)
            assert data is not None, "the log did not bring the rows within ten seconds"
            events = parser.feed(data)
            while parser.paused:
                events += parser.next()
            for event in events:
                rows += getattr(event, "afters", None) or []
    finally:
        stream.close()
    return rows


def test_log_and_query_agree(mysql_server: support.Server, database: str) -> None:
    file, position = fill(mysql_server, database)
    from_log = logged(mysql_server, database, file, position)
    with mysql.connect(settings(mysql_server)) as connection:
        from_query = [row for rows in connection.stream(f"SELECT * FROM {database}.v", FORMATS) for row in rows]
    assert len(from_log) == len(from_query) == 2
    for i, value in enumerate(COLUMNS):
        assert (value.column, from_log[0][i]) == (value.column, value.canonical)
        assert (value.column, from_query[0][i]) == (value.column, value.canonical)
        assert from_log[1][i] is None
        assert from_query[1][i] is None


@pytest.mark.parametrize("charset", sorted(charset_tables.SINGLE_BYTE))
def test_single_byte_tables_are_the_servers(mysql_server: support.Server, charset: str) -> None:
    table = charset_tables.SINGLE_BYTE[charset]
    codes = [i for i in range(256) if table[i] != "\ufffe"]
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT CONVERT(CONVERT(X'{bytes(codes).hex()}' USING {charset}) USING utf8mb4)")
        assert cursor.fetchone()[0] == charsets.decoder(charset)(bytes(codes))


def test_collation_ids_are_the_servers(mysql_server: support.Server) -> None:
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, character_set_name FROM information_schema.collations")
        known = cursor.fetchall()
    assert len(known) > 200
    assert [(i, name, charsets.charset_of(i)) for i, name in known if charsets.charset_of(i) != name] == []
