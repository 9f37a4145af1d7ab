"""What stands for a TOASTed value that an update did not touch, and the log does not hold."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

from headwater.model import Column
from headwater.types.base import TypeOptions

_TEXT = frozenset(("text", "varchar", "bpchar", "citext", "json", "jsonb", "xml", "ltree", "tsvector"))
_TEXT_ARRAYS = frozenset(("_text", "_varchar", "_bpchar", "_json", "_jsonb"))
_NUMBER_ARRAYS = frozenset(("_int4", "_int8", "_date"))


def placeholder(column: Column, options: TypeOptions) -> Any:
    """The raw value for a column, None where its type has room for none."""
    name, mark = column.type_name, options.placeholder
    if name in _TEXT:
        return mark
    if name == "hstore":
        pair = {mark: mark}
        return pair if options.hstore == "map" else json.dumps(pair, ensure_ascii=False, separators=(",", ":"))
    if name in _TEXT_ARRAYS:
        return [mark]
    if name in _NUMBER_ARRAYS:
        return list(mark.encode())
    if name == "_uuid":
        return [_name_uuid(mark.encode())]
    if name in ("bytea", "_bytea"):
        value = {"bytes": mark.encode(), "hex": mark}.get(options.binary)
        return value if value is None or name == "bytea" else [value]
    return None


def _name_uuid(name: bytes) -> str:
    """A version 3 UUID of the bytes alone, without a namespace."""
    digest = hashlib.md5(name, usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest, version=3))
