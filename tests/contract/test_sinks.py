"""What every sink that keeps records does. A new sink: a row in SINKS, with a way to read back what it took."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from servers.support import end_offset

from headwater.converters.json_cy import JsonConverter
from headwater.model import Record, Schema
from headwater.model import schema as s
from headwater.sinks import create
from headwater.sinks.base import Batch, Sink

KEY = s.struct("srv.d.t.Key", ("id", s.INT32))
VALUE = s.struct("srv.d.t.Value", ("id", s.INT32), ("text", s.OPTIONAL_STRING))
Row = tuple[str, Any, Any]


def record(topic: str, number: int, text: str | None = None, *, tombstone: bool = False) -> Record:
    schema: Schema | None = None if tombstone else VALUE
    value = None if tombstone else [number, text]
    return Record(topic, KEY, [number], schema, value, {"server": "srv"}, {"pos": number}, timestamp=1_700_000_000_000)


def batch(sink: Sink, records: list[Record]) -> Batch:
    """As the engine makes it: serialised unless the sink is raw."""
    if sink.raw:
        return Batch(records, [], [], [])
    converter = JsonConverter(schemas=False)
    keys = [converter.from_connect(r.topic, r.key_schema, r.key) for r in records]
    values = [converter.from_connect(r.topic, r.value_schema, r.value) for r in records]
    return Batch(records, keys, values, [()] * len(records))


@dataclass
class Case:
    """One sink under test: how to make it anew, and (topic, key, value) of what it took, in order per topic."""

    make: Callable[[], Sink]
    read: Callable[[], list[Row]]


def _records(folder: Path) -> Case:
    path = folder / "new" / "out.jsonl"

    def read() -> list[Row]:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return [(r["topic"], r["key"]["payload"], r["value"] and r["value"]["payload"]) for r in rows]

    return Case(lambda: create(f"records:{path}", {}), read)


def _file(folder: Path) -> Case:
    target = folder / "new" / "events"

    def read() -> list[Row]:
        return [
            (path.name.removesuffix(".jsonl"), row["key"], row["value"])
            for path in sorted(target.iterdir())
            for row in map(json.loads, path.read_bytes().splitlines())
        ]

    return Case(lambda: create(f"file:{target}", {}), read)


SINKS: dict[str, Callable[[Path], Case]] = {"records": _records, "file": _file}


@pytest.fixture(params=[*SINKS, "kafka"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    if request.param == "kafka":
        return kafka_case(request.getfixturevalue("kafka_server").address)
    return SINKS[request.param](tmp_path)


def kafka_case(servers: str) -> Case:
    from confluent_kafka import Consumer, TopicPartition

    prefix = f"hw{uuid.uuid4().hex[:8]}."

    class Prefixed:
        """Gives each test topics of its own."""

        raw = False

        def __init__(self) -> None:
            self._sink = create(f"kafka://{servers}", {"topic.creation.default.partitions": "1"})
            self.open, self.flush, self.close = self._sink.open, self._sink.flush, self._sink.close

        def write(self, batch: Batch) -> None:
            self._sink.write(batch._replace(records=[r.replace(topic=prefix + r.topic) for r in batch.records]))

    def read() -> list[Row]:
        consumer = Consumer({"bootstrap.servers": servers, "group.id": prefix, "enable.auto.commit": False})
        rows: list[Row] = []
        try:
            topics = sorted(t for t in consumer.list_topics(timeout=30).topics if t.startswith(prefix))
            for topic in topics:
                high = end_offset(consumer, topic, 0)
                consumer.assign([TopicPartition(topic, 0, 0)])
                found: list[Any] = []
                while len(found) < high:
                    found.extend(m for m in consumer.consume(high - len(found), timeout=30) if m.error() is None)
                rows += [(topic.removeprefix(prefix), json.loads(m.key()), json.loads(m.value() or b"null")) for m in found]
        finally:
            consumer.close()
        return rows

    return Case(Prefixed, read)


def test_flushed_records_are_there_in_order(case: Case) -> None:
    sink = case.make()
    sink.open()
    sink.write(batch(sink, [record("srv.d.t", n, 'é "x"\n😀') for n in range(100)]))
    sink.write(batch(sink, [record("srv.d.t", n) for n in range(100, 110)]))
    sink.flush()
    try:
        rows = case.read()
    finally:
        sink.close()
    assert [r[1]["id"] for r in rows] == list(range(110))
    assert rows[0] == ("srv.d.t", {"id": 0}, {"id": 0, "text": 'é "x"\n😀'})
    assert rows[-1] == ("srv.d.t", {"id": 109}, {"id": 109, "text": None})


def test_tombstones_are_kept(case: Case) -> None:
    sink = case.make()
    sink.open()
    sink.write(batch(sink, [record("srv.d.t", 1, "a"), record("srv.d.t", 1, tombstone=True)]))
    sink.flush()
    sink.close()
    assert [r[2] for r in case.read()] == [{"id": 1, "text": "a"}, None]


def test_topics_of_one_batch_are_kept_apart(case: Case) -> None:
    sink = case.make()
    sink.open()
    sink.write(batch(sink, [record("srv.d.a" if n % 2 else "srv.d.b", n) for n in range(10)]))
    sink.flush()
    sink.close()
    rows = case.read()
    assert [r[1]["id"] for r in rows if r[0] == "srv.d.a"] == [1, 3, 5, 7, 9]
    assert [r[1]["id"] for r in rows if r[0] == "srv.d.b"] == [0, 2, 4, 6, 8]


def test_a_new_sink_goes_on_behind_the_old_one(case: Case) -> None:
    for number in (1, 2):
        sink = case.make()
        sink.open()
        sink.write(batch(sink, [record("srv.d.t", number)]))
        sink.flush()
        sink.close()
    assert [r[1]["id"] for r in case.read()] == [1, 2]


def test_an_empty_batch_and_closing_unopened(case: Case) -> None:
    sink = case.make()
    sink.close()
    sink = case.make()
    sink.open()
    sink.write(batch(sink, []))
    sink.flush()
    sink.close()
