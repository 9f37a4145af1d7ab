"""Which tables and columns are captured, and which columns make the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headwater.config.patterns import compile_regex
from headwater.model import TableId

BUILTIN_DATABASES = frozenset(("mysql", "performance_schema", "sys", "information_schema"))
BUILTIN_SCHEMAS = frozenset(("pg_catalog", "information_schema"))


class TableFilter:
    """Answers per table, with a cache. `family` is `mysql` (databases) or `postgres` (schemas)."""

    def __init__(self, config: Mapping[str, Any], family: str) -> None:
        self._family = family
        self._level = "database" if family == "mysql" else "schema"
        self._in = config.get(f"{self._level}.include.list")
        self._out = config.get(f"{self._level}.exclude.list")
        self._tables_in = config.get("table.include.list")
        self._tables_out = config.get("table.exclude.list")
        self._snapshot = config.get("snapshot.include.collection.list")
        self._ignore_builtin = bool(config.get("table.ignore.builtin", True))
        self._signals = [s.lower() for s in config.get("signal.data.collection") or []]
        self._cache: dict[TableId, bool] = {}

    def includes(self, table: TableId) -> bool:
        """Whether a table's changes are captured."""
        known = self._cache.get(table)
        if known is None:
            known = self._cache[table] = self._decide(table)
        return known

    def _decide(self, table: TableId) -> bool:
        name = str(table)
        if name.lower() in self._signals:
            return True
        group = (table.catalog if self._family == "mysql" else table.schema) or ""
        if self._ignore_builtin and self._is_builtin(group, table.table):
            return False
        if not self._group(group):
            return False
        if self._tables_in:
            return bool(self._tables_in.matches(name))
        return not (self._tables_out and self._tables_out.matches(name))

    def _is_builtin(self, group: str, table: str) -> bool:
        if self._family == "mysql":
            return group.lower() in BUILTIN_DATABASES
        return group in BUILTIN_SCHEMAS or group.startswith("pg_temp") or table == "spatial_ref_sys"

    def _group(self, name: str) -> bool:
        if self._in:
            return bool(self._in.matches(name))
        return not (self._out and self._out.matches(name))

    def includes_database(self, name: str) -> bool:
        """Whether the database (or schema) lists keep a database; table lists are not looked at."""
        return self._group(name)

    def is_builtin_database(self, name: str) -> bool:
        """Whether a database is the server's own (and such are ignored)."""
        return self._ignore_builtin and name.lower() in BUILTIN_DATABASES

    def snapshots(self, table: TableId) -> bool:
        """Whether a captured table's rows are read by a snapshot."""
        if str(table).lower() in self._signals:
            return False
        return not self._snapshot or self._snapshot.matches(str(table)) or self._snapshot.matches(table.quoted())

    def list_index(self, table: TableId) -> int:
        """The place of a table in `table.include.list`, for ordering; 0 without a list."""
        if not self._tables_in:
            return 0
        index = self._tables_in.index(str(table))
        return len(self._tables_in.parts) if index is None else index


class ColumnFilter:
    """Whether a column is in the events, by `<database or schema>.<table>.<column>`."""

    def __init__(self, config: Mapping[str, Any], family: str) -> None:
        self._in = config.get("column.include.list")
        self._out = config.get("column.exclude.list")

    def includes(self, table: TableId, column: str) -> bool:
        name = f"{table}.{column}"
        if self._in:
            return bool(self._in.matches(name))
        return not (self._out and self._out.matches(name))


class KeyColumns:
    """`message.key.columns`: columns that make the key of matching tables."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._rules: list[tuple[re.Pattern[str], list[str]]] = []
        for entry in str(config.get("message.key.columns") or "").split(";"):
            table, sep, columns = entry.strip().rpartition(":")
            if sep:
                names = [c.strip() for c in columns.split(",")]
                self._rules.append((compile_regex(table.strip()), names))

    def columns(self, table: TableId) -> list[str] | None:
        """The key's columns in the order of the rules; None where no rule matches."""
        out: list[str] = []
        for pattern, names in self._rules:
            if pattern.fullmatch(str(table)):
                out.extend(n for n in names if n not in out)
        return out or None
