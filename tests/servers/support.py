"""The servers tests run against: named by environment variables, else started by the project's own recipes."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "tools" / "servers"


class CannotStart(Exception):
    """A server did not come up; its recipe's output is the text."""


@dataclass
class Server:
    """A server's address, and how it is restarted (None: it is somebody else's and stays as it is)."""

    kind: str
    host: str
    port: int
    user: str = ""
    password: str = ""
    recipe: str | None = None

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def do(self, verb: str) -> None:
        """Runs a verb of the recipe."""
        if self.recipe is None:
            raise CannotStart(f"{self.kind} at {self.address} was not started by the tests and cannot be told to {verb}")
        done = subprocess.run([str(RECIPES / self.recipe), verb], capture_output=True, text=True, timeout=1200,
                              env={**os.environ, f"{self.recipe.upper()}_PORT": str(self.port)})  # fmt: skip
        if done.returncode:
            raise CannotStart(f"{self.recipe} {verb} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")

    def restart(self, *, hard: bool = False) -> None:
        """Stops (or kills) and starts again."""
        self.do("kill" if hard else "stop")
        self.do("start")

    def version(self) -> str:
        """The version of the running server. Raises the client's error where it does not answer."""
        if self.kind == "kafka":
            from confluent_kafka.admin import AdminClient

            admin = AdminClient({"bootstrap.servers": self.address, "socket.timeout.ms": 2000, "log_level": 0})
            return f"with {len(admin.list_topics(timeout=2).brokers)} broker"
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SHOW server_version" if self.kind == "postgres" else "SELECT version()")
            return str(cursor.fetchone()[0])

    def connect(self, database: str | None = None) -> Any:
        """A client connection, in autocommit mode."""
        if self.kind == "postgres":
            import psycopg

            return psycopg.connect(host=self.host, port=self.port, user=self.user, password=self.password,
                                   dbname=database or "postgres", autocommit=True)  # fmt: skip
        import pymysql

        return pymysql.connect(host=self.host, port=self.port, user=self.user, password=self.password,
                               database=database, autocommit=True, charset="utf8mb4")  # fmt: skip


_DEFAULTS = {
    "mysql": ("HEADWATER_TEST_MYSQL", "mysql97", 23306),
    "postgres": ("HEADWATER_TEST_POSTGRES", "postgres", 25432),
    "kafka": ("HEADWATER_TEST_KAFKA", "kafka", 29092),
}
KINDS = tuple(_DEFAULTS)


def known(kind: str) -> Server:
    """The server of a kind, as it is named or would be started; whether it runs is not looked at."""
    variable, recipe, port = _DEFAULTS[kind]
    named = os.environ.get(variable)
    if named:
        url = urlsplit(named if "//" in named else f"//{named}")
        return Server(kind, url.hostname or "127.0.0.1", url.port or port, url.username or "debezium", url.password or "dbz")
    return Server(kind, "127.0.0.1", int(os.environ.get(f"{recipe.upper()}_PORT", port)), "debezium", "dbz", recipe)


def server(kind: str) -> Server:
    """The server of a kind, running. Raises CannotStart: a missing server fails the tests, it skips none."""
    found = known(kind)
    if found.recipe is not None:
        found.do("start")
    return found


def describe(kind: str) -> str:
    """One line about the server of a kind: version, address, and whose it is. Holds no password."""
    found = known(kind)
    try:
        version = found.version()
    except Exception:
        version = "(not running" + (", started when first needed)" if found.recipe else ")")
    return f"{kind} {version} at {found.address}, {'own' if found.recipe else 'named'}"


def wait_until(condition: Any, what: str, seconds: float = 30.0) -> Any:
    """Waits for a true value of `condition()` and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"gave up after {seconds:.0f} s waiting for {what}")


def end_offset(consumer: Any, topic: str, partition: int) -> int:
    """The number of messages of a partition. A partition just made has no leader for a moment."""
    from confluent_kafka import KafkaError, KafkaException, TopicPartition

    passing = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART)

    def ask() -> tuple[int, int] | None:
        try:
            found: tuple[int, int] = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
            return found
        except KafkaException as e:
            if e.args[0].code() not in passing:
                raise
            return None

    return int(wait_until(ask, f"a leader of {topic}, partition {partition}")[1])
