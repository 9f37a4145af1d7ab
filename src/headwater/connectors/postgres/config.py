"""Options of the PostgreSQL connector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headwater.config.engine import ENGINE
from headwater.config.options import Option, OptionSet
from headwater.source.options import RENAMED, common, custom_name

_SLOT = re.compile(r"[a-z0-9_]{1,63}")
_SSL = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_MODES = ("always", "initial", "initial_only", "no_data", "when_needed", "configuration_based", "custom")


def _slot(value: Any, raw: Mapping[str, str]) -> str | None:
    return None if _SLOT.fullmatch(str(value)) else "lower-case letters, digits and underscores are expected, at most 63"


def _connection() -> list[Option]:
    return [
        Option("database.hostname", required=True, example="127.0.0.1", importance="high", doc="Host of the server."),
        Option("database.port", "int", 5432, "Port of the server.", minimum=1, maximum=65535, importance="high"),
        Option("database.user", required=True, example="debezium", importance="high", doc="User."),
        Option("database.password", "password", importance="high", doc="Password."),
        Option("database.dbname", required=True, example="inventory", importance="high", doc="Database."),
        Option("database.sslmode", "enum", "prefer", allowed=_SSL, doc="Whether TLS is used and checked."),
        Option("database.sslrootcert", doc="Certificates of trusted authorities (PEM)."),
        Option("database.sslcert", doc="Client certificate (PEM)."),
        Option("database.sslkey", doc="Client key (PEM)."),
        Option("database.sslpassword", "password", doc="Password of the key."),
        Option("database.sslfactory", doc="Accepted; there is no Java driver here."),
        Option("database.tcpKeepAlive", "bool", True, "Accepted; TCP keep-alive is always on."),
        Option("database.connection.factory.class", "class", built=False, doc="Makes connections."),
    ]  # fmt: skip


def _decoding() -> list[Option]:
    return [
        Option("plugin.name", "enum", "decoderbufs", allowed=("decoderbufs", "pgoutput", "wal2json"), importance="high",
               doc="Output plug-in. Only pgoutput is built so far."),
        Option("slot.name", default="debezium", validator=_slot, example="debezium", doc="Replication slot."),
        Option("slot.drop.on.stop", "bool", False, "Drops the slot at the end."),
        Option("slot.failover", "bool", False, "Asks for a failover slot (17 and later)."),
        Option("slot.stream.params", doc="Further options of the stream: k=v;k2=v2."),
        Option("slot.max.retries", "int", 6, "Attempts to start the stream.", minimum=0, built=False),
        Option("slot.retry.delay.ms", "long", 10000, "Pause between them.", minimum=0, built=False),
        Option("publication.name", default="dbz_publication", doc="Publication."),
        Option("publication.autocreate.mode", "enum", "all_tables",
               allowed=("all_tables", "disabled", "filtered", "no_tables"), doc="What a missing publication becomes."),
        Option("publish.via.partition.root", "bool", False, "Changes of partitions under their root."),
        Option("replica.identity.autoset.values", "list", doc="Replica identities to set."),
        Option("status.update.interval.ms", "int", 10000, "Time between status messages.", minimum=1),
        Option("lsn.flush.mode", "enum", "connector", allowed=("connector", "manual", "connector_and_driver"),
               doc="Who confirms positions."),
        Option("flush.lsn.source", "bool", True, deprecated="use lsn.flush.mode"),
        Option("lsn.flush.timeout.ms", "long", 30000, built=False, doc="Longest time of a confirmation."),
        Option("lsn.flush.timeout.action", "enum", "fail", allowed=("fail", "warn", "ignore"), built=False, doc="What then."),
        Option("offset.mismatch.strategy", "enum", "no_validation", built=False,
               allowed=("no_validation", "trust_offset", "trust_slot", "trust_greater_lsn"), doc="Slot against offset."),
        Option("xmin.fetch.interval.ms", "long", 0, built=False, doc="Time between reads of the slot's xmin."),
        Option("message.prefix.include.list", "regex_list", doc="Prefixes of logical messages to send."),
        Option("message.prefix.exclude.list", "regex_list", excludes=("message.prefix.include.list",),
               doc="Prefixes of logical messages to leave out."),
        Option("schema.refresh.mode", "enum", "columns_diff", built=False,
               allowed=("columns_diff", "columns_diff_exclude_unchanged_toast"), doc="When schemas are read again."),
    ]  # fmt: skip


def _capture() -> list[Option]:
    return [
        Option("schema.include.list", "regex_list", importance="high", doc="Regular expressions of the schemas to include."),
        Option("schema.exclude.list", "regex_list", importance="high", excludes=("schema.include.list",),
               doc="Regular expressions of the schemas to exclude."),
        Option("hstore.handling.mode", "enum", "json", allowed=("json", "map"), doc="How hstore is written."),
        Option("interval.handling.mode", "enum", "numeric", allowed=("numeric", "string"),
               doc="How intervals are written."),
        Option("money.fraction.digits", "int", 2, minimum=0, doc="Digits of money."),
        Option("include.unknown.datatypes", "bool", False, doc="Sends types not known as bytes."),
        Option("snapshot.mode", "enum", "initial", allowed=_MODES, validator=custom_name("snapshot.mode"), importance="high",
               doc="What is read at the start."),
        Option("snapshot.isolation.mode", "enum", "serializable",
               allowed=("serializable", "repeatable_read", "read_committed", "read_uncommitted"), doc="Isolation of the snapshot."),
        Option("snapshot.locking.mode", "enum", "none", allowed=("none", "shared", "custom"), built=False, doc="Locks meanwhile."),
    ]  # fmt: skip


RENAMED_POSTGRES = {**RENAMED, "transaction.topic": "topic.transaction",
                    "snapshot.custom.class": "snapshot.mode.custom.name"}  # fmt: skip
VALUES_RENAMED = {
    "snapshot.mode": {"never": "no_data", "exported": "initial", "schema_only": "no_data"},
    "plugin.name": {"wal2json_streaming": "wal2json", "wal2json_rds": "wal2json", "wal2json_rds_streaming": "wal2json"},
}

OPTIONS = (
    common(time_mode="adaptive", naming="io.debezium.schema.SchemaTopicNamingStrategy")
    + OptionSet([*_connection(), *_decoding(), *_capture()], renamed=RENAMED_POSTGRES, values_renamed=VALUES_RENAMED)
    + ENGINE
)
