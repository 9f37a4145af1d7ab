"""MariaDB's system versioning: the columns and key parts it adds to a table.

A versioned table without period columns of its own has two hidden ones, `row_start` and `row_end`, which
stand last in every row of the log. The end of the period is part of the primary key.
https://mariadb.com/kb/en/system-versioned-tables/
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.ddl.columns import Draft, moved
from headwater.model import Column, Table

ATTRIBUTE = "headwater.versioning"
ROW_START, ROW_END = "row_start", "row_end"


@dataclass(slots=True)
class Versioning:
    """Whether a table is versioned, and by which columns. `end` is the column that ends the period."""

    enabled: bool = False
    start: str = ""
    end: str = ""
    hidden: bool = False

    @classmethod
    def of(cls, table: Table) -> Versioning:
        """The versioning of a table in the model."""
        stored = dict(table.attributes).get(ATTRIBUTE)
        if stored is None:
            return cls()
        if stored == "hidden":
            return cls(True, ROW_START, ROW_END, True)
        start, _, end = stored.partition("\n")
        return cls(True, start, end)

    def declare(self, drafts: Sequence[Draft]) -> None:
        """Takes the period columns, and columns' own wish for versioning, from definitions."""
        for draft in drafts:
            if draft.period == "START":
                self.start = draft.name
            elif draft.period == "END":
                self.end = draft.name
            self.enabled = self.enabled or draft.versioned
        if self.enabled and not self.end:
            self.start, self.end, self.hidden = ROW_START, ROW_END, True

    def complete(self, columns: list[Column]) -> list[Column]:
        """Columns with the hidden ones behind them."""
        if not self.hidden:
            return columns
        visible = [c for c in columns if c.name not in (ROW_START, ROW_END)]
        visible = [c if c.position == i else moved(c, i) for i, c in enumerate(visible, 1)]
        count = len(visible)
        return visible + [_hidden(n, count + i) for i, n in enumerate((ROW_START, ROW_END), 1)]

    def key(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """A key with the period's end."""
        if not (self.enabled and key) or self.end in key:
            return key
        return (*key, self.end)

    def attributes(self, attributes: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """A table's attributes with this one."""
        others = tuple(a for a in attributes if a[0] != ATTRIBUTE)
        if not self.enabled:
            return others
        return (*others, (ATTRIBUTE, "hidden" if self.hidden else f"{self.start}\n{self.end}"))


def _hidden(name: str, position: int) -> Column:
    return Column(name, 2014, "TIMESTAMP", "TIMESTAMP", None, None, 6, None, position, False)
