"""A cursor over tokens: the primitives every part of the parser uses."""

from __future__ import annotations

from typing import NoReturn

from headwater.ddl.lexer_cy import END, NAME, STRING, SYMBOL, WORD, Token
from headwater.errors import DdlError
from headwater.model import TableId


class Cursor:
    """Reads tokens in order. `database` completes names without one."""

    __slots__ = ("database", "pos", "sql", "tokens")

    def __init__(self, sql: str, tokens: list[Token], database: str | None) -> None:
        self.sql = sql
        self.tokens = tokens
        self.pos = 0
        self.database = database

    @property
    def token(self) -> Token:
        return self.tokens[self.pos]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.pos + ahead, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.tokens[self.pos]
        if token.kind != END:
            self.pos += 1
        return token

    @property
    def at_end(self) -> bool:
        return self.token.kind == END or self.is_symbol(";")

    def is_word(self, *words: str) -> bool:
        """Whether the next tokens are these keywords."""
        for i, word in enumerate(words):
            token = self.peek(i)
            if token.kind != WORD or token.upper != word:
                return False
        return True

    def is_any(self, *words: str) -> bool:
        """Whether the next token is one of these keywords."""
        return self.token.kind == WORD and self.token.upper in words

    def accept(self, *words: str) -> bool:
        """Takes these keywords if they are next."""
        if self.is_word(*words):
            self.pos += len(words)
            return True
        return False

    def is_symbol(self, symbol: str) -> bool:
        return self.token.kind == SYMBOL and self.token.text == symbol

    def accept_symbol(self, symbol: str) -> bool:
        if self.is_symbol(symbol):
            self.pos += 1
            return True
        return False

    def expect_symbol(self, symbol: str) -> None:
        if not self.accept_symbol(symbol):
            self.fail(f"{symbol!r}")

    def fail(self, expected: str) -> NoReturn:
        """Raises the error for an unexpected token."""
        token = self.token
        found = repr(token.text) if token.kind != END else "the end"
        raise DdlError(f"{expected} is expected at {token.start}, found {found}")

    # -- names

    def name(self) -> str:
        """An identifier, quoted or not (keywords too: the server has accepted the statement)."""
        token = self.token
        if token.kind in (NAME, WORD):
            self.pos += 1
            return token.text
        if token.kind == STRING and self.sql[token.start] == '"':
            self.pos += 1
            return token.text
        return self.fail("a name")

    def table_id(self) -> TableId:
        """`table`, `.table` or `database.table`."""
        if self.accept_symbol("."):
            return TableId(self.database, None, self.name())
        first = self.name()
        if self.accept_symbol("."):
            return TableId(first, None, self.name())
        return TableId(self.database, None, first)

    def column_name(self) -> str:
        """A column name, perhaps qualified by table and database."""
        self.accept_symbol(".")
        name = self.name()
        while self.accept_symbol("."):
            name = self.name()
        return name

    # -- skipping

    def skip_parens(self) -> None:
        """Skips a balanced pair of parentheses that starts here."""
        self.expect_symbol("(")
        depth = 1
        while depth:
            token = self.next()
            if token.kind == END:
                self.fail("')'")
            if token.kind == SYMBOL:
                depth += (token.text == "(") - (token.text == ")")

    def skip_item(self) -> None:
        """Skips one token or one balanced group."""
        if self.is_symbol("("):
            self.skip_parens()
        else:
            self.next()

    def skip_to_comma(self) -> None:
        """Skips to the next comma or closing parenthesis of this level, or to the end."""
        while not (self.at_end or self.is_symbol(",") or self.is_symbol(")")):
            self.skip_item()

    def text_between(self, start: int, end: int) -> str:
        return self.sql[start:end]

    def column_list(self) -> list[str] | None:
        """Key parts `(a, b(10) DESC)`; None where one of them is an expression."""
        self.expect_symbol("(")
        names: list[str] = []
        plain = True
        while True:
            if self.is_symbol("("):
                self.skip_parens()
                plain = False
            else:
                names.append(self.column_name())
            while not (self.is_symbol(",") or self.is_symbol(")")):
                if self.token.kind == END:
                    self.fail("')'")
                self.skip_item()
            if self.accept_symbol(","):
                continue
            self.expect_symbol(")")
            return names if plain else None
