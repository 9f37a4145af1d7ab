"""Start checks of the PostgreSQL connector. All run; the error names every finding with the SQL to paste."""

from __future__ import annotations

from headwater.config.options import Config
from headwater.drivers.postgres import Connection
from headwater.errors import PreflightError


def check(connection: Connection, config: Config, *, streams: bool, unfinished: bool = False) -> None:
    """Raises PreflightError with all findings. `unfinished`: a snapshot was broken off and the mode takes none."""
    findings = []
    if unfinished:
        findings.append(
            f"the last snapshot was not finished, and snapshot.mode={config['snapshot.mode']} takes none: choose initial, or "
            "remove the offsets to begin anew"
        )
    if streams:
        findings += _wal_level(connection) + _replication(connection, config) + _plugin(config) + _slots(connection, config)
    if findings:
        text = findings[0] if len(findings) == 1 else "\n" + "\n".join(f"  - {f}" for f in findings)
        raise PreflightError(f"the server is not ready to be captured: {text}")


def _wal_level(connection: Connection) -> list[str]:
    level = str(connection.query("SHOW wal_level")[0][0])
    if level == "logical":
        return []
    return [f"wal_level is {level}. Run: ALTER SYSTEM SET wal_level = 'logical'; then restart the server"]


def _replication(connection: Connection, config: Config) -> list[str]:
    rows = connection.query(
        "SELECT rolreplication OR rolsuper OR EXISTS (SELECT 1 FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid "
        "WHERE m.member = r.oid AND g.rolname IN ('rds_superuser', 'rds_replication', 'rdsadmin', 'rdsrepladmin')) "
        "FROM pg_roles r WHERE rolname = current_user"
    )
    if rows and rows[0][0]:
        return []
    user = config["database.user"]
    return [f"the user {user} may not replicate. Run: ALTER ROLE \"{user}\" REPLICATION"]


def _plugin(config: Config) -> list[str]:
    if config["plugin.name"] == "pgoutput":
        return []
    return [f"plugin.name={config['plugin.name']} is not built yet in this release: set plugin.name=pgoutput"]


def _slots(connection: Connection, config: Config) -> list[str]:
    name = config["slot.name"]
    rows = connection.query("SELECT active_pid FROM pg_replication_slots WHERE slot_name = %s", [name])
    if rows:
        return []
    used, most = connection.query(
        "SELECT (SELECT count(*) FROM pg_replication_slots), current_setting('max_replication_slots')::int"
    )[0]
    if int(used) < int(most):
        return []
    return [
        f"all {most} replication slots are taken. Drop one that is not needed (SELECT pg_drop_replication_slot('…')), or "
        "raise max_replication_slots and restart the server"
    ]
