"""Table models: what the connector knows of each table at one point of the log.

`Column` and `Table` are immutable and hold the facts of the reference's schema history documents,
so that a history record is a plain rendering of them. Editing makes a new `Table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class TableId(NamedTuple):
    """Names a table. MySQL and MariaDB use `catalog` (the database), PostgreSQL `schema`."""

    catalog: str | None
    schema: str | None
    table: str

    def __str__(self) -> str:
        """Dotted form, as filters and topics use it: `db.table` or `schema.table`."""
        return ".".join(p for p in self if p is not None)

    def quoted(self, quote: str = '"') -> str:
        """Dotted form with each part quoted; the quote inside a name is doubled."""
        return ".".join(quote + p.replace(quote, quote * 2) + quote for p in self if p is not None)

    def lower(self) -> TableId:
        catalog, schema, table = self
        return TableId(catalog and catalog.lower(), schema and schema.lower(), table.lower())


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `position` starts at 1; `length` and `scale` are None where not declared.

    `jdbc_type` is java.sql.Types' number; `type_name` and `type_expression` are the DDL's upper-case
    words; `default_expression` is meaningful only with `has_default` (None then means DEFAULT NULL).
    `enum_values` keeps each option as written in the DDL, quotes included.
    """

    name: str
    jdbc_type: int
    type_name: str
    type_expression: str | None = None
    native_type: int | None = None
    charset: str | None = None
    length: int | None = None
    scale: int | None = None
    position: int = 0
    optional: bool = True
    auto_incremented: bool = False
    generated: bool = False
    comment: str | None = None
    has_default: bool = False
    default_expression: str | None = None
    enum_values: tuple[str, ...] = ()

    def with_(self, **changes: object) -> Column:
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Table:
    """One version of a table: columns in order, key column names in key order."""

    id: TableId
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    charset: str | None = None
    comment: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._index.update({c.name.lower(): i for i, c in enumerate(self.columns)})

    def index(self, name: str) -> int | None:
        """Position (from 0) of a column by name, case-insensitive; None if there is none."""
        return self._index.get(name.lower())

    def column(self, name: str) -> Column | None:
        i = self.index(name)
        return None if i is None else self.columns[i]

    @property
    def key_columns(self) -> tuple[Column, ...]:
        return tuple(c for n in self.primary_key if (c := self.column(n)) is not None)

    def with_(self, **changes: object) -> Table:
        """A copy with changes; columns get their positions (from 1) anew."""
        if "columns" in changes:
            columns: Iterable[Column] = changes["columns"]  # type: ignore[assignment]
            changes["columns"] = tuple(c if c.position == i else replace(c, position=i) for i, c in enumerate(columns, 1))
        return replace(self, **changes)  # type: ignore[arg-type]


class Tables:
    """All known tables. Names compare case-insensitively when `case_insensitive`."""

    def __init__(self, tables: Iterable[Table] = (), *, case_insensitive: bool = False) -> None:
        self.case_insensitive = case_insensitive
        self._tables: dict[TableId, Table] = {}
        for t in tables:
            self.put(t)

    def _key(self, table_id: TableId) -> TableId:
        return table_id.lower() if self.case_insensitive else table_id

    def get(self, table_id: TableId) -> Table | None:
        return self._tables.get(self._key(table_id))

    def put(self, table: Table) -> None:
        self._tables[self._key(table.id)] = table

    def remove(self, table_id: TableId) -> Table | None:
        return self._tables.pop(self._key(table_id), None)

    def remove_database(self, catalog: str) -> list[Table]:
        """Forgets every table of a database and returns them."""
        name = catalog.lower() if self.case_insensitive else catalog
        gone = [k for k in self._tables if k.catalog == name]
        return [self._tables.pop(k) for k in gone]

    def clear(self) -> None:
        self._tables.clear()

    def __contains__(self, table_id: object) -> bool:
        return isinstance(table_id, TableId) and self._key(table_id) in self._tables

    def __iter__(self) -> Iterator[Table]:
        return iter(list(self._tables.values()))

    def __len__(self) -> int:
        return len(self._tables)
