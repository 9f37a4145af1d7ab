"""Statements that never matter to a table model and are left out before parsing.

The built-in list is the reference's; TRUNCATE stands apart, since it may be an event of its own. More
patterns may be added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_IGNORED = (
    r"DROP\s+TEMPORARY\s+TABLE\b.*",
    r"INSERT\s+INTO\s+(?:mysql\.)?rds_(?:heartbeat2|sysinfo|monitor)\b.*",
    r"DELETE\s+FROM\s+(?:mysql\.)?rds_(?:sysinfo|monitor)\b.*",
    r"FLUSH\s+RELAY\s+LOGS.*",
    r"SAVEPOINT\s+.*",
    r"#\s*Dummy\s+event.*",
    r"REPLACE\s+INTO\s+.*",
    r"(?:GRANT|REVOKE)\s+.*",
    r"(?:ANALYZE|OPTIMIZE|REPAIR)\s+(?:NO_WRITE_TO_BINLOG\s+|LOCAL\s+)?TABLES?\b.*",
    # An account's hash has no place on a topic.
    r"SET\s+PASSWORD\b.*",
)
_DEFINER = r"(?:DEFINER\s*=\s*(?:`[^`]*`(?:\s*@\s*`[^`]*`)?|'[^']*'(?:\s*@\s*'[^']*')?|[^\s`']+)\s+)?"
_OBJECTS = (
    r"(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:ALGORITHM\s*=\s*\w+\s+)?" + _DEFINER + r"(?:SQL\s+SECURITY\s+\w+\s+)?"
    r"(?:AGGREGATE\s+)?(?:USER|ROLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|EVENT|PACKAGE)\b.*"
)
_STATEMENT = r"(?:SET\s+STATEMENT\s+.*?\s+FOR\s+)?"
# Comments in front of a statement; executable ones are part of it.
_COMMENTS = re.compile(r"(?:\s|/\*(?!M?!).*?\*/|--\s[^\n]*\n)+", re.DOTALL)


class DdlFilter:
    """Matches whole statements, without case, the dot matching newlines."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        """`more`: further patterns, as in the reference's `ddl.filter`. Raises re.error for a bad one."""
        patterns = [*_IGNORED, _OBJECTS]
        own = _STATEMENT + "(?:" + "|".join(patterns) + ")"
        self._match = re.compile("|".join([own, *(f"(?:{p})" for p in more)]), re.IGNORECASE | re.DOTALL)

    def matches(self, sql: str) -> bool:
        """Whether a statement is left out."""
        start = m.end() if (m := _COMMENTS.match(sql)) else 0
        return self._match.fullmatch(sql, start) is not None


BUILT_IN = DdlFilter()


def is_filtered(sql: str) -> bool:
    """Whether the built-in list leaves a statement out."""
    return BUILT_IN.matches(sql)
