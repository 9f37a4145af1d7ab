"""Statements -> changes: which statement it is, and what it does to the tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.ddl.alter import Alteration
from headwater.ddl.create import create_table
from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.databases import database_key, database_statement, set_statement, use_statement
from headwater.ddl.filter import is_filtered
from headwater.ddl.keys import PRIMARY, keys_of
from headwater.ddl.lexer_cy import WORD, tokenize
from headwater.ddl.mentions import mentioned, touches_tables
from headwater.ddl.model import Change, Session, StatementError
from headwater.ddl.redact import has_secret, redact, shorten
from headwater.ddl.renames import read_pairs, rename
from headwater.errors import DdlError
from headwater.model import Table, TableId, Tables

_CREATE = re.compile(r"^\s*create\s+", re.IGNORECASE)
_SILENT = frozenset(("", "BEGIN", "END", "COMMIT", "ROLLBACK", "XA", "SAVEPOINT", "RELEASE", "START"))
# Objects without rows, whatever words stand before them.
_OBJECTS = frozenset(("VIEW", "FUNCTION", "PROCEDURE", "TRIGGER", "EVENT", "USER", "ROLE", "PACKAGE"))
_HEADS = frozenset(("ALGORITHM", "DEFINER", "SQL", "AGGREGATE"))


class Statement:
    """One statement being applied."""

    def __init__(self, sql: str, cursor: Cursor, tables: Tables, session: Session) -> None:
        self.sql = sql
        # What is published of a statement about a table.
        self.text = sql
        self.c = cursor
        self.tables = tables
        self.session = session

    def apply(self) -> list[Change]:
        """The changes it makes."""
        c = self.c
        if self.session.exact:
            self.text = c.parsed_text()
        if c.accept("SET", "STATEMENT"):
            while not (c.at_end or c.accept("FOR")):
                c.skip_item()
        word = c.key if c.kind == WORD else ""
        handler = _HANDLERS.get(word)
        if handler is not None:
            c.next()
            return handler(self)
        if word in _SILENT or (word == "FLUSH" and c.peek() == "PRIVILEGES"):
            return []
        return self._foreign()

    def _other(self, kind: str = "other") -> list[Change]:
        """A statement that is recorded and changes no table."""
        return [Change.of_database(kind, self.session.database, self.sql)]

    def _foreign(self) -> list[Change]:
        """A statement that is not about tables. Accounts and servers have passwords; a topic is no place for them."""
        if not self.session.exact and has_secret(self.sql):
            self.sql = redact(self.sql)
        return self._other()

    def _charset(self, table_id: TableId) -> str:
        """The character set of a table's database."""
        return self.session.charset_of(database_key(table_id.catalog or "", self.tables))

    def _altered(self, table: Table) -> list[Change]:
        self.tables.put(table)
        return [Change("alter_table", table.id.catalog, self.text, (table.id,), "ALTER", table)]

    # -- CREATE

    def create(self) -> list[Change]:
        c = self.c
        replace = c.accept("OR", "REPLACE")
        if c.accept("TEMPORARY"):
            return []
        if c.accept("DATABASE") or c.accept("SCHEMA"):
            return [database_statement(c, "create_database", self.sql, self.tables, self.session)]
        if c.accept("TABLE"):
            return self._create_table(replace)
        if c.accept("UNIQUE", "INDEX"):
            return self._unique_index()
        if c.key in ("INDEX", "FULLTEXT", "SPATIAL", "VECTOR"):
            return self._other("index")
        return self._object()

    def _object(self) -> list[Change]:
        """A view, routine, trigger, event or account leaves no trace; anything else is recorded."""
        c = self.c
        if c.key in _HEADS:
            while not (c.at_end or c.key in _OBJECTS):
                c.skip_item()
        return [] if c.key in _OBJECTS else self._foreign()

    def _create_table(self, replace: bool) -> list[Change]:
        c = self.c
        if_missing = c.accept("IF", "NOT", "EXISTS")
        table_id = c.table_id()
        # The server would have refused to create a table that is there: then the model is out of date.
        if table_id in self.tables and (self.session.exact or (if_missing and not replace)):
            return self._other()
        like = self._like()
        if like is not None:
            original = self.tables.get(like)
            if original is None:
                return self._other()
            table = original.with_(id=table_id)
        else:
            table = self._defined(table_id)
        self.tables.put(table)
        return [Change("create_table", table_id.catalog, self.text, (table_id,), "CREATE", table)]

    def _like(self) -> TableId | None:
        c = self.c
        return c.table_id() if c.accept("LIKE") or c.accept("(", "LIKE") else None

    def _defined(self, table_id: TableId) -> Table:
        table = create_table(self.c, table_id, self.session, self._charset(table_id))
        if table is None:
            raise DdlError("the table's columns come from a query, which the log does not show")
        return table

    def _unique_index(self) -> list[Change]:
        c = self.c
        c.accept("IF", "NOT", "EXISTS")
        name = c.name()
        while not (c.at_end or c.key == "ON"):
            c.next()
        c.expect("ON")
        table_id = c.table_id()
        parts = c.key_parts()
        table = self.tables.get(table_id)
        if table is None:
            return self._other("index")
        if self.session.exact:  # the reference's text lacks its first word
            self.text = _CREATE.sub("", self.text)
        keys = keys_of(table, exact=self.session.exact)
        keys.add_unique(name, parts.columns if parts else [], prefixed=parts is not None and parts.prefixed)
        settled = keys.settle(table.columns)
        return self._altered(table.with_(primary_key=settled.key, attributes=settled.attributes))

    # -- ALTER

    def alter(self) -> list[Change]:
        c = self.c
        if c.accept("DATABASE") or c.accept("SCHEMA"):
            return [database_statement(c, "alter_database", self.sql, self.tables, self.session)]
        if not c.accept("ONLINE"):
            c.accept("OFFLINE")
        c.accept("IGNORE")
        if not c.accept("TABLE"):
            return self._object()
        c.accept("IF", "EXISTS")
        table_id = c.table_id()
        if c.accept("WAIT"):
            c.next()
        c.accept("NOWAIT")
        table = self.tables.get(table_id)
        if table is None:
            return self._other()
        alteration = Alteration(c, table, self.session, self._charset(table.id))
        alteration.read()
        return self._altered_by(alteration, table)

    def _altered_by(self, alteration: Alteration, table: Table) -> list[Change]:
        altered = alteration.result()
        previous: TableId | None = None
        if altered.id != table.id:
            self.tables.remove(table.id)
            previous = None if self.session.exact else table.id
        self.tables.put(altered)
        out = [Change("alter_table", altered.id.catalog, self.text, (altered.id,), "ALTER", altered, previous)]
        if alteration.detached is not None:
            detached = table.with_(id=alteration.detached)
            self.tables.put(detached)
            out.append(Change("create_table", detached.id.catalog, self.text, (detached.id,), "CREATE", detached))
        if alteration.absorbed is not None and self.tables.remove(alteration.absorbed):
            out.append(Change.dropped(alteration.absorbed, self.text))
        return out

    # -- DROP, RENAME, TRUNCATE

    def drop(self) -> list[Change]:
        c = self.c
        if c.accept("DATABASE") or c.accept("SCHEMA"):
            return [database_statement(c, "drop_database", self.sql, self.tables, self.session)]
        if c.accept("TEMPORARY"):
            return []
        if c.accept("INDEX"):
            return self._drop_index()
        if not (c.accept("TABLE") or c.accept("TABLES")):
            return self._object()
        optional = "IF EXISTS " if c.accept("IF", "EXISTS") else ""
        ids = [c.table_id()]
        while c.accept(","):
            ids.append(c.table_id())
        out = []
        for i, table_id in enumerate(ids):
            self.tables.remove(table_id)
            text = f"DROP TABLE {optional}{table_id.quoted('`')}"
            others = (*ids[:i], *ids[i + 1 :])
            out.append(Change("drop_table", table_id.catalog, text, (table_id, *others), "DROP"))
        return out

    def _drop_index(self) -> list[Change]:
        """An index that leaves; the record key may go with it."""
        c = self.c
        c.accept("IF", "EXISTS")
        name = c.name()
        c.expect("ON")
        table = self.tables.get(c.table_id())
        if table is None or self.session.exact:
            return self._other("index")
        keys = keys_of(table, exact=False)
        keys.drop_index(name)
        settled = keys.settle(table.columns)
        changed = table.with_(primary_key=settled.key, attributes=settled.attributes)
        if changed == table and name.upper() != PRIMARY:
            return self._other("index")
        return self._altered(changed)

    def rename(self) -> list[Change]:
        c = self.c
        if not (c.accept("TABLE") or c.accept("TABLES")):
            return []
        c.accept("IF", "EXISTS")
        return rename(read_pairs(c), self.tables, exact=self.session.exact)

    def truncate(self) -> list[Change]:
        c = self.c
        c.accept("TABLE")
        table_id = c.table_id()
        return [Change("truncate", table_id.catalog, self.sql, (table_id,))]

    # -- the session

    def set(self) -> list[Change]:
        return [set_statement(self.c, self.sql, self.tables, self.session)]

    def use(self) -> list[Change]:
        return [use_statement(self.c, self.sql, self.session)]


_HANDLERS: dict[str, Callable[[Statement], list[Change]]] = {
    "CREATE": Statement.create, "ALTER": Statement.alter, "DROP": Statement.drop, "RENAME": Statement.rename,
    "TRUNCATE": Statement.truncate, "SET": Statement.set, "USE": Statement.use,
}  # fmt: skip


def apply(sql: str, tables: Tables, session: Session) -> list[Change]:
    """Applies a statement to `tables` and `session`; the changes to publish.

    Nothing is changed where it raises. Statements that touch no table model never raise. Raises StatementError,
    with `table_ids` naming the tables it mentions, for one that does and is not understood.
    """
    if is_filtered(sql):
        return []
    try:
        tokens = tokenize(sql, ansi_quotes=session.ansi_quotes, mariadb=session.mariadb,
                          no_backslash_escapes=session.no_backslash_escapes, version=session.version_number)  # fmt: skip
        return Statement(sql.strip().rstrip(";"), Cursor(tokens, session.database), tables, session).apply()
    except DdlError as e:
        if not touches_tables(sql, session):
            return [Change.of_database("other", session.database, redact(sql))]
        offset = getattr(e, "offset", 0)
        raise StatementError(str(e), shorten(sql, offset), mentioned(sql, session)) from e
