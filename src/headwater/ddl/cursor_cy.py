# cython: language_level=3
"""A cursor over tokens: the primitives every part of the parser uses.

Knows names, key parts and balanced skipping; knows no statement.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import cython

from headwater.ddl.lexer_cy import END, NAME, STRING, SYMBOL, WORD, Tokens
from headwater.errors import DdlError
from headwater.model import TableId


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


class SyntaxProblem(DdlError):
    """A token that does not fit. `offset` counts characters from the statement's start."""

    def __init__(self, expected: str, found: str, offset: int) -> None:
        super().__init__(f"{expected} is expected at {offset}, found {found}")
        self.offset = offset


class KeyParts(NamedTuple):
    """The columns of a key. `prefixed`: one of them counts with its first characters only."""

    columns: list[str]
    prefixed: bool


@cython.cclass
class Cursor:
    """Reads tokens in order. `database` completes names without one."""

    _sql: str
    _database: str | None
    _kinds: list[int]
    _keys: list[str]
    _texts: list[str]
    _starts: list[int]
    _ends: list[int]
    _pos: cython.Py_ssize_t
    _last: cython.Py_ssize_t

    def __init__(self, tokens: Tokens, database: str | None) -> None:
        self._sql = tokens.sql
        self._database = database
        self._kinds = tokens.kinds
        self._keys = tokens.keys
        self._texts = tokens.texts
        self._starts = tokens.starts
        self._ends = tokens.ends
        self._pos = 0
        self._last = len(tokens.kinds) - 1

    # -- the current token

    @property
    def sql(self) -> str:
        """The statement."""
        return self._sql

    @property
    def key(self) -> str:
        """A word in upper case, a symbol itself, else an empty string."""
        key: str = self._keys[self._pos]
        return key

    @property
    def kind(self) -> int:
        kind: int = self._kinds[self._pos]
        return kind

    @property
    def text(self) -> str:
        text: str = self._texts[self._pos]
        return text

    @property
    def start(self) -> int:
        """Offset of the current token."""
        start: int = self._starts[self._pos]
        return start

    @property
    def behind(self) -> int:
        """Offset behind the token before the current one."""
        return self._ends[self._pos - 1] if self._pos > 0 else 0

    @property
    def at_end(self) -> bool:
        kind: int = self._kinds[self._pos]
        return kind == END or self._keys[self._pos] == ";"

    @property
    def at_clause_end(self) -> bool:
        """At a comma, at a closing parenthesis or at the end."""
        key: str = self._keys[self._pos]
        return key == "," or key == ")" or key == ";" or self._kinds[self._pos] == END

    def peek(self, ahead: cython.Py_ssize_t = 1) -> str:
        """The key of a later token."""
        at: cython.Py_ssize_t = self._pos + ahead
        key: str = self._keys[at if at < self._last else self._last]
        return key

    def peek_kind(self, ahead: cython.Py_ssize_t = 1) -> int:
        at: cython.Py_ssize_t = self._pos + ahead
        kind: int = self._kinds[at if at < self._last else self._last]
        return kind

    def parsed_text(self) -> str:
        """From the first token to the last: the statement without what stands around it.

        The reference publishes this, and so loses the end of an executable comment.
        """
        last: cython.Py_ssize_t = self._last - 1
        while last > 0 and self._keys[last] == ";":
            last -= 1
        return self._sql[self._starts[0] : self._ends[last]] if last >= 0 else ""

    # -- moving

    def mark(self) -> int:
        """A place to come back to with `reset`."""
        place: int = self._pos
        return place

    def reset(self, mark: cython.Py_ssize_t) -> None:
        if mark < 0 or mark > self._last:
            raise IndexError("no such place")
        self._pos = mark

    def next(self) -> str:
        """The current token's text; moves on, except at the end."""
        text: str = self._texts[self._pos]
        if self._pos < self._last:
            self._pos += 1
        return text

    def accept(self, key: str, second: str | None = None, third: str | None = None) -> bool:
        """Takes these keywords or symbols if they are next."""
        pos: cython.Py_ssize_t = self._pos
        if self._keys[pos] != key:
            return False
        pos += 1
        # Behind the last token there is the END, which no keyword equals.
        if second is not None:
            if pos > self._last or self._keys[pos] != second:
                return False
            pos += 1
            if third is not None:
                if pos > self._last or self._keys[pos] != third:
                    return False
                pos += 1
        self._pos = pos
        return True

    def accept_any(self, keys: frozenset[str]) -> str:
        """Takes the next keyword if it is one of these; else an empty string."""
        key: str = self._keys[self._pos]
        if key and key in keys:
            self._pos += 1
            return key
        return ""

    def expect(self, key: str) -> None:
        """Takes this keyword or symbol. Raises SyntaxProblem."""
        if self._keys[self._pos] != key:
            self.fail(repr(key))
        self._pos += 1

    def fail(self, expected: str) -> NoReturn:
        """Raises SyntaxProblem: something else stands here."""
        found = "the end" if self._kinds[self._pos] == END else _shown(self._kinds[self._pos], self._texts[self._pos])
        raise SyntaxProblem(expected, found, self._starts[self._pos])

    # -- names

    def name(self) -> str:
        """An identifier, quoted or not (keywords too: the server has accepted the statement)."""
        kind: int = self._kinds[self._pos]
        text: str = self._texts[self._pos]
        if not (kind == NAME or kind == WORD):
            # Quoted as under ANSI_QUOTES; where a name must stand it cannot be a string.
            if not (kind == STRING and self._sql[self._starts[self._pos]] == '"'):
                self.fail("a name")
            text = text.replace('""', '"')
        self._pos += 1
        return text

    def table_id(self) -> TableId:
        """`table`, `.table` or `database.table`."""
        if self._keys[self._pos] == ".":
            self._pos += 1
            return TableId(self._database, None, self.name())
        first: str = self.name()
        if self._keys[self._pos] == ".":
            self._pos += 1
            return TableId(first, None, self.name())
        return TableId(self._database, None, first)

    def column_name(self) -> str:
        """A column name, perhaps qualified by table and database."""
        if self._keys[self._pos] == ".":
            self._pos += 1
        name: str = self.name()
        while self._keys[self._pos] == ".":
            self._pos += 1
            name = self.name()
        return name

    def key_parts(self) -> KeyParts | None:
        """Key parts `(a, b(10) DESC)`; None where one of them is an expression."""
        self.expect("(")
        names: list[str] = []
        plain: cython.bint = True
        prefixed: cython.bint = False
        while True:
            if self._keys[self._pos] == "(":
                self.skip_parens()
                plain = False
            else:
                names.append(self.column_name())
                prefixed = prefixed or self._keys[self._pos] == "("
            while self._keys[self._pos] not in (",", ")"):
                if self._kinds[self._pos] == END:
                    self.fail("')'")
                self.skip_item()
            if not self.accept(","):
                break
        self.expect(")")
        return KeyParts(names, prefixed) if plain else None

    # -- skipping

    def skip_parens(self) -> None:
        """Skips a balanced pair of parentheses that starts here. Raises SyntaxProblem where it does not close."""
        self.expect("(")
        depth: cython.Py_ssize_t = 1
        while depth > 0:
            key: str = self._keys[self._pos]
            if key == "(":
                depth += 1
            elif key == ")":
                depth -= 1
            elif self._kinds[self._pos] == END:
                self.fail("')'")
            self._pos += 1

    def skip_item(self) -> None:
        """Skips one token or one balanced group."""
        if self._keys[self._pos] == "(":
            self.skip_parens()
        elif self._pos < self._last:
            self._pos += 1

    def skip_clause(self) -> None:
        """Skips to the next comma or closing parenthesis of this level, or to the end."""
        while not self.at_clause_end:
            self.skip_item()

    def skip_all(self) -> None:
        """Skips to the end of the statement."""
        while not self.at_end:
            self._pos += 1


def _shown(kind: int, text: str) -> str:
    # Literals may be secrets, whatever stands around them.
    return repr(text[:64]) if kind in (WORD, NAME, SYMBOL) else "a literal"
