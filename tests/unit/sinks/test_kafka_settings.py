"""Java's Kafka client settings in librdkafka's words; topic creation groups. No broker is needed."""

from __future__ import annotations

import logging

import pytest

from headwater.drivers.kafka import client_config, without_conflicts
from headwater.errors import ConfigError
from headwater.sinks.kafka import KafkaSink, make
from headwater.sinks.kafka_topics import TopicCreation

SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="al\\"ice" password="s\\\\e=c;ret";'


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"acks": "all", "linger.ms": "20"}, {"acks": "all", "linger.ms": "20"}),
        ({"max.request.size": "5000000"}, {"message.max.bytes": "5000000"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": "32768"}),
        ({"buffer.memory": "10"}, {"queue.buffering.max.kbytes": "1"}),
        ({"key.serializer": "x", "max.block.ms": "1"}, {}),
        ({"sasl.jaas.config": SCRAM}, {"sasl.username": 'al"ice', "sasl.password": "s\\e=c;ret"}),
        (
            {"sasl.jaas.config": "a.b.PlainLoginModule required username=bob password='p w';"},
            {"sasl.username": "bob", "sasl.password": "p w"},
        ),
        ({"ssl.truststore.location": "ca.pem", "ssl.truststore.type": "PEM"}, {"ssl.ca.location": "ca.pem"}),
        ({"ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
        # A PEM key store holds certificate and key; PKCS#12 is read as it is.
        ({"ssl.keystore.location": "me.pem"}, {"ssl.certificate.location": "me.pem", "ssl.key.location": "me.pem"}),
        (
            {"ssl.keystore.location": "me.p12", "ssl.keystore.password": "x"},
            {"ssl.keystore.location": "me.p12", "ssl.keystore.password": "x"},
        ),
        ({"queue.buffering.max.messages": "10"}, {"queue.buffering.max.messages": "10"}),
    ],
)
def test_settings(given: dict[str, str], expected: dict[str, str]) -> None:
    assert client_config(given) == (expected, [])


@pytest.mark.parametrize("key", ["no.such.thing", "ssl.protocol", "sasl.login.callback.handler.class"])
def test_unknown_settings_are_named(key: str) -> None:
    out, notes = client_config({key: "x"}, "producer.")
    assert out == {}
    assert [n.split()[0] for n in notes] == [f"producer.{key}"]


@pytest.mark.parametrize(
    "given",
    [
        {"sasl.jaas.config": 'com.sun.security.auth.module.Krb5LoginModule required password="hunter2";'},
        {"sasl.jaas.config": 'x.PlainLoginModule required user="a" password="hunter2";'},
        {"ssl.truststore.location": "trust.jks"},
        {"ssl.truststore.location": "trust.P12"},
        {"ssl.keystore.location": "me.jks"},
        {"buffer.memory": "much"},
    ],
)
def test_refused_settings_name_the_key_and_no_secret(given: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        client_config(given, "producer.")
    assert f"producer.{next(iter(given))}" in str(caught.value)
    assert "hunter2" not in str(caught.value)


# The Java producer turns idempotence off where another setting excludes it, unless it was asked for.
@pytest.mark.parametrize(
    ("given", "idempotence"),
    [
        ({}, "true"),
        ({"acks": "all"}, "true"),
        ({"acks": "-1"}, "true"),
        ({"acks": "1"}, "false"),
        ({"retries": "0"}, "false"),
        ({"max.in.flight.requests.per.connection": "6"}, "false"),
        ({"max.in.flight.requests.per.connection": "1"}, "true"),
        ({"acks": "1", "enable.idempotence": "true"}, "true"),
    ],
)
def test_idempotence(given: dict[str, str], idempotence: str) -> None:
    assert without_conflicts({"enable.idempotence": "true", **given}, given)["enable.idempotence"] == idempotence


def test_override_wins_over_producer() -> None:
    config = {"producer.linger.ms": "1", "producer.acks": "1", "producer.override.linger.ms": "7", "linger.ms": "9"}
    sink = KafkaSink("h:1", config)
    assert (sink._settings["linger.ms"], sink._settings["acks"]) == ("7", "1")
    assert sink._settings["bootstrap.servers"] == "h:1"


@pytest.mark.parametrize(
    ("target", "config", "servers"),
    [
        ("a:1,b:2", {"bootstrap.servers": "c:3"}, "a:1,b:2"),
        ("a:1/", {}, "a:1"),
        ("", {"bootstrap.servers": "c:3"}, "c:3"),
        ("", {"bootstrap.servers": "c:3", "producer.bootstrap.servers": "d:4"}, "d:4"),
    ],
)
def test_servers(target: str, config: dict[str, str], servers: str) -> None:
    assert make(target, config)._servers == servers


def test_settings_the_client_refuses_are_a_configuration_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    jaas = 'x.PlainLoginModule required username="a" password="hunter2";'
    sink = make("h:1", {"producer.compression.type": "rar", "producer.sasl.jaas.config": jaas})
    with pytest.raises(ConfigError, match="compression") as caught:
        sink.open()
    assert "hunter2" not in str(caught.value) + caplog.text


GROUPS = {
    "topic.creation.default.partitions": "3",
    "topic.creation.default.replication.factor": "1",
    "topic.creation.default.cleanup.policy": "delete",
    "topic.creation.groups": "big, rest",
    "topic.creation.big.include": r"srv\.d\.big.*,srv\.x\..*",
    "topic.creation.big.exclude": r"srv\.d\.bigger",
    "topic.creation.big.partitions": "12",
    "topic.creation.rest.include": r"srv\.d\..*",
    "topic.creation.rest.cleanup.policy": "compact",
}


@pytest.mark.parametrize(
    ("topic", "partitions", "settings"),
    [
        ("srv.d.big1", 12, {}),
        ("srv.x.t", 12, {}),
        ("srv.d.bigger", 3, {"cleanup.policy": "compact"}),
        ("srv.d.t", 3, {"cleanup.policy": "compact"}),
        # Partitions come from the default group where a group names none; other settings do not. Topic names are compared with their case, and whole.
        ("SRV.X.T", 3, {"cleanup.policy": "delete"}),
        ("srv", 3, {"cleanup.policy": "delete"}),
    ],
)
def test_topic_groups(topic: str, partitions: int, settings: dict[str, str]) -> None:
    group = TopicCreation.from_config(GROUPS).group(topic)
    assert (group.partitions, group.settings) == (partitions, settings)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("topic.creation.default.partitions", "0"),
        ("topic.creation.default.replication.factor", "two"),
        ("topic.creation.default.partitions", "-2"),
        ("topic.creation.big.include", "("),
    ],
)
def test_bad_topic_groups(key: str, value: str) -> None:
    with pytest.raises(ConfigError, match=key):
        TopicCreation.from_config({**GROUPS, key: value})
