"""RENAME TABLE: one change a pair, each with the table as it is after the whole statement."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.model import Change
from headwater.model import TableId, Tables


@dataclass(frozen=True, slots=True)
class Pair:
    """`old TO new`, and the text of the statement for it alone."""

    old: TableId
    new: TableId
    text: str


def read_pairs(c: Cursor) -> list[Pair]:
    """`a TO b, c TO d`. Raises SyntaxProblem."""
    pairs: list[Pair] = []
    while True:
        start = c.start
        old = c.table_id()
        if c.accept("WAIT"):
            c.next()
        c.accept("NOWAIT")
        c.expect("TO")
        new = c.table_id()
        pairs.append(Pair(old, new, "RENAME TABLE " + c.sql[start : c.behind]))
        if not c.accept(","):
            return pairs


def rename(pairs: list[Pair], tables: Tables, *, exact: bool) -> list[Change]:
    """Renames the tables one after the other."""
    known = [p.old in tables for p in pairs]
    for pair in pairs:
        table = tables.remove(pair.old)
        if table is not None:
            tables.put(table.with_(id=pair.new))
    names = tuple(p.new for p in pairs)
    out = []
    for i, pair in enumerate(pairs):
        ids = (pair.new, *names[:i], *names[i + 1 :])
        table = tables.get(pair.new)
        if table is not None:
            out.append(Change("rename_table", pair.new.catalog, pair.text, ids, "ALTER", table, pair.old))
        elif known[i] and pair.old not in tables and not exact:
            # A name only passed through, and nobody has the old one: a history must forget it.
            out.append(Change("rename_table", pair.new.catalog, pair.text, (pair.old, *ids), "DROP"))
        else:
            out.append(Change("rename_table", pair.new.catalog, pair.text, ids, None, None, pair.old))
    return out
