"""The JSON converter plug-in."""

from __future__ import annotations

from collections.abc import Mapping

from headwater._plugins import Plugin
from headwater.converters.base import Converter
from headwater.errors import ConfigError, ConfigProblem


def _flag(options: Mapping[str, str], key: str, default: bool) -> bool:
    text = options.get(key)
    if text is None:
        return default
    if text.strip().lower() not in ("true", "false"):
        raise ConfigError([ConfigProblem(key, text, "Either 'true' or 'false' is expected", "true")])
    return text.strip().lower() == "true"


def make(options: Mapping[str, str], *, is_key: bool) -> Converter:
    """The converter for its options: `schemas.enable`, `decimal.format`, `replace.null.with.default`."""
    from headwater.converters.json_cy import JsonConverter

    form = options.get("decimal.format", "BASE64").strip().upper()
    if form not in ("BASE64", "NUMERIC"):
        raise ConfigError([ConfigProblem("decimal.format", form, "Value must be one of BASE64, NUMERIC", "BASE64")])
    return JsonConverter(
        schemas=_flag(options, "schemas.enable", True),
        numeric=form == "NUMERIC",
        replace_null=_flag(options, "replace.null.with.default", True),
    )


PLUGIN = Plugin(
    "converter",
    "json",
    make,
    aliases=("org.apache.kafka.connect.json.JsonConverter", "JsonConverter", "io.debezium.converters.JsonConverter"),
    summary="JSON with or without schemas, as Kafka Connect writes it",
)
