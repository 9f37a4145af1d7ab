"""Literals as the table model keeps them, and their values.

The model keeps the inside of a string literal as written between single quotes with backslash escapes.
A literal in another form (double quotes, NO_BACKSLASH_ESCAPES, a character set in front) is brought to
this one, so that whoever reads the model need not know the session. Knows no statement and no column.
"""

from __future__ import annotations

import re

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.lexer_cy import BITS, HEX, STRING
from headwater.ddl.model import Session

_ESCAPE = re.compile(r"''|\\(.)", re.DOTALL)
# LIKE's wildcards keep their backslash.
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_SPECIAL = str.maketrans({"\\": "\\\\", "'": "''", "\0": "\\0"})
# MySQL's character sets whose name in Python is another one.
_CODECS = {
    "utf8mb3": "utf-8", "utf8mb4": "utf-8", "latin1": "cp1252", "ucs2": "utf-16-be", "utf16": "utf-16-be",
    "utf16le": "utf-16-le", "utf32": "utf-32-be", "ujis": "euc_jp", "eucjpms": "euc_jp", "koi8r": "koi8_r",
    "koi8u": "koi8_u", "sjis": "shift_jis", "tis620": "tis_620", "macroman": "mac_roman", "macce": "mac_latin2",
    "binary": "latin-1",
}  # fmt: skip


def quote(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def quote_string(text: str) -> str:
    """A string literal, for a session with backslash escapes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def unescape(inside: str) -> str:
    """The value of a literal's inside in the model's form."""
    if "\\" not in inside and "'" not in inside:
        return inside
    return _ESCAPE.sub(lambda m: "'" if m[0] == "''" else _ESCAPES.get(m[1], m[1]), inside)


def escape(value: str) -> str:
    """A value in the model's form: the shortest inside that `unescape` reads back."""
    return value.translate(_SPECIAL)


def string_inside(c: Cursor, session: Session) -> str:
    """Takes one string literal, or several in a row, which the server joins; the inside in the model's form.

    `exact` keeps it as written, as the reference does.
    """
    out = ""
    while c.kind == STRING:
        quote_mark = c.sql[c.start]
        inside = c.next()
        if not session.exact:
            if session.no_backslash_escapes:
                inside = inside.replace("\\", "\\\\")
            if quote_mark == '"':
                inside = _from_double_quotes(inside)
        out += inside
    return out


def _from_double_quotes(inside: str) -> str:
    # A quote of the other kind stands for itself; behind a backslash it does already.
    def fix(m: re.Match[str]) -> str:
        return {'""': '"', "'": "''"}.get(m[0], m[0])

    return re.sub(r'\\.|""|\'', fix, inside, flags=re.DOTALL)


def string_value(c: Cursor, session: Session) -> str:
    """Takes a string literal; its value. `exact` resolves doubled quotes only, as the reference does."""
    inside = string_inside(c, session)
    return inside.replace("''", "'") if session.exact else unescape(inside)


def accept_introducer(c: Cursor) -> str | None:
    """Takes `_charset` in front of a literal and gives the character set."""
    if c.text.startswith("_") and c.key and c.peek_kind() in (STRING, HEX, BITS):
        return c.next()[1:].lower()
    return None


def literal_bytes(text: str) -> bytes:
    """The bytes of a hexadecimal or bit literal in any of its forms."""
    digits, base = literal_digits(text)
    if not digits:
        return b""
    bits = len(digits) * (4 if base == 16 else 1)
    return int(digits, base).to_bytes((bits + 7) // 8, "big")


def literal_digits(text: str) -> tuple[str, int]:
    """The digits of a hexadecimal or bit literal, and their base."""
    quoted = text[1:2] == "'"
    letter = (text[0] if quoted else text[1]).lower()
    return (text[2:-1] if quoted else text[2:]), (16 if letter == "x" else 2)


def codec(charset: str | None) -> str:
    """Python's name for a character set; UTF-8 where there is none."""
    name = (charset or "utf8mb4").lower()
    return _CODECS.get(name, name)


def decode(data: bytes, charset: str | None) -> str:
    """Text from bytes of a character set; what cannot be decoded is replaced."""
    try:
        return data.decode(codec(charset), "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def encode(text: str, charset: str | None) -> bytes:
    """Bytes of a text in a character set."""
    try:
        return text.encode(codec(charset), "replace")
    except LookupError:
        return text.encode("utf-8", "replace")
