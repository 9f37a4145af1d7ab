"""Configuration files of every accepted form -> one flat map of text.

Accepted: Java properties, the REST API's JSON (with or without its `name`/`config` envelope), Debezium Server's
`application.properties`, and TOML or YAML of the same keys.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headwater.config.properties import parse_properties
from headwater.config.providers import resolve_all
from headwater.errors import ConfigError

MAX_BYTES = 16 * 1024 * 1024
MAX_KEYS = 100_000


def load(path: str | Path, overrides: Mapping[str, str] | None = None) -> dict[str, str]:
    """Reads a file, applies overrides, resolves `${file:…}`, `${env:…}` and `${dir:…}`. Raises ConfigError."""
    path = Path(path)
    raw = _parse(path, _read(path))
    raw = unwrap_server(raw)
    raw.update(overrides or {})
    return resolve_all(raw)


def from_mapping(config: Mapping[str, Any]) -> dict[str, str]:
    """A flat map of text from a Python mapping: numbers and booleans become text, nested maps dotted keys."""
    return resolve_all(flatten(config))


def _read(path: Path) -> str:
    try:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; a configuration file is needed")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}") from None
    except OSError as e:
        raise ConfigError(f"{path} cannot be read: {e.strerror}") from e
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES} bytes: not a configuration file")
    if b"\0" in data:
        raise ConfigError(f"{path} is not a text file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _parse(path: Path, text: str) -> dict[str, str]:
    kind = path.suffix.lower()
    try:
        if kind == ".json" or (kind != ".properties" and text.lstrip()[:1] == "{"):
            return _unwrap_rest(_json(text))
        if kind == ".toml":
            return flatten(tomllib.loads(text))
        if kind in (".yaml", ".yml"):
            return flatten(_yaml(text))
        return parse_properties(text)
    except json.JSONDecodeError as e:
        raise ConfigError(f"{path}, line {e.lineno}, column {e.colno}: not valid JSON: {e.msg}") from e
    except tomllib.TOMLDecodeError as e:
        raise ConfigError(f"{path}: not valid TOML: {e}") from e
    except RecursionError as e:
        raise ConfigError(f"{path}: it is nested too deeply") from e
    except ValueError as e:
        raise ConfigError(f"{path}: {e}") from e


def _json(text: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for k, v in pairs:
            if k in out:
                raise ValueError(f"the key {k!r} is given twice")
            out[k] = v
        return out

    return json.loads(text, object_pairs_hook=unique)


def _yaml(text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise ValueError("reading YAML needs the extra `yaml`: pip install 'headwater[yaml]'") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as e:
        # The error's own text quotes the line, which may hold a password.
        mark = getattr(e, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"{where}not valid YAML: {getattr(e, 'problem', None) or 'unreadable'}") from None


def _unwrap_rest(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("the JSON text is not an object")
    inner = value.get("config")
    if isinstance(inner, dict):
        out = flatten(inner)
        if value.get("name") is not None:
            out.setdefault("name", str(value["name"]))
        return out
    return flatten(value)


def flatten(value: Any, prefix: str = "", depth: int = 0) -> dict[str, str]:
    """Nested maps -> dotted keys; lists are joined by commas; null values are left out."""
    if not isinstance(value, Mapping):
        raise ValueError("the configuration is not a map of keys and values")
    if depth > 32:
        raise ValueError("the configuration is nested too deeply")
    out: dict[str, str] = {}
    for key, item in value.items():
        name = f"{prefix}{key}"
        if isinstance(item, Mapping):
            out.update(flatten(item, name + ".", depth + 1))
        elif isinstance(item, (list, tuple)):
            out[name] = ",".join(to_text(x) for x in item)
        elif item is not None:
            out[name] = to_text(item)
        if len(out) > MAX_KEYS:
            raise ValueError(f"the configuration has more than {MAX_KEYS} properties")
    return out


def to_text(value: Any) -> str:
    """A scalar as the text of a property."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list, tuple, set)):
        raise ValueError("a list may hold only text, numbers, true and false")
    return str(value)


_SERVER = (
    ("debezium.source.", ""), ("debezium.transforms", "transforms"), ("debezium.predicates", "predicates"),
    ("debezium.sink.", "debezium.sink."),
)  # fmt: skip
_FORMATS = {
    "json": "org.apache.kafka.connect.json.JsonConverter", "jsonbytearray": "org.apache.kafka.connect.json.JsonConverter",
    "avro": "io.confluent.connect.avro.AvroConverter", "cloudevents": "io.debezium.converters.CloudEventsConverter",
    "protobuf": "io.confluent.connect.protobuf.ProtobufConverter", "binary": "io.debezium.converters.BinaryDataConverter",
    "simplestring": "org.apache.kafka.connect.storage.StringConverter",
}  # fmt: skip


def unwrap_server(raw: dict[str, str]) -> dict[str, str]:
    """Debezium Server's keys -> a connector's; other configurations come back unchanged."""
    if not any(k.startswith("debezium.source.") for k in raw):
        return raw
    out: dict[str, str] = {}
    for key, value in raw.items():
        for prefix, new in _SERVER:
            if key.startswith(prefix):
                out[new + key[len(prefix) :]] = value
                break
        else:
            if key.startswith("debezium.format."):
                _format(out, key[len("debezium.format.") :], value)
            else:
                out[key] = value
    out.setdefault("name", "debezium-server")
    return out


def _format(out: dict[str, str], key: str, value: str) -> None:
    part, _, option = key.partition(".")
    if part in ("key", "value", "header") and not option:
        out[f"{part}.converter"] = _FORMATS.get(value.lower(), value)
    elif part in ("key", "value", "header"):
        out[f"{part}.converter.{option}"] = value
    else:
        out[f"converter.{key}"] = value
