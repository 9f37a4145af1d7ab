"""CREATE TABLE -> `model.Table`."""

from __future__ import annotations

from collections.abc import Collection

from headwater.ddl.columns import Definition, collation_charset, column_definition, with_charset
from headwater.ddl.cursor import Cursor
from headwater.ddl.model import Session
from headwater.model import Table, TableId

_KEY_WORDS = ("INDEX", "KEY", "FULLTEXT", "SPATIAL", "CHECK", "FOREIGN", "PERIOD", "VECTOR")


class TableBuilder:
    """Collects columns and keys of one table, then settles keys and character sets."""

    def __init__(self, table_id: TableId, session: Session) -> None:
        self.id = table_id
        self.session = session
        self.definitions: list[Definition] = []
        self.primary: list[str] = []
        self.uniques: list[list[str]] = []
        self.charset: str | None = None
        self.comment: str | None = None

    def add(self, d: Definition) -> None:
        """A column, with the keys it declares."""
        self.definitions.append(d)
        if d.primary:
            self.primary = [d.column.name]
        if d.unique:
            self.uniques.append([d.column.name])

    def build(self) -> Table:
        charset = self.charset or self.session.charset_of(self.id.catalog)
        columns = [with_charset(d.column, charset) for d in self.definitions]
        table = Table(self.id, (), (), charset, self.comment).with_(columns=columns)
        own = {d.column.name.lower() for d in self.definitions if d.unique}
        return settle_keys(table, self.primary, self.uniques, own if self.session.exact else set())


def settle_keys(table: Table, primary: list[str], uniques: list[list[str]],
                nullable: Collection[str] = ()) -> Table:  # fmt: skip
    """Sets the key: the primary key, else the first unique key without nullable columns.

    `nullable`: lower-case columns whose own UNIQUE counts though they may be null (the reference's defect).
    Columns of the primary key are required and lose a null default.
    """
    if primary:
        names = [c.name for n in primary if (c := table.column(n)) is not None]
        keys = {n.lower() for n in names}
        columns = []
        for c in table.columns:
            if c.name.lower() in keys:
                has = c.has_default and c.default_expression is not None
                c = c.with_(optional=False, has_default=has)
            columns.append(c)
        return table.with_(columns=columns, primary_key=tuple(names))
    for unique in uniques:
        members = [table.column(n) for n in unique]
        alone = len(unique) == 1 and unique[0].lower() in nullable
        if all(m is not None and (alone or not m.optional) for m in members):
            return table.with_(primary_key=tuple(m.name for m in members if m is not None))
    return table


def table_body(c: Cursor, builder: TableBuilder) -> None:
    """The parenthesised list of columns, keys and constraints."""
    c.expect_symbol("(")
    while True:
        if not table_element(c, builder):
            builder.add(column_definition(c, builder.session))
        c.skip_to_comma()
        if c.accept_symbol(","):
            continue
        c.expect_symbol(")")
        return


def table_element(c: Cursor, builder: TableBuilder) -> bool:
    """A key or constraint; False where a column stands here."""
    mark = c.pos
    if c.accept("CONSTRAINT") and not c.is_any("PRIMARY", "UNIQUE", "FOREIGN", "CHECK"):
        c.accept("IF", "NOT", "EXISTS")
        c.name()
    if c.accept("PRIMARY", "KEY"):
        builder.primary = _key_columns(c) or builder.primary
        return True
    if c.is_any("UNIQUE") and (c.peek().kind != 0):
        c.next()
        if names := _key_columns(c):
            builder.uniques.append(names)
        return True
    if c.is_any(*_KEY_WORDS) and _is_key_element(c):
        return True
    if c.pos != mark:
        c.fail("a constraint")
    return False


def _is_key_element(c: Cursor) -> bool:
    """Whether a key word starts a key and not a column of that name; takes the word."""
    word = c.token.upper
    following = c.peek()
    if word in ("INDEX", "KEY"):
        third = c.peek(2)
        starts = following.text == "(" or third.text == "(" or third.upper == "USING" or following.upper in ("USING", "IF")
    elif word == "CHECK":
        starts = following.text == "("
    elif word == "PERIOD":
        starts = following.upper == "FOR"
    elif word == "VECTOR":
        starts = following.upper in ("INDEX", "KEY")
    else:
        starts = following.upper in ("KEY", "INDEX") or following.text == "("
        starts = starts or c.peek(2).text == "("
    if starts:
        c.next()
    return starts


def _key_columns(c: Cursor) -> list[str] | None:
    """`[KEY|INDEX] [IF NOT EXISTS] [name] [USING x] (a, b)`; None where a part is an expression."""
    while not c.is_symbol("("):
        if c.at_end or c.is_symbol(","):
            c.fail("'('")
        c.next()
    return c.column_list()


def table_options(c: Cursor, builder: TableBuilder) -> None:
    """Options behind the body, up to the end, a partition clause or a query."""
    while not c.at_end:
        if c.is_any("SELECT", "AS", "IGNORE", "REPLACE", "WITH", "TABLE", "VALUES", "PARTITION") or c.is_symbol("("):
            if c.accept("WITH", "SYSTEM", "VERSIONING"):
                continue
            return
        if not table_option(c, builder):
            c.skip_item()


def table_option(c: Cursor, builder: TableBuilder) -> bool:
    """One option that matters to the model; False (and nothing taken) for another one."""
    mark = c.pos
    c.accept("DEFAULT")
    if c.accept("CHARACTER", "SET") or c.accept("CHAR", "SET") or c.accept("CHARSET"):
        c.accept_symbol("=")
        builder.charset = c.next().text
    elif c.accept("COLLATE"):
        c.accept_symbol("=")
        collation = c.next().text
        if builder.charset is None:
            builder.charset = collation_charset(collation)
    elif c.accept("COMMENT"):
        c.accept_symbol("=")
        text = c.next().text
        if builder.session.include_comments:
            builder.comment = text.replace("''", "'")
    else:
        c.pos = mark
        return False
    return True
