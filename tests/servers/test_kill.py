"""Nothing is lost: Headwater killed again and again, and its server and its broker restarted, under write load.

The records are folded by key and compared with the table; each key's changes are compared with the writer's
own journal: no gap, no reordering, repeats only of what came before the kill.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servers.support import Server, wait_until

KILLS = 30


class Writer(threading.Thread):
    """Changes one table in transactions of several rows; keeps a journal of what was committed per key.

    Every write to a key carries the next number, so a change that is missing or out of order shows.
    """

    def __init__(self, server: Server, database: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.journal: dict[int, list[int | None]] = {}
        self.failure: Exception | None = None
        self._server = server
        self._database = database
        self._rng = random.Random(seed)
        self._stopped = threading.Event()
        self._versions: dict[int, int] = {}

    def run(self) -> None:
        while not self._stopped.is_set():
            try:
                with self._server.connect(self._database) as connection:
                    self._write(connection)
            except Exception as e:
                # The server may be away for a moment; what was not committed is not in the journal.
                self.failure = e
                time.sleep(0.2)

    def _write(self, connection: Any) -> None:
        cursor = connection.cursor()
        while not self._stopped.is_set():
            cursor.execute("BEGIN")
            done: list[tuple[int, int | None]] = []
            for _ in range(self._rng.randint(1, 6)):
                done.append(self._change(cursor))
            cursor.execute("COMMIT")
            for key, version in done:
                self.journal.setdefault(key, []).append(version)
            time.sleep(0.002)

    def _change(self, cursor: Any) -> tuple[int, int | None]:
        key = self._rng.randint(1, 60)
        if self._rng.random() < 0.15:
            cursor.execute("SELECT 1 FROM t WHERE id = %s", (key,))
            if cursor.fetchone():
                cursor.execute("DELETE FROM t WHERE id = %s", (key,))
                return key, None
        version = self._versions[key] = self._versions.get(key, 0) + 1
        cursor.execute("REPLACE INTO t VALUES (%s, %s, %s)", (key, version, "x" * self._rng.randint(0, 200)))
        return key, version

    def stop(self) -> None:
        self._stopped.set()
        self.join(30)


def observed(records: list[dict[str, Any]]) -> dict[int, list[int | None]]:
    """Per key the versions in the order of the records; a REPLACE shows as an update, or a delete and a create."""
    out: dict[int, list[int | None]] = {}
    for r in records:
        value = r["value"]
        if not r["topic"].endswith(".t") or value is None:
            continue
        payload = value["payload"]
        row = payload["after"]
        out.setdefault(r["key"]["payload"]["id"], []).append(None if row is None else row["version"])
    return out


def without_repeats(seen: list[int | None], journal: list[int | None]) -> list[int | None]:
    """What was seen, with repeated stretches taken out: after a restart a stretch that came before comes again.

    Versions only grow, so a version that is not above the highest one so far is a repeat; a delete counts once
    between two versions.
    """
    out: list[int | None] = []
    high = 0
    for v in seen:
        if v is None:
            if out and out[-1] is not None:
                out.append(None)
        elif v > high:
            high = v
            out.append(v)
    return out


def from_last_snapshot(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records from the last snapshot of the table on: one that a kill cut short starts from the beginning."""
    starts = [
        i for i, r in enumerate(records)
        if r["topic"].endswith(".t") and r["value"] is not None
        and r["value"]["payload"]["source"]["snapshot"] in ("first", "first_in_data_collection")
    ]  # fmt: skip
    return records[starts[-1] :] if starts else records


def check(records: list[dict[str, Any]], writer: Writer, table: dict[int, int]) -> None:
    """State and history of every key."""
    records = from_last_snapshot(records)
    seen = observed(records)
    state = {}
    for r in records:
        if r["topic"].endswith(".t") and r["value"] is not None:
            key, row = r["key"]["payload"]["id"], r["value"]["payload"]["after"]
            if row is None:
                state.pop(key, None)
            else:
                state[key] = row["version"]
    assert state == table, f"the folded records differ from the table: {set(state.items()) ^ set(table.items())}"
    for key, journal in writer.journal.items():
        wanted = [v for v in journal if v is not None]
        got = [v for v in without_repeats(seen.get(key, []), journal) if v is not None]
        first = got[0] if got else None
        assert wanted[wanted.index(first) :] == got if first in wanted else not wanted, (
            f"key {key}: written {wanted[:50]}, seen {got[:50]}"
        )


@pytest.fixture
def filled(mysql_server: Server, mysql_database: str) -> str:
    """The table, with rows that make the snapshot last a while."""
    with mysql_server.connect(mysql_database) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE t (id INT PRIMARY KEY, version INT NOT NULL, filler VARCHAR(200))")
        cursor.execute("CREATE TABLE ballast (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(400))")
        cursor.execute("INSERT INTO ballast (v) VALUES " + ",".join(["(REPEAT('b', 300))"] * 2000))
        for _ in range(3):
            cursor.execute("INSERT INTO ballast (v) SELECT v FROM ballast")
    return mysql_database


def table_state(server: Server, database: str) -> dict[int, int]:
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, version FROM t")
        return dict(cursor.fetchall())


def finish(server: Server, database: str, read: Callable[[], list[dict[str, Any]]]) -> None:
    """Writes a last row and waits until it arrives."""
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("REPLACE INTO t VALUES (9999, 1, 'end')")
    wait_until(lambda: any(r["key"] and r["key"]["payload"].get("id") == 9999 and r["topic"].endswith(".t") for r in read()[-400:]),
               "the last row", 60)  # fmt: skip


@pytest.mark.timeout(600)
def test_killed_at_random_moments(
    mysql_server: Server, filled: str, mysql_config: dict[str, str], run_headwater: Callable[..., Any],
    read_records: Callable[[Path], list[dict[str, Any]]], tmp_path: Path,
) -> None:  # fmt: skip
    out = tmp_path / "records.jsonl"
    rng = random.Random(20261201)
    config = {**mysql_config, "offset.flush.interval.ms": "50"}
    writer = Writer(mysql_server, filled, 1)
    writer.start()
    try:
        for _ in range(KILLS):
            process = run_headwater(config, "--to", f"records:{out}")
            # From inside the start and the snapshot to some way into the stream.
            time.sleep(rng.choice((0.4, 0.6, 0.8, 1.1, 1.5)) + rng.random() * 0.3)
            assert process.alive(), process.errors[-2000:]
            process.kill()
            cut_torn_line(out)
        process = run_headwater(config, "--to", f"records:{out}")
        time.sleep(2)
    finally:
        writer.stop()
    finish(mysql_server, filled, lambda: read_records(out))
    assert process.stop() == 0, process.errors[-2000:]
    table = table_state(mysql_server, filled)
    check(read_records(out), writer, table)


def cut_torn_line(path: Path) -> None:
    """A reader of the file takes whole lines only: what a kill left unfinished is cut off."""
    if path.exists():
        data = path.read_bytes()
        path.write_bytes(data[: data.rfind(b"\n") + 1])


@pytest.mark.timeout(300)
def test_server_restarted(
    mysql_server: Server, filled: str, mysql_config: dict[str, str], run_headwater: Callable[..., Any],
    read_records: Callable[[Path], list[dict[str, Any]]], tmp_path: Path,
) -> None:  # fmt: skip
    if mysql_server.recipe is None:
        pytest.fail("the restart test needs a server of its own: leave HEADWATER_TEST_MYSQL unset")
    out = tmp_path / "records.jsonl"
    config = {**mysql_config, "retriable.restart.connector.wait.ms": "1000"}
    process = run_headwater(config, "--to", f"records:{out}")
    writer = Writer(mysql_server, filled, 2)
    writer.start()
    try:
        wait_until(lambda: any(r["topic"].endswith(".t") for r in read_records(out)), "the first change", 60)
        for hard in (False, True):
            mysql_server.restart(hard=hard)
            time.sleep(2)
    finally:
        writer.stop()
    finish(mysql_server, filled, lambda: read_records(out))
    assert process.stop() == 0, process.errors[-2000:]
    check(read_records(out), writer, table_state(mysql_server, filled))


@pytest.mark.timeout(300)
def test_broker_restarted(
    mysql_server: Server, kafka_server: Server, filled: str, mysql_config: dict[str, str], run_headwater: Callable[..., Any],
) -> None:  # fmt: skip
    if kafka_server.recipe is None:
        pytest.fail("the restart test needs a broker of its own: leave HEADWATER_TEST_KAFKA unset")
    config = {**mysql_config, "topic.prefix": filled, "offset.flush.interval.ms": "200"}
    process = run_headwater(config, "--to", f"kafka://{kafka_server.address}")
    writer = Writer(mysql_server, filled, 3)
    writer.start()
    try:
        time.sleep(4)
        kafka_server.restart()
        time.sleep(3)
        assert process.alive(), process.errors[-2000:]
        process.kill()
        process = run_headwater(config, "--to", f"kafka://{kafka_server.address}")
        time.sleep(3)
    finally:
        writer.stop()
    with mysql_server.connect(filled) as connection, connection.cursor() as cursor:
        cursor.execute("REPLACE INTO t VALUES (9999, 1, 'end')")
    records = consume(kafka_server, f"{filled}.{filled}.t", lambda r: r["key"]["payload"]["id"] == 9999)
    assert process.stop() == 0, process.errors[-2000:]
    check(records, writer, table_state(mysql_server, filled))


def consume(server: Server, topic: str, last: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Reads a topic of one partition from its start until the record `last` accepts."""
    import json

    from confluent_kafka import Consumer, TopicPartition

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
