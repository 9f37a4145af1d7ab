"""DEFAULT clauses -> the model's `default_expression`.

The expression is text: of a string its inside as written (outer quotes removed, escapes and doubled quotes
kept); of a number the number as written; CURRENT_TIMESTAMP in all its forms is `1970-01-01 00:00:00`;
of a bit literal the bits; TRUE and FALSE stay words. Expressions in parentheses give no default. Outside
`exact` mode hexadecimal and bit literals keep their prefix (`0x4142`, `b'101'`), so that they can be told
from decimal numbers.
"""

from __future__ import annotations

from headwater.ddl.cursor import Cursor
from headwater.ddl.lexer_cy import BITS, HEX, NUMBER, STRING, WORD
from headwater.ddl.model import Session
from headwater.model import Column

_NOW = ("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP", "CURDATE", "CURRENT_DATE", "CURTIME")
EPOCH = "1970-01-01 00:00:00"


def parse_default(c: Cursor, column: Column, session: Session) -> tuple[bool, str | None]:
    """(has a default, its expression) of what follows DEFAULT. (True, None) is DEFAULT NULL."""
    if c.is_symbol("("):
        c.skip_parens()
        return False, None
    sign = ""
    while c.is_symbol("-") or c.is_symbol("+"):
        sign += c.next().text
    token = c.token
    if token.kind == WORD and token.text.startswith("_") and c.peek().kind in (STRING, HEX, BITS):
        c.next()
        token = c.token
    if token.kind == STRING:
        return True, _strings(c)
    if token.kind == NUMBER:
        c.next()
        return True, sign + token.text
    if token.kind in (HEX, BITS):
        c.next()
        return True, _literal(token.text, session.exact)
    if token.kind != WORD:
        c.fail("a default value")
    return _word(c)


def _strings(c: Cursor) -> str:
    """One literal, or several in a row, which the server joins; a COLLATE clause may follow."""
    out = c.next().text
    while c.token.kind == STRING:
        out += c.next().text
    return out


def _literal(text: str, exact: bool) -> str:
    # The reference cuts two characters in front and one behind, whichever form the literal has.
    if exact:
        return text[2:-1]
    digits = text[2:-1] if text[1] == "'" else text[2:]
    return f"b'{digits}'" if text[0] in "bB" or text[1] in "bB" else "0x" + digits


def _word(c: Cursor) -> tuple[bool, str | None]:
    word = c.next().upper
    if word == "NULL":
        return True, None
    if word in ("DATE", "TIME", "TIMESTAMP") and c.token.kind == STRING:
        return True, c.next().text
    if word in ("TRUE", "FALSE"):
        return True, word
    if word == "NEXT" and c.accept("VALUE", "FOR"):
        c.table_id()
        return False, None
    if c.is_symbol("("):
        c.skip_parens()
    if word in _NOW[:4]:
        return True, EPOCH
    return False, None
