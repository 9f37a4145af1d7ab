"""Kafka client settings: the Java clients' property names -> librdkafka's.

Knows names and values only; clients are made by their users. Secrets never show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from headwater.errors import ConfigError, ConfigProblem

# Names that are the same in both worlds, or translated one to one.
_SAME = (
    "acks", "client.id", "compression.type", "delivery.timeout.ms", "linger.ms", "max.in.flight.requests.per.connection",
    "request.timeout.ms", "retries", "retry.backoff.ms", "security.protocol", "enable.idempotence", "metadata.max.age.ms",
    "connections.max.idle.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms", "transaction.timeout.ms",
    "batch.size", "socket.connection.setup.timeout.ms", "sasl.oauthbearer.config", "client.dns.lookup",
    "group.id", "auto.offset.reset", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms",
)  # fmt: skip
_RENAMED = {
    "bootstrap.servers": "bootstrap.servers", "max.request.size": "message.max.bytes",
    "sasl.mechanism": "sasl.mechanism", "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes", "ssl.truststore.location": "ssl.ca.location",
    "ssl.keystore.location": "ssl.certificate.location", "ssl.key.password": "ssl.key.password",
    "ssl.endpoint.identification.algorithm": "ssl.endpoint.identification.algorithm",
}  # fmt: skip
_IGNORED = frozenset((
    "key.serializer", "value.serializer", "key.deserializer", "value.deserializer", "buffer.memory", "max.block.ms",
    "partitioner.class", "interceptor.classes", "metric.reporters", "ssl.truststore.type", "ssl.keystore.type",
    "ssl.truststore.password", "ssl.keystore.password", "max.partition.fetch.bytes", "enable.auto.commit",
))  # fmt: skip
_JAAS = re.compile(r'(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"')


def client_config(properties: Mapping[str, str], key_prefix: str = "") -> tuple[dict[str, str], list[str]]:
    """librdkafka's configuration, and a warning for each name that has no counterpart.

    Names that librdkafka knows itself may be given as they are. Raises ConfigError for a JAAS text or a key
    store that cannot be used.
    """
    out: dict[str, str] = {}
    notes: list[str] = []
    for key, value in properties.items():
        if key == "sasl.jaas.config":
            out.update(_jaas(key_prefix + key, value))
        elif key in _RENAMED:
            if key.startswith("ssl.") and value.lower().endswith((".jks", ".p12", ".pfx")):
                rule = "Java key stores are not read; convert the store to PEM with keytool and openssl"
                raise ConfigError([ConfigProblem(key_prefix + key, value, rule, "ca.pem")])
            out[_RENAMED[key]] = value or "none" if key.startswith("ssl.endpoint") else value
        elif key in _SAME or key.startswith(("ssl.", "sasl.", "queue.", "message.", "topic.", "socket.", "statistics.")):
            out[key] = value
        elif key not in _IGNORED:
            notes.append(f"{key_prefix}{key} has no counterpart in this Kafka client and is ignored")
    return out, notes


def _jaas(key: str, text: str) -> dict[str, str]:
    """User and password of a JAAS line of the PLAIN and SCRAM login modules."""
    pairs = {k: v.replace('\\"', '"') for k, v in _JAAS.findall(text)}
    if "PlainLoginModule" not in text and "ScramLoginModule" not in text:
        rule = "only PlainLoginModule and ScramLoginModule are understood"
        raise ConfigError([ConfigProblem(key, "********", rule, None)])
    if "username" not in pairs or "password" not in pairs:
        raise ConfigError([ConfigProblem(key, "********", 'username="…" and password="…" are expected', None)])
    return {"sasl.username": pairs["username"], "sasl.password": pairs["password"]}
