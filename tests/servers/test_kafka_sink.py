"""The Kafka sink on a real broker: topics, partitions, timestamps, headers, refusals."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from headwater.errors import SinkError
from headwater.model import Record
from headwater.sinks.base import Batch
from headwater.sinks.kafka import KafkaSink
from servers.support import Server, end_offset


@pytest.fixture
def topic(kafka_server: Server) -> Iterator[str]:
    """A name for a topic, deleted at the end."""
    from confluent_kafka.admin import AdminClient

    name = f"hw.{uuid.uuid4().hex[:8]}.t"
    yield name
    admin = AdminClient({"bootstrap.servers": kafka_server.address})
    if name in admin.list_topics(timeout=30).topics:
        admin.delete_topics([name])[name].result(30)


def rows(topic: str, count: int, **attributes: Any) -> Batch:
    """Keys `{"id":n}`, values of the number."""
    records = [Record(topic, None, None, None, None, **attributes) for _ in range(count)]
    return Batch(records, [b'{"id":%d}' % n for n in range(count)], [b"%d" % n for n in range(count)], [()] * count)


def send(server: Server, config: dict[str, str], batch: Batch) -> None:
    sink = KafkaSink(server.address, config)
    sink.open()
    try:
        sink.write(batch)
        sink.flush()
    finally:
        sink.close()


def messages(server: Server, topic: str, partitions: int) -> list[Any]:
    """Every message of a topic, partition by partition."""
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": server.address, "group.id": topic, "enable.auto.commit": False})
    found: list[Any] = []
    try:
        for number in range(partitions):
            high = end_offset(consumer, topic, number)
            consumer.assign([TopicPartition(topic, number, 0)])
            end = len(found) + high
            while len(found) < end:
                found += [m for m in consumer.consume(end - len(found), timeout=30) if m.error() is None]
    finally:
        consumer.close()
    return found


def murmur2(data: bytes) -> int:
    """Kafka's hash of a key (MurmurHash 2, seed 0x9747b28c), after its description."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(data)
    whole = len(data) - len(data) % 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = h * m & mask ^ k
    if data[whole:]:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def test_murmur2_of_the_java_client() -> None:
    # Values of the Java client's own tests: signed 32-bit numbers.
    assert [murmur2(b) for b in (b"21", b"foobar", b"a-little-bit-long-string")] == [
        n & 0xFFFFFFFF for n in (-973932308, -790332482, -985981536)
    ]


def test_topic_is_made_and_keys_go_where_java_puts_them(kafka_server: Server, topic: str) -> None:
    config = {
        "topic.creation.default.partitions": "3", "topic.creation.default.replication.factor": "1",
        "topic.creation.default.cleanup.policy": "compact",
    }  # fmt: skip
    send(kafka_server, config, rows(topic, 200))
    found = messages(kafka_server, topic, 3)
    assert sorted(int(m.value()) for m in found) == list(range(200))
    assert {m.key(): m.partition() for m in found} == {
        b'{"id":%d}' % n: (murmur2(b'{"id":%d}' % n) & 0x7FFFFFFF) % 3 for n in range(200)
    }
    for number in range(3):
        values = [int(m.value()) for m in found if m.partition() == number]
        assert values == sorted(values)


def test_partition_timestamp_headers_and_nulls(kafka_server: Server, topic: str) -> None:
    record = Record(topic, None, None, None, None, kafka_partition=2, timestamp=1_700_000_000_123)
    batch = Batch([record, record], [b"k", None], [None, b"v"], [(("a", b"1"), ("b", None)), ()])
    send(kafka_server, {"topic.creation.default.partitions": "3"}, batch)
    first, second = messages(kafka_server, topic, 3)
    assert (first.partition(), first.key(), first.value(), first.headers()) == (2, b"k", None, [("a", b"1"), ("b", None)])
    assert first.timestamp()[1] == 1_700_000_000_123
    assert (second.partition(), second.key(), second.value(), second.headers()) == (2, None, b"v", None)


def test_record_larger_than_the_client_allows(kafka_server: Server, topic: str) -> None:
    batch = Batch([Record(topic, None, None, None, None)], [b'{"id":7}'], [b"x" * 2_000_000], [()])
    with pytest.raises(SinkError) as caught:
        send(kafka_server, {}, batch)
    assert all(text in str(caught.value) for text in (topic, '{"id":7}', "producer.override.max.request.size"))


def test_record_larger_than_the_topic_allows(kafka_server: Server, topic: str) -> None:
    batch = rows(topic, 3)
    batch.values[1] = b"x" * 50_000
    with pytest.raises(SinkError) as caught:
        send(kafka_server, {"topic.creation.default.max.message.bytes": "10000", "producer.linger.ms": "0"}, batch)
    assert all(text in str(caught.value) for text in (topic, "max.message.bytes"))


def test_large_records_pass_once_allowed(kafka_server: Server, topic: str) -> None:
    config = {"producer.override.max.request.size": "4000000", "topic.creation.default.max.message.bytes": "4000000"}
    batch = Batch([Record(topic, None, None, None, None)], [b"k"], [b"x" * 3_000_000], [()])
    send(kafka_server, config, batch)
    assert [len(m.value()) for m in messages(kafka_server, topic, 1)] == [3_000_000]


def test_missing_topic_that_may_not_be_made(kafka_server: Server, topic: str) -> None:
    config = {"topic.creation.enable": "false", "producer.topic.metadata.propagation.max.ms": "100"}
    with pytest.raises(SinkError, match="Create the topic") as caught:
        send(kafka_server, config, rows(topic, 1))
    assert topic in str(caught.value)


def test_topic_that_cannot_be_made(kafka_server: Server) -> None:
    with pytest.raises(SinkError, match="the topic not/legal cannot be made"):
        send(kafka_server, {}, rows("not/legal", 1))


def test_full_queue_blocks_and_loses_nothing(kafka_server: Server, topic: str) -> None:
    config = {"producer.queue.buffering.max.messages": "50", "topic.creation.default.partitions": "1"}
    send(kafka_server, config, rows(topic, 5000))
    assert [json.loads(m.value()) for m in messages(kafka_server, topic, 1)] == list(range(5000))


def test_weaker_acknowledgements_are_allowed(kafka_server: Server, topic: str) -> None:
    send(kafka_server, {"producer.override.acks": "1", "topic.creation.default.partitions": "1"}, rows(topic, 10))
    assert len(messages(kafka_server, topic, 1)) == 10
