"""Nothing is lost: Headwater killed again and again, and its server and its broker restarted, under write load.

The records are folded by key and compared with the table; each key's changes are compared with the writer's
own journal: no gap, no reordering, repeats only of what came before the kill.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from servers.journal import LAST_KEY, Change, Writer, changes, check
from servers.support import Server, wait_until

KILLS = 30


@pytest.fixture
def filled(mysql_server: Server, mysql_database: str) -> str:
    """The tables, with ballast that makes the snapshot last a while."""
    with mysql_server.connect(mysql_database) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE t (id INT PRIMARY KEY, version INT NOT NULL, filler VARCHAR(200))")
        cursor.execute("CREATE TABLE done (id INT PRIMARY KEY)")
        cursor.execute("CREATE TABLE ballast (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(400))")
        cursor.execute("INSERT INTO ballast (v) VALUES " + ",".join(["(REPEAT('b', 300))"] * 2000))
        for _ in range(3):
            cursor.execute("INSERT INTO ballast (v) SELECT v FROM ballast")
    return mysql_database


@contextmanager
def writing(server: Server, database: str, seed: int) -> Iterator[Writer]:
    """A writer at work, with some rows there already; ended at the end of the block."""
    writer = Writer(server, database, seed)
    writer.start()
    try:
        wait_until(lambda: len(writer.journal) > 30, "the first rows", 30)
        yield writer
    finally:
        writer.stop()


def table_state(server: Server, database: str) -> dict[int, int]:
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, version FROM t WHERE id <> %s", (LAST_KEY,))
        return dict(cursor.fetchall())


def write_last(server: Server, database: str) -> None:
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (%s, 1, 'end')", (LAST_KEY,))


def delivered(path: Path) -> list[Change]:
    """The changes of table t in a records file; a line that a kill left unfinished counts as not delivered."""
    if not path.exists():
        return []
    return changes(json.loads(line) for line in path.read_bytes().split(b"\n")[:-1] if b'.t"' in line)


def tail_holds(path: Path, text: bytes) -> bool:
    """Whether the end of a file that grows holds a text."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 200_000))
        return text in file.read()


@pytest.mark.timeout(600)
def test_killed_at_random_moments(
    mysql_server: Server, filled: str, mysql_config: dict[str, str], run_headwater: Callable[..., Any], tmp_path: Path
) -> None:
    """Each life of the process writes a file of its own, so it is known what came before which kill."""
    rng = random.Random(20261201)
    config = {**mysql_config, "offset.flush.interval.ms": "50"}
    files = [tmp_path / f"records-{n}.jsonl" for n in range(KILLS + 1)]
    with writing(mysql_server, filled, 1) as writer:
        for life, out in enumerate(files[:-1]):
            process = run_headwater(config, "--to", f"records:{out}")
            # Half of the lives end at any moment of the start and the snapshot, half in the stream, however slow the machine is.
            if life % 2:
                wait_until(lambda out=out: tail_holds(out, b'"op":"u"'), "a change in the stream", 60)
            time.sleep(rng.uniform(0.1, 1.2))
            assert process.alive(), process.errors[-2000:]
            process.kill()
        process = run_headwater(config, "--to", f"records:{files[-1]}")
    write_last(mysql_server, filled)
    wait_until(lambda: tail_holds(files[-1], b"%d" % LAST_KEY), "the last row", 60)
    assert process.stop() == 0, process.errors[-2000:]
    runs = [delivered(f) for f in files]
    assert sum(any(c.snapshot is None for c in run) for run in runs) > 5, "hardly a run came as far as the stream"
    check(runs, writer.journal, table_state(mysql_server, filled))


@pytest.mark.timeout(300)
def test_server_restarted(
    mysql_server: Server, filled: str, mysql_config: dict[str, str], run_headwater: Callable[..., Any], tmp_path: Path
) -> None:
    """One life of the process over a clean restart of the server and one by SIGKILL."""
    if mysql_server.recipe is None:
        pytest.fail("the restart test needs a server of its own: leave HEADWATER_TEST_MYSQL unset")
    out = tmp_path / "records.jsonl"
    process = run_headwater({**mysql_config, "retriable.restart.connector.wait.ms": "1000"}, "--to", f"records:{out}")
    with writing(mysql_server, filled, 2) as writer:
        for hard in (False, True):
            wait_until(lambda: tail_holds(out, b'.t"'), "changes", 60)
            mysql_server.restart(hard=hard)
            size = out.stat().st_size
            wait_until(lambda size=size: out.stat().st_size > size, "changes after the restart", 60)
    assert writer.failures, "the writer did not notice that the server was away"
    write_last(mysql_server, filled)
    wait_until(lambda: tail_holds(out, b"%d" % LAST_KEY), "the last row", 60)
    assert process.stop() == 0, process.errors[-2000:]
    check([delivered(out)], writer.journal, table_state(mysql_server, filled), repeats=True)


@pytest.mark.timeout(300)
def test_broker_restarted(
    mysql_server: Server, kafka_server: Server, filled: str, mysql_config: dict[str, str], run_headwater: Callable[..., Any],
) -> None:  # fmt: skip
    """The broker restarts while the process delivers, then the process is killed and started again."""
    if kafka_server.recipe is None:
        pytest.fail("the restart test needs a broker of its own: leave HEADWATER_TEST_KAFKA unset")
    topic = f"{filled}.{filled}.t"
    config = {**mysql_config, "topic.prefix": filled, "offset.flush.interval.ms": "200"}
    process = run_headwater(config, "--to", f"kafka://{kafka_server.address}")
    with writing(mysql_server, filled, 3) as writer:
        consume(kafka_server, topic, lambda r: r["value"] is not None and r["value"]["payload"]["op"] != "r")
        kafka_server.restart()
        mark = len(writer.journal[1])
        wait_until(lambda: len(writer.journal[1]) > mark + 5, "more changes", 60)
        process.kill()
        process = run_headwater(config, "--to", f"kafka://{kafka_server.address}")
        wait_until(lambda: len(writer.journal[1]) > mark + 20, "more changes", 60)
    write_last(mysql_server, filled)
    records = consume(kafka_server, topic, lambda r: r["key"]["payload"]["id"] == LAST_KEY)
    assert process.stop() == 0, process.errors[-2000:]
    check([changes(records)], writer.journal, table_state(mysql_server, filled), repeats=True)


def consume(server: Server, topic: str, last: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Reads a topic of one partition from its start until the record `last` accepts."""
    consumer = Consumer({"bootstrap.servers": server.address, "group.id": topic, "enable.auto.commit": False})
    out: list[dict[str, Any]] = []
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        end = time.monotonic() + 60
        while time.monotonic() < end:
            message = consumer.poll(0.5)
            if message is None or message.error():
                continue
            key, value = message.key(), message.value()
            record = {"topic": topic, "key": json.loads(key), "value": None if value is None else json.loads(value)}
            out.append(record)
            if last(record):
                return out
    finally:
        consumer.close()
    raise AssertionError(f"the last record did not arrive in {topic}; {len(out)} others did")
