"""Column defaults as the server prints them -> the schema's default."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from headwater.types.base import ValueType, convert
from headwater.wire.postgres.rows_cy import Column as Reader
from headwater.wire.postgres.rows_cy import ValueFormat

_LITERAL = re.compile(r"'((?:[^']|'')*)'(?:::.*)?$", re.DOTALL)
_CALL = re.compile(r"[\w.\"]+\s*\(")
_ZONED = "io.debezium.time.ZonedTimestamp"


def reader(kind: ValueType) -> Callable[[str], Any]:
    """A function from a default expression to a raw value of `kind`, None where it gives none."""
    return partial(_default, kind)


def _default(kind: ValueType, expression: str) -> Any:
    expression = expression.strip()
    if expression.upper().startswith("NULL"):
        return None
    if m := _LITERAL.match(expression):
        return _literal(kind, m[1].replace("''", "'"))
    if _CALL.match(expression) or expression.upper().startswith(("CURRENT_", "LOCALTIME")):
        # A function's value is not known: the type's zero stands for it, as in the reference.
        return kind.fallback if kind.schema.type not in ("struct", "array") else None
    return _literal(kind, expression.partition("::")[0].strip("()"))


def _literal(kind: ValueType, value: str) -> Any:
    if kind.schema.name == _ZONED:
        return convert(kind.steps, Reader(ValueFormat("timestamptz")).read(value.encode()))
    return kind.default(value)
