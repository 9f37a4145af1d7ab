"""ALTER TABLE -> edits on a `model.Table`.

The server resolves the names in CHANGE, MODIFY, DROP and RENAME COLUMN against the table as it was before the
statement; `exact` mode applies them one after the other, as the reference does.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.columns import Definition, column_definition, definition, with_charset
from headwater.ddl.create import TableBuilder, settle_keys, table_element, table_option
from headwater.ddl.cursor import Cursor
from headwater.ddl.defaults import parse_default
from headwater.ddl.model import Session
from headwater.errors import DdlError
from headwater.model import Column, Table, TableId


@dataclass(slots=True)
class Entry:
    """A column while the statement is applied, and its name before it (None: added)."""

    column: Column
    before: str | None


class Alteration:
    """One ALTER TABLE in progress."""

    def __init__(self, table: Table, session: Session) -> None:
        self.session = session
        self.id = table.id
        self.new_id: TableId | None = None
        self._entries = [Entry(c, c.name.lower()) for c in table.columns]
        self._key = list(table.primary_key)
        self._builder = TableBuilder(table.id, session)
        self._builder.charset = table.charset
        self._builder.comment = table.comment
        self._attributes = table.attributes
        self._keyless = not table.primary_key
        self._new_primary: list[str] | None = None
        self._own_unique: set[str] = set()

    # -- looking up

    def _find(self, name: str, what: str) -> Entry:
        wanted = name.lower()
        if not self.session.exact:
            for e in self._entries:
                if e.before == wanted:
                    return e
        for e in self._entries:
            if e.column.name.lower() == wanted:
                return e
        raise DdlError(f"Trying to {what} column {name}, which {self.id} does not have")

    def _has(self, name: str) -> bool:
        return any(e.column.name.lower() == name.lower() for e in self._entries)

    def _place(self, c: Cursor, entry: Entry) -> None:
        """FIRST or AFTER behind a definition; a new column without either goes to the end."""
        if c.accept("FIRST"):
            self._entries.remove(entry)
            self._entries.insert(0, entry)
        elif c.accept("AFTER"):
            name = c.column_name().lower()
            self._entries.remove(entry)
            at = next((i for i, e in enumerate(self._entries) if e.column.name.lower() == name), None)
            if at is None:
                raise DdlError(f"a column is put after {name}, which {self.id} does not have")
            self._entries.insert(at + 1, entry)

    # -- actions

    def action(self, c: Cursor) -> None:
        """One clause."""
        if c.accept("ADD"):
            self._add(c)
        elif c.accept("CHANGE"):
            self._change(c)
        elif c.accept("MODIFY"):
            self._modify(c)
        elif c.accept("DROP"):
            self._drop(c)
        elif c.accept("RENAME"):
            self._rename(c)
        elif c.is_any("ALTER") and not c.is_word("ALTER", "INDEX") and not c.is_word("ALTER", "CHECK"):
            c.next()
            self._alter_column(c)
        elif c.accept("CONVERT", "TO"):
            self._convert(c)
        else:
            charset = self._builder.charset
            if not table_option(c, self._builder):
                c.skip_item()
            elif self.session.exact:
                self._builder.charset = charset  # the reference overlooks the table's new default

    def _add(self, c: Cursor) -> None:
        explicit = c.accept("COLUMN")
        exists = c.accept("IF", "NOT", "EXISTS")
        if c.is_symbol("("):
            c.next()
            while not c.accept_symbol(")"):
                if not table_element(c, self._builder):
                    self._add_column(c, exists)
                c.skip_to_comma()
                c.accept_symbol(",")
            return
        if not explicit and c.is_any("PARTITION", "SYSTEM"):
            c.skip_item()
            return
        if not explicit and self._add_key(c):
            return
        self._add_column(c, exists)

    def _add_key(self, c: Cursor) -> bool:
        before = len(self._builder.primary), len(self._builder.uniques)
        self._builder.primary = []
        if not table_element(c, self._builder):
            return False
        if self._builder.primary:
            self._key, self._new_primary = list(self._builder.primary), list(self._builder.primary)
        return before is not None

    def _add_column(self, c: Cursor, if_missing: bool) -> None:
        d = column_definition(c, self.session)
        if if_missing and self._has(d.column.name):
            return
        entry = Entry(d.column, None)
        self._entries.append(entry)
        self._place(c, entry)
        self._own_keys(d)

    def _own_keys(self, d: Definition) -> None:
        if d.primary:
            self._key = self._new_primary = [d.column.name]
        if d.unique:
            self._builder.uniques.append([d.column.name])
            self._own_unique.add(d.column.name.lower())

    def _change(self, c: Cursor) -> None:
        c.accept("COLUMN")
        optional = c.accept("IF", "EXISTS")
        old = c.column_name()
        d = column_definition(c, self.session)
        if optional and not self._has(old):
            return
        self._replace(c, self._find(old, "change"), d)

    def _modify(self, c: Cursor) -> None:
        c.accept("COLUMN")
        optional = c.accept("IF", "EXISTS")
        name = c.column_name()
        d = definition(c, self.session, name)
        if optional and not self._has(name):
            return
        self._replace(c, self._find(name, "modify"), d)

    def _replace(self, c: Cursor, entry: Entry, d: Definition) -> None:
        self._rename_key(entry.column.name, d.column.name)
        if not self.session.exact and d.column.name.lower() == entry.column.name.lower():
            d.column = d.column.with_(name=d.column.name)
        entry.column = d.column
        self._place(c, entry)
        self._own_keys(d)

    def _rename_key(self, old: str, new: str) -> None:
        self._key = [new if n.lower() == old.lower() else n for n in self._key]

    def _drop(self, c: Cursor) -> None:
        if c.accept("PRIMARY", "KEY"):
            self._key, self._new_primary = [], None
            self._builder.primary = []
            return
        if c.is_any("INDEX", "KEY", "FOREIGN", "CHECK", "CONSTRAINT", "PARTITION", "SYSTEM", "PERIOD") and not (
            c.peek().text == "," or c.peek().text == ""
        ):
            c.skip_to_comma()
            return
        c.accept("COLUMN")
        optional = c.accept("IF", "EXISTS")
        name = c.column_name()
        c.accept("RESTRICT") or c.accept("CASCADE")
        if optional and not self._has(name):
            return
        entry = self._find(name, "drop")
        self._entries.remove(entry)
        self._key = [n for n in self._key if n.lower() != entry.column.name.lower()]

    def _rename(self, c: Cursor) -> None:
        if c.accept("COLUMN"):
            optional = c.accept("IF", "EXISTS")
            old = c.column_name()
            if not c.accept("TO"):
                c.fail("TO")
            new = c.column_name()
            if optional and not self._has(old):
                return
            entry = self._find(old, "rename")
            self._rename_key(entry.column.name, new)
            entry.column = entry.column.with_(name=new)
        elif c.is_any("INDEX", "KEY") and c.peek(2).upper == "TO":
            c.skip_to_comma()
        else:
            c.accept("TO") or c.accept("AS") or c.accept_symbol("=")
            self.new_id = c.table_id()

    def _alter_column(self, c: Cursor) -> None:
        c.accept("COLUMN")
        c.accept("IF", "EXISTS")
        name = c.column_name()
        entry = self._find(name, "alter")
        if c.accept("SET", "DEFAULT"):
            has, expression = parse_default(c, entry.column, self.session)
            entry.column = entry.column.with_(has_default=has, default_expression=expression)
        elif c.accept("DROP", "DEFAULT"):
            entry.column = entry.column.with_(has_default=False, default_expression=None)
        else:
            c.skip_to_comma()  # SET VISIBLE, SET INVISIBLE

    def _convert(self, c: Cursor) -> None:
        c.accept("CHARACTER", "SET") or c.accept("CHAR", "SET") or c.accept("CHARSET")
        charset = c.next().text
        if charset.upper() == "DEFAULT":
            charset = self.session.charset_of(self.id.catalog)
        if c.accept("COLLATE"):
            c.accept_symbol("=")
            c.next()
        self._builder.charset = charset
        for e in self._entries:
            if e.column.charset and e.column.charset.lower() != "binary":
                e.column = e.column.with_(charset=charset)

    # -- the end

    def result(self) -> Table:
        """The altered table."""
        charset = self._builder.charset
        columns = [with_charset(e.column, charset) for e in self._entries]
        table = Table(self.new_id or self.id, (), tuple(self._key), charset, self._builder.comment, self._attributes)
        table = table.with_(columns=columns)
        if self._new_primary is not None:
            return settle_keys(table, self._key, [])
        if self._key or not (self._keyless or self._builder.uniques):
            return table.with_(columns=_required(table))
        nullable: set[str] = self._own_unique if self.session.exact else set()
        return settle_keys(table, [], self._builder.uniques, nullable)


def _required(table: Table) -> list[Column]:
    """Columns with those of the key required, as a primary key makes them."""
    keys = {n.lower() for n in table.primary_key}
    return [c.with_(optional=False) if c.name.lower() in keys and c.optional else c for c in table.columns]


def alter_table(c: Cursor, table: Table, session: Session) -> Table:
    """Applies the clauses that follow the table's name."""
    alteration = Alteration(table, session)
    while not c.at_end:
        alteration.action(c)
        while not (c.at_end or c.is_symbol(",")):
            c.skip_item()
        c.accept_symbol(",")
    return alteration.result()
