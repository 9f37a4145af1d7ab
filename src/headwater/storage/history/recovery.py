"""Replays a schema history into table models."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from headwater.errors import HistoryError
from headwater.model import Tables
from headwater.storage.history.documents import document_table, parse_id

log = logging.getLogger(__name__)


def recover(
    documents: Iterable[dict[str, Any]],
    partition: dict[str, Any],
    reached: Callable[[dict[str, Any]], bool],
    tables: Tables,
    apply_ddl: Callable[[str, str | None], None],
    *,
    prefer_ddl: bool = False,
) -> int:
    """Applies every record of `partition` whose position `reached` accepts, in order; the number applied.

    Stored table models are taken as they are; a record without them is applied by its statement.
    """
    count = 0
    for number, document in enumerate(documents, 1):
        source, position = document.get("source"), document.get("position")
        if source != partition or not isinstance(position, dict) or not reached(position):
            continue
        count += 1
        changes = document.get("tableChanges")
        statement = document.get("ddl")
        if changes and not (prefer_ddl and statement):
            _apply_changes(changes, tables, number)
        elif statement:
            apply_ddl(str(statement), document.get("databaseName"))
    return count


def _apply_changes(changes: Any, tables: Tables, number: int) -> None:
    try:
        for change in changes:
            table_id = parse_id(change["id"])
            if change["type"] == "DROP":
                tables.remove(table_id)
                continue
            if change.get("previousId"):
                tables.remove(parse_id(change["previousId"]))
            # A table's comment stands beside its model.
            tables.put(document_table(table_id, {"comment": change.get("comment"), **change["table"]}))
    except (KeyError, TypeError) as e:
        raise HistoryError(f"record {number} of the schema history is malformed: {e!r}") from e
