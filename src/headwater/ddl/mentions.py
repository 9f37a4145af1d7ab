"""What a statement that cannot be parsed is about, as far as its words tell."""

from __future__ import annotations

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.lexer_cy import END, tokenize
from headwater.ddl.model import Session
from headwater.errors import DdlError
from headwater.model import TableId

_VERBS = frozenset(("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE"))
_BEFORE_TABLE = frozenset(("OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE", "UNIQUE"))
_TABLE = frozenset(("TABLE", "TABLES"))


def _cursor(sql: str, session: Session) -> Cursor | None:
    """Before the table's name in a statement that touches tables; None for another one."""
    try:
        tokens = tokenize(sql, ansi_quotes=session.ansi_quotes, mariadb=session.mariadb, version=session.version_number,
                          no_backslash_escapes=session.no_backslash_escapes, partial=True)  # fmt: skip
    except DdlError:
        return None
    c = Cursor(tokens, session.database)
    if c.accept("SET", "STATEMENT"):
        while not (c.at_end or c.accept("FOR")):
            c.next()
    verb = c.accept_any(_VERBS)
    if not verb:
        return None
    while c.accept_any(_BEFORE_TABLE):
        pass
    if c.accept_any(_TABLE) or verb == "TRUNCATE":
        return c
    if verb == "CREATE" and c.accept("INDEX"):
        while not (c.at_end or c.accept("ON")):
            c.next()
        return c
    return None


def touches_tables(sql: str, session: Session) -> bool:
    """Whether a statement changes tables, by its first words."""
    return _cursor(sql, session) is not None


def mentioned(sql: str, session: Session) -> tuple[TableId, ...]:
    """The tables a statement names behind TABLE: one, a list, or pairs joined by TO."""
    c = _cursor(sql, session)
    if c is None:
        return ()
    if not c.accept("IF", "NOT", "EXISTS"):
        c.accept("IF", "EXISTS")
    ids: list[TableId] = []
    try:
        while c.kind != END:
            ids.append(c.table_id())
            if not (c.accept(",") or c.accept("TO")):
                break
    except DdlError:
        pass
    return tuple(dict.fromkeys(ids))
