"""Column definitions -> `model.Column`.

A definition is read into a `Draft`, which becomes a `Column` once the table's character set is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.datatypes import (
    JDBC,
    DataType,
    accept_charset_words,
    binary_word,
    collation_charset,
    column_charset,
    parse_type,
)
from headwater.ddl.defaults import EXPRESSION, NOW, ZERO_TIMESTAMP, Default, parse_default
from headwater.ddl.lexer_cy import STRING
from headwater.ddl.literals import string_value
from headwater.ddl.model import Session
from headwater.model import Column

# What ends a definition besides a comma: its place, or a clause about partitions (`PARTITION BY KEY (a)`).
_ENDS = frozenset(("FIRST", "AFTER", "PARTITION"))


@dataclass(slots=True)
class Draft:
    """A column definition as written, with the keys it declares for itself.

    `optional` is None where the definition does not say. `period` is START or END for the columns
    of system versioning, `versioned` that the column asks for versioning.
    """

    name: str
    type: DataType
    optional: bool | None = None
    default: Default | None = None
    charset: str | None = None
    collation: str | None = None
    comment: str | None = None
    generated: bool = False
    automatic: bool = False
    primary: bool = False
    unique: bool = False
    period: str = ""
    versioned: bool = False

    def column(self, default_charset: str | None, session: Session, position: int = 0) -> Column:
        """The column in a table of this character set."""
        t = self.type
        jdbc = JDBC[t.word]
        type_name = t.name
        declared = self.charset or t.charset
        if declared is None and self.collation:
            declared = collation_charset(self.collation, default_charset)
        charset = column_charset(jdbc, declared, default_charset)
        optional = self.optional is not False and not self.primary
        if not session.exact and (word := binary_word(type_name, charset)):
            type_name, jdbc, charset = word, JDBC[word], None
        expression = None
        if self.default is not None and not self.generated:
            expression = self.default.expression(type_name, charset, exact=session.exact)
        return Column(
            self.name, jdbc, type_name, type_name, None, charset, t.length, t.scale, position, optional,
            self.automatic, self.automatic, self.comment, expression is not None or optional, expression, t.labels,
        )  # fmt: skip


def column_definition(c: Cursor, session: Session) -> Draft:
    """`name type attributes`, up to the comma, parenthesis, FIRST or AFTER behind it. Raises SyntaxProblem."""
    return definition(c, session, c.column_name())


def definition(c: Cursor, session: Session, name: str) -> Draft:
    """What follows a column's name."""
    t = parse_type(c, session, name)
    draft = Draft(name, t)
    if t.word == "SERIAL":
        t.word, t.modifiers = "BIGINT", ["UNSIGNED"]
        _serial(draft)
    while not (c.at_clause_end or c.key in _ENDS):
        attribute = _ATTRIBUTES.get(c.key)
        if attribute is None:
            c.skip_item()
        else:
            attribute(c, session, draft)
    if draft.period and not session.exact:
        draft.optional = False
    return draft


def moved(c: Column, position: int) -> Column:
    """The column at another position. (`dataclasses.replace` takes three times as long.)"""
    return Column(
        c.name, c.jdbc_type, c.type_name, c.type_expression, c.native_type, c.charset, c.length, c.scale, position,
        c.optional, c.auto_incremented, c.generated, c.comment, c.has_default, c.default_expression, c.enum_values,
    )  # fmt: skip


def imply_timestamp(draft: Draft, session: Session, *, first: bool) -> None:
    """Without explicit_defaults_for_timestamp a TIMESTAMP is NOT NULL, and the first one follows the clock."""
    if session.explicit_timestamps or session.exact or draft.type.word != "TIMESTAMP" or draft.optional is True or draft.generated:
        return
    draft.optional = False
    if draft.default is None:
        if first and not draft.automatic:
            draft.default, draft.automatic = NOW, True
        else:
            draft.default = ZERO_TIMESTAMP


# -- attributes: each takes its words


def _serial(draft: Draft) -> None:
    draft.optional, draft.automatic, draft.unique = False, True, True


def _not(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    if c.accept("NULL"):
        draft.optional = False
    else:
        c.next()  # NOT ENFORCED, NOT SECONDARY


def _null(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    draft.optional = True


def _primary(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    c.accept("KEY")
    draft.primary = True


def _unique(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    if not c.accept("KEY"):
        c.accept("INDEX")
    draft.unique = True


def _default(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    draft.default = parse_default(c, session)


def _serial_default(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    if c.accept("DEFAULT", "VALUE"):
        _serial(draft)


def _on_update(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    if c.accept("UPDATE"):
        c.next()
        if c.key == "(":
            c.skip_parens()
        # The reference's MariaDB parser does not mark such columns.
        draft.automatic = draft.automatic or not session.mariadb


def _auto_increment(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    draft.automatic = True


def _generated(c: Cursor, session: Session, draft: Draft) -> None:
    """GENERATED ALWAYS AS (expression), or AS ROW START and AS ROW END of system versioning."""
    if not c.accept("GENERATED", "ALWAYS", "AS"):
        c.next()
    if c.accept("ROW"):
        draft.period = c.key
        c.next()
    elif c.key == "(":
        c.skip_parens()
    else:
        return
    draft.generated = True
    draft.default = EXPRESSION


def _comment(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    if c.kind != STRING:
        c.fail("a comment's text")
    text = string_value(c, session)
    if session.include_comments:
        draft.comment = text


def _collate(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    c.accept("=")
    draft.collation = c.next()


def _charset(c: Cursor, session: Session, draft: Draft) -> None:
    if accept_charset_words(c):
        c.accept("=")
        draft.charset = c.next()
    else:
        c.next()


def _references(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    c.table_id()
    if c.key == "(":
        c.skip_parens()
    while True:
        if c.accept("MATCH"):
            c.next()
        elif c.accept("ON", "DELETE") or c.accept("ON", "UPDATE"):
            if not (c.accept("SET", "NULL") or c.accept("SET", "DEFAULT") or c.accept("NO", "ACTION")):
                c.next()
        else:
            return


def _constraint(c: Cursor, session: Session, draft: Draft) -> None:
    c.next()
    if c.key != "CHECK":
        c.name()


def _storage(c: Cursor, session: Session, draft: Draft) -> None:
    """COLUMN_FORMAT and STORAGE, whose value may be the word DEFAULT."""
    c.next()
    c.next()


def _versioning(c: Cursor, session: Session, draft: Draft) -> None:
    if c.accept("WITH", "SYSTEM", "VERSIONING"):
        draft.versioned = True
    else:
        c.next()


_ATTRIBUTES = {
    "NOT": _not, "NULL": _null, "PRIMARY": _primary, "KEY": _primary, "UNIQUE": _unique, "DEFAULT": _default,
    "SERIAL": _serial_default, "ON": _on_update, "AUTO_INCREMENT": _auto_increment, "GENERATED": _generated,
    "AS": _generated, "COMMENT": _comment, "COLLATE": _collate, "CHARACTER": _charset, "CHARSET": _charset,
    "CHAR": _charset, "REFERENCES": _references, "CONSTRAINT": _constraint, "WITH": _versioning,
    "COLUMN_FORMAT": _storage, "STORAGE": _storage,
}  # fmt: skip
