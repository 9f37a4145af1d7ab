"""Statements -> changes: which statement it is, and what it does to the tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.ddl.alter import alter_table
from headwater.ddl.columns import collation_charset
from headwater.ddl.create import TableBuilder, settle_keys, table_body, table_options
from headwater.ddl.cursor import Cursor
from headwater.ddl.filter import is_filtered
from headwater.ddl.lexer_cy import NAME, STRING, SYMBOL, WORD, tokenize
from headwater.ddl.model import Change, Session
from headwater.errors import DdlError
from headwater.model import Table, TableId, Tables

_SECRET = re.compile(r"(IDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS)\s+(?:PASSWORD\s+)?|PASSWORD\s*(?:=|\()\s*)('[^']*'|\"[^\"]*\")",
                     re.IGNORECASE)  # fmt: skip
_TABLE_WORDS = ("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE")


class Statement:
    """One statement being applied."""

    def __init__(self, sql: str, cursor: Cursor, tables: Tables, session: Session) -> None:
        self.sql = sql
        self.c = cursor
        self.tables = tables
        self.session = session

    # -- dispatch

    def apply(self) -> list[Change]:
        """The changes it makes."""
        c = self.c
        if c.accept("SET", "STATEMENT"):
            while not (c.at_end or c.accept("FOR")):
                c.skip_item()
        handlers: dict[str, Callable[[], list[Change]]] = {
            "CREATE": self._create, "ALTER": self._alter, "DROP": self._drop, "RENAME": self._rename,
            "TRUNCATE": self._truncate, "SET": self._set, "USE": self._use,
        }  # fmt: skip
        word = c.token.upper if c.token.kind == WORD else ""
        if word not in handlers:
            return self._noise(word)
        c.next()
        return handlers[word]()

    def _noise(self, word: str) -> list[Change]:
        if word in ("BEGIN", "END", "COMMIT", "ROLLBACK", "") or self.c.is_word("FLUSH", "PRIVILEGES"):
            return []
        return self._other()

    def _other(self) -> list[Change]:
        return [Change.of_database("other", self.session.database, self.sql)]

    # -- CREATE

    def _create(self) -> list[Change]:
        c = self.c
        replace = c.accept("OR", "REPLACE")
        if c.accept("TEMPORARY"):
            return []
        if c.is_any("DATABASE", "SCHEMA"):
            c.next()
            return self._database("create_database")
        if c.is_any("TABLE"):
            c.next()
            return self._create_table(replace)
        if c.is_word("UNIQUE", "INDEX"):
            c.next()
            return self._unique_index()
        return self._other()

    def _create_table(self, replace: bool) -> list[Change]:
        c = self.c
        c.accept("IF", "NOT", "EXISTS")
        table_id = c.table_id()
        if table_id in self.tables and (self.session.exact or not replace):
            return self._other()
        like = self._like()
        table = self._copied(like, table_id) if like is not None else self._defined(table_id)
        if table is None:
            return self._other()
        self.tables.put(table)
        return [Change("create_table", table_id.catalog, self.sql, (table_id,), "CREATE", table)]

    def _like(self) -> TableId | None:
        c = self.c
        if c.accept("LIKE"):
            return c.table_id()
        if c.is_symbol("(") and c.peek().upper == "LIKE" and c.peek().kind == WORD:
            c.next()
            c.next()
            return c.table_id()
        return None

    def _copied(self, original: TableId, table_id: TableId) -> Table | None:
        known = self.tables.get(original)
        return known.with_(id=table_id) if known is not None else None

    def _defined(self, table_id: TableId) -> Table | None:
        c = self.c
        builder = TableBuilder(table_id, self.session)
        if c.is_symbol("(") and c.peek().upper not in ("SELECT", "WITH"):
            table_body(c, builder)
        table_options(c, builder)
        if not builder.definitions:
            raise DdlError("the table's columns come from a query, which the log does not show")
        return builder.build()

    def _unique_index(self) -> list[Change]:
        c = self.c
        c.next()
        c.accept("IF", "NOT", "EXISTS")
        while not (c.at_end or c.is_any("ON")):
            c.next()
        if not c.accept("ON"):
            return self._other()
        table_id = c.table_id()
        names = c.column_list() if c.is_symbol("(") else None
        table = self.tables.get(table_id)
        if table is None:
            return self._other()
        if names and not table.primary_key:
            table = settle_keys(table, [], [names])
            self.tables.put(table)
        text = re.sub(r"^\s*create\s+", "", self.sql, flags=re.IGNORECASE) if self.session.exact else self.sql
        return [Change("alter_table", table.id.catalog, text, (table.id,), "ALTER", table)]

    # -- databases

    def _database(self, kind: str) -> list[Change]:
        c = self.c
        c.accept("IF", "NOT", "EXISTS") or c.accept("IF", "EXISTS")
        name = self.session.database or ""
        options = ("DEFAULT", "CHARACTER", "CHARSET", "COLLATE", "ENCRYPTION", "READ", "COMMENT")
        if not c.at_end and (c.token.kind == NAME or (c.token.kind == WORD and c.token.upper not in options)):
            name = c.name()
        if kind == "drop_database":
            self.tables.remove_database(name)
            self.session.database_charsets.pop(name, None)
            return [Change.of_database(kind, name, self.sql)]
        charset = None
        while not c.at_end:
            if c.accept("CHARACTER", "SET") or c.accept("CHARSET") or c.accept("CHAR", "SET"):
                c.accept_symbol("=")
                charset = c.next().text
            elif c.accept("COLLATE"):
                c.accept_symbol("=")
                collation = c.next().text
                charset = charset or collation_charset(collation)
            else:
                c.skip_item()
        if charset is not None and charset.upper() != "DEFAULT":
            self.session.database_charsets[name] = charset
        elif kind == "create_database":
            self.session.database_charsets[name] = self.session.server_charset
        return [Change.of_database(kind, name, self.sql)]

    # -- ALTER

    def _alter(self) -> list[Change]:
        c = self.c
        if c.is_any("DATABASE", "SCHEMA"):
            c.next()
            return self._database("alter_database")
        c.accept("ONLINE") or c.accept("OFFLINE")
        c.accept("IGNORE")
        if not c.accept("TABLE"):
            return self._other()
        c.accept("IF", "EXISTS")
        table_id = c.table_id()
        if c.accept("WAIT"):
            c.next()
        c.accept("NOWAIT")
        table = self.tables.get(table_id)
        if table is None:
            return self._other()
        altered = alter_table(c, table, self.session)
        if altered.id != table.id:
            self.tables.remove(table.id)
        self.tables.put(altered)
        previous = table.id if altered.id != table.id and not self.session.exact else None
        return [Change("alter_table", altered.id.catalog, self.sql, (altered.id,), "ALTER", altered, previous)]

    # -- DROP, RENAME, TRUNCATE

    def _drop(self) -> list[Change]:
        c = self.c
        if c.is_any("DATABASE", "SCHEMA"):
            c.next()
            return self._database("drop_database")
        if c.accept("TEMPORARY"):
            return []
        if not (c.accept("TABLE") or c.accept("TABLES")):
            return self._other()
        optional = "IF EXISTS " if c.accept("IF", "EXISTS") else ""
        ids = [c.table_id()]
        while c.accept_symbol(","):
            ids.append(c.table_id())
        names = tuple(ids)
        out = []
        for i, table_id in enumerate(ids):
            self.tables.remove(table_id)
            others = names[:i] + names[i + 1 :]
            text = f"DROP TABLE {optional}{table_id.quoted('`')}"
            out.append(Change("drop_table", table_id.catalog, text, (table_id, *others), "DROP"))
        return out

    def _rename(self) -> list[Change]:
        c = self.c
        if not (c.accept("TABLE") or c.accept("TABLES")):
            return []
        c.accept("IF", "EXISTS")
        pairs: list[tuple[TableId, TableId, str]] = []
        while True:
            start = c.token.start
            old = c.table_id()
            if c.accept("WAIT"):
                c.next()
            c.accept("NOWAIT")
            if not c.accept("TO"):
                c.fail("TO")
            new = c.table_id()
            pairs.append((old, new, "RENAME TABLE " + c.text_between(start, c.tokens[c.pos - 1].end)))
            if not c.accept_symbol(","):
                break
        for old, new, _ in pairs:
            table = self.tables.remove(old)
            if table is not None:
                self.tables.put(table.with_(id=new))
        return self._renamed(pairs)

    def _renamed(self, pairs: list[tuple[TableId, TableId, str]]) -> list[Change]:
        """One change a pair, with the table as it is after the whole statement."""
        names = tuple(new for _, new, _ in pairs)
        out = []
        for i, (old, new, text) in enumerate(pairs):
            table = self.tables.get(new)
            ids = (new, *names[:i], *names[i + 1 :])
            out.append(
                Change("rename_table", new.catalog, text, ids, None if table is None else "ALTER", table, old)
            )
        return out

    def _truncate(self) -> list[Change]:
        c = self.c
        c.accept("TABLE")
        table_id = c.table_id()
        return [Change("truncate", table_id.catalog, self.sql, (table_id,))]

    # -- SET, USE

    def _set(self) -> list[Change]:
        c = self.c
        while not c.at_end:
            if c.token.kind in (WORD, NAME) and c.peek().text in ("=", ":"):
                name = c.next().text.lower()
                c.accept_symbol(":")
                c.accept_symbol("=")
                if name in ("character_set_server", "character_set_database") and c.token.kind in (WORD, NAME, STRING):
                    self.session.server_charset = c.token.text
            c.skip_item()
        return [Change.of_database("set", "", self.sql)]

    def _use(self) -> list[Change]:
        self.session.database = self.c.name()
        return [Change.of_database("use", self.session.database, self.sql)]


def apply(sql: str, tables: Tables, session: Session) -> list[Change]:
    """Applies a statement to `tables` and `session`; the changes to publish.

    Statements that touch no table model never raise. Raises DdlError, with `table_ids` naming the tables
    it mentions, for one that does and is not understood.
    """
    if is_filtered(sql):
        return []
    cursor: Cursor | None = None
    try:
        tokens = tokenize(sql, ansi_quotes=session.ansi_quotes and not session.exact, mariadb=session.mariadb,
                          no_backslash_escapes=session.no_backslash_escapes, version=session.version_number)  # fmt: skip
        cursor = Cursor(sql, tokens, session.database)
        return Statement(sql.strip().rstrip(";"), cursor, tables, session).apply()
    except DdlError as e:
        ids = mentioned(cursor) if cursor is not None else ()
        words = [t.upper for t in cursor.tokens[:4] if t.kind == WORD] if cursor is not None else first_words(sql)
        if not _touches_tables(words):
            return [Change.of_database("other", session.database, sql)]
        error = DdlError(f"{e}: {redact(sql)[:500]}")
        error.table_ids = ids  # type: ignore[attr-defined]
        raise error from e


def first_words(sql: str) -> list[str]:
    """The first words of text that could not be cut into tokens."""
    return re.findall(r"[A-Za-z]+", sql[:200].upper())[:4]


def _touches_tables(words: list[str]) -> bool:
    return bool(words) and words[0] in _TABLE_WORDS and "TABLE" in words


def mentioned(cursor: Cursor) -> tuple[TableId, ...]:
    """The tables a statement seems to name: what follows TABLE."""
    c = Cursor(cursor.sql, cursor.tokens, cursor.database)
    while not c.at_end and not c.accept("TABLE"):
        c.next()
    c.accept("IF", "NOT", "EXISTS") or c.accept("IF", "EXISTS")
    if c.token.kind in (NAME, WORD) or (c.token.kind == SYMBOL and c.token.text == "."):
        return (c.table_id(),)
    return ()


def redact(sql: str) -> str:
    """A statement without passwords, for logs and errors."""
    return _SECRET.sub(r"\1'********'", sql)
