"""Statements that never matter to a table model and are left out before parsing.

The list is the reference's default filter; TRUNCATE stands apart, since it may be an event of its own.
"""

from __future__ import annotations

import re

_OBJECTS = r"(?:USER|ROLE|(?:OR\s+REPLACE\s+)?(?:ALGORITHM\s*=\s*\S+\s+)?(?:DEFINER\s*=\s*\S+\s+)?(?:SQL\s+SECURITY\s+\S+\s+)?VIEW"
_DEFINED = r"|(?:OR\s+REPLACE\s+)?(?:DEFINER\s*=\s*(?:`[^`]*`@`[^`]*`|\S+)\s+)?(?:AGGREGATE\s+)?(?:FUNCTION|PROCEDURE|TRIGGER|EVENT))"
_FILTER = re.compile(
    r"(?:SET\s+STATEMENT\s+.*?\s+FOR\s+)?(?:"
    r"DROP\s+TEMPORARY\s+TABLE\b.*"
    r"|INSERT\s+INTO\s+(?:mysql\.)?rds_(?:heartbeat2|sysinfo|monitor)\b.*"
    r"|DELETE\s+FROM\s+(?:mysql\.)?rds_(?:sysinfo|monitor)\b.*"
    r"|FLUSH\s+RELAY\s+LOGS.*|SAVEPOINT\s+.*|#\s*Dummy\s+event.*"
    r"|REPLACE\s+INTO\s+.*|(?:GRANT|REVOKE)\s+.*"
    r"|(?:ANALYZE|OPTIMIZE|REPAIR)\s+(?:NO_WRITE_TO_BINLOG\s+|LOCAL\s+)?TABLES?\b.*"
    r"|(?:CREATE|ALTER|DROP)\s+" + _OBJECTS + _DEFINED + r"\b.*"
    r")",
    re.IGNORECASE | re.DOTALL,
)
_COMMENT = re.compile(r"^(?:\s|/\*(?!M?!).*?\*/|--\s[^\n]*\n)+", re.DOTALL)


def is_filtered(sql: str) -> bool:
    """Whether a statement is one of those."""
    text = _COMMENT.sub("", sql)
    return _FILTER.fullmatch(text) is not None
