"""Replication slots and publications: what exists, what is made."""

from __future__ import annotations

import logging

from headwater.config.options import Config
from headwater.connectors.postgres import catalog
from headwater.connectors.postgres.schema import PostgresSchema
from headwater.drivers.postgres import Connection
from headwater.errors import PreflightError
from headwater.wire.postgres.lsn import parse_lsn

log = logging.getLogger(__name__)


def slot_position(connection: Connection, config: Config) -> tuple[int, int] | None:
    """(confirmed position, restart position) of the slot; None where there is none of this plug-in."""
    rows = connection.query(
        "SELECT confirmed_flush_lsn::text, restart_lsn::text, plugin FROM pg_replication_slots "
        "WHERE slot_name = %s AND database = %s",
        [config["slot.name"], config["database.dbname"]],
    )
    if not rows:
        return None
    confirmed, restart, plugin = rows[0]
    if plugin != config["plugin.name"]:
        raise PreflightError(
            f"the slot {config['slot.name']} belongs to the plug-in {plugin}. Choose another slot.name, or drop it: "
            f"SELECT pg_drop_replication_slot('{config['slot.name']}')"
        )
    return parse_lsn(str(confirmed)), parse_lsn(str(restart))


def ensure_publication(connection: Connection, schema: PostgresSchema) -> None:
    """Makes or fits the publication, by `publication.autocreate.mode`."""
    config = schema.config
    name, mode = config["publication.name"], config["publication.autocreate.mode"]
    rows = connection.query("SELECT puballtables FROM pg_publication WHERE pubname = %s", [name])
    if rows:
        if mode == "filtered":
            _fit(connection, schema, name, all_tables=bool(rows[0][0]))
        return
    if mode == "disabled":
        raise PreflightError(
            f"the publication {name} does not exist, and publication.autocreate.mode=disabled. "
            f"Run: CREATE PUBLICATION {name} FOR ALL TABLES"
        )
    target = {"all_tables": " FOR ALL TABLES", "no_tables": ""}.get(mode)
    if target is None:
        target = f" FOR TABLE {_captured(connection, schema)}"
    connection.query(f"CREATE PUBLICATION {name}{target}{_options(config)}")
    log.info("made the publication %s%s", name, target)


def _options(config: Config) -> str:
    parts = []
    if config["publish.via.partition.root"]:
        parts.append("publish_via_partition_root = true")
    if config.is_set("skipped.operations"):
        kinds = {"c": "insert", "u": "update", "d": "delete", "t": "truncate"}
        wanted = ",".join(v for k, v in kinds.items() if k not in config["skipped.operations"])
        parts.append(f"publish = '{wanted}'")
    return f" WITH ({', '.join(parts)})" if parts else ""


def _captured(connection: Connection, schema: PostgresSchema) -> str:
    tables = [t.quoted() for t in catalog.list_tables(connection) if schema.filter.includes(t)]
    if not tables:
        raise PreflightError("No table filters found for filtered publication: no table of the database is captured")
    return ", ".join(tables)


def _fit(connection: Connection, schema: PostgresSchema, name: str, *, all_tables: bool) -> None:
    if all_tables:
        raise PreflightError(
            f"the publication {name} is FOR ALL TABLES, which does not fit publication.autocreate.mode=filtered. "
            "Use mode all_tables, or another publication.name"
        )
    rows = connection.query("SELECT schemaname, tablename FROM pg_publication_tables WHERE pubname = %s", [name])
    have = {(str(s), str(t)) for s, t in rows}
    want = {(t.schema, t.table) for t in catalog.list_tables(connection) if schema.filter.includes(t)}
    if have != want:
        connection.query(f"ALTER PUBLICATION {name} SET TABLE {_captured(connection, schema)}")
