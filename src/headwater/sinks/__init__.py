"""Sinks: where records go. One file each; `create` makes one from what follows `--to`."""

from __future__ import annotations

from collections.abc import Mapping

from headwater import _plugins
from headwater.errors import ConfigError, ConfigProblem
from headwater.sinks.base import Sink


def parse_target(text: str) -> tuple[str, str]:
    """`stdout`, `file:DIR`, `kafka://host:port` -> (name, what follows the colon)."""
    name, _, target = text.partition(":")
    return name, target.removeprefix("//")


def create(text: str, config: Mapping[str, str]) -> Sink:
    """The sink a `--to` option names. Raises ConfigError for an unknown one."""
    name, target = parse_target(text)
    try:
        plugin = _plugins.find("sink", name)
    except _plugins.UnknownPlugin as e:
        raise ConfigError([ConfigProblem("--to", text, str(e), "kafka://127.0.0.1:9092")]) from e
    sink: Sink = plugin.factory(target, config)
    return sink
