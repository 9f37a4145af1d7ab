"""Connect schemas as the JSON converter writes them."""

from __future__ import annotations

from headwater.model import Schema


def schema_text(schema: Schema, field: str | None = None, *, numeric: bool = False) -> str:
    """The schema's JSON, keys in the converter's order. `field` names a struct's member."""
    from headwater.converters.json_cy import Program, quote

    parts = [f'"type":{quote(schema.type)}']
    if schema.type == "struct":
        members = ",".join(schema_text(f.schema, f.name, numeric=numeric) for f in schema.fields)
        parts.append(f'"fields":[{members}]')
    elif schema.type == "array" and schema.items is not None:
        parts.append(f'"items":{schema_text(schema.items, numeric=numeric)}')
    elif schema.type == "map" and schema.keys is not None and schema.values is not None:
        parts.append(f'"keys":{schema_text(schema.keys, numeric=numeric)}')
        parts.append(f'"values":{schema_text(schema.values, numeric=numeric)}')
    parts.append('"optional":' + ("true" if schema.optional else "false"))
    if schema.name is not None:
        parts.append(f'"name":{quote(schema.name)}')
    if schema.version is not None:
        parts.append(f'"version":{schema.version}')
    if schema.doc is not None:
        parts.append(f'"doc":{quote(schema.doc)}')
    if schema.parameters:
        pairs = ",".join(f"{quote(k)}:{quote(v)}" for k, v in schema.parameters.items())
        parts.append(f'"parameters":{{{pairs}}}')
    if schema.default is not None:
        parts.append(f'"default":{Program(schema, False, numeric, True).payload(schema.default)}')
    if field is not None:
        parts.append(f'"field":{quote(field)}')
    return "{" + ",".join(parts) + "}"
