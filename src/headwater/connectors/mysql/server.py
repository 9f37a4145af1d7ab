"""Questions to a MySQL or MariaDB server: version, position, variables, definitions.

Each is one statement on a connection given by the caller; answers are plain values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from headwater import ddl
from headwater.drivers.mysql import Connection
from headwater.errors import SourceError
from headwater.model import TableId

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
_NO_SUCH_TABLE = 1146


@dataclass(frozen=True, slots=True)
class BinlogStatus:
    """Where the server writes now: file, position, executed GTIDs (empty without GTIDs)."""

    file: str
    pos: int
    gtids: str


@dataclass(slots=True)
class ServerFacts:
    """What one server is, read once after connecting."""

    version: tuple[int, ...]
    mariadb: bool
    variables: dict[str, str] = field(default_factory=dict)
    status_statement: str = "SHOW BINARY LOG STATUS"
    _databases: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: Connection) -> ServerFacts:
        """Asks for version and variables, and finds the statement that tells the log position."""
        text = str(connection.query("SELECT version()")[0][0])
        m = _VERSION.match(text)
        version = tuple(int(x or 0) for x in m.groups()) if m else (0, 0, 0)
        variables = {str(k).lower(): str(v) for k, v in connection.query("SHOW VARIABLES")}
        mariadb = "mariadb" in text.lower()
        facts = cls(version, mariadb, variables)
        if mariadb or version < (8, 2):
            facts.status_statement = "SHOW MASTER STATUS"
        return facts

    @property
    def case_insensitive(self) -> bool:
        return self.variables.get("lower_case_table_names", "0") != "0"

    @property
    def gtid_mode(self) -> bool:
        """Whether dumping by GTID set works."""
        return self.mariadb or self.variables.get("gtid_mode", "OFF").upper() == "ON"

    def binlog_status(self, connection: Connection) -> BinlogStatus | None:
        """The current end of the log; None where the server says nothing (the log is off)."""
        rows = connection.query(self.status_statement)
        if not rows:
            return None
        row = rows[0]
        gtids = str(row[4]) if len(row) > 4 and row[4] else ""
        if self.mariadb:
            answer = connection.query("SHOW GLOBAL VARIABLES LIKE 'GTID_BINLOG_POS'")
            gtids = str(answer[0][1]) if answer else ""
        return BinlogStatus(str(row[0]), int(row[1]), gtids.replace("\n", "").replace("\r", ""))

    def binlog_files(self, connection: Connection) -> list[str]:
        """Names of the log files the server still has, oldest first."""
        return [str(row[0]) for row in connection.query("SHOW BINARY LOGS")]

    def purged_gtids(self, connection: Connection) -> str:
        if self.mariadb:
            return ""
        return str(connection.query("SELECT @@global.gtid_purged")[0][0]).replace("\n", "")

    def now(self, connection: Connection) -> int:
        """The server's clock in whole seconds, as nanoseconds since the epoch."""
        return int(connection.query("SELECT UNIX_TIMESTAMP()")[0][0]) * 1_000_000_000

    def database_charset(self, connection: Connection, database: str) -> tuple[str, str]:
        """Default character set and collation of a database."""
        if not self._databases:
            rows = connection.query(
                "SELECT schema_name, default_character_set_name, default_collation_name "
                "FROM information_schema.schemata"
            )
            self._databases = {str(name): (str(cs), str(order)) for name, cs, order in rows}
        if database not in self._databases:
            raise SourceError(f"the server does not tell the character set of database {database}")
        return self._databases[database]

    def show_create(self, connection: Connection, table: TableId) -> str | None:
        """The table's definition; None where it is gone meanwhile."""
        try:
            return str(connection.query(f"SHOW CREATE TABLE {table.quoted('`')}")[0][1])
        except SourceError as e:
            if getattr(e, "code", None) == _NO_SUCH_TABLE:
                return None
            raise

    def estimated_rows(self, connection: Connection, table: TableId) -> int | None:
        """The server's estimate of a table's rows."""
        rows: Any = connection.query(
            f"SHOW TABLE STATUS IN {ddl.quote(table.catalog or '')} LIKE {ddl.quote_string(_like(table.table))}"
        )
        return int(rows[0][4]) if rows and rows[0][4] is not None else None


def _like(name: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", name)


