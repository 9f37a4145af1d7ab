"""MySQL and MariaDB statements -> edits on the table model. Pure: no server, no file.

Only what changes a table model is parsed; the rest of a statement is skipped by balanced tokens.

    session = Session(database="shop", server_version=(8, 4, 0))
    changes = apply("ALTER TABLE orders ADD note TEXT", tables, session)

`defaults.py` documents the form of `Column.default_expression`.
"""

from headwater.ddl.filter import DdlFilter, is_filtered
from headwater.ddl.literals import escape, quote, quote_string, unescape
from headwater.ddl.model import Change, Session, StatementError
from headwater.ddl.redact import redact
from headwater.ddl.statements import apply

__all__ = [
    "Change",
    "DdlFilter",
    "Session",
    "StatementError",
    "apply",
    "escape",
    "is_filtered",
    "quote",
    "quote_string",
    "redact",
    "unescape",
]
