"""Statements about databases and sessions: CREATE, ALTER and DROP DATABASE, SET, USE."""

from __future__ import annotations

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.datatypes import accept_charset_words, collation_charset
from headwater.ddl.lexer_cy import NAME, STRING, WORD
from headwater.ddl.model import Change, Session
from headwater.model import Tables

_OPTIONS = frozenset(("DEFAULT", "CHARACTER", "CHARSET", "CHAR", "COLLATE", "ENCRYPTION", "READ", "COMMENT", "UPGRADE"))


def database_key(name: str, tables: Tables) -> str:
    """A database's name as `Session.database_charsets` has it."""
    return name.lower() if tables.case_insensitive else name


def database_statement(c: Cursor, kind: str, sql: str, tables: Tables, session: Session) -> Change:
    """What follows the word DATABASE. Raises SyntaxProblem where a name is missing."""
    if not c.accept("IF", "NOT", "EXISTS"):
        c.accept("IF", "EXISTS")
    # Only ALTER DATABASE may leave the name out.
    unnamed = kind == "alter_database" and not (c.kind == NAME or (c.kind == WORD and c.key not in _OPTIONS))
    name = (session.database or "") if unnamed else c.name()
    key = database_key(name, tables)
    if kind == "drop_database":
        tables.remove_database(name)
        session.database_charsets.pop(key, None)
        return Change.of_database(kind, name, sql)
    charset = _charset(c, session)
    if charset is not None:
        session.database_charsets[key] = charset
    elif kind == "create_database":
        session.database_charsets.setdefault(key, session.server_charset)
    return Change.of_database(kind, name, sql)


def _charset(c: Cursor, session: Session) -> str | None:
    """The character set that a database's options give; None where they say nothing."""
    charset: str | None = None
    collation: str | None = None
    while not c.at_end:
        if accept_charset_words(c):
            c.accept("=")
            charset = c.next()
        elif c.accept("COLLATE"):
            c.accept("=")
            collation = c.next()
        else:
            c.skip_item()
    if charset is not None and charset.upper() != "DEFAULT":
        return charset
    if collation is not None:
        return collation_charset(collation, session.server_charset)
    return session.server_charset if charset is not None else None


def set_statement(c: Cursor, sql: str, tables: Tables, session: Session) -> Change:
    """What follows SET: character sets are kept, everything else is passed over."""
    while not c.at_end:
        name = c.text.lower().removeprefix("@@").removeprefix("global.").removeprefix("session.")
        c.skip_item()
        c.accept(":")
        if name not in ("character_set_server", "character_set_database") or not c.accept("="):
            continue
        if c.kind in (WORD, NAME, STRING) and c.key != "DEFAULT":
            charset = c.text
            if name == "character_set_database" and session.database:
                session.database_charsets[database_key(session.database, tables)] = charset
            else:
                session.server_charset = charset
    return Change.of_database("set", "", sql)


def use_statement(c: Cursor, sql: str, session: Session) -> Change:
    """What follows USE."""
    session.database = c.name()
    return Change.of_database("use", session.database, sql)
