"""Schemas that are the same for every table: envelope parts, heartbeats, transactions, schema changes."""

from __future__ import annotations

from headwater.model.schema import (
    INT32,
    INT64,
    OPTIONAL_BOOLEAN,
    OPTIONAL_INT32,
    OPTIONAL_INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    struct,
)

_COMMON = "io.debezium.connector.common."
_HISTORY = "io.debezium.connector.schema."

SNAPSHOT_MARKER = Schema(
    "string", optional=True, name="io.debezium.data.Enum", version=1, default="false",
    parameters={"allowed": "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"},
)  # fmt: skip

# The fields every source block starts with; connectors add their own behind.
SOURCE_HEAD: tuple[tuple[str, Schema], ...] = (
    ("version", STRING),
    ("connector", STRING),
    ("name", STRING),
    ("ts_ms", INT64),
    ("snapshot", SNAPSHOT_MARKER),
    ("db", STRING),
    ("sequence", OPTIONAL_STRING),
    ("ts_us", OPTIONAL_INT64),
    ("ts_ns", OPTIONAL_INT64),
)
SNAPSHOT_INDEX = 4

TRANSACTION_BLOCK = struct(
    "event.block", ("id", STRING), ("total_order", INT64), ("data_collection_order", INT64), optional=True, version=1
)
TRANSACTION_KEY = struct(_COMMON + "TransactionMetadataKey", ("id", STRING), version=1)
_COLLECTION = struct(
    "event.collection", ("data_collection", STRING), ("event_count", INT64), optional=True, version=1
)
TRANSACTION_VALUE = struct(
    _COMMON + "TransactionMetadataValue",
    ("status", STRING),
    ("id", STRING),
    ("event_count", OPTIONAL_INT64),
    ("data_collections", Schema("array", items=_COLLECTION, optional=True)),
    ("ts_ms", INT64),
    version=1,
)
HEARTBEAT_KEY = struct(_COMMON + "ServerNameKey", ("serverName", STRING), version=1)
HEARTBEAT_VALUE = struct(_COMMON + "Heartbeat", ("ts_ms", INT64), version=1)

COLUMN = struct(
    _HISTORY + "Column",
    ("name", STRING),
    ("jdbcType", INT32),
    ("nativeType", OPTIONAL_INT32),
    ("typeName", STRING),
    ("typeExpression", OPTIONAL_STRING),
    ("charsetName", OPTIONAL_STRING),
    ("length", OPTIONAL_INT32),
    ("scale", OPTIONAL_INT32),
    ("position", INT32),
    ("optional", OPTIONAL_BOOLEAN),
    ("autoIncremented", OPTIONAL_BOOLEAN),
    ("generated", OPTIONAL_BOOLEAN),
    ("comment", OPTIONAL_STRING),
    ("defaultValueExpression", OPTIONAL_STRING),
    ("enumValues", Schema("array", items=STRING, optional=True)),
    version=1,
)
TABLE = struct(
    _HISTORY + "Table",
    ("defaultCharsetName", OPTIONAL_STRING),
    ("primaryKeyColumnNames", Schema("array", items=STRING, optional=True)),
    ("columns", Schema("array", items=COLUMN)),
    ("comment", OPTIONAL_STRING),
    optional=True,
    version=1,
)
CHANGE = struct(_HISTORY + "Change", ("type", STRING), ("id", STRING), ("table", TABLE), version=1)


def schema_change_key(plugin: str) -> Schema:
    """Key of a schema change record; `plugin` is `mysql` or `mariadb`."""
    return struct(f"io.debezium.connector.{plugin}.SchemaChangeKey", ("databaseName", STRING), version=1)


def schema_change_value(plugin: str, source: Schema) -> Schema:
    """Value of a schema change record."""
    return struct(
        f"io.debezium.connector.{plugin}.SchemaChangeValue",
        ("source", source),
        ("ts_ms", INT64),
        ("databaseName", OPTIONAL_STRING),
        ("schemaName", OPTIONAL_STRING),
        ("ddl", OPTIONAL_STRING),
        ("tableChanges", Schema("array", items=CHANGE)),
        version=1,
    )


def envelope(name: str, row: Schema, source: Schema) -> Schema:
    """The envelope of a table's events, version 2. `row` is the optional value struct."""
    return struct(
        name,
        ("before", row),
        ("after", row),
        ("source", source),
        ("transaction", TRANSACTION_BLOCK),
        ("op", STRING),
        ("ts_ms", OPTIONAL_INT64),
        ("ts_us", OPTIONAL_INT64),
        ("ts_ns", OPTIONAL_INT64),
        version=2,
    )
