"""CREATE TABLE -> `model.Table`: the body's columns and keys, and the options behind it."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.columns import Draft, column_definition, imply_timestamp
from headwater.ddl.cursor_cy import Cursor, KeyParts
from headwater.ddl.datatypes import accept_charset_words, collation_charset
from headwater.ddl.keys import KeyEdits, keys_of
from headwater.ddl.lexer_cy import NAME, STRING, WORD
from headwater.ddl.literals import string_value
from headwater.ddl.model import Session
from headwater.ddl.versioning import Versioning
from headwater.model import Table, TableId

_CONSTRAINTS = frozenset(("PRIMARY", "UNIQUE", "FOREIGN", "CHECK"))
_QUERY = frozenset(("SELECT", "AS", "IGNORE", "REPLACE", "TABLE", "VALUES", "(", "PARTITION"))
_BEFORE_PARTS = frozenset(("KEY", "INDEX"))


@dataclass(slots=True)
class Options:
    """Table options that matter to the model. `charset` may be DEFAULT: that of the database."""

    charset: str | None = None
    collation: str | None = None
    comment: str | None = None

    def resolve(self, default: str, current: str | None = None) -> str | None:
        """The table's character set with these options; `current` where they say nothing."""
        if self.charset is not None:
            return default if self.charset.upper() == "DEFAULT" else self.charset
        if self.collation is not None:
            return collation_charset(self.collation, current or default)
        return current


@dataclass(slots=True)
class KeyElement:
    """A key of a table's body. `kind`: primary, unique, index, or other (a check, a foreign key, a period)."""

    kind: str
    name: str | None = None
    parts: KeyParts | None = None

    def add_to(self, keys: KeyEdits) -> None:
        """Declares the key."""
        columns = self.parts.columns if self.parts is not None else []
        if self.kind == "primary":
            if columns:
                keys.set_primary(columns)
        elif self.kind == "unique":
            keys.add_unique(self.name, columns, prefixed=self.parts is not None and self.parts.prefixed)
        elif self.kind == "index":
            keys.add_index(self.name, columns[0] if columns else None)


def declare(draft: Draft, keys: KeyEdits) -> None:
    """Declares the keys a column has in its own definition."""
    if draft.primary:
        keys.set_primary([draft.name])
    if draft.unique:
        keys.add_unique(None, [draft.name], own=True)


def create_table(c: Cursor, table_id: TableId, session: Session, charset: str) -> Table | None:
    """What follows the table's name; None where the statement has no column definitions.

    `charset` is the database's. Raises SyntaxProblem.
    """
    drafts: list[Draft] = []
    elements: list[KeyElement] = []
    versioning = Versioning()
    if c.key == "(" and c.peek() not in ("SELECT", "WITH", "VALUES", "TABLE", "("):
        _body(c, session, drafts, elements)
    options = Options()
    _options(c, session, options, versioning)
    if not drafts:
        return None
    _timestamps(drafts, session)
    keys = keys_of(None, exact=session.exact)
    for draft in drafts:
        declare(draft, keys)
    for element in elements:
        element.add_to(keys)
    table_charset = options.resolve(charset) or charset
    columns = [d.column(table_charset, session, i) for i, d in enumerate(drafts, 1)]
    if session.exact:
        versioning = Versioning()  # the reference knows none
    else:
        versioning.declare(drafts)
    columns = versioning.complete(columns)
    settled = keys.settle(columns)
    attributes = versioning.attributes(settled.attributes)
    key = versioning.key(settled.key)
    return Table(table_id, tuple(settled.columns), key, table_charset, options.comment, attributes)


def _timestamps(drafts: list[Draft], session: Session) -> None:
    first = True
    for draft in drafts:
        if draft.type.word == "TIMESTAMP":
            imply_timestamp(draft, session, first=first)
            first = False


def _body(c: Cursor, session: Session, drafts: list[Draft], elements: list[KeyElement]) -> None:
    """The parenthesised list of columns, keys and constraints."""
    c.expect("(")
    while True:
        element = key_element(c)
        if element is not None:
            elements.append(element)
        else:
            drafts.append(column_definition(c, session))
        c.skip_clause()
        if not c.accept(","):
            break
    c.expect(")")


def key_element(c: Cursor) -> KeyElement | None:
    """A key or constraint; None (and nothing taken) where a column stands here."""
    word = c.key
    if word in ("PRIMARY", "UNIQUE", "INDEX", "KEY", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK", "CONSTRAINT"):
        return _constraint(c)
    following = c.peek()
    if word == "PERIOD" and following == "FOR":
        return KeyElement("other")
    # MariaDB's VECTOR [INDEX] [name] (column); a column of that name has a type with a number in it, or none.
    if word == "VECTOR" and (following in ("INDEX", "KEY", "(") or (c.peek(2) == "(" and c.peek_kind(3) in (WORD, NAME))):
        c.next()
        return _index(c)
    return None


def _constraint(c: Cursor) -> KeyElement:
    name: str | None = None
    if c.accept("CONSTRAINT") and c.key not in _CONSTRAINTS:
        c.accept("IF", "NOT", "EXISTS")
        name = c.name()
    if c.accept("PRIMARY", "KEY"):
        return KeyElement("primary", None, _parts(c))
    if c.accept("UNIQUE"):
        c.accept_any(_BEFORE_PARTS)
        name = _index_name(c) or name
        return KeyElement("unique", name, _parts(c))
    if c.accept("FULLTEXT") or c.accept("SPATIAL") or c.key in _BEFORE_PARTS:
        return _index(c)
    if not (c.accept("FOREIGN") or c.accept("CHECK")):
        c.fail("a constraint")
    return KeyElement("other")


def _index(c: Cursor) -> KeyElement:
    c.accept_any(_BEFORE_PARTS)
    name = _index_name(c)
    return KeyElement("index", name, _parts(c))


def _index_name(c: Cursor) -> str | None:
    c.accept("IF", "NOT", "EXISTS")
    if c.key in ("(", "USING", "TYPE"):
        return None
    return c.name()


def _parts(c: Cursor) -> KeyParts | None:
    """`[name] [USING x] (a, b)`."""
    while c.key != "(":
        if c.at_clause_end:
            c.fail("'('")
        c.next()
    return c.key_parts()


def _options(c: Cursor, session: Session, options: Options, versioning: Versioning) -> None:
    """Options behind the body, up to the end, a partition clause or a query."""
    while not c.at_end:
        if c.accept("WITH", "SYSTEM", "VERSIONING"):
            versioning.enabled = True
        elif c.key in _QUERY or (c.key == "WITH" and c.peek() != "SYSTEM"):
            return
        elif not table_option(c, session, options):
            c.skip_item()


def table_option(c: Cursor, session: Session, options: Options) -> bool:
    """One option that matters to the model; False (and nothing taken) for another one."""
    mark = c.mark()
    c.accept("DEFAULT")
    if accept_charset_words(c):
        c.accept("=")
        options.charset = c.next()
    elif c.accept("COLLATE"):
        c.accept("=")
        options.collation = c.next()
    elif _accept_comment(c):
        text = string_value(c, session)
        if session.include_comments:
            options.comment = text
    else:
        c.reset(mark)
        return False
    return True


def _accept_comment(c: Cursor) -> bool:
    if not c.accept("COMMENT"):
        return False
    c.accept("=")
    return c.kind == STRING
