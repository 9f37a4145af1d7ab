"""The source block of PostgreSQL events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.model import TableId

# The format's version, as consumers of the reference see it.
FORMAT_VERSION = "3.6.3.Final"


def source_values(
    config: Mapping[str, Any],
    *,
    ts_us: int,
    snapshot: str | None,
    table: TableId | None,
    sequence: tuple[int | None, int],
    tx_id: int | None,
    lsn: int,
    origin: str | None = None,
    origin_lsn: int | None = None,
) -> list[Any]:
    """The block's values in field order. `ts_us`: time of the change, microseconds since the epoch."""
    last = "null" if sequence[0] is None else f'"{sequence[0]}"'
    return [
        FORMAT_VERSION, "postgresql", config["topic.prefix"], ts_us // 1000, snapshot, config["database.dbname"],
        f'[{last},"{sequence[1]}"]', ts_us, ts_us * 1000, table.schema if table else "", table.table if table else "",
        tx_id, lsn, None, origin, origin_lsn,
    ]  # fmt: skip
