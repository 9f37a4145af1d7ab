"""The keys of a table while a statement is applied, and the record key they give.

A table's record key is its primary key, else its first unique key whose columns cannot be null. `Keys` knows
all unique keys, so that it can say what remains when one goes; it keeps them among the table's attributes.
`ReferenceKeys` does what the reference does (`exact` mode), which forgets them after each statement.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from headwater.errors import DdlError
from headwater.model import Column, Table

ATTRIBUTE = "headwater.keys"
PRIMARY = "PRIMARY"


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome: columns with what the keys ask of them, the record key, the table's attributes."""

    columns: list[Column]
    key: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]


class KeyEdits(Protocol):
    """What statements do to keys. Names of columns and indexes compare case-insensitively."""

    def set_primary(self, columns: Sequence[str]) -> None: ...
    def drop_primary(self) -> None: ...
    def add_unique(self, name: str | None, columns: Sequence[str], *, own: bool = False, prefixed: bool = False) -> None: ...
    def add_index(self, name: str | None, column: str | None) -> None: ...
    def drop_index(self, name: str) -> None: ...
    def rename_index(self, old: str, new: str) -> None: ...
    def rename_column(self, old: str, new: str) -> None: ...
    def drop_column(self, name: str) -> None: ...
    def settle(self, columns: Sequence[Column]) -> Settled: ...


def keys_of(table: Table | None, *, exact: bool) -> KeyEdits:
    """The keys of a table that is altered, or of a new one (None)."""
    return ReferenceKeys(table) if exact else Keys(table)


def _same(name: str, other: str) -> bool:
    return name.lower() == other.lower()


def _by_name(columns: Sequence[Column]) -> dict[str, Column]:
    return {c.name.lower(): c for c in columns}


def _require(columns: Sequence[Column], names: Sequence[str], by_name: dict[str, Column]) -> list[Column]:
    """Columns with those of a primary key required and without a null default; `by_name` is kept in step."""
    out = list(columns)
    for name in names:
        c = by_name.get(name.lower())
        if c is not None and (c.optional or (c.has_default and c.default_expression is None)):
            required = c.with_(optional=False, has_default=c.default_expression is not None)
            out[out.index(c)] = by_name[name.lower()] = required
    return out


@dataclass(slots=True)
class UniqueKey:
    """A unique key. `columns` is empty where one of its parts is an expression."""

    name: str
    columns: list[str] = field(default_factory=list)
    prefixed: bool = False


class Keys:
    """All keys that decide the record key, as the server has them."""

    def __init__(self, table: Table | None = None) -> None:
        self._primary: list[str] | None = None
        self._unique: list[UniqueKey] = []
        self._names: set[str] = set()
        self._others: tuple[tuple[str, str], ...] = ()
        if table is not None:
            self._load(table)

    def _load(self, table: Table) -> None:
        stored = dict(table.attributes).get(ATTRIBUTE)
        self._others = tuple(a for a in table.attributes if a[0] != ATTRIBUTE)
        document = _stored(stored)
        if document.get("primary", True) and table.primary_key:
            self._primary = list(table.primary_key)
        for key in document.get("unique", ()):
            self._unique.append(UniqueKey(key["name"], list(key["columns"]), bool(key.get("prefixed"))))
        self._names.update(k.name.lower() for k in self._unique)

    def _name(self, wanted: str | None, column: str | None) -> str:
        """An index name: the one given, else the first column's with a number where it is taken."""
        if wanted is not None:
            name = wanted
        else:
            base = column or "functional_index"
            name, number = base, 2
            while name.lower() in self._names or _same(name, PRIMARY):
                name, number = f"{base}_{number}", number + 1
        self._names.add(name.lower())
        return name

    def set_primary(self, columns: Sequence[str]) -> None:
        self._primary = list(columns)

    def drop_primary(self) -> None:
        self._primary = None

    def add_unique(self, name: str | None, columns: Sequence[str], *, own: bool = False, prefixed: bool = False) -> None:
        given = self._name(name, columns[0] if columns else None)
        self._unique.append(UniqueKey(given, list(columns), prefixed))

    def add_index(self, name: str | None, column: str | None) -> None:
        self._name(name, column)

    def drop_index(self, name: str) -> None:
        if _same(name, PRIMARY):
            self.drop_primary()
        self._unique = [k for k in self._unique if not _same(k.name, name)]
        self._names.discard(name.lower())

    def rename_index(self, old: str, new: str) -> None:
        for key in self._unique:
            if _same(key.name, old):
                key.name = new
        self._names.discard(old.lower())
        self._names.add(new.lower())

    def rename_column(self, old: str, new: str) -> None:
        for columns in self._all():
            columns[:] = [new if _same(n, old) else n for n in columns]

    def drop_column(self, name: str) -> None:
        for columns in self._all():
            columns[:] = [n for n in columns if not _same(n, name)]
        self._unique = [k for k in self._unique if k.columns]
        self._primary = self._primary or None

    def _all(self) -> list[list[str]]:
        lists = [k.columns for k in self._unique]
        return lists if self._primary is None else [*lists, self._primary]

    def settle(self, columns: Sequence[Column]) -> Settled:
        by_name = _by_name(columns)
        if self._primary is not None:
            columns = _require(columns, self._primary, by_name)
        # The server keeps keys sorted: those that cannot be null in front, then those over whole columns.
        self._unique.sort(key=lambda k: (not _never_null(k, by_name), k.prefixed))
        key: Sequence[str] = ()
        if self._primary is not None:
            key = self._primary
        elif self._unique and _never_null(self._unique[0], by_name):
            key = self._unique[0].columns
        return Settled(list(columns), _existing(key, by_name), self._attributes())

    def _attributes(self) -> tuple[tuple[str, str], ...]:
        if not self._unique:
            return self._others
        unique: list[dict[str, Any]] = []
        for k in self._unique:
            unique.append({"name": k.name, "columns": k.columns} | ({"prefixed": True} if k.prefixed else {}))
        document = {"primary": self._primary is not None, "unique": unique}
        return (*self._others, (ATTRIBUTE, json.dumps(document, separators=(",", ":"))))


def _never_null(key: UniqueKey, by_name: dict[str, Column]) -> bool:
    members = [by_name.get(n.lower()) for n in key.columns]
    return bool(members) and all(m is not None and not m.optional for m in members)


def _existing(names: Sequence[str], by_name: dict[str, Column]) -> tuple[str, ...]:
    """Column names in the columns' own spelling."""
    return tuple(c.name for n in names if (c := by_name.get(n.lower())) is not None)


def _stored(text: str | None) -> dict[str, Any]:
    """The attribute's document. Raises DdlError for one this class did not write."""
    if text is None:
        return {}
    try:
        document = json.loads(text)
        valid = all(isinstance(k["name"], str) and all(isinstance(n, str) for n in k["columns"]) for k in document["unique"])
    except (ValueError, TypeError, KeyError) as e:
        raise DdlError(f"the table attribute {ATTRIBUTE} is malformed: {e!r}") from e
    if not valid:
        raise DdlError(f"the table attribute {ATTRIBUTE} is malformed")
    return dict(document)


class ReferenceKeys:
    """Keys as the reference follows them.

    A column's own UNIQUE counts though it may be null; unique keys of earlier statements are not known, and
    primary keys come and go in text order.
    """

    def __init__(self, table: Table | None = None) -> None:
        self._key = list(table.primary_key) if table is not None else []
        self._attributes = table.attributes if table is not None else ()
        self._keyless = not self._key
        self._primary_set = False
        self._unique: list[tuple[list[str], bool]] = []

    def set_primary(self, columns: Sequence[str]) -> None:
        self._key, self._primary_set = list(columns), True

    def drop_primary(self) -> None:
        self._key, self._primary_set = [], False

    def add_unique(self, name: str | None, columns: Sequence[str], *, own: bool = False, prefixed: bool = False) -> None:
        if columns:
            self._unique.append((list(columns), own))

    def add_index(self, name: str | None, column: str | None) -> None:
        pass

    def drop_index(self, name: str) -> None:
        if _same(name, PRIMARY):
            self.drop_primary()

    def rename_index(self, old: str, new: str) -> None:
        pass

    def rename_column(self, old: str, new: str) -> None:
        self._key = [new if _same(n, old) else n for n in self._key]

    def drop_column(self, name: str) -> None:
        self._key = [n for n in self._key if not _same(n, name)]

    def settle(self, columns: Sequence[Column]) -> Settled:
        by_name = _by_name(columns)
        if self._primary_set:
            required = _require(columns, self._key, by_name)
            return Settled(required, _existing(self._key, by_name), self._attributes)
        if self._key or not (self._keyless or self._unique):
            return Settled(_require(columns, self._key, by_name), tuple(self._key), self._attributes)
        own = {names[0].lower() for names, is_own in self._unique if is_own}
        for names, _ in self._unique:
            members = [by_name.get(n.lower()) for n in names]
            alone = len(names) == 1 and names[0].lower() in own
            if all(m is not None and (alone or not m.optional) for m in members):
                return Settled(list(columns), _existing(names, by_name), self._attributes)
        return Settled(list(columns), (), self._attributes)
