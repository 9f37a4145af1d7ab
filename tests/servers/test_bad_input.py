"""Each bad input ends with one message that says what, where and what to do; no traceback, no password, no changed file."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from servers.support import Server

SECRET = "kept-secret-7421"


@pytest.fixture
def user(mysql_server: Server) -> Iterator[Callable[[str], str]]:
    """Makes a user with the given privileges on everything."""
    names: list[str] = []

    def make(privileges: str) -> str:
        names.append(f"u{uuid.uuid4().hex[:10]}")
        with mysql_server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE USER '{names[-1]}'@'%' IDENTIFIED BY '{SECRET}'")
            cursor.execute(f"GRANT {privileges} ON *.* TO '{names[-1]}'@'%'")
        return names[-1]

    yield make
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP USER '{name}'@'%'")


def ends(process: Any, *texts: str, code: int = 1) -> None:
    assert process.wait(90) == code, process.errors[-2000:]
    errors = process.errors
    last = [line for line in errors.splitlines() if line.startswith("headwater: ")]
    assert len(last) == 1, errors
    for text in texts:
        assert text in errors
    assert "Traceback" not in errors
    assert SECRET not in errors


@pytest.mark.parametrize(
    ("privileges", "missing"),
    [
        ("RELOAD, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES", "SELECT"),
        ("RELOAD, SELECT, LOCK TABLES", "REPLICATION SLAVE and REPLICATION CLIENT"),
    ],
)
def test_missing_privilege(
    user: Callable[[str], str], mysql_config: dict[str, str], run_headwater: Callable[..., Any], tmp_path: Path,
    privileges: str, missing: str,
) -> None:  # fmt: skip
    name = user(privileges)
    process = run_headwater({**mysql_config, "database.user": name, "database.password": SECRET})
    ends(process, f"the user {name}@% lacks {missing}", f"GRANT {missing.replace(' and', ',')} ON *.* TO '{name}'@'%'")
    assert not (tmp_path / "offsets.dat").exists()


def test_missing_select_for_a_snapshot_alone(
    user: Callable[[str], str], mysql_config: dict[str, str], run_headwater: Callable[..., Any]
) -> None:
    name = user("RELOAD, LOCK TABLES")
    config = {**mysql_config, "database.user": name, "database.password": SECRET, "snapshot.mode": "initial_only"}
    ends(run_headwater(config), f"the user {name}@% lacks SELECT")


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({"database.port": "1"}, ("Unable to connect", "127.0.0.1:1", "Check database.hostname")),
        ({"database.hostname": "no-such-host.invalid"}, ("Unable to connect", "no-such-host.invalid")),
        ({"database.password": SECRET}, ("Failed to authenticate", "Check database.user and database.password")),
    ],
)
def test_no_connection(
    mysql_config: dict[str, str], run_headwater: Callable[..., Any], changes: dict[str, str], texts: tuple[str, ...]
) -> None:
    ends(run_headwater({**mysql_config, "errors.max.retries": "0", **changes}), *texts)


def test_port_out_of_range(mysql_config: dict[str, str], run_headwater: Callable[..., Any]) -> None:
    process = run_headwater({**mysql_config, "database.port": "99999"})
    assert process.wait(30) == 2
    assert "database.port" in process.errors
    assert "at most 65535" in process.errors


def test_no_broker(mysql_config: dict[str, str], run_headwater: Callable[..., Any], tmp_path: Path) -> None:
    ends(run_headwater(mysql_config, "--to", "kafka://127.0.0.1:1"), "waiting up to 30 s for Kafka", "no Kafka broker can be reached")
    assert not (tmp_path / "offsets.dat").exists()


def test_offsets_that_cannot_be_stored_are_found_before_a_record_is_sent(
    mysql_config: dict[str, str], run_headwater: Callable[..., Any], tmp_path: Path
) -> None:
    # Root may write into any folder but this.
    config = {**mysql_config, "offset.storage.file.filename": "/proc/headwater/offsets.dat"}
    ends(run_headwater(config, "--to", f"records:{tmp_path / 'out'}"), "the offset file", "Give write access")
    assert not (tmp_path / "out").exists()
