"""The locks of an initial snapshot: a global read lock, table locks where that is refused, or none.

The lock is what makes the read position, the table definitions and the rows belong together. `minimal`
holds it until position and definitions are read, `extended` until the rows are.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Protocol

from headwater.errors import PreflightError, SourceError
from headwater.model import TableId

log = logging.getLogger(__name__)

GLOBAL_LOCK = {
    "minimal": "FLUSH TABLES WITH READ LOCK",
    "extended": "FLUSH TABLES WITH READ LOCK",
    "minimal_percona": "LOCK TABLES FOR BACKUP",
    "minimal_percona_no_table_locks": "LOCK TABLES FOR BACKUP",
}


class Queries(Protocol):
    """What is needed of a connection."""

    def query(self, sql: str) -> Sequence[tuple[object, ...]]: ...


class SnapshotLock:
    """One snapshot's lock. `tables_only` tells that the fall-back to table locks was taken."""

    def __init__(self, connection: Queries, mode: str, timeout_seconds: int) -> None:
        self._connection = connection
        self._mode = mode
        self._timeout = timeout_seconds
        self._since: float | None = None
        self.tables_only = False

    @property
    def held(self) -> bool:
        return self._since is not None

    def prepare(self) -> None:
        """Sets isolation and lock time-outs of the session."""
        self._connection.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        self._connection.query(f"SET SESSION lock_wait_timeout={self._timeout}")
        self._connection.query(f"SET SESSION innodb_lock_wait_timeout={self._timeout}")

    def take_global(self) -> None:
        """Takes the global lock if the mode wants one; a refusal leaves `held` False."""
        statement = GLOBAL_LOCK.get(self._mode)
        if statement is None:
            return
        try:
            self._connection.query(statement)
        except SourceError as e:
            if self._mode == "minimal_percona_no_table_locks":
                raise PreflightError(f"Cannot perform two-phase schema snapshot without the backup lock: {e}") from e
            log.info("the global read lock was refused (%s); locking the captured tables instead", e)
            self.tables_only = True
            return
        self._since = time.monotonic()
        if statement == GLOBAL_LOCK["minimal"]:
            # The flush resets the isolation level of the next transaction.
            self._connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

    def take_tables(self, tables: Sequence[TableId]) -> None:
        """The fall-back: a read lock on each captured table."""
        grants = " ".join(str(row[0]) for row in self._connection.query("SHOW GRANTS FOR CURRENT_USER"))
        if "LOCK TABLES" not in grants and "ALL" not in grants:
            raise PreflightError(
                "User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by "
                "preventing concurrent writes to tables. GRANT RELOAD (or LOCK TABLES) ON *.* to the user, or set "
                "snapshot.locking.mode=none if nothing is written meanwhile"
            )
        if not tables:
            return
        names = ",".join(t.quoted("`") for t in tables)
        self._connection.query(f"FLUSH TABLES {names} WITH READ LOCK")
        self._since = time.monotonic()

    def begin(self) -> None:
        """Opens the transaction all rows are read in."""
        if self._mode.startswith("minimal"):
            self._connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")

    def schema_read(self) -> None:
        """Position and definitions are read: the minimal modes let go of a global lock."""
        if self.held and not self.tables_only and self._mode.startswith("minimal"):
            self.release()

    def release(self) -> None:
        """Lets go of whatever is held."""
        if self._since is None:
            return
        self._connection.query("UNLOCK TABLES")
        log.info("the tables were locked for %.3f s", time.monotonic() - self._since)
        self._since = None
