"""Java properties text -> pairs, exactly as `java.util.Properties` reads it."""

from __future__ import annotations

_BLANK = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    """Keys and values in order; the last of equal keys wins. Raises ValueError naming the line."""
    out: dict[str, str] = {}
    for number, line in _logical_lines(text):
        try:
            key, value = _split(line)
            out[_unescape(key)] = _unescape(value)
        except ValueError as e:
            raise ValueError(f"line {number}: {e}") from None
    return out


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """Lines with continuations joined; blanks at the front, blank lines and comments are gone."""
    out: list[tuple[int, str]] = []
    pending, start, joining = "", 0, False
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        line = line.lstrip(_BLANK)
        if not joining:
            if not line or line[0] in "#!":
                continue
            start = number
        slashes = len(line) - len(line.rstrip("\\"))
        if slashes % 2:
            pending += line[:-1]
            joining = number < len(lines)
            if joining:
                continue
            line = ""
        out.append((start, pending + line))
        pending, joining = "", False
    return out


def _split(line: str) -> tuple[str, str]:
    """Key and value: the key ends at the first unescaped `=`, `:` or blank."""
    i = 0
    while i < len(line):
        if line[i] == "\\":
            i += 2
            continue
        if line[i] in "=:" or line[i] in _BLANK:
            break
        i += 1
    key, rest = line[:i], line[i:].lstrip(_BLANK)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANK)
    return key, rest


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out: list[str] = []
    i = 0
    while i < len(text):
        ch = text[i]
        if ch != "\\" or i + 1 >= len(text):
            out.append(ch if ch != "\\" else "")
            i += 1
            continue
        ch = text[i + 1]
        i += 2
        if ch == "u":
            digits = text[i : i + 4]
            if len(digits) < 4 or not all(c in "0123456789abcdefABCDEF" for c in digits):
                raise ValueError(f"malformed escape \\u{digits}")
            out.append(chr(int(digits, 16)))
            i += 4
        else:
            out.append(_ESCAPES.get(ch, ch))
    joined = "".join(out)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
