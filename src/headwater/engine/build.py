"""Builds one connector's parts from a configuration: options, stores, converters, sinks, pump."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater import _plugins
from headwater.config import option_set
from headwater.config.options import Config
from headwater.connectors.base import Connector
from headwater.converters.base import Converter
from headwater.engine.pump import Pump, Serializer
from headwater.errors import ConfigError, ConfigProblem
from headwater.sinks.base import Sink
from headwater.source.base import Source
from headwater.storage.base import HistoryStore, Offset, OffsetStore

log = logging.getLogger(__name__)

_JSON = "org.apache.kafka.connect.json.JsonConverter"
_STATE = "headwater-state"


@dataclass
class Run:
    """One built connector: its checked configuration, its pump, and where its state is kept."""

    config: Config
    name: str
    pump: Pump
    source: Source
    state: str


class Stores:
    """The offset store and the history store, opened when first asked for."""

    def __init__(self, config: Config, name: str) -> None:
        self._config = config
        self._name = name
        self._history: HistoryStore | None = None
        self.offsets: OffsetStore = _offset_store(config, name)

    def offset(self, partition: Mapping[str, str]) -> Offset | None:
        """The stored offset of a source partition."""
        return self.offsets.load(partition)

    def history(self) -> HistoryStore:
        """The schema history store."""
        if self._history is None:
            self._history = _history_store(self._config)
        return self._history


def with_state(raw: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Adds the default places of offsets and history where none is configured; the second value describes them."""
    config = dict(raw)
    name = config.get("name") or config.get("topic.prefix") or "headwater"
    folder = Path(_STATE) / re.sub(r"[^A-Za-z0-9._-]", "_", name)
    places = []
    if not config.get("offset.storage") and not config.get("offset.storage.file.filename"):
        config["offset.storage"] = "file"
        config["offset.storage.file.filename"] = str(folder / "offsets.json")
        places.append("offsets")
    if not any(k.startswith("schema.history.internal") and not k.endswith(_HISTORY_SWITCHES) for k in config):
        config["schema.history.internal"] = "file"
        config["schema.history.internal.file.filename"] = str(folder / "schema-history.jsonl")
        places.append("schema history")
    return config, f"{' and '.join(places)} in {folder}/" if places else "as configured"


_HISTORY_SWITCHES = (
    ".skip.unparseable.ddl", ".store.only.captured.tables.ddl", ".store.only.captured.databases.ddl",
    ".prefer.ddl", ".name", ".memory.optimization",
)  # fmt: skip


def connector_for(raw: Mapping[str, str]) -> Connector:
    """The connector that `connector.class` names."""
    name = raw.get("connector.class")
    if not name:
        raise ConfigError([ConfigProblem("connector.class", None, "A value is required", "mysql")])
    try:
        plugin = _plugins.find("connector", name)
    except _plugins.UnknownPlugin as e:
        raise ConfigError([ConfigProblem("connector.class", name, str(e), "mysql")]) from e
    connector: Connector = plugin.factory()
    return connector


def build(raw: Mapping[str, str], sinks: Sequence[Sink]) -> Run:
    """Checks the configuration and builds everything. Nothing is connected yet. Raises ConfigError."""
    settings, state = with_state(raw)
    connector = connector_for(settings)
    config = option_set(settings["connector.class"]).parse(settings)
    name = settings.get("name") or config["topic.prefix"]
    stores = Stores(config, name)
    stores.offsets.open()
    source = connector.source(config, stores)
    serializer = _serializer(settings) if any(not s.raw for s in sinks) else None
    interval = int(config["offset.flush.interval.ms"]) / 1000
    pump = Pump(source, sinks, serializer, stores.offsets, commit_interval=interval)
    return Run(config, name, pump, source, state)


def _serializer(raw: Mapping[str, str]) -> Serializer:
    header = converter(raw, "header") if raw.get("header.converter") else None
    return Serializer(converter(raw, "key"), converter(raw, "value"), header)


def converter(raw: Mapping[str, str], part: str) -> Converter:
    """The converter of `key`, `value` or `header`, with its options: `converter.*`, then `<part>.converter.*`."""
    prefix = f"{part}.converter."
    name = raw.get(prefix[:-1]) or raw.get(prefix + "class") or raw.get("converter.class") or _JSON
    options: dict[str, str] = {k[len("converter.") :]: v for k, v in raw.items() if k.startswith("converter.")}
    options.update({k[len(prefix) :]: v for k, v in raw.items() if k.startswith(prefix)})
    try:
        plugin = _plugins.find("converter", name)
    except _plugins.UnknownPlugin as e:
        raise ConfigError([ConfigProblem(prefix[:-1], name, str(e), _JSON)]) from e
    made: Converter = plugin.factory(options, is_key=part == "key")
    return made


def _offset_store(config: Config, name: str) -> OffsetStore:
    kind = config.raw.get("offset.storage") or "org.apache.kafka.connect.storage.FileOffsetBackingStore"
    store: OffsetStore = _store("offsets", "offset.storage", kind, config, name)
    return store


def _history_store(config: Config) -> HistoryStore:
    kind = config.raw.get("schema.history.internal") or "io.debezium.storage.kafka.history.KafkaSchemaHistory"
    store: HistoryStore = _store("history", "schema.history.internal", kind, config)
    return store


def _store(kind: str, key: str, name: str, config: Config, *arguments: Any) -> Any:
    try:
        plugin = _plugins.find(kind, name)
    except _plugins.UnknownPlugin as e:
        raise ConfigError([ConfigProblem(key, name, str(e), "file")]) from e
    return plugin.factory(config.raw, *arguments)


