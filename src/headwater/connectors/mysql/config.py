"""Options of the MySQL connector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headwater.config.engine import ENGINE, HISTORY
from headwater.config.options import Option, OptionSet
from headwater.source.options import RENAMED, TIME_MODES, common, custom_name

_HOST = re.compile(r"[a-zA-Z0-9\-_.:]+")
SNAPSHOT_MODES = ("always", "initial", "initial_only", "when_needed", "no_data", "recovery", "configuration_based", "custom")
_FAILURES = ("fail", "warn", "skip", "ignore")


def _host(value: Any, raw: Mapping[str, str]) -> str | None:
    if _HOST.fullmatch(str(value)):
        return None
    return f"{value} has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)"


def _gtid_excludes(value: Any, raw: Mapping[str, str]) -> str | None:
    return "Cannot specify GTID excludes when includes are provided." if raw.get("gtid.source.includes") else None


def _time_mode(value: Any, raw: Mapping[str, str]) -> str | None:
    """The reference refuses `adaptive` as it is written here, and takes it in any other case."""
    written = raw.get("time.precision.mode", "").strip()
    return "The 'adaptive' time.precision.mode is no longer supported" if written == "adaptive" else None


def _mode(value: Any, raw: Mapping[str, str]) -> str | None:
    return custom_name("snapshot.mode")(value, raw)


def binlog_options(*, ssl_modes: tuple[str, ...], ssl_default: str, locking: tuple[str, ...]) -> OptionSet:
    """What MySQL and MariaDB have in common."""
    return OptionSet([*_connection(ssl_modes, ssl_default), *_capture(), *_snapshot(locking), *_streaming()],
                     renamed=RENAMED_MYSQL, values_renamed=VALUES_RENAMED)  # fmt: skip


def _connection(ssl_modes: tuple[str, ...], ssl_default: str) -> list[Option]:
    return [
        Option("database.hostname", required=True, validator=_host, example="127.0.0.1", importance="high",
               doc="Host of the server."),
        Option("database.port", "int", 3306, "Port of the server.", minimum=1, maximum=65535, importance="high"),
        Option("database.user", required=True, example="debezium", importance="high", doc="User."),
        Option("database.password", "password", doc="Password.", importance="high"),
        Option("database.server.id", "long", required=True, minimum=1, example="184054", importance="high",
               doc="Replica number of this reader, unique among the server's replicas."),
        Option("database.server.id.offset", "long", 10000, "Accepted; parallel readers need no number here."),
        Option("database.ssl.mode", "enum", ssl_default, allowed=ssl_modes, doc="Whether TLS is used and checked."),
        Option("database.ssl.keystore", doc="Client certificate (PEM)."),
        Option("database.ssl.keystore.password", "password", doc="Its password."),
        Option("database.ssl.key", doc="Client key (PEM), where it is not in the certificate's file."),
        Option("database.ssl.truststore", doc="Certificates of trusted authorities (PEM)."),
        Option("database.ssl.truststore.password", "password", doc="Accepted; PEM files have none."),
        Option("connect.timeout.ms", "int", 30000, "Longest wait for a connection.", minimum=1),
        Option("connect.keep.alive", "bool", True, "Watches the log connection."),
        Option("connect.keep.alive.interval.ms", "long", 60000, "Longest silence of the log connection.", minimum=1),
        Option("use.nongraceful.disconnect", "bool", False, "Accepted; a silent connection is always dropped at once."),
        Option("binlog.net.write.timeout", "long", 0, "Session time-out of the server.", minimum=0, built=False),
        Option("binlog.net.read.timeout", "long", 0, "Session time-out of the server.", minimum=0, built=False),
    ]  # fmt: skip


def _capture() -> list[Option]:
    return [
        Option("database.include.list", "regex_list", importance="high", doc="Regular expressions of the databases to include."),
        Option("database.exclude.list", "regex_list", importance="high", excludes=("database.include.list",),
               doc="Regular expressions of the databases to exclude."),
        Option("time.precision.mode", "enum", "adaptive_time_microseconds", allowed=TIME_MODES, validator=_time_mode,
               importance="high", example="adaptive_time_microseconds", doc="How dates and times are written."),
        Option("bigint.unsigned.handling.mode", "enum", "long", allowed=("long", "precise"),
               doc="How BIGINT UNSIGNED is written."),
        Option("enable.time.adjuster", "bool", True, "Reads years 0 to 99 as 1970 to 2069."),
        Option("include.query", "bool", False, "Puts the statement into the source block."),
        Option("include.schema.changes", "bool", True, "Sends schema changes to a topic of their own."),
        Option("inconsistent.schema.handling.mode", "enum", "fail", allowed=_FAILURES,
               doc="What becomes of rows that do not fit the table model."),
    ]  # fmt: skip


def _snapshot(locking: tuple[str, ...]) -> list[Option]:
    return [
        Option("snapshot.mode", "enum", "initial", allowed=SNAPSHOT_MODES, validator=_mode, importance="high",
               doc="What is read at the start."),
        Option("snapshot.locking.mode", "enum", "minimal", allowed=locking, doc="How tables are locked meanwhile."),
        Option("min.row.count.to.stream.results", "int", 1000, "Accepted; results are always streamed.", minimum=0),
    ]  # fmt: skip


def _streaming() -> list[Option]:
    return [
        Option("gtid.source.includes", "list", built=False, doc="GTID sources to read."),
        Option("gtid.source.excludes", "list", built=False, validator=_gtid_excludes, doc="GTID sources to leave out."),
        Option("gtid.source.filter.dml.events", "bool", True, "Leaves out rows of other sources.", built=False),
        Option("gtid.ignore.on.recovery", "bool", False, "Starts from file and position."),
        Option("test.disable.global.locking", "bool", False, "Locks table by table, as without the right to lock all.",
               built=False),
        Option("binlog.buffer.size", "int", 0, "Events looked ahead.", minimum=0, built=False),
        Option("event.deserialization.failure.handling.mode", "enum", "fail", allowed=_FAILURES,
               deprecated="use event.processing.failure.handling.mode"),
    ]  # fmt: skip


RENAMED_MYSQL = {
    **RENAMED, "transaction.topic": "topic.transaction", "snapshot.new.tables": "snapshot.include.collection.list",
    "event.deserialization.failure.handling.mode": "event.processing.failure.handling.mode",
}  # fmt: skip
VALUES_RENAMED = {"snapshot.mode": {"schema_only": "no_data", "schema_only_recovery": "recovery", "never": "no_data"}}

OPTIONS = (
    common(time_mode="adaptive_time_microseconds", naming="io.debezium.schema.DefaultTopicNamingStrategy")
    + binlog_options(
        ssl_modes=("disabled", "preferred", "required", "verify_ca", "verify_identity"),
        ssl_default="preferred",
        locking=("minimal", "minimal_percona", "minimal_percona_no_table_locks", "extended", "none", "custom"),
    )
    + OptionSet([
        Option("database.jdbc.driver", "class", "com.mysql.cj.jdbc.Driver", "Accepted; there is no Java driver here."),
        Option("database.protocol", default="jdbc:mysql", doc="Accepted; there is no Java driver here."),
        Option("ddl.parser.type", "enum", "default", allowed=("default", "legacy"), doc="Accepted; there is one parser."),
        Option("connector.adapter", doc="Accepted: `mysql` or `mariadb`, of older releases."),
    ])
    + HISTORY
    + ENGINE
)  # fmt: skip
