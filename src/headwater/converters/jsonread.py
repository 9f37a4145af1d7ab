"""JSON -> (schema, raw value), as Connect's JSON converter reads it. Strict."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from headwater.errors import ConversionError
from headwater.model import Schema

_TYPES = frozenset(
    ("int8", "int16", "int32", "int64", "float", "double", "boolean", "string", "bytes", "array", "map", "struct")
)
MAX_DEPTH = 200


def read(data: bytes | None, *, with_schema: bool, topic: str) -> tuple[Schema | None, Any]:
    """Reads one message. Raises ConversionError naming the topic."""
    if data is None:
        return None, None
    import orjson

    try:
        parsed = orjson.loads(data)
        if not with_schema:
            return None, parsed
        if not isinstance(parsed, dict) or set(parsed) != {"schema", "payload"}:
            raise ValueError(
                "a message with schemas.enable=true must hold exactly `schema` and `payload`; "
                "set schemas.enable=false for plain JSON"
            )
        if parsed["schema"] is None:
            return None, parsed["payload"]
        schema = read_schema(parsed["schema"])
        return schema, read_value(schema, parsed["payload"])
    except (ValueError, TypeError, KeyError, binascii.Error) as e:
        raise ConversionError(f"a message of topic {topic} is not the converter's JSON: {e}") from e


def read_schema(node: Any, depth: int = 0) -> Schema:
    """A schema from its JSON form."""
    if depth > MAX_DEPTH:
        raise ValueError("the schema is nested too deeply")
    if not isinstance(node, dict) or node.get("type") not in _TYPES:
        raise ValueError(f"{str(node)[:80]} is not a schema")
    kind = node["type"]
    parts: dict[str, Any] = {}
    if kind == "struct":
        parts["fields"] = tuple((f["field"], read_schema(f, depth + 1)) for f in node.get("fields", ()))
    elif kind == "array":
        parts["items"] = read_schema(node["items"], depth + 1)
    elif kind == "map":
        parts["keys"] = read_schema(node["keys"], depth + 1)
        parts["values"] = read_schema(node["values"], depth + 1)
    schema = Schema(
        kind, optional=bool(node.get("optional", False)), name=node.get("name"), version=node.get("version"),
        doc=node.get("doc"), parameters=node.get("parameters"), **parts,
    )  # fmt: skip
    if node.get("default") is not None:
        schema = schema.with_(default=read_value(schema, node["default"]))
    return schema


def read_value(schema: Schema, value: Any) -> Any:
    """A payload in raw form."""
    if value is None:
        if schema.default is not None:
            return schema.default
        if schema.optional:
            return None
        raise ValueError(f"null for the required {schema.name or schema.type}")
    kind = schema.type
    if kind == "struct":
        return [read_value(f.schema, value.get(f.name)) for f in schema.fields]
    if kind == "array" and schema.items is not None:
        return [read_value(schema.items, v) for v in value]
    if kind == "map" and schema.keys is not None and schema.values is not None:
        pairs = value.items() if isinstance(value, dict) else value
        return {read_value(schema.keys, k): read_value(schema.values, v) for k, v in pairs}
    if kind == "bytes":
        return _read_bytes(schema, value)
    if kind in ("float", "double"):
        return float(value)
    if kind == "boolean" and not isinstance(value, bool):
        raise ValueError(f"{value!r} is not a boolean")
    if kind == "string" and not isinstance(value, str):
        raise ValueError(f"{value!r} is not a string")
    if kind.startswith("int") and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"{value!r} is not an integer")
    return value


def _read_bytes(schema: Schema, value: Any) -> Any:
    if schema.is_decimal and not isinstance(value, str):
        from decimal import Decimal

        return int(Decimal(str(value)).scaleb(schema.scale))
    raw = base64.b64decode(value, validate=True)
    return int.from_bytes(raw, "big", signed=True) if schema.is_decimal else raw
