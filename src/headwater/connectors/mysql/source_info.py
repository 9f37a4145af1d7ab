"""The source block of MySQL and MariaDB events."""

from __future__ import annotations

from typing import Any

from headwater.events.debezium.schemas import SOURCE_HEAD
from headwater.model.schema import INT32, INT64, OPTIONAL_INT64, OPTIONAL_STRING, STRING, Schema, struct

# The format's version, as consumers of the reference see it.
FORMAT_VERSION = "3.6.3.Final"


def source_schema(plugin: str) -> Schema:
    """Schema of the source block; `plugin` is `mysql` or `mariadb`."""
    return struct(
        f"io.debezium.connector.{plugin}.Source",
        *SOURCE_HEAD,
        ("table", OPTIONAL_STRING),
        ("server_id", INT64),
        ("gtid", OPTIONAL_STRING),
        ("file", STRING),
        ("pos", INT64),
        ("row", INT32),
        ("thread", OPTIONAL_INT64),
        ("query", OPTIONAL_STRING),
        version=1,
    )


def source_values(
    plugin: str,
    name: str,
    *,
    ts_ns: int,
    snapshot: str | None,
    db: str,
    table: str | None,
    server_id: int,
    gtid: str | None,
    file: str,
    pos: int,
    row: int,
    thread: int | None,
    query: str | None,
) -> list[Any]:
    """The block's values in field order. `ts_ns`: the server's time of the change, since the epoch."""
    return [
        FORMAT_VERSION, plugin, name, ts_ns // 1_000_000, snapshot, db, None, ts_ns // 1000, ts_ns,
        table, server_id, gtid, file, pos, row, thread, query,
    ]  # fmt: skip
