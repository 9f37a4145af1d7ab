"""Which error a user sees for which number of the server or the client."""

from __future__ import annotations

import pymysql
import pytest

from headwater.drivers.mysql import MySqlSettings, map_server_error
from headwater.drivers.mysql_errors import connect_error, raise_query_error
from headwater.errors import AuthenticationError, ConnectionFailed, HeadwaterError, PositionLost, PreflightError
from headwater.wire.mysql.servererror import ServerError

SETTINGS = MySqlSettings("db.example", 3307, "reader", "hidden")


@pytest.mark.parametrize(
    "code, text, kind, part",
    [
        # https://dev.mysql.com/doc/mysql-errors/en/server-error-reference.html
        (1045, "Access denied", PreflightError, "GRANT SELECT, RELOAD"),  # on an open connection: a missing privilege
        (1044, "Access denied for user to database", PreflightError, "TO 'reader'@'%'"),
        (1142, "SELECT command denied", PreflightError, "REPLICATION SLAVE"),
        (1227, "you need (at least one of) the RELOAD privilege(s)", PreflightError, "you need"),
        (1698, "Access denied", AuthenticationError, "db.example:3307 with user 'reader'"),
        (1236, "Could not find first log file name in binary log index file", PositionLost, "when_needed"),
        (1236, "A replica with the same server_uuid/server_id as this replica has connected", PreflightError, "number of its own"),
        (1053, "Server shutdown in progress", ConnectionFailed, "broke"),
        (2013, "Lost connection", ConnectionFailed, "broke"),
    ],
)
def test_server_errors(code: int, text: str, kind: type[HeadwaterError], part: str) -> None:
    error = map_server_error(ServerError(code, "HY000", text), SETTINGS)
    assert type(error) is kind
    assert part in str(error)
    assert text in str(error)
    assert error.retriable is (kind is ConnectionFailed)
    assert "hidden" not in str(error)


def test_other_errors_stay_as_they_are() -> None:
    error = ServerError(1146, "42S02", "Table 'a.b' doesn't exist")
    assert map_server_error(error, SETTINGS) is error
    assert not error.retriable


@pytest.mark.parametrize(
    "raised, kind",
    [
        (pymysql.err.OperationalError(1045, "Access denied"), AuthenticationError),
        (pymysql.err.OperationalError(2003, "Can't connect"), ConnectionFailed),
        (pymysql.err.OperationalError(1040, "Too many connections"), ConnectionFailed),
        (ConnectionResetError("reset"), ConnectionFailed),
        (TimeoutError("timed out"), ConnectionFailed),
        (RuntimeError("'cryptography' package is required"), ConnectionFailed),
    ],
)
def test_failures_to_connect(raised: Exception, kind: type[HeadwaterError]) -> None:
    error = connect_error(raised, SETTINGS.address, SETTINGS.user)
    assert type(error) is kind
    assert "db.example:3307 with user 'reader'" in str(error)


@pytest.mark.parametrize(
    "raised",
    [pymysql.err.InterfaceError(0, ""), pymysql.err.OperationalError(2006, "gone"), BrokenPipeError("broken"), TimeoutError("timed out")],
)
def test_broken_connections(raised: Exception) -> None:
    with pytest.raises(ConnectionFailed, match=r"db\.example:3307") as caught:
        raise_query_error(raised, SETTINGS.address, SETTINGS.user)
    assert caught.value.__cause__ is raised
