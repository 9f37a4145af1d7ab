"""Fixtures: real servers, databases of one test, and Headwater as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

from servers import support

# `make fuzz`: --hypothesis-profile=fuzz
settings.register_profile("fuzz", max_examples=20_000, deadline=None)


def pytest_report_header() -> list[str]:
    """Says what runs: compiled or pure, and which servers."""
    from headwater import __version__, _compiled

    states = _compiled.status()
    compiled = sum(states.values())
    form = "compiled" if compiled == len(states) else "pure" if compiled == 0 else f"partly compiled ({compiled})"
    wanted = "pure" if os.environ.get("HEADWATER_PURE") == "1" else None
    if os.environ.get("HEADWATER_REQUIRE_COMPILED") == "1":
        wanted = "compiled"
    if wanted and form != wanted:
        raise pytest.UsageError(f"headwater is {form}, but this run asks for {wanted}")
    return [f"headwater {__version__}, {form}", *map(support.describe, support.KINDS)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a server carries the marker `servers`."""
    for item in items:
        if {"mysql_server", "postgres_server", "kafka_server"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.servers)


@pytest.fixture(scope="session")
def mysql_server() -> support.Server:
    """MySQL 9.7."""
    return support.server("mysql")


@pytest.fixture(scope="session")
def postgres_server() -> support.Server:
    """PostgreSQL 15 or newer."""
    return support.server("postgres")


@pytest.fixture(scope="session")
def kafka_server() -> support.Server:
    """An Apache Kafka broker."""
    return support.server("kafka")


@pytest.fixture
def mysql_database(mysql_server: support.Server) -> Iterator[str]:
    """A fresh database, dropped at the end."""
    name = f"hw_{uuid.uuid4().hex[:10]}"
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    yield name
    with mysql_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")


@pytest.fixture
def mysql_config(mysql_server: support.Server, mysql_database: str, tmp_path: Path) -> dict[str, str]:
    """A connector configuration for the fresh database, with its state in the test's folder."""
    return {
        "name": "test",
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "topic.prefix": "srv",
        "database.hostname": mysql_server.host,
        "database.port": str(mysql_server.port),
        "database.user": mysql_server.user,
        "database.password": mysql_server.password,
        "database.server.id": str(5000 + uuid.uuid4().int % 1_000_000),
        "database.include.list": mysql_database,
        "offset.storage.file.filename": str(tmp_path / "offsets.dat"),
        "offset.flush.interval.ms": "0",
        "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema.history.internal.file.filename": str(tmp_path / "history.jsonl"),
        "schema.history.internal.store.only.captured.databases.ddl": "true",
    }


class Process:
    """`headwater run` as a process of its own."""

    def __init__(self, arguments: list[str], folder: Path) -> None:
        self._errors = (folder / "stderr.txt").open("ab")
        self._path = folder / "stderr.txt"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "headwater", *arguments], stdout=subprocess.DEVNULL, stderr=self._errors, cwd=folder
        )

    @property
    def errors(self) -> str:
        return self._path.read_text(errors="replace")

    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self, seconds: float = 30.0) -> int:
        """SIGTERM; the exit code."""
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        finally:
            self._errors.close()

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait(30)
        self._errors.close()

    def wait(self, seconds: float = 60.0) -> int:
        """Waits for it to end by itself; the exit code."""
        try:
            return self.process.wait(seconds)
        finally:
            self._errors.close()


@pytest.fixture
def run_headwater(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts `headwater run` with a configuration map: `run_headwater(config, "--to", "records:PATH")`."""
    started: list[Process] = []

    def start(config: dict[str, str], *arguments: str) -> Process:
        path = tmp_path / f"config-{len(started)}.json"
        path.write_text(json.dumps(config))
        process = Process(["run", str(path), *arguments], tmp_path)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.alive():
            process.kill()


@pytest.fixture
def read_records() -> Callable[[Path], list[dict[str, Any]]]:
    """Reads the complete lines of a records file."""

    def read(path: Path) -> list[dict[str, Any]]:
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]

    return read


