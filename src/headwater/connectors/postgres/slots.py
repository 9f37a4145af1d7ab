"""Replication slots and publications: what exists, what is made."""

from __future__ import annotations

import logging
import re
from typing import NamedTuple

from headwater.config.options import Config
from headwater.config.patterns import compile_regex
from headwater.connectors.postgres import catalog
from headwater.connectors.postgres.offsets import Position
from headwater.connectors.postgres.schema import PostgresSchema
from headwater.drivers.postgres import Connection
from headwater.errors import PositionLost, PreflightError, SourceError
from headwater.wire.postgres.lsn import format_lsn, parse_lsn

log = logging.getLogger(__name__)


class SlotState(NamedTuple):
    """A slot's positions: what the client confirmed, and from where the server keeps its log."""

    confirmed: int
    restart: int


def slot_state(connection: Connection, config: Config) -> SlotState | None:
    """The state of the configured slot; None where there is none. Raises PreflightError for another plug-in's slot."""
    rows = connection.query(
        "SELECT confirmed_flush_lsn::text, restart_lsn::text, plugin, database FROM pg_replication_slots WHERE slot_name = %s",
        [config["slot.name"]],
    )
    if not rows:
        return None
    confirmed, restart, plugin, database = rows[0]
    if plugin != config["plugin.name"] or database != config["database.dbname"]:
        raise PreflightError(
            f"the slot {config['slot.name']} belongs to the plug-in {plugin} and the database {database}. Choose another "
            f"slot.name, or drop it: SELECT pg_drop_replication_slot('{config['slot.name']}')"
        )
    if confirmed is None or restart is None:
        raise PositionLost(
            f"the slot {config['slot.name']} has lost its log (max_slot_wal_keep_size). Drop it, and take a new snapshot: "
            f"SELECT pg_drop_replication_slot('{config['slot.name']}')"
        )
    return SlotState(parse_lsn(str(confirmed)), parse_lsn(str(restart)))


def check_position(slot: SlotState | None, position: Position, config: Config) -> None:
    """Raises PositionLost where the slot cannot go on from a stored position without a gap.

    The reference looks at `restart_lsn` only, and passes silently over what somebody else confirmed;
    `compatibility.mode=exact` does so too.
    """
    if not config["internal.log.position.check.enable"]:
        return
    wanted = position.lsn_proc or position.lsn or 0
    durable = position.lsn_commit if position.lsn_proc is not None else position.lsn
    strict = config["compatibility.mode"] != "exact" and config["lsn.flush.mode"] != "manual"
    if slot is None:
        what = "its slot does not exist"
    elif slot.restart > wanted:
        what = f"the slot's log starts at {format_lsn(slot.restart)}"
    elif strict and durable is not None and slot.confirmed > durable:
        what = f"changes up to {format_lsn(slot.confirmed)} were confirmed by somebody else"
    else:
        return
    raise PositionLost(
        f"The connector is trying to read the change log starting at {format_lsn(wanted)}, but {what}: this position is no "
        "longer available on the server. Reconfigure the connector to use a snapshot mode when needed "
        "(snapshot.mode=when_needed), or remove its offsets to begin anew"
    )


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


_IDENTITY = re.compile(r"DEFAULT|FULL|NOTHING|INDEX (\w+)")


def set_identities(connection: Connection, schema: PostgresSchema) -> None:
    """Sets replica identities by `replica.identity.autoset.values`; what the server refuses is logged."""
    rules = []
    for entry in schema.config["replica.identity.autoset.values"] or []:
        pattern, sep, wanted = str(entry).rpartition(":")
        match = _IDENTITY.fullmatch(wanted.strip())
        if not sep or match is None:
            raise PreflightError(f"replica.identity.autoset.values: {entry!r} is not of the form table:FULL")
        rules.append((compile_regex(pattern.strip()), f"USING INDEX {match[1]}" if match[1] else match[0]))
    if not rules:
        return
    for table in catalog.list_tables(connection):
        wanted_forms = {form for pattern, form in rules if pattern.fullmatch(str(table))}
        if not schema.filter.includes(table) or not wanted_forms:
            continue
        if len(wanted_forms) > 1:
            raise PreflightError(f"replica.identity.autoset.values: more than one rule is for {table}")
        form = wanted_forms.pop()
        try:
            if catalog.replica_identity(connection, table) != form:
                connection.query(f"ALTER TABLE {table.quoted()} REPLICA IDENTITY {form}")
                log.info("set the replica identity of %s to %s", table, form)
        except SourceError as e:
            log.warning("the replica identity of %s could not be set: %s", table, e)
