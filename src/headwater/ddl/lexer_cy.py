# cython: language_level=3
"""SQL text -> tokens, as MySQL and MariaDB read it.

Knows quoting modes, comments (executable ones are opened), introducers and literals; knows no statement.
"""

from __future__ import annotations

from typing import NamedTuple

import cython

from headwater.errors import DdlError

WORD = 1  # an unquoted name or keyword
NAME = 2  # a quoted name; the text is the name itself
STRING = 3  # a string literal; the text is its inside as written
NUMBER = 4
HEX = 5  # x'..' or 0x..; the text as written
BITS = 6  # b'..' or 0b..; the text as written
SYMBOL = 7
VARIABLE = 8  # @x, @@x
END = 9

MAX_LENGTH = 64 * 1024 * 1024
# MariaDB leaves these versions to MySQL.
_MYSQL_ONLY = range(50700, 100000)


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


class Tokens(NamedTuple):
    """A statement's tokens as columns, the last one an END.

    `keys` holds what a parser compares: a word in upper case, a symbol itself, else an empty string.
    `starts` and `ends` are offsets into `sql`.
    """

    sql: str
    kinds: list[int]
    keys: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]


class LexError(DdlError):
    """The text ends within a quote or a comment. `offset` is where that began."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message} that starts at {offset} has no end")
        self.offset = offset


@cython.cfunc
@cython.exceptval(check=False)
def _is_space(c: cython.Py_UCS4) -> cython.bint:
    return c == " " or c == "\n" or c == "\t" or c == "\r" or c == "\f" or c == "\v"


@cython.cfunc
@cython.exceptval(check=False)
def _is_digit(c: cython.Py_UCS4) -> cython.bint:
    return "0" <= c and c <= "9"


@cython.cfunc
@cython.exceptval(check=False)
def _is_name(c: cython.Py_UCS4) -> cython.bint:
    # What an unquoted name is made of; everything beyond ASCII is a letter to the server.
    return ("a" <= c and c <= "z") or ("A" <= c and c <= "Z") or c == "_" or ("0" <= c and c <= "9") or c == "$" or c >= "\x80"


@cython.cfunc
def _name_end(sql: str, pos: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while pos < size and _is_name(sql[pos]):
        pos += 1
    return pos


@cython.cfunc
def _digits_end(sql: str, pos: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while pos < size and _is_digit(sql[pos]):
        pos += 1
    return pos


@cython.cfunc
def _literal_end(sql: str, start: cython.Py_ssize_t, size: cython.Py_ssize_t, digits: str) -> cython.Py_ssize_t:
    """The end of x'..' or b'..' that starts here; -1 where it is no such literal."""
    pos: cython.Py_ssize_t = start + 2
    while pos < size and sql[pos] in digits:
        pos += 1
    return pos + 1 if pos < size and sql[pos] == "'" else -1


@cython.cfunc
def _number_end(sql: str, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The end of a number that starts here; -1 where the digits belong to a name (`1a`)."""
    pos: cython.Py_ssize_t = _digits_end(sql, start, size)
    if pos < size and sql[pos] == ".":
        pos = _digits_end(sql, pos + 1, size)
    if pos < size and (sql[pos] == "e" or sql[pos] == "E"):
        exponent: cython.Py_ssize_t = pos + 1
        if exponent < size and (sql[exponent] == "+" or sql[exponent] == "-"):
            exponent += 1
        end: cython.Py_ssize_t = _digits_end(sql, exponent, size)
        if end > exponent:
            pos = end
    return -1 if pos < size and _is_name(sql[pos]) else pos


@cython.cfunc
def _quote_end(sql: str, start: cython.Py_ssize_t, quote: str, escapes: cython.bint) -> cython.Py_ssize_t:
    """The offset of the closing quote. Raises LexError."""
    pos: cython.Py_ssize_t = start + 1
    while True:
        close: cython.Py_ssize_t = sql.find(quote, pos)
        if close < 0:
            raise LexError("a quote", start)
        if escapes:
            slash: cython.Py_ssize_t = sql.find("\\", pos, close)
            if slash >= 0:
                pos = slash + 2
                continue
        if not sql.startswith(quote, close + 1):
            return close
        pos = close + 2


@cython.cfunc
def _comment_end(sql: str, start: cython.Py_ssize_t, nested: cython.bint) -> cython.Py_ssize_t:
    """The offset behind a comment. A skipped executable comment may hold plain ones. Raises LexError."""
    pos: cython.Py_ssize_t = start + 2
    while True:
        end: cython.Py_ssize_t = sql.find("*/", pos)
        if end < 0:
            raise LexError("a comment", start)
        inner: cython.Py_ssize_t = sql.find("/*", pos, end) if nested else -1
        if inner < 0:
            return end + 2
        pos = _comment_end(sql, inner, False)


@cython.cfunc
def _executable(sql: str, start: cython.Py_ssize_t, size: cython.Py_ssize_t, version: object,
                mariadb: cython.bint) -> cython.Py_ssize_t:  # fmt: skip
    """Where the text of the executable comment at `start` begins; -1 where this server skips it.

    https://dev.mysql.com/doc/refman/en/comments.html, https://mariadb.com/kb/en/comment-syntax/
    """
    own: cython.bint = sql[start + 2] == "M"
    pos: cython.Py_ssize_t = start + (4 if own else 3)
    end: cython.Py_ssize_t = _digits_end(sql, pos, size)
    if end > pos + 6:
        end = pos + 6
    if end - pos < 5:
        return pos if mariadb or not own else -1
    wanted = int(sql[pos:end])
    if own and not mariadb:
        return -1
    if mariadb and not own and wanted in _MYSQL_ONLY:
        return -1
    return end if version is None or wanted <= version else -1


@cython.cclass
class _Lexer:
    sql: str
    size: cython.Py_ssize_t
    pos: cython.Py_ssize_t
    depth: cython.Py_ssize_t
    ansi_quotes: cython.bint
    escapes: cython.bint
    mariadb: cython.bint
    version: object
    kinds: list
    keys: list
    texts: list
    starts: list
    ends: list

    def __init__(self, sql: str, ansi_quotes: cython.bint, escapes: cython.bint, version: object, mariadb: cython.bint) -> None:
        self.sql = sql
        self.size = len(sql)
        self.pos = 0
        self.depth = 0  # of executable comments
        self.ansi_quotes = ansi_quotes
        self.escapes = escapes
        self.version = version
        self.mariadb = mariadb
        self.kinds = []
        self.keys = []
        self.texts = []
        self.starts = []
        self.ends = []

    @cython.cfunc
    def _add(self, kind: cython.int, key: str, text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
        self.kinds.append(kind)
        self.keys.append(key)
        self.texts.append(text)
        self.starts.append(start)
        self.ends.append(end)
        self.pos = end

    @cython.cfunc
    def _plain(self, kind: cython.int, end: cython.Py_ssize_t) -> cython.void:
        self._add(kind, "", self.sql[self.pos : end], self.pos, end)

    @cython.cfunc
    def _word(self, end: cython.Py_ssize_t) -> cython.void:
        text: str = self.sql[self.pos : end]
        self._add(WORD, text.upper(), text, self.pos, end)

    @cython.cfunc
    def _symbol(self) -> cython.void:
        text: str = self.sql[self.pos]
        self._add(SYMBOL, text, text, self.pos, self.pos + 1)

    @cython.cfunc
    def _quoted(self, at: cython.Py_ssize_t) -> cython.void:
        """A quoted name or string whose quote stands at `at`."""
        quote: str = self.sql[at]
        named: cython.bint = quote == "`" or (quote == '"' and self.ansi_quotes)
        close: cython.Py_ssize_t = _quote_end(self.sql, at, quote, self.escapes and not named)
        inside: str = self.sql[at + 1 : close]
        if named:
            self._add(NAME, "", inside.replace(quote * 2, quote), self.pos, close + 1)
        else:
            self._add(STRING, "", inside, self.pos, close + 1)

    @cython.cfunc
    def _letters(self, c: cython.Py_UCS4) -> cython.void:
        """A word, or a literal with a letter in front of its quote."""
        end: cython.Py_ssize_t = -1
        if self.pos + 1 < self.size and self.sql[self.pos + 1] == "'":
            if c == "x" or c == "X":
                end = _literal_end(self.sql, self.pos, self.size, "0123456789abcdefABCDEF")
                if end > 0:
                    self._plain(HEX, end)
                    return
            elif c == "b" or c == "B":
                end = _literal_end(self.sql, self.pos, self.size, "01")
                if end > 0:
                    self._plain(BITS, end)
                    return
            elif c == "n" or c == "N":
                self._quoted(self.pos + 1)
                return
        self._word(_name_end(self.sql, self.pos, self.size))

    @cython.cfunc
    def _digits(self, c: cython.Py_UCS4) -> cython.void:
        """A number, a literal with a prefix, or a name that begins with a digit."""
        name_end: cython.Py_ssize_t = _name_end(self.sql, self.pos, self.size)
        if self._behind_qualifier():
            self._word(name_end)
            return
        if c == "0" and name_end > self.pos + 2:
            body: str = self.sql[self.pos + 2 : name_end]
            if self.sql[self.pos + 1] == "x" and not body.strip("0123456789abcdefABCDEF"):
                self._plain(HEX, name_end)
                return
            if self.sql[self.pos + 1] == "b" and not body.strip("01"):
                self._plain(BITS, name_end)
                return
        end: cython.Py_ssize_t = _number_end(self.sql, self.pos, self.size)
        if end < 0:
            self._word(name_end)
        else:
            self._plain(NUMBER, end)

    @cython.cfunc
    def _behind_qualifier(self) -> cython.bint:
        """Whether `name.` ends right here, so that digits go on as a name."""
        count: cython.Py_ssize_t = len(self.kinds)
        return (count >= 2 and self.keys[count - 1] == "." and self.ends[count - 1] == self.pos
                and (self.kinds[count - 2] == NAME or self.kinds[count - 2] == WORD)
                and self.ends[count - 2] == self.starts[count - 1])  # fmt: skip

    @cython.cfunc
    def _dot(self) -> cython.void:
        """`.5` is a number unless a name stands right before it."""
        count: cython.Py_ssize_t = len(self.kinds)
        named: cython.bint = (count > 0 and (self.kinds[count - 1] == NAME or self.kinds[count - 1] == WORD)
                              and self.ends[count - 1] == self.pos)  # fmt: skip
        end: cython.Py_ssize_t = -1
        if not named and self.pos + 1 < self.size and _is_digit(self.sql[self.pos + 1]):
            end = _number_end(self.sql, self.pos, self.size)
        if end > 0:
            self._plain(NUMBER, end)
        else:
            self._symbol()

    @cython.cfunc
    def _line_end(self) -> cython.void:
        end: cython.Py_ssize_t = self.sql.find("\n", self.pos)
        self.pos = self.size if end < 0 else end + 1

    @cython.cfunc
    def _comment(self) -> cython.void:
        """A comment that starts here: passed over, or opened where this server executes it."""
        mark: str = self.sql[self.pos + 2 : self.pos + 4]
        if not mark.startswith("!") and mark != "M!":
            self.pos = _comment_end(self.sql, self.pos, False)
            return
        inside: cython.Py_ssize_t = _executable(self.sql, self.pos, self.size, self.version, self.mariadb)
        if inside < 0:
            self.pos = _comment_end(self.sql, self.pos, True)
        else:
            self.depth += 1
            self.pos = inside

    @cython.cfunc
    def _other(self, c: cython.Py_UCS4, following: cython.Py_UCS4) -> cython.void:
        """Comments, variables and symbols. `following` is the next character, a blank at the end."""
        if c == "#":
            self._line_end()
        elif c == "-" and following == "-" and (self.pos + 2 >= self.size or self.sql[self.pos + 2] <= " "):
            self._line_end()
        elif c == "/" and following == "*":
            self._comment()
        elif c == "*" and following == "/" and self.depth > 0:
            self.depth -= 1
            self.pos += 2
        elif c == ".":
            self._dot()
        elif c == "@":
            at: cython.Py_ssize_t = self.pos + (2 if following == "@" else 1)
            self._plain(VARIABLE, _name_end(self.sql, at, self.size))
        else:
            self._symbol()

    def run(self) -> None:
        """Reads to the end. Raises LexError; what was read before it stays."""
        while self.pos < self.size:
            c: cython.Py_UCS4 = self.sql[self.pos]
            if _is_space(c):
                self.pos += 1
            elif _is_digit(c):
                self._digits(c)
            elif _is_name(c):
                self._letters(c)
            elif c == "`" or c == "'" or c == '"':
                self._quoted(self.pos)
            else:
                self._other(c, self.sql[self.pos + 1] if self.pos + 1 < self.size else " ")

    def tokens(self) -> Tokens:
        """What was read, with the END."""
        self._add(END, "", "", self.size, self.size)
        return Tokens(self.sql, self.kinds, self.keys, self.texts, self.starts, self.ends)


def tokenize(sql: str, *, ansi_quotes: bool = False, no_backslash_escapes: bool = False, version: int | None = None,
             mariadb: bool = False, partial: bool = False) -> Tokens:  # fmt: skip
    """The tokens of a statement. Comments are left out.

    `version` is the server's as one number (80036, 101106): executable comments for newer servers are
    skipped; None opens all of them. Raises LexError for an unclosed quote or comment; `partial` gives the
    tokens before it instead. Raises DdlError for a text longer than MAX_LENGTH.
    """
    if len(sql) > MAX_LENGTH:
        raise DdlError(f"a statement of {len(sql)} characters is longer than {MAX_LENGTH}")
    lexer = _Lexer(sql, ansi_quotes, not no_backslash_escapes, version, mariadb)
    try:
        lexer.run()
    except LexError:
        if not partial:
            raise
    return lexer.tokens()
