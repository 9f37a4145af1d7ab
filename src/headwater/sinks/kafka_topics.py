"""Topics made before the first record goes to them, by Kafka Connect's `topic.creation.*` settings."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.config.patterns import PatternError, compile_regex, split_regexes
from headwater.errors import ConfigError, ConfigProblem, SinkError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """How topics of a group are made; -1 is the broker's default."""

    include: tuple[re.Pattern[str], ...] | None = None
    exclude: tuple[re.Pattern[str], ...] = ()
    partitions: int = -1
    replication: int = -1
    settings: dict[str, str] = field(default_factory=dict)

    def matches(self, topic: str) -> bool:
        """Topic names are compared whole and with their case. Without `include` a group takes every topic."""
        if any(p.fullmatch(topic) for p in self.exclude):
            return False
        return self.include is None or any(p.fullmatch(topic) for p in self.include)


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
        default = _group(config, "default", TopicGroup())
        return cls([*(_group(config, n, default) for n in names if n != "default"), default], enabled=enabled)

    def group(self, topic: str) -> TopicGroup:
        """The settings a topic is made with."""
        return next(g for g in self._groups if g.matches(topic))

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
        group = self.group(topic)
        new = NewTopic(topic, num_partitions=group.partitions, replication_factor=group.replication, config=group.settings)
        self._admin.create_topics([new])[topic].result(60)
        log.info("made the topic %s", topic)


def _group(config: Mapping[str, str], name: str, default: TopicGroup) -> TopicGroup:
    """A group; partitions and replicas it does not name are the default group's, other settings are not inherited."""
    prefix = f"topic.creation.{name}."
    given = {k[len(prefix) :]: v for k, v in config.items() if k.startswith(prefix)}
    include, exclude = given.pop("include", ""), given.pop("exclude", "")
    partitions = _number(prefix, "partitions", given.pop("partitions", str(default.partitions)))
    replication = _number(prefix, "replication.factor", given.pop("replication.factor", str(default.replication)))
    if name == "default":
        return TopicGroup(None, (), partitions, replication, given)
    included, excluded = _patterns(prefix + "include", include), _patterns(prefix + "exclude", exclude)
    return TopicGroup(included or None, excluded, partitions, replication, given)


def _patterns(key: str, text: str) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(compile_regex(part, 0) for part in split_regexes(text))
    except PatternError as e:
        raise ConfigError([ConfigProblem(key, text, f"a list of regular expressions is expected; {e}", None)]) from e


def _number(prefix: str, key: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == -1 or value > 0:
        return value
    raise ConfigError([ConfigProblem(prefix + key, text, "a positive number or -1 is expected", "1")])
