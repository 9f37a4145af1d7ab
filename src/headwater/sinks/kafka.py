"""Records to Kafka: idempotent, in order per partition, acknowledged by all replicas before offsets move."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from headwater._plugins import Plugin
from headwater.drivers.kafka import client_config, without_conflicts
from headwater.errors import ConfigError, ConfigProblem, SinkError
from headwater.model import Record
from headwater.sinks.base import Batch
from headwater.sinks.kafka_topics import TopicCreation

log = logging.getLogger(__name__)

_DEFAULTS: dict[str, Any] = {
    "enable.idempotence": "true",
    "acks": "all",
    "partitioner": "murmur2_random",
    "linger.ms": "5",
    "queue.buffering.max.messages": "100000",
    "queue.buffering.max.kbytes": "131072",
    # The Java producer's limit; librdkafka's own is a little lower.
    "message.max.bytes": "1048576",
    # Only failures are reported; a commit waits until nothing is in flight.
    "delivery.report.only.error": True,
}
_FLUSH_SECONDS = 1.0
_CONNECT_SECONDS = 30
_CONNECT_STEP = 1.0


class KafkaSink:
    """One producer. `write` blocks while the producer's queue is full; `flush` waits for every acknowledgement."""

    raw = False

    def __init__(self, servers: str, config: Mapping[str, str]) -> None:
        self._servers = servers
        producer = {k[len("producer.") :]: v for k, v in config.items()
                    if k.startswith("producer.") and not k.startswith("producer.override.")}  # fmt: skip
        producer.update({k[len("producer.override.") :]: v for k, v in config.items() if k.startswith("producer.override.")})
        settings, notes = client_config(producer, "producer.")
        for note in notes:
            log.warning("%s", note)
        self._settings = {**without_conflicts({**_DEFAULTS, **settings}, producer), "bootstrap.servers": servers}
        self._creation = TopicCreation.from_config(config)
        self._producer: Any = None
        self._known: set[str] = set()
        self._failure: str | None = None

    def open(self) -> None:
        try:
            from confluent_kafka import KafkaException, Producer
        except ImportError:
            raise SinkError("the Kafka sink needs the extra `kafka`: pip install 'headwater[kafka]'") from None
        try:
            self._producer = Producer(self._settings, logger=log)
        except KafkaException as e:
            raise ConfigError(f"the Kafka producer refuses its settings (producer.*): {e.args[0].str()}") from e
        except (TypeError, ValueError) as e:
            raise ConfigError(f"the Kafka producer refuses its settings (producer.*): {e}") from e
        self._wait_for_broker()

    def _wait_for_broker(self) -> None:
        # In short steps: a signal is handled between the client's calls, not inside one.
        from confluent_kafka import KafkaException

        deadline = time.monotonic() + _CONNECT_SECONDS
        said = False
        while True:
            try:
                self._producer.list_topics(timeout=_CONNECT_STEP)
            except KafkaException as e:
                if time.monotonic() >= deadline:
                    raise SinkError(
                        f"no Kafka broker can be reached at {self._servers}: {e.args[0].str()}. "
                        "Check that a broker runs there, and its advertised listeners"
                    ) from e
                if not said:
                    log.warning("waiting up to %d s for Kafka at %s: %s", _CONNECT_SECONDS, self._servers, e.args[0].str())
                said = True
            else:
                return

    def write(self, batch: Batch) -> None:
        produce = self._producer.produce
        for record, key, value, headers in zip(batch.records, batch.keys, batch.values, batch.headers, strict=True):
            if record.topic not in self._known:
                self._prepare_topic(record.topic)
            arguments: dict[str, Any] = {"key": key, "value": value, "on_delivery": self._delivered}
            if record.kafka_partition is not None:
                arguments["partition"] = record.kafka_partition
            if record.timestamp is not None:
                arguments["timestamp"] = record.timestamp
            if headers:
                arguments["headers"] = list(headers)
            while True:
                try:
                    produce(record.topic, **arguments)
                    break
                except BufferError:
                    self._producer.poll(0.1)
                    self._check()
                except Exception as e:
                    raise SinkError(self._refused(record, key, e)) from e
        self._producer.poll(0)
        self._check()

    def _prepare_topic(self, topic: str) -> None:
        self._creation.ensure(topic, self._settings)
        self._known.add(topic)

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None and self._failure is None:
            key = (message.key() or b"")[:80].decode("utf-8", "replace")
            self._failure = (
                f"Kafka refused a record for topic {message.topic()} with key {key or 'null'}: {error.str()}"
                + _advice(error)
            )

    def _refused(self, record: Record, key: bytes | None, error: Exception) -> str:
        reason = error.args[0] if error.args else error
        text = reason.str() if hasattr(reason, "str") else str(reason)
        shown = (key or b"null")[:80].decode("utf-8", "replace")
        return f"a record for topic {record.topic} with key {shown} cannot be sent: {text}{_advice(reason)}"

    def _check(self) -> None:
        if self._failure is not None:
            raise SinkError(self._failure)

    def flush(self) -> None:
        while self._producer.flush(_FLUSH_SECONDS) > 0:
            self._check()
        self._check()

    def close(self) -> None:
        if self._producer is not None:
            self._producer.purge(in_queue=True, in_flight=True)
            self._producer.flush(0)
            self._producer = None


def _advice(error: Any) -> str:
    name = error.name() if hasattr(error, "name") else ""
    if name in ("MSG_SIZE_TOO_LARGE", "_MSG_SIZE_TOO_LARGE"):
        return ". Raise producer.override.max.request.size and the topic's max.message.bytes"
    if name in ("UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC"):
        return ". Create the topic, or set topic.creation.default.partitions and .replication.factor"
    return ""


def make(target: str, config: Mapping[str, str]) -> KafkaSink:
    """`kafka://host:port[,host:port]`; without a target `bootstrap.servers` of the configuration."""
    servers = target or config.get("producer.bootstrap.servers") or config.get("bootstrap.servers") or ""
    if not servers:
        raise ConfigError([ConfigProblem("--to", "kafka", "Brokers are required", "kafka://127.0.0.1:9092")])
    return KafkaSink(servers.rstrip("/"), config)


PLUGIN = Plugin("sink", "kafka", make, summary="Kafka topics")
