"""MySQL and MariaDB statements -> edits on the table model. Pure: no server, no file.

Only what changes a table model is parsed; the rest of a statement is skipped by balanced tokens.
"""

from headwater.ddl.model import Change, Session
from headwater.ddl.statements import apply, redact


def quote(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def quote_string(text: str) -> str:
    """A string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


__all__ = ["Change", "Session", "apply", "quote", "quote_string", "redact"]
