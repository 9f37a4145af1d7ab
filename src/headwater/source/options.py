"""Options that all connectors share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headwater.config.options import Option, OptionSet, Validator
from headwater.config.patterns import PatternError, compile_regex

_NAME = re.compile(r"[a-zA-Z0-9_.\-]+")
_BAD_NAME = "{} has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)"
_KEY_ENTRY = re.compile(r"\s*([^:]+):([^:,]+(,[^:,]+)*)\s*")
OPERATIONS = ("c", "u", "d", "t", "r", "m")
NUMBER = r"\d+"


def valid_name(value: Any, raw: Mapping[str, str]) -> str | None:
    """`topic.prefix`: letters, digits, `_`, `.`, `-`."""
    return None if _NAME.fullmatch(str(value)) else _BAD_NAME.format(value)


def skipped_operations(value: Any, raw: Mapping[str, str]) -> str | None:
    """A list of operation letters, or `none` alone."""
    words = [v.lower() for v in value]
    if "none" in words:
        return None if words == ["none"] else "'none' cannot be specified with other skipped operation types"
    return None if all(w in OPERATIONS for w in words) else "Invalid operation"


def key_columns(value: Any, raw: Mapping[str, str]) -> str | None:
    """`table:column,column;table2:column`."""
    if not str(value).strip():
        return "Must not be empty"
    for entry in str(value).split(";"):
        if entry.strip() and not _KEY_ENTRY.fullmatch(entry):
            return f"{entry} has an invalid format (expecting '^\\s*([^:]+):([^:,]+(,[^:,]+)*)\\s*$')"
        try:
            compile_regex(entry.strip().rpartition(":")[0].strip())
        except PatternError as e:
            return f"A valid regular expression is expected before the colon, but {e}"
    return None


def one_table(value: Any, raw: Mapping[str, str]) -> str | None:
    """`signal.data.collection`: one table, as there is one task."""
    return "For single task connector only one signal data collection is permitted." if len(value) > 1 else None


def queue_size(value: Any, raw: Mapping[str, str]) -> str | None:
    """`max.queue.size` must exceed `max.batch.size`."""
    batch = raw.get("max.batch.size", "2048")
    return "Must be larger than the maximum batch size" if batch.isdigit() and value <= int(batch) else None


def custom_name(mode_key: str) -> Validator:
    """A validator: `custom` needs the name option beside it."""

    def check(value: Any, raw: Mapping[str, str]) -> str | None:
        if str(value).lower() == "custom" and not raw.get(f"{mode_key}.custom.name"):
            return f"{mode_key}.custom.name cannot be empty when {mode_key} 'custom' is defined"
        return None

    return check


TIME_MODES = ("adaptive_time_microseconds", "adaptive", "connect", "isostring", "microseconds", "nanoseconds")
_ADJUSTMENTS = ("none", "avro", "avro_unicode")
_FAILURES = ("fail", "warn", "skip", "ignore")


def common(*, time_mode: str, naming: str) -> OptionSet:
    """The common set; a connector's own declarations come behind and may replace any of these."""
    return OptionSet([*_connection(), *_filters(), *_values(time_mode), *_events(naming), *_snapshot(), *_signals(),
                      *_runtime(), *_column_rules()], accepted=ACCEPTED)  # fmt: skip


# Prefixes whose keys belong to others: producers, drivers, converters, workers.
ACCEPTED = (
    "driver.", "database.", "producer.", "consumer.", "admin.", "key.converter", "value.converter", "header.converter",
    "converter.", "transforms.", "predicates.", "topic.creation.", "internal.", "config.providers", "quarkus.",
    "schema.history.internal.", "offset.storage.", "signal.consumer.", "debezium.", "sasl.", "ssl.", "security.",
    "openlineage.", "errors.", "headwater.",
)  # fmt: skip


def _connection() -> list[Option]:
    return [
        Option("topic.prefix", required=True, validator=valid_name, example="inventory", importance="high",
               doc="Name of this capture; all topics and the offset key start with it. Never change it."),
        Option("connector.class", "class", required=True, example="mysql", importance="high", doc="The connector."),
        Option("name", doc="Name of the connector: the namespace of its offsets."),
        Option("tasks.max", "int", 1, "Number of tasks; a relational connector always has one.", minimum=1),
        Option("compatibility.mode", "enum", "corrected", allowed=("corrected", "exact"), importance="high",
               doc="`corrected` does right where the reference loses or contradicts itself; `exact` reproduces its output."),
        Option("database.query.timeout.ms", "int", 600000, "Longest time of a query; 0 is none.", minimum=0),
        Option("database.initial.statements", doc="Statements run on each new connection, separated by `;` (`;;` is a semicolon)."),
        Option("connection.validation.timeout.ms", "long", 60000, "Longest time of the connection check.", minimum=1),
        Option("executor.shutdown.timeout.ms", "long", 4000, "Longest wait for threads at the end."),
    ]  # fmt: skip


def _filters() -> list[Option]:
    pairs = [
        Option(f"{level}.{side}.list", "regex_list", importance="high",
               excludes=(f"{level}.include.list",) if side == "exclude" else (),
               doc=f"Regular expressions of the {level}s to {side}.")
        for level in ("table", "column") for side in ("include", "exclude")
    ]  # fmt: skip
    return [
        *pairs,
        Option("table.ignore.builtin", "bool", True, "Leaves the server's own tables out."),
        Option("message.key.columns", validator=key_columns, doc="Columns that make the key instead of the primary key.",
               example="inventory.customers:pk1,pk2"),
        Option("skipped.operations", "list", ["t"], validator=skipped_operations, folded=True, example="t",
               doc="Operations that make no event: c, u, d, t, r, or none."),
        Option("skip.messages.without.change", "bool", False, "Drops updates that change no included column."),
    ]  # fmt: skip


def _values(time_mode: str) -> list[Option]:
    return [
        Option("decimal.handling.mode", "enum", "precise", allowed=("precise", "double", "string"), importance="high",
               doc="How DECIMAL and NUMERIC are written."),
        Option("time.precision.mode", "enum", time_mode, allowed=TIME_MODES, importance="high",
               doc="How dates and times are written."),
        Option("binary.handling.mode", "enum", "bytes", allowed=("bytes", "base64", "base64-url-safe", "hex"),
               doc="How binary columns are written."),
        Option("unavailable.value.placeholder", default="__debezium_unavailable_value",
               doc="Stands for a value the log does not have."),
        Option("event.converting.failure.handling.mode", "enum", "warn", allowed=("warn", "fail", "skip"),
               doc="What becomes of a value that cannot be converted."),
        Option("converters", "list", built=False, doc="Names of custom converters."),
        Option("post.processors", "list", built=False, doc="Names of post processors."),
    ]  # fmt: skip


def _events(naming: str) -> list[Option]:
    return [
        Option("tombstones.on.delete", "bool", True, "Sends a null value behind each delete."),
        Option("include.schema.comments", "bool", False, "Puts table and column comments into the schemas."),
        Option("provide.transaction.metadata", "bool", False, "Sends transaction boundaries and counters."),
        Option("transaction.metadata.factory", "class", "io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory",
               doc="Class that makes transaction metadata.", built=False),
        Option("topic.naming.strategy", "class", naming, "Names the topics."),
        Option("topic.delimiter", default=".", doc="Joins the parts of a topic name."),
        Option("topic.cache.size", "int", 10000, "Number of topic names kept.", minimum=1),
        Option("topic.transaction", default="transaction", doc="Last part of the transaction topic's name."),
        Option("topic.heartbeat.prefix", default="__debezium-heartbeat", doc="First part of the heartbeat topic's name."),
        Option("topic.heartbeat.name", doc="The heartbeat topic's whole name."),
        Option("heartbeat.topics.prefix", default="__debezium-heartbeat", deprecated="use topic.heartbeat.prefix"),
        Option("schema.name.adjustment.mode", "enum", "none", allowed=_ADJUSTMENTS, doc="Makes schema names fit Avro."),
        Option("field.name.adjustment.mode", "enum", "none", allowed=_ADJUSTMENTS, doc="Makes field names fit Avro."),
        Option("extended.headers.enabled", "bool", True, "Puts the context headers on each event."),
        Option("sourceinfo.struct.maker", "class", doc="Class that makes the source block.", built=False),
        Option("topic.regex", built=False, doc="Regular expression of the regex naming strategies."),
        Option("topic.replacement", built=False, doc="Replacement of the regex naming strategies."),
    ]  # fmt: skip


def _snapshot() -> list[Option]:
    based = "snapshot.mode.configuration.based."
    flags = [
        Option(based + name, "bool", False, doc=f"With snapshot.mode=configuration_based: {text}.")
        for name, text in (("snapshot.data", "reads rows"), ("snapshot.schema", "reads schemas"),
                           ("start.stream", "streams"), ("snapshot.on.schema.error", "reads schemas when the history is gone"),
                           ("snapshot.on.data.error", "snapshots when the position is gone"))
    ]  # fmt: skip
    return [
        *flags,
        Option("snapshot.mode.custom.name", built=False, doc="Name of the custom snapshotter."),
        Option("snapshot.locking.mode.custom.name", built=False, doc="Name of the custom lock."),
        Option("snapshot.query.mode", "enum", "select_all", allowed=("select_all", "custom"), built=False,
               validator=custom_name("snapshot.query.mode"), doc="Who makes the snapshot's queries."),
        Option("snapshot.query.mode.custom.name", built=False, doc="Name of the custom query maker."),
        Option("snapshot.include.collection.list", "regex_list", doc="Tables whose rows are read; empty is all captured."),
        Option("snapshot.select.statement.overrides", "list", built=False, doc="Tables with a SELECT of their own."),
        Option("snapshot.select.statement.overrides.<table>", built=False,
               pattern=r"snapshot\.select\.statement\.overrides\..+", doc="The SELECT of one table."),
        Option("snapshot.delay.ms", "long", 0, "Pause before the snapshot.", minimum=0),
        Option("streaming.delay.ms", "long", 0, "Pause between snapshot and stream.", minimum=0, built=False),
        Option("snapshot.fetch.size", "int", doc="Rows a fetch; results are always streamed here.", minimum=0),
        Option("snapshot.lock.timeout.ms", "long", 10000, "Longest wait for a lock.", minimum=0),
        Option("snapshot.max.threads", "int", 1, "Parallel readers of the snapshot.", minimum=1, built=False),
        Option("snapshot.max.threads.multiplier", "int", 1, "Chunks a reader.", minimum=1, built=False),
        Option("snapshot.max.threads.multiplier.<table>", "int", pattern=r"snapshot\.max\.threads\.multiplier\..+",
               minimum=1, built=False, doc="Chunks a reader of one table."),
        Option("internal.legacy.snapshot.max.threads", "bool", False, built=False,
               deprecated="use legacy.snapshot.max.threads"),
        Option("legacy.snapshot.max.threads", "bool", False, "One table a reader.", built=False),
        Option("snapshot.tables.order.by.row.count", "enum", "disabled", allowed=("disabled", "ascending", "descending"),
               built=False, doc="Orders tables by size."),
        Option("incremental.snapshot.chunk.size", "int", 1024, "Rows a chunk.", minimum=0, built=False),
        Option("incremental.snapshot.allow.schema.changes", "bool", False, built=False, doc="Schema changes meanwhile."),
        Option("incremental.snapshot.watermarking.strategy", "enum", "insert_insert",
               allowed=("insert_insert", "insert_delete"), built=False, doc="How windows are marked."),
        Option("internal.snapshot.scan.all.columns.force", "bool", False, doc="Reads all column metadata at once.", built=False),
        Option("read.only", "bool", False, "No writes to the source.", built=False),
    ]  # fmt: skip


def _signals() -> list[Option]:
    return [
        Option("signal.data.collection", "list", validator=one_table, doc="The signal table.", built=False),
        Option("signal.enabled.channels", "list", ["source"], "Signal channels.", built=False),
        Option("signal.poll.interval.ms", "long", 5000, "Time between looks for signals.", minimum=1, built=False),
        Option("signal.file", default="file-signals.txt", doc="File of the file channel.", built=False),
        Option("signal.kafka.<option>", pattern=r"signal\.kafka\..+", doc="Kafka channel.", built=False),
        Option("notification.enabled.channels", "list", doc="Notification channels.", built=False),
        Option("notification.sink.topic.name", doc="Topic of the sink channel.", built=False),
    ]  # fmt: skip


def _runtime() -> list[Option]:
    return [
        Option("max.batch.size", "int", 2048, "Records a batch.", minimum=1),
        Option("max.queue.size", "int", 8192, "Records held at most.", minimum=1, validator=queue_size),
        Option("max.queue.size.in.bytes", "long", 0, "Bytes held at most; 0 is no limit.", minimum=0),
        Option("queue.provider.type", default="memory", doc="Kind of queue.", built=False),
        Option("poll.interval.ms", "long", 500, "Longest wait of a poll.", minimum=1),
        Option("query.fetch.size", "int", 0, "Rows a fetch of other queries.", minimum=0),
        Option("heartbeat.interval.ms", "int", 0, "Time between heartbeat records; 0 is none.", minimum=0),
        Option("heartbeat.action.query", doc="Statement run with each heartbeat."),
        Option("event.processing.failure.handling.mode", "enum", "fail", allowed=_FAILURES, built=False,
               doc="What becomes of an event that cannot be handled."),
        Option("errors.max.retries", "int", -1, "Reconnections in a row; -1 is no limit.", minimum=-1),
        Option("retriable.restart.connector.wait.ms", "long", 10000, "Longest pause between reconnections.", minimum=1),
        Option("internal.custom.retriable.exception", built=False, doc="Further errors to retry."),
        Option("custom.metric.tags", "map", built=False, doc="Tags of the metrics."),
        Option("statistics.metrics.enabled", "bool", True, built=False, doc="Lag percentiles."),
        Option("internal.advanced.metrics.enable", "bool", False, built=False, doc="Counters a table."),
        Option("guardrail.collections.max", "int", 0, "Most tables captured; 0 is no limit.", minimum=0, built=False),
        Option("guardrail.collections.limit.action", "enum", "warn", allowed=("warn", "fail"), built=False,
               doc="What happens beyond."),
        Option("custom.sanitize.pattern", built=False, doc="Keys whose values are masked in logs."),
        Option("internal.log.position.check.enable", "bool", True, "Checks at start that the server has the position."),
        Option("memory.management.<kind>.class", "class", pattern=r"memory\.management\.(schemas|tables)\.class", built=False,
               doc="Store of table models."),
        Option("openlineage.integration.<option>", pattern=r"openlineage\.integration\..+", built=False, doc="OpenLineage."),
    ]  # fmt: skip


def _column_rules() -> list[Option]:
    rules = (
        (r"column\.truncate\.to\.\d+\.chars", "column.truncate.to.<n>.chars", "Cuts text after n characters."),
        (r"column\.mask\.with\.\d+\.chars", "column.mask.with.<n>.chars", "Replaces text by n asterisks."),
        (r"column\.mask\.hash(\.v2)?\.[^.]+\.with\.salt\..+", "column.mask.hash.<algorithm>.with.salt.<salt>",
         "Replaces text by its hash."),
        (r"(column|datatype)\.propagate\.source\.type", "column.propagate.source.type",
         "Puts the source type into the schema's parameters."),
    )  # fmt: skip
    return [Option(key, "regex_list", pattern=pattern, doc=doc, built=False) for pattern, key, doc in rules]


# Names of 1.9 and before -> today's; `old.*` stands for a whole family.
RENAMED = {
    "database.server.name": "topic.prefix",
    "table.whitelist": "table.include.list", "table.blacklist": "table.exclude.list",
    "column.whitelist": "column.include.list", "column.blacklist": "column.exclude.list",
    "database.whitelist": "database.include.list", "database.blacklist": "database.exclude.list",
    "schema.whitelist": "schema.include.list", "schema.blacklist": "schema.exclude.list",
    "database.history": "schema.history.internal", "database.history.*": "schema.history.internal.*",
    "sanitize.field.names": "field.name.adjustment.mode",
    "toasted.value.placeholder": "unavailable.value.placeholder",
}  # fmt: skip
