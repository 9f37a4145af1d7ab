"""Start checks: what the server must have switched on, and how to do it.

All checks run; the error names every finding. A check that cannot run is logged, not a finding.
"""

from __future__ import annotations

import logging
import re

from headwater.config.options import Config
from headwater.connectors.mysql.server import ServerFacts
from headwater.drivers.mysql import Connection
from headwater.errors import PreflightError, SourceError

log = logging.getLogger(__name__)

_REPLICATION = ("REPLICATION SLAVE", "REPLICATION CLIENT")
_MARIADB_NAMES = {
    "REPLICATION CLIENT": ("BINLOG MONITOR", "REPLICATION CLIENT"),
    "REPLICATION SLAVE": ("REPLICATION SLAVE", "REPLICATION REPLICA"),
}


def check(connection: Connection, server: ServerFacts, config: Config, *, streams: bool) -> None:
    """Runs the checks of a start. Raises PreflightError with all findings."""
    findings = _privileges(connection, server, streams=streams)
    if streams:
        findings = [
            *_log_is_on(server),
            *_row_format(server),
            *_row_image(server, config),
            *_read_only(server, config),
            *findings,
            *_server_id(server, config),
        ]
    if findings:
        text = "; ".join(findings) if len(findings) == 1 else "\n" + "\n".join(f"  - {f}" for f in findings)
        raise PreflightError(f"the server is not ready to be captured: {text}")


def _log_is_on(server: ServerFacts) -> list[str]:
    if server.variables.get("log_bin", "ON").upper() in ("ON", "1"):
        return []
    return [
        "The database server is not configured to write a binary log (log_bin is OFF). "
        "Start it with log_bin=mysql-bin and a server_id"
    ]


def _row_format(server: ServerFacts) -> list[str]:
    value = server.variables.get("binlog_format", "ROW").upper()
    if value == "ROW":
        return []
    return [
        f"The database server is not configured to use a ROW binlog_format, which is required for this connector "
        f"to work properly (it is {value}). Run: SET GLOBAL binlog_format = 'ROW', and put binlog_format=ROW into "
        "the server's configuration"
    ]


def _row_image(server: ServerFacts, config: Config) -> list[str]:
    value = server.variables.get("binlog_row_image", "FULL").upper()
    if value == "FULL":
        return []
    return [
        f"The database server is not configured to use a FULL binlog_row_image, which is required for this "
        f"connector to work properly (it is {value}). Run: SET GLOBAL binlog_row_image = 'FULL'"
    ]


def _read_only(server: ServerFacts, config: Config) -> list[str]:
    if not config.get("read.only") or server.mariadb or server.gtid_mode:
        return []
    return ["Read only connection requires GTID_MODE to be ON"]


def _privileges(connection: Connection, server: ServerFacts, *, streams: bool) -> list[str]:
    try:
        grants = [str(row[0]) for row in connection.query("SHOW GRANTS FOR CURRENT_USER")]
        user = str(connection.query("SELECT CURRENT_USER()")[0][0])
    except SourceError as e:
        log.info("the user's privileges could not be checked: %s", e)
        return []
    everything = " ".join(grants).upper()
    if re.search(r"GRANT ALL PRIVILEGES ON (\*|`%`)\.\*", everything) or " ROLE" in everything:
        return []
    missing = [
        p for p in (_REPLICATION if streams else ())
        if not any(name in everything for name in (_MARIADB_NAMES[p] if server.mariadb else (p,)))
    ]  # fmt: skip
    # A server hides the tables a user may not read: without this the snapshot would find none, and end well.
    if not re.search(r"\bSELECT\b", everything) and "GRANT ALL PRIVILEGES" not in everything:
        missing.append("SELECT")
    # Privileges may come through a role the list does not spell out.
    if not missing or any(re.match(r"GRANT `[^`]+`@`[^`]*` TO", g, re.IGNORECASE) for g in grants):
        return []
    name, _, host = user.rpartition("@")
    return [
        f"the user {user} lacks {' and '.join(missing)}. "
        f"Run: GRANT {', '.join(missing)} ON *.* TO '{name}'@'{host}'"
    ]


def _server_id(server: ServerFacts, config: Config) -> list[str]:
    own = server.variables.get("server_id", "0")
    if own not in ("", "0") and own == str(config["database.server.id"]):
        return [
            f"database.server.id = {own} is the server's own id. Choose another number that no replica of this "
            "server uses"
        ]
    return []
