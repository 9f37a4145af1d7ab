# cython: language_level=3
"""SQL text -> tokens, as MySQL and MariaDB read it.

Knows quoting modes, comments (executable ones are opened), introducers and literals; knows no statement.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import cython

from headwater.errors import DdlError

WORD = 1  # an unquoted name or keyword; `text` in upper case is in `upper`
NAME = 2  # a quoted name, `text` without quotes
STRING = 3  # a string literal, `text` is its inside as written
NUMBER = 4
HEX = 5  # x'..' or 0x..; `text` as written
BITS = 6  # b'..' or 0b..
SYMBOL = 7
VARIABLE = 8  # @x, @@x
END = 9

MAX_LENGTH = 64 * 1024 * 1024


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


class Token(NamedTuple):
    """A token and where it stands in the text."""

    kind: int
    text: str
    upper: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<line>--(?=\s|$)[^\n]*|\#[^\n]*)
      | (?P<open>/\*(?P<mode>M?!)(?P<version>\d{5,6})?)
      | (?P<comment>/\*)
      | (?P<close>\*/)
      | (?P<hex>[xX]'[0-9a-fA-F]*'|0x[0-9a-fA-F]+(?![\w$]))
      | (?P<bits>[bB]'[01]*'|0b[01]+(?![\w$]))
      | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?![\w$\u0080-\uffff]))
      | (?P<variable>@@?[\w$.\u0080-\uffff]*)
      | (?P<word>[\w$\u0080-\U0010ffff]+)
      | (?P<quote>['"`])
      | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokenize(sql: str, *, ansi_quotes: bool = False, no_backslash_escapes: bool = False,
             version: int | None = None, mariadb: bool = False) -> list[Token]:  # fmt: skip
    """The tokens of a statement, the last one an END. Comments are left out.

    `version` is the server's as one number (80036, 101106): executable comments for newer servers are
    skipped; None opens all of them. Raises DdlError for an unclosed quote or comment.
    """
    if len(sql) > MAX_LENGTH:
        raise DdlError(f"a statement of {len(sql)} characters is longer than {MAX_LENGTH}")
    out: list = []
    pos: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = len(sql)
    match = _TOKEN.match
    while pos < size:
        m = match(sql, pos)
        if m is None:
            raise DdlError(f"unreadable text at {pos}")
        group = m.lastgroup
        end: cython.Py_ssize_t = m.end()
        if group == "space" or group == "line" or group == "close":
            pass
        elif group == "word":
            text = m.group()
            out.append(Token(WORD, text, text.upper(), pos, end))
        elif group == "symbol":
            text = m.group()
            out.append(Token(SYMBOL, text, text, pos, end))
        elif group == "quote":
            token = _quoted(sql, pos, ansi_quotes, no_backslash_escapes)
            end = token.end
            out.append(token)
        elif group == "comment":
            end = _comment_end(sql, pos)
        elif group in ("open", "mode", "version"):
            if not _opens(m.group("mode"), m.group("version"), version, mariadb):
                end = _comment_end(sql, pos)
        else:
            kind = {"hex": HEX, "bits": BITS, "number": NUMBER, "variable": VARIABLE}[group or ""]
            text = m.group()
            out.append(Token(kind, text, text.upper(), pos, end))
        pos = end
    out.append(Token(END, "", "", size, size))
    return out


def _opens(mode: str, digits: str | None, version: int | None, mariadb: bool) -> bool:
    # `/*M! */` is MariaDB's own; a version number asks for that version or a later one.
    if mode == "M!" and not mariadb:
        return False
    if digits is None or version is None:
        return True
    return int(digits) <= version


def _comment_end(sql: str, pos: int) -> int:
    end = sql.find("*/", pos + 2)
    if end < 0:
        raise DdlError(f"a comment that starts at {pos} has no end")
    return end + 2


def _quoted(sql: str, start: int, ansi_quotes: bool, no_escapes: bool) -> Token:
    quote = sql[start]
    is_name = quote == "`" or (quote == '"' and ansi_quotes)
    pos = start + 1
    while True:
        close = sql.find(quote, pos)
        if close < 0:
            raise DdlError(f"a quote at {start} has no end")
        if not is_name and not no_escapes:
            slash = sql.find("\\", pos, close)
            if slash >= 0:
                pos = slash + 2
                continue
        if sql.startswith(quote, close + 1):
            pos = close + 2
            continue
        break
    inside = sql[start + 1 : close]
    if is_name:
        name = inside.replace(quote * 2, quote)
        return Token(NAME, name, "", start, close + 1)
    return Token(STRING, inside, "", start, close + 1)
