"""ALTER TABLE: reads the clauses, has them carried out, and makes the altered `model.Table`."""

from __future__ import annotations

from collections.abc import Callable

from headwater.ddl import edits
from headwater.ddl.columns import Draft, column_definition, definition, imply_timestamp, moved
from headwater.ddl.create import Options, key_element, table_option
from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.datatypes import accept_charset_words
from headwater.ddl.defaults import parse_set_default
from headwater.ddl.keys import PRIMARY, keys_of
from headwater.ddl.lexer_cy import END
from headwater.ddl.model import Session
from headwater.ddl.versioning import Versioning
from headwater.model import Column, Table, TableId

_INDEX = frozenset(("INDEX", "KEY"))
# What ALTER TABLE drops besides columns; those that are no reserved words may name a column, too.
_DROPPED = frozenset(("FOREIGN", "CHECK", "CONSTRAINT", "PARTITION", "INDEX", "KEY", "SYSTEM", "PERIOD"))
# Partition clauses stand alone and have lists of names of their own.
_PARTITIONS = frozenset((
    "ADD", "DROP", "TRUNCATE", "DISCARD", "IMPORT", "COALESCE", "REORGANIZE", "EXCHANGE", "ANALYZE", "CHECK",
    "OPTIMIZE", "REBUILD", "REPAIR",
))  # fmt: skip


class Alteration:
    """One ALTER TABLE being read."""

    def __init__(self, c: Cursor, table: Table, session: Session, charset: str) -> None:
        self._c = c
        self._table = table
        self._session = session
        self._database_charset = charset
        self._edits: list[edits.Edit] = []
        self._options = Options()
        self._versioning = Versioning() if session.exact else Versioning.of(table)
        self._period_dropped: tuple[str, ...] = ()
        self.new_id: TableId | None = None
        self.detached: TableId | None = None
        self.absorbed: TableId | None = None

    def read(self) -> None:
        """Reads all clauses. Raises SyntaxProblem."""
        c = self._c
        while not c.at_end:
            if c.key == "CONVERT" and c.peek() in ("PARTITION", "TABLE"):
                self._convert_partition()
                return
            if c.key in _PARTITIONS and c.peek() == "PARTITION":
                c.skip_all()
                return
            clause = _CLAUSES.get(c.key)
            if clause is not None:
                clause(self)
            # Options may follow each other without commas.
            while not (c.key == "," or c.at_end):
                if not table_option(c, self._session, self._options):
                    c.skip_item()
            c.accept(",")

    # -- clauses

    def _add(self) -> None:
        c = self._c
        c.next()
        if c.accept("SYSTEM", "VERSIONING"):
            self._versioning.enabled = not self._session.exact
            return
        explicit = c.accept("COLUMN")
        if_missing = c.accept("IF", "NOT", "EXISTS")
        if c.accept("("):
            self._add_list(if_missing)
        elif explicit or not self._add_key():
            self._add_column(if_missing)

    def _add_list(self, if_missing: bool) -> None:
        c = self._c
        while True:
            if not self._add_key():
                self._add_column(if_missing)
            c.skip_clause()
            if not c.accept(","):
                break
        c.expect(")")

    def _add_key(self) -> bool:
        element = key_element(self._c)
        if element is None:
            return False
        self._edits.append(element)
        return True

    def _add_column(self, if_missing: bool) -> None:
        draft = column_definition(self._c, self._session)
        self._timestamp(draft)
        self._edits.append(edits.AddColumn(draft, self._place(), if_missing))

    def _timestamp(self, draft: Draft) -> None:
        first = all(c.type_name != "TIMESTAMP" for c in self._table.columns)
        imply_timestamp(draft, self._session, first=first)

    def _place(self) -> str | None:
        """FIRST or AFTER behind a definition."""
        c = self._c
        if c.accept("FIRST"):
            return edits.FIRST
        if c.accept("AFTER"):
            return c.column_name()
        return None

    def _change(self) -> None:
        c = self._c
        c.next()
        c.accept("COLUMN")
        if_exists = c.accept("IF", "EXISTS")
        old = c.column_name()
        draft = column_definition(c, self._session)
        self._timestamp(draft)
        self._edits.append(edits.ChangeColumn(old, draft, self._place(), if_exists))

    def _modify(self) -> None:
        c = self._c
        c.next()
        c.accept("COLUMN")
        if_exists = c.accept("IF", "EXISTS")
        name = c.column_name()
        draft = definition(c, self._session, name)
        self._timestamp(draft)
        self._edits.append(edits.ChangeColumn(name, draft, self._place(), if_exists, "modify"))

    def _drop(self) -> None:
        c = self._c
        c.next()
        if c.accept("PRIMARY", "KEY"):
            self._edits.append(edits.DropKey(PRIMARY))
            return
        if c.key in _DROPPED and not (c.peek() == "," or c.peek_kind() == END):
            self._drop_other()
            return
        c.accept("COLUMN")
        if_exists = c.accept("IF", "EXISTS")
        name = c.column_name()
        self._edits.append(edits.DropColumn(name, if_exists or name in self._period_dropped))

    def _drop_other(self) -> None:
        c = self._c
        if c.accept("SYSTEM", "VERSIONING"):
            self._drop_versioning()
        elif c.key in _INDEX or c.key == "CONSTRAINT":
            c.next()
            c.accept("IF", "EXISTS")
            self._edits.append(edits.DropKey(c.name()))
        else:
            c.skip_clause()

    def _drop_versioning(self) -> None:
        if self._session.exact or not self._versioning.enabled:
            return
        # The server drops the period's columns with the versioning, and says so in the log.
        self._period_dropped = (self._versioning.start, self._versioning.end)
        self._edits += [edits.DropColumn(name, if_exists=True) for name in self._period_dropped]
        self._versioning = Versioning()

    def _rename(self) -> None:
        c = self._c
        c.next()
        if c.accept("COLUMN"):
            if_exists = c.accept("IF", "EXISTS")
            old = c.column_name()
            c.expect("TO")
            self._edits.append(edits.RenameColumn(old, c.column_name(), if_exists))
        elif c.key in _INDEX and c.peek(2) == "TO":
            c.next()
            old = c.name()
            c.expect("TO")
            self._edits.append(edits.RenameKey(old, c.name()))
        elif c.key in _INDEX and c.peek() == "IF":
            c.skip_clause()
        else:
            if not (c.accept("TO") or c.accept("AS")):
                c.accept("=")
            self.new_id = c.table_id()

    def _alter(self) -> None:
        c = self._c
        if c.peek() in ("INDEX", "KEY", "CHECK", "CONSTRAINT"):
            c.skip_clause()
            return
        c.next()
        c.accept("COLUMN")
        if_exists = c.accept("IF", "EXISTS")
        name = c.column_name()
        if c.accept("SET", "DEFAULT"):
            self._edits.append(edits.SetDefault(name, parse_set_default(c, self._session), if_exists))
        elif c.accept("DROP", "DEFAULT"):
            self._edits.append(edits.SetDefault(name, None, if_exists))

    def _convert(self) -> None:
        c = self._c
        c.next()
        if not (c.accept("TO") and accept_charset_words(c)):
            return
        c.accept("=")
        charset = c.next()
        if charset.upper() == "DEFAULT":
            charset = self._database_charset
        self._edits.append(edits.Convert(charset))
        self._options.charset = charset

    def _convert_partition(self) -> None:
        """MariaDB's CONVERT PARTITION TO TABLE and CONVERT TABLE TO PARTITION."""
        c = self._c
        c.next()
        if c.accept("TABLE"):
            self.absorbed = c.table_id()
        else:
            while not (c.at_end or c.accept("TO", "TABLE")):
                c.skip_item()
            self.detached = None if c.at_end else c.table_id()
        c.skip_all()

    def _order(self) -> None:
        """ORDER BY, whose columns are parted by commas as the clauses are."""
        c = self._c
        c.next()
        c.accept("BY")
        while not c.at_end:
            c.column_name()
            if not c.accept("ASC"):
                c.accept("DESC")
            if not (c.key == "," and (c.peek(2) in (",", "ASC", "DESC", ";") or c.peek_kind(2) == END)):
                return
            c.next()

    # -- the result

    def result(self) -> Table:
        """The altered table. Raises DdlError where a clause does not fit the table."""
        session, table = self._session, self._table
        work = edits.Workspace(table.id, session, keys_of(table, exact=session.exact))
        work.entries = [edits.Entry(c, c.name.lower()) for c in table.columns]
        (edits.in_text_order if session.exact else edits.as_the_server)(work, self._edits)
        charset = self._charset()
        columns: list[Column] = []
        for position, entry in enumerate(work.entries, 1):
            c = entry.column
            if isinstance(c, Draft):
                columns.append(c.column(charset, session, position))
            else:
                columns.append(c if c.position == position else moved(c, position))
        columns = self._versioned(columns)
        settled = work.keys.settle(columns)
        comment = table.comment if self._options.comment is None else self._options.comment
        return Table(
            self.new_id or table.id, tuple(settled.columns), self._versioning.key(settled.key), charset, comment,
            self._versioning.attributes(settled.attributes),
        )  # fmt: skip

    def _charset(self) -> str | None:
        converted = [e.charset for e in self._edits if isinstance(e, edits.Convert)]
        if self._session.exact:  # the reference overlooks the table's new default
            return converted[-1] if converted else self._table.charset
        return self._options.resolve(self._database_charset, self._table.charset)

    def _versioned(self, columns: list[Column]) -> list[Column]:
        if self._session.exact:
            return columns
        drafts = [e.draft for e in self._edits if isinstance(e, edits.AddColumn | edits.ChangeColumn)]
        if self._versioning.enabled or any(d.versioned for d in drafts):
            self._versioning.declare(drafts)
        return self._versioning.complete(columns)


_CLAUSES: dict[str, Callable[[Alteration], None]] = {
    "ADD": Alteration._add, "CHANGE": Alteration._change, "MODIFY": Alteration._modify, "DROP": Alteration._drop,
    "RENAME": Alteration._rename, "ALTER": Alteration._alter, "CONVERT": Alteration._convert,
    "ORDER": Alteration._order,
}  # fmt: skip
