"""Lists of regular expressions as the reference writes them.

Split on commas (`\\,` is a literal comma), each part trimmed; matching is case-insensitive and whole.
"""

from __future__ import annotations

import re

MAX_LENGTH = 1_000_000


class PatternError(ValueError):
    """A part of the list is no regular expression."""


def split_list(text: str) -> list[str]:
    """Plain list: split on commas, trimmed, empty parts left out."""
    return [p for part in text.split(",") if (p := part.strip())]


def split_regexes(text: str) -> list[str]:
    """Regex list: a comma ends a part unless a backslash stands before it; other escapes are kept."""
    if len(text) > MAX_LENGTH:
        raise PatternError(f"it is longer than {MAX_LENGTH} characters")
    parts, current = [], []
    i = 0
    while i < len(text):
        ch = text[i]
        if ch == "\\" and i + 1 < len(text):
            current.append("," if text[i + 1] == "," else text[i : i + 2])
            i += 2
            continue
        if ch == ",":
            parts.append("".join(current))
            current = []
        else:
            current.append(ch)
        i += 1
    parts.append("".join(current))
    return [p for part in parts if (p := part.strip())]


def to_python(pattern: str) -> str:
    """A Java pattern in Python's syntax. Possessive quantifiers and atomic groups are the same from 3.11 on."""
    pattern = re.sub(r"\(\?<([A-Za-z][A-Za-z0-9]*)>", r"(?P<\1>", pattern)
    pattern = re.sub(r"\\p\{(?:Alpha|IsAlphabetic|L)\}", "[^\\\\W\\\\d_]", pattern)
    pattern = re.sub(r"\\p\{(?:Digit|Nd)\}", "\\\\d", pattern)
    pattern = re.sub(r"\\Q(.*?)\\E", lambda m: re.escape(m[1]), pattern, flags=re.DOTALL)
    return pattern.replace("\\z", "\\Z").replace("\\h", "[ \\t]")


def compile_regex(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compiles one Java pattern. Raises PatternError."""
    try:
        return re.compile(to_python(pattern), flags)
    except (re.error, OverflowError, RecursionError) as e:
        raise PatternError(f"{pattern!r} is not one: {e}") from e


class RegexList:
    """A compiled list. Empty lists match nothing."""

    __slots__ = ("_compiled", "parts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = split_regexes(text)
        self._compiled = [compile_regex(p) for p in self.parts]

    def matches(self, name: str) -> bool:
        """Whether any part matches the whole name."""
        return any(c.fullmatch(name) for c in self._compiled)

    def index(self, name: str) -> int | None:
        """The number (from 0) of the first part that matches; None if none does."""
        return next((i for i, c in enumerate(self._compiled) if c.fullmatch(name)), None)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegexList) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(self.parts))

    def __repr__(self) -> str:
        return f"RegexList({self.text!r})"
