"""Topics made before the first record goes to them, by Kafka Connect's `topic.creation.*` settings."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.config.patterns import RegexList
from headwater.errors import ConfigError, ConfigProblem, SinkError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """How topics of a group are made; -1 is the broker's default."""

    include: RegexList | None = None
    exclude: RegexList | None = None
    partitions: int = -1
    replication: int = -1
    settings: dict[str, str] = field(default_factory=dict)

    def matches(self, topic: str) -> bool:
        if self.exclude and self.exclude.matches(topic):
            return False
        return self.include is None or self.include.matches(topic)


class TopicCreation:
    """Decides per topic; the first group that matches, then the default group.

    Without any `topic.creation.*` setting, topics that are missing are made with the broker's defaults.
    """

    def __init__(self, groups: list[TopicGroup], *, enabled: bool) -> None:
        self._groups = groups
        self._enabled = enabled
        self._admin: Any = None

    @classmethod
    def from_config(cls, config: Mapping[str, str]) -> TopicCreation:
        enabled = config.get("topic.creation.enable", "true").strip().lower() != "false"
        names = [n.strip() for n in config.get("topic.creation.groups", "").split(",") if n.strip()]
        groups = [_group(config, n) for n in names]
        return cls([*groups, _group(config, "default")], enabled=enabled)

    def ensure(self, topic: str, client: Mapping[str, str]) -> None:
        """Makes the topic if it is missing. Raises SinkError where that fails."""
        if not self._enabled:
            return
        from confluent_kafka import KafkaError, KafkaException

        try:
            self._make(topic, client)
        except KafkaException as e:
            if e.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise SinkError(f"the topic {topic} cannot be made: {e.args[0].str()}") from e
        except TimeoutError as e:
            raise SinkError(f"the topic {topic} cannot be made: the broker did not answer") from e

    def _make(self, topic: str, client: Mapping[str, str]) -> None:
        from confluent_kafka.admin import AdminClient
        from confluent_kafka.cimpl import NewTopic

        if self._admin is None:
            wanted = ("bootstrap.servers", "security.protocol", "sasl.", "ssl.", "client.id")
            self._admin = AdminClient({k: v for k, v in client.items() if k.startswith(wanted)})
        if topic in self._admin.list_topics(timeout=30).topics:
            return
        group = next(g for g in self._groups if g.matches(topic))
        new = NewTopic(topic, num_partitions=group.partitions, replication_factor=group.replication, config=group.settings)
        self._admin.create_topics([new])[topic].result(60)
        log.info("made the topic %s", topic)


def _group(config: Mapping[str, str], name: str) -> TopicGroup:
    prefix = f"topic.creation.{name}."
    given = {k[len(prefix) :]: v for k, v in config.items() if k.startswith(prefix)}
    include, exclude = given.pop("include", ""), given.pop("exclude", "")
    partitions = _number(prefix, "partitions", given.pop("partitions", "-1"))
    replication = _number(prefix, "replication.factor", given.pop("replication.factor", "-1"))
    return TopicGroup(
        RegexList(include) if include else None, RegexList(exclude) if exclude else None, partitions, replication, given
    )


def _number(prefix: str, key: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == -1 or value > 0:
        return value
    raise ConfigError([ConfigProblem(prefix + key, text, "a positive number or -1 is expected", "1")])
