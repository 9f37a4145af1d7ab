"""What a statement did, the session it ran in, and the error of one that was not understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from headwater.errors import DdlError
from headwater.model import Table, TableId

_REAL_AS_FLOAT, _ANSI_QUOTES, _ORACLE, _NO_BACKSLASH_ESCAPES = 0x1, 0x4, 0x200, 0x100000


@dataclass(slots=True)
class Session:
    """The settings statements are read with, and what earlier ones set.

    `exact` reproduces the reference's visible defects in the model (`compatibility.mode=exact`).
    `explicit_timestamps` is the server's explicit_defaults_for_timestamp.
    """

    database: str | None = None
    ansi_quotes: bool = False
    no_backslash_escapes: bool = False
    server_version: tuple[int, ...] | None = None
    mariadb: bool = False
    exact: bool = False
    include_comments: bool = False
    server_charset: str = "utf8mb4"
    database_charsets: dict[str, str] = field(default_factory=dict)
    real_as_float: bool = False
    oracle: bool = False
    explicit_timestamps: bool = True

    def set_sql_mode(self, bits: int) -> None:
        """Takes what shapes statements from a statement's sql_mode bits (as in a QUERY event)."""
        self.real_as_float = bool(bits & _REAL_AS_FLOAT)
        self.ansi_quotes = bool(bits & _ANSI_QUOTES)
        self.oracle = self.mariadb and bool(bits & _ORACLE)
        self.no_backslash_escapes = bool(bits & _NO_BACKSLASH_ESCAPES)

    def charset_of(self, database: str | None) -> str:
        """Default character set of a database."""
        return self.database_charsets.get(database or "", self.server_charset)

    @property
    def version_number(self) -> int | None:
        """The server's version as executable comments write it: 8.0.36 -> 80036, 10.11.6 -> 101106."""
        if self.server_version is None:
            return None
        major, minor, patch = (*self.server_version, 0, 0, 0)[:3]
        return major * 10000 + minor * 100 + patch


@dataclass(frozen=True, slots=True)
class Change:
    """One change to publish.

    `kind`: create_table alter_table drop_table rename_table truncate create_database alter_database
    drop_database index set use other. `type` is CREATE, ALTER or DROP where a table changed, else None; `table` its
    new model (None for DROP); `table_ids` the tables the change names, the first one being that which changed.
    """

    kind: str
    database: str | None
    ddl: str
    table_ids: tuple[TableId, ...] = ()
    type: str | None = None
    table: Table | None = None
    previous_id: TableId | None = None

    @property
    def id(self) -> TableId:
        """The changed table."""
        return self.table_ids[0]

    @classmethod
    def of_database(cls, kind: str, database: str | None, ddl: str) -> Self:
        """A change of no table."""
        return cls(kind, database, ddl)

    @classmethod
    def dropped(cls, table_id: TableId, ddl: str) -> Self:
        """A dropped table."""
        return cls("drop_table", table_id.catalog, ddl, (table_id,), "DROP")


class StatementError(DdlError):
    """A statement that touches a table model and was not understood.

    `table_ids` are the tables it mentions, as far as they can be told; `statement` is its text, shortened and
    without secrets. The message has both the reason and the place.
    """

    def __init__(self, reason: str, statement: str, table_ids: tuple[TableId, ...]) -> None:
        super().__init__(f"{reason}: {statement}")
        self.statement = statement
        self.table_ids = table_ids
