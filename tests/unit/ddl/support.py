"""Short forms for statements and what they leave."""

from __future__ import annotations

from typing import Any

from headwater import ddl
from headwater.model import Column, Table, TableId, Tables


class Model:
    """Tables and a session; statements run in the database `d`."""

    def __init__(self, *statements: str, case_insensitive: bool = False, **options: Any) -> None:
        self.tables = Tables(case_insensitive=case_insensitive)
        self.session = ddl.Session(database="d", **options)
        self.changes: list[ddl.Change] = []
        for sql in statements:
            self.run(sql)

    def run(self, sql: str) -> list[ddl.Change]:
        self.changes = ddl.apply(sql, self.tables, self.session)
        return self.changes

    def table(self, name: str = "t", database: str = "d") -> Table:
        found = self.tables.get(TableId(database, None, name))
        assert found is not None, f"{database}.{name} is not in the model"
        return found

    def column(self, name: str, table: str = "t") -> Column:
        found = self.table(table).column(name)
        assert found is not None
        return found

    def names(self, table: str = "t") -> list[str]:
        return [c.name for c in self.table(table).columns]

    def ids(self) -> list[str]:
        return sorted(str(t.id) for t in self.tables)


def column(definition: str, **options: Any) -> Column:
    """The column of `CREATE TABLE t (x …)`."""
    return Model(f"CREATE TABLE t (x {definition}, other INT)", **options).column("x")
