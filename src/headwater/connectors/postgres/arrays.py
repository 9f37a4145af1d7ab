"""Arrays: their text form, and what they become. Elements go through their own type's reader and steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.model import Column, Schema
from headwater.types.base import TypeOptions, ValueType, convert
from headwater.types.convert_cy import CALL, FLOOR_DIV, MULTIPLY, Step
from headwater.wire.postgres.rows_cy import Column as Reader
from headwater.wire.postgres.rows_cy import ValueFormat

# PostgreSQL allows six dimensions.
_DEEPEST = 6
_LEFT_OUT = frozenset(("money", "name", "interval", "varbit", "xml", "point", "refcursor"))
_REQUIRED = frozenset(("isbn", "tsvector"))
# The reference cuts the fractions of elements: to milliseconds, to seconds.
_CUT = {"time": 1000, "timetz": 1_000_000}


def is_array(column: Column) -> bool:
    """Whether the server's type name is an array's."""
    return column.type_name.startswith("_")


def element(column: Column) -> Column:
    """An array column's element, as a column of its own."""
    return replace(column, type_name=column.type_name[1:], optional=True, has_default=False)


def parser(form: ValueFormat) -> Callable[[str], list[Any]]:
    """A function from an array's text to its canonical elements."""
    read = Reader(form).read

    def parse(value: str) -> list[Any]:
        return [_flat(item, read) for item in parse_array(value)]

    return parse


def _flat(item: Any, read: Callable[[bytes], Any]) -> Any:
    # Of more dimensions only the outer length is kept: Connect's schema has one.
    return None if item is None or isinstance(item, list) else read(item.encode())


def value_type(column: Column, options: TypeOptions,
               plain: Callable[[Column, TypeOptions], ValueType | None]) -> ValueType | None:  # fmt: skip
    """What an array becomes; None where it is left out. `plain` gives the value type of scalars."""
    name = column.type_name[1:]
    kind = None if name in _LEFT_OUT else plain(element(column), options)
    if kind is None:
        return None
    if name == "bit" and options.exact:
        return replace(kind, steps=(Step(CALL, 0, _lost),), default=lambda expression: None)
    items = kind.schema.with_(optional=not column.enum_values and name not in _REQUIRED)
    steps = kind.steps
    if options.exact and name in _CUT:
        steps = (Step(FLOOR_DIV, _CUT[name]), Step(MULTIPLY, _CUT[name]), *steps)

    def each(values: list[Any]) -> list[Any]:
        return [convert(steps, v) for v in values]

    return ValueType(Schema("array", items=items), (Step(CALL, 0, each),) if steps else (), fallback=[])


def _lost(values: list[Any]) -> None:
    """The reference has no array schema for bits, and loses the value."""
    return


def parse_array(value: str) -> list[Any]:
    """`{a,"b c",NULL}` -> texts, None and, for further dimensions, lists. Raises ValueError."""
    if value[:1] == "[":  # lower bounds: [0:1]={a,b}
        value = value[value.find("=") + 1 :]
    if value[:1] != "{":
        raise ValueError("not an array")
    if '"' not in value and "\\" not in value and value.count("{") == 1:
        if value.find("}") != len(value) - 1:
            raise ValueError("not an array")
        inner = value[1:-1]
        return [None if item == "NULL" else item for item in inner.split(",")] if inner else []
    items, end = _parse(value, 1, 1)
    if end != len(value):
        raise ValueError("text behind an array")
    return items


def _parse(value: str, pos: int, depth: int) -> tuple[list[Any], int]:
    """The elements from `pos` on to the closing brace, and the place behind it."""
    if depth > _DEEPEST:
        raise ValueError("an array of too many dimensions")
    items: list[Any] = []
    item: Any
    if value[pos : pos + 1] == "}":
        return items, pos + 1
    while True:
        ch = value[pos : pos + 1]
        if ch == "{":
            item, pos = _parse(value, pos + 1, depth + 1)
        elif ch == '"':
            item, pos = _quoted(value, pos + 1)
        else:
            end = pos
            while end < len(value) and value[end] not in ',}"{\\':
                end += 1
            item, pos = (None if value[pos:end] == "NULL" else value[pos:end]), end
        items.append(item)
        ch = value[pos : pos + 1]
        if ch == "}":
            return items, pos + 1
        if ch != ",":
            raise ValueError("an array is cut off")
        pos += 1


def _quoted(value: str, pos: int) -> tuple[str, int]:
    parts: list[str] = []
    start = pos
    while True:
        ch = value[pos : pos + 1]
        if ch == '"':
            parts.append(value[start:pos])
            return "".join(parts), pos + 1
        if ch == "\\":
            parts.append(value[start:pos])
            start = pos + 1
            pos += 1
        if pos >= len(value):
            raise ValueError("an array is cut off")
        pos += 1
