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
    "ssl.truststore.certificates": "ssl.ca.pem", "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem", "ssl.cipher.suites": "ssl.cipher.suites", "ssl.key.password": "ssl.key.password",
    "ssl.endpoint.identification.algorithm": "ssl.endpoint.identification.algorithm",
    "sasl.kerberos.service.name": "sasl.kerberos.service.name",
}  # fmt: skip
_IGNORED = frozenset((
    "key.serializer", "value.serializer", "key.deserializer", "value.deserializer", "max.block.ms",
    "partitioner.class", "interceptor.classes", "metric.reporters", "ssl.truststore.type", "ssl.keystore.type",
    "ssl.truststore.password", "max.partition.fetch.bytes", "enable.auto.commit",
))  # fmt: skip
# librdkafka's own names, which may be given as they are.
_NATIVE = ("queue.", "message.", "topic.", "socket.", "statistics.")
_NATIVE_SECURITY = frozenset((
    "ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem", "ssl.key.location", "ssl.key.pem",
    "ssl.crl.location", "ssl.curves.list", "ssl.sigalgs.list", "ssl.providers", "sasl.mechanisms", "sasl.username",
    "sasl.password", "sasl.kerberos.principal", "sasl.kerberos.keytab", "sasl.kerberos.kinit.cmd",
    "sasl.oauthbearer.method", "sasl.oauthbearer.client.id", "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.scope", "sasl.oauthbearer.extensions", "sasl.oauthbearer.token.endpoint.url",
))  # fmt: skip
_PKCS12 = (".p12", ".pfx", ".pkcs12")
_JAAS = re.compile(r"""([\w.$-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([\w.$-]+))""", re.DOTALL)


def client_config(properties: Mapping[str, str], key_prefix: str = "") -> tuple[dict[str, str], list[str]]:
    """librdkafka's configuration, and a warning for each name that has no counterpart.

    Names that librdkafka knows itself may be given as they are. Raises ConfigError for a JAAS text, a number or a
    key store that cannot be used.
    """
    out: dict[str, str] = {}
    notes: list[str] = []
    for key, value in properties.items():
        if key == "sasl.jaas.config":
            out.update(_jaas(key_prefix + key, value))
        elif key == "buffer.memory":
            out["queue.buffering.max.kbytes"] = str(max(1, _number(key_prefix + key, value) // 1024))
        elif key.startswith("ssl.keystore.") and key.endswith((".location", ".password")):
            out.update(_key_store(key, value, key_prefix, properties))
        elif key in _RENAMED:
            if key == "ssl.truststore.location":
                _refuse_java_store(key_prefix + key, value, (".jks", *_PKCS12))
            out[_RENAMED[key]] = value or "none" if key.startswith("ssl.endpoint") else value
        elif key in _SAME or key in _NATIVE_SECURITY or key.startswith(_NATIVE):
            out[key] = value
        elif key not in _IGNORED:
            notes.append(f"{key_prefix}{key} has no counterpart in this Kafka client and is ignored")
    return out, notes


def without_conflicts(settings: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Producer settings with idempotence off where what was given excludes it, as the Java producer does by itself.

    `given` is what the user wrote; an explicit `enable.idempotence` is left to the client to judge.
    """
    out = dict(settings)
    weak_acks = given.get("acks", "all").strip().lower() not in ("all", "-1")
    in_flight = given.get("max.in.flight.requests.per.connection", "5").strip()
    many = in_flight.isdecimal() and int(in_flight) > 5
    if "enable.idempotence" not in given and (weak_acks or many or given.get("retries", "").strip() == "0"):
        out["enable.idempotence"] = "false"
    return out


def _number(key: str, text: str) -> int:
    if not text.strip().isdecimal():
        raise ConfigError([ConfigProblem(key, text, "a number of bytes is expected", "33554432")])
    return int(text)


def _refuse_java_store(key: str, path: str, endings: tuple[str, ...]) -> None:
    if path.lower().endswith(endings):
        rule = "this key store is not read; convert it to PEM with keytool and openssl"
        raise ConfigError([ConfigProblem(key, path, rule, "ca.pem")])


def _key_store(key: str, value: str, prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    """A PKCS#12 key store as it is; a PEM file holds certificate and key both, as in Java."""
    location = properties.get("ssl.keystore.location", "")
    _refuse_java_store(prefix + "ssl.keystore.location", location, (".jks",))
    if location.lower().endswith(_PKCS12):
        return {key: value}
    return {"ssl.certificate.location": value, "ssl.key.location": value} if key.endswith(".location") else {}


def _jaas(key: str, text: str) -> dict[str, str]:
    """User and password of a JAAS line of the PLAIN and SCRAM login modules."""
    pairs = {m[1]: _unescaped(next((g for g in m.groups()[1:] if g is not None), "")) for m in _JAAS.finditer(text)}
    if "PlainLoginModule" not in text and "ScramLoginModule" not in text:
        rule = "only PlainLoginModule and ScramLoginModule are understood"
        raise ConfigError([ConfigProblem(key, "********", rule, None)])
    if "username" not in pairs or "password" not in pairs:
        raise ConfigError([ConfigProblem(key, "********", 'username="…" and password="…" are expected', None)])
    return {"sasl.username": pairs["username"], "sasl.password": pairs["password"]}


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
