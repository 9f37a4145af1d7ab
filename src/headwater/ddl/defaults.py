"""DEFAULT clauses: reading them, and the model's `default_expression`.

`Column.default_expression` is text whose form depends on the column. `has_default` with None means DEFAULT
NULL, or a nullable column without a literal default. Expressions (in parentheses, or MariaDB's without) are
not literals and leave no text; CURRENT_TIMESTAMP and its synonyms are `1970-01-01 00:00:00`.

- character, ENUM and SET: the inside of a single-quoted literal with backslash escapes, as written where it
  was written so: `it''s`, `a\\\\b`. Numbers as written, hexadecimal and bit literals as the text they stand for.
- BINARY and VARBINARY: the same, each character standing for one byte (ISO 8859-1).
- BIT: binary digits, `1010`.
- numbers: the number as written, quotes removed; `1` and `0` for TRUE and FALSE; a hexadecimal or bit literal
  as its decimal number.
- temporal types: the literal's inside, or a number as written (`20200131`).

In `exact` mode the form is the reference's: string insides as written, TRUE and FALSE as words, and of
hexadecimal and bit literals what is left when two characters are cut in front and one behind.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.lexer_cy import BITS, HEX, NUMBER, STRING, WORD
from headwater.ddl.literals import (
    accept_introducer,
    decode,
    encode,
    escape,
    literal_bytes,
    literal_digits,
    string_inside,
    unescape,
)
from headwater.ddl.model import Session

_NOW = frozenset(("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"))
_LITERALS = (STRING, NUMBER, HEX, BITS)
_CONSTANTS = frozenset(("-", "+", "NULL", "TRUE", "FALSE"))
EPOCH = "1970-01-01 00:00:00"
BINARY_TYPES = ("BINARY", "VARBINARY")


@dataclass(frozen=True, slots=True)
class Default:
    """A DEFAULT clause as read. `kind`: null, expression, now, string, number, word (TRUE, FALSE) or bytes.

    `text` is the literal as written (of a string its inside in the model's form), `charset` its introducer.
    """

    kind: str
    text: str = ""
    charset: str | None = None

    def expression(self, type_name: str, charset: str | None, *, exact: bool) -> str | None:
        """The model's text for a column of this type and character set; None where there is none."""
        if self.kind in ("null", "expression"):
            return None
        if self.kind == "now":
            return EPOCH
        if exact:
            return self.text[2:-1] if self.kind == "bytes" else self.text
        base = type_name.split(" ", 1)[0]
        if base == "BIT":
            return self._bits()
        if base in BINARY_TYPES:
            return self._binary()
        if self.kind == "word":
            return "1" if self.text == "TRUE" else "0"
        if self.kind != "bytes":
            return self.text
        if charset is None:
            digits, base_number = literal_digits(self.text)
            return str(int(digits or "0", base_number))
        return escape(decode(literal_bytes(self.text), self.charset or charset))

    def _bits(self) -> str:
        if self.kind == "bytes":
            return f"{int.from_bytes(literal_bytes(self.text), 'big'):b}"
        if self.kind == "word":
            return "1" if self.text == "TRUE" else "0"
        if self.kind == "number" and self.text.isdigit():
            return f"{int(self.text):b}"
        if self.kind == "string" and self.text.strip("01"):
            return f"{int.from_bytes(encode(unescape(self.text), self.charset), 'big'):b}"
        return self.text

    def _binary(self) -> str:
        if self.kind == "bytes":
            data = literal_bytes(self.text)
        elif self.kind == "string":
            data = encode(unescape(self.text), self.charset)
        else:
            data = (("1" if self.text == "TRUE" else "0") if self.kind == "word" else self.text).encode()
        return escape(data.decode("latin-1"))


NULL = Default("null")
EXPRESSION = Default("expression")
NOW = Default("now")
ZERO_TIMESTAMP = Default("string", "0000-00-00 00:00:00")


def parse_default(c: Cursor, session: Session) -> Default:
    """What follows DEFAULT. Raises SyntaxProblem."""
    if c.accept("("):
        c.reset(c.mark() - 1)
        c.skip_parens()
        return EXPRESSION
    sign = ""
    while c.key in ("-", "+") and c.key:
        sign += c.next()
    charset = accept_introducer(c)
    kind = c.kind
    if kind == STRING:
        if c.sql[c.start] in "nN":
            charset = "utf8mb3"
        return Default("string", string_inside(c, session), charset)
    if kind == NUMBER:
        return Default("number", sign + c.next())
    if kind in (HEX, BITS):
        return Default("bytes", c.next(), charset)
    if kind != WORD:
        c.fail("a default value")
    return _word(c, session)


def parse_set_default(c: Cursor, session: Session) -> Default:
    """What follows SET DEFAULT. Here the server takes a literal in parentheses for a literal, other than in a definition."""
    mark = c.mark()
    if not session.exact and c.accept("(") and (c.kind in _LITERALS or c.key in _CONSTANTS):
        default = parse_default(c, session)
        if c.accept(")"):
            return default
    c.reset(mark)
    return parse_default(c, session)


def _word(c: Cursor, session: Session) -> Default:
    word = c.key
    c.next()
    if word == "NULL":
        return NULL
    if word in ("TRUE", "FALSE"):
        return Default("word", word)
    if word in ("DATE", "TIME", "TIMESTAMP") and c.kind == STRING:
        return Default("string", string_inside(c, session))
    if word == "NEXT" and c.accept("VALUE", "FOR"):
        c.table_id()
        return EXPRESSION
    if word == "CASE":
        _skip_case(c)
        return EXPRESSION
    while c.accept("."):  # a function of a schema
        c.name()
    if c.key == "(":
        c.skip_parens()
    return NOW if word in _NOW else EXPRESSION


def _skip_case(c: Cursor) -> None:
    depth = 1
    while depth and not c.at_end:
        depth += (c.key == "CASE") - (c.key == "END")
        c.skip_item()
