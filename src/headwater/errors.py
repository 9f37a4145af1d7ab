"""The one exception tree.

Every error that reaches a user says what happened, where, and what to do. `message` is that text;
it never holds a secret. Errors of libraries are mapped to these at the edges (drivers, sinks, stores).
"""

from __future__ import annotations

__all__ = [
    "AuthenticationError",
    "ConfigError",
    "ConfigProblem",
    "ConnectionFailed",
    "ConversionError",
    "DdlError",
    "DecodeError",
    "HeadwaterError",
    "HistoryError",
    "OffsetError",
    "PositionLost",
    "PreflightError",
    "SchemaMismatch",
    "SinkError",
    "SourceError",
]

from typing import NamedTuple


class HeadwaterError(Exception):
    """Base of all errors Headwater raises on purpose.

    `retriable` says whether trying again, unchanged, may help (a connection that dropped).
    """

    retriable = False

    @property
    def message(self) -> str:
        """The text meant for the user."""
        return str(self)


class ConfigProblem(NamedTuple):
    """One finding of validation: which key, its value as given (masked if secret), the rule, an example."""

    key: str
    value: str | None
    rule: str
    example: str | None = None

    def __str__(self) -> str:
        shown = "is not set" if self.value is None else f"= {self.value!r}"
        text = f"{self.key} {shown}: {self.rule}"
        return f"{text} (for example {self.example})" if self.example else text


class ConfigError(HeadwaterError):
    """The configuration is invalid; `problems` holds every finding."""

    def __init__(self, problems: list[ConfigProblem] | str) -> None:
        if isinstance(problems, str):
            self.problems: list[ConfigProblem] = []
            super().__init__(problems)
            return
        self.problems = problems
        count = f"{len(problems)} error{'s' if len(problems) != 1 else ''}"
        super().__init__(f"the configuration has {count}:\n" + "\n".join(f"  {p}" for p in problems))


class SourceError(HeadwaterError):
    """The source database refused or failed."""


class ConnectionFailed(SourceError):
    """The database could not be reached, or the connection broke."""

    retriable = True


class AuthenticationError(SourceError):
    """The database refused the user or the password."""


class PreflightError(SourceError):
    """The server or the user lacks something the connector needs; the text says how to give it."""


class PositionLost(SourceError):
    """The server no longer has the log position that the offset asks for."""


class DecodeError(HeadwaterError):
    """Bytes from a log, a packet or a file do not have the form they must have."""


class ConversionError(HeadwaterError):
    """A value does not fit the schema it must be written with."""


class DdlError(HeadwaterError):
    """A statement that touches a captured table was not understood."""


class SchemaMismatch(SourceError):
    """A row does not fit the table model, or its table is not in the model."""


class OffsetError(HeadwaterError):
    """Stored offsets cannot be read or written."""


class HistoryError(HeadwaterError):
    """The schema history cannot be read or written, is missing, or has a hole."""


class SinkError(HeadwaterError):
    """The sink refused records or failed."""
