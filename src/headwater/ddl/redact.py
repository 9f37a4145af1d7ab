"""Statements without their secrets, for logs and errors.

Works on tokens, so that no quote within a password ends it early; what cannot be read is cut off.
"""

from __future__ import annotations

import re

from headwater.ddl.lexer_cy import BITS, END, HEX, NUMBER, STRING, Tokens, tokenize
from headwater.errors import DdlError

MASK = "'********'"
# Behind these words every literal is a secret until another clause begins.
_SECRET_WORDS = frozenset((
    "IDENTIFIED", "PASSWORD", "MASTER_PASSWORD", "SOURCE_PASSWORD", "CONNECTION", "REPLACE", "OLD_PASSWORD",
    "MASTER_SSL_KEY", "SOURCE_SSL_KEY", "SECRET", "ENCRYPTION_KEY", "AUTH_STRING", "AUTHENTICATION_STRING",
))  # fmt: skip
_SUSPICIOUS = re.compile(r"identified|password|connection|secret|encryption_key|auth_string|ssl_key|authentication_string", re.IGNORECASE)
_LITERALS = (STRING, HEX, BITS, NUMBER)
_BETWEEN = frozenset(("=", "(", ":", "BY", "AS", "WITH", "USING", "PASSWORD", "FOR", "@", "VALUE", ","))


def has_secret(sql: str) -> bool:
    """Whether a statement may hold a secret."""
    return _SUSPICIOUS.search(sql) is not None


def redact(sql: str) -> str:
    """A statement with its secrets masked."""
    if not has_secret(sql):
        return sql
    try:
        tokens = tokenize(sql, partial=True)
    except DdlError:
        return ""
    out: list[str] = []
    copied = 0
    for start, end in _secrets(tokens):
        out += (sql[copied:start], MASK)
        copied = end
    out.append(sql[copied : _readable(tokens)])
    return "".join(out)


def _readable(tokens: Tokens) -> int:
    """Where the text ends or stops being readable: behind an unclosed quote anything may stand."""
    last = tokens.ends[-2] if len(tokens.ends) > 1 else 0
    rest = tokens.sql[last:]
    return len(tokens.sql) if not any(q in rest for q in "'\"`") else last


def _secrets(tokens: Tokens) -> list[tuple[int, int]]:
    """Spans of the literals that follow a secret's word, whatever small words stand between."""
    spans: list[tuple[int, int]] = []
    open_words = 0
    for kind, key, start, end in zip(tokens.kinds, tokens.keys, tokens.starts, tokens.ends, strict=True):
        if kind == END:
            break
        if key in _SECRET_WORDS:
            open_words = 8  # tokens within which the literal has to come
        elif open_words and kind in _LITERALS:
            spans.append((start, end))
        elif key not in _BETWEEN:
            open_words = max(open_words - 1, 0)
    return spans


def shorten(sql: str, offset: int, limit: int = 400) -> str:
    """A redacted statement cut to about `limit` characters around `offset`."""
    text = redact(sql)
    if len(text) <= limit:
        return text
    start = max(0, min(offset - limit // 2, len(text) - limit))
    end = start + limit
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
