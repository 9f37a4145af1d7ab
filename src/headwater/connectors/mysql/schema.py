"""The table model of a running MySQL or MariaDB capture, and the schemas made from it.

Follows DDL, keeps the schema history, and answers "what does this table look like now" for the decoder
and the emitter. Must not know sockets or the log's framing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from headwater import ddl
from headwater.config.options import Config
from headwater.connectors.mysql import types
from headwater.connectors.mysql.offsets import Position, at_or_before
from headwater.errors import DdlError, HistoryError
from headwater.events.debezium.java_order import java_order
from headwater.events.debezium.naming import TopicNaming, adjuster
from headwater.events.debezium.table_schema import SchemaOptions, TableSchema
from headwater.model import Column, Schema, Table, TableId, Tables
from headwater.source.filters import ColumnFilter, KeyColumns, TableFilter
from headwater.storage.base import HistoryStore
from headwater.storage.history.documents import HistoryRecord
from headwater.storage.history.recovery import recover
from headwater.types.base import TypeOptions
from headwater.wire.mysql.columns import ColumnFormat

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Applied:
    """What one statement did: the changes to publish, and the tables it names (for the source block)."""

    changes: tuple[ddl.Change, ...]
    tables: str


class MySqlSchema:
    """Table models, schemas per captured table, and the history behind them."""

    def __init__(
        self,
        config: Config,
        plugin: str,
        source: Schema,
        history: HistoryStore,
        partition: dict[str, Any],
        *,
        case_insensitive: bool = False,
    ) -> None:
        self.config = config
        self.exact = config["compatibility.mode"] == "exact"
        self.tables = Tables(case_insensitive=case_insensitive)
        self.session = ddl.Session(mariadb=plugin == "mariadb", exact=self.exact,
                                   include_comments=config["include.schema.comments"])  # fmt: skip
        self.filter = TableFilter(config, "mysql")
        self.columns = ColumnFilter(config, "mysql")
        self.naming = TopicNaming.from_config(config)
        self._keys = KeyColumns(config)
        self._history = history
        self._partition = partition
        self._source = source
        self._options = type_options(config)
        self._schema_options = SchemaOptions(
            adjust_schema_name=adjuster(config["schema.name.adjustment.mode"], fields=False),
            adjust_field_name=adjuster(config["field.name.adjustment.mode"], fields=True),
            on_conversion_failure=config["event.converting.failure.handling.mode"],
        )
        self._schemas: dict[TableId, TableSchema] = {}
        self._skip_unparseable = config["schema.history.internal.skip.unparseable.ddl"]
        self._only_tables = config["schema.history.internal.store.only.captured.tables.ddl"]
        self._only_databases = config["schema.history.internal.store.only.captured.databases.ddl"]
        self._recovered_ends: set[tuple[str, int]] = set()

    # -- what tables look like

    def table_schema(self, table_id: TableId) -> TableSchema | None:
        """The current schema of a captured table; None where the model does not know it."""
        table = self.tables.get(table_id)
        if table is None:
            return None
        schema = self._schemas.get(table.id)
        if schema is None or schema.table is not table:
            schema = self._schemas[table.id] = self._build(table)
        return schema

    def _build(self, table: Table) -> TableSchema:
        def included(column: Column) -> bool:
            return self.columns.includes(table.id, column.name)

        return TableSchema(
            table,
            self.naming.data(table.id),
            [types.value_type(c, self._options) for c in table.columns],
            self._source,
            self._schema_options,
            included=included,
            key=self._keys.columns(table.id) or table.primary_key,
        )

    def formats(self, schema: TableSchema) -> list[ColumnFormat]:
        """The decoder's column formats of all the table's columns; those not read are left out of its rows."""
        read = {c.name for c in schema.read_columns}
        return [types.column_format(c, exact=self.exact, include=c.name in read) for c in schema.table.columns]

    # -- DDL

    def apply(self, sql: str, database: str | None) -> Applied:
        """Applies a statement to the model. Raises DdlError where it concerns a captured table and fails."""
        self.session.database = database
        try:
            changes = tuple(ddl.apply(sql, self.tables, self.session))
        except DdlError as e:
            if not self._may_skip(e):
                raise
            log.warning("a statement is left out of the table model: %s", e)
            return Applied((), "")
        return Applied(changes, self._names(changes))

    def _may_skip(self, error: DdlError) -> bool:
        if self._skip_unparseable:
            return True
        named: Iterable[TableId] = getattr(error, "table_ids", ())
        return not self.exact and bool(named) and not any(self.filter.includes(t) for t in named)

    def _names(self, changes: tuple[ddl.Change, ...]) -> str:
        ids = list(dict.fromkeys(str(t) for c in changes for t in c.table_ids))
        tables = {str(t): t.table for c in changes for t in c.table_ids}
        return ",".join(tables[i] for i in (java_order(ids) if self.exact else ids))

    def is_recorded(self, change: ddl.Change) -> bool:
        """Whether a change goes to the history and the schema change topic."""
        if change.kind == "set":
            return True
        if self._only_tables:
            return any(self.filter.includes(t) for t in change.table_ids)
        if self._only_databases and change.database:
            return self.filter.includes_database(change.database)
        return True

    def record(self, change: ddl.Change, position: dict[str, Any], ts_ms: int | None = None) -> None:
        """Writes one change to the history, durably."""
        self.record_all([(change, position)], ts_ms)

    def record_all(self, changes: Iterable[tuple[ddl.Change, dict[str, Any]]], ts_ms: int | None = None) -> None:
        """Writes changes to the history in one go."""
        now = time.time_ns() // 1_000_000 if ts_ms is None else ts_ms
        documents = [
            HistoryRecord(
                source=self._partition, position=position, ts_ms=now, database_name=change.database,
                schema_name=None, ddl=change.ddl, changes=[change] if change.type else [],
            ).to_dict()
            for change, position in changes
        ]  # fmt: skip
        self._history.append(documents)

    # -- recovery

    def history_exists(self) -> bool:
        return self._history.exists()

    def create_history(self) -> None:
        self._history.create()

    def recover(self, position: Position, accept: Callable[[str], bool] | None = None) -> int:
        """Rebuilds the model as of `position` from the history; the number of records applied."""
        ends: list[tuple[str, int]] = []

        def reached(recorded: dict[str, Any]) -> bool:
            at = Position.load(recorded) if recorded.get("file") else None
            if at is None:
                return True
            if at_or_before(at, position, accept):
                ends.append((at.file, at.pos))
                return True
            return False

        def apply_ddl(sql: str, database: str | None) -> None:
            self.apply(sql, database)

        count = recover(self._history.read(), self._partition, reached, self.tables, apply_ddl,
                        prefer_ddl=self.config["schema.history.internal.prefer.ddl"])  # fmt: skip
        if count == 0:
            raise HistoryError(
                "the schema history holds nothing for this connector up to the stored offset. "
                "Set snapshot.mode=recovery once to rebuild it from the server"
            )
        self._recovered_ends = set(ends[-64:])
        log.info("recovered the table model: %d tables from %d history records", len(self.tables), count)
        return count

    def already_recovered(self, file: str, end_pos: int) -> bool:
        """Whether the statement that ends at this place is in the recovered model (it is sent again after a restart)."""
        return (file, end_pos) in self._recovered_ends


def type_options(config: Config) -> TypeOptions:
    """The modes that shape values, from the configuration."""
    return TypeOptions(
        temporal=config["time.precision.mode"],
        decimal=config["decimal.handling.mode"],
        unsigned_bigint=config["bigint.unsigned.handling.mode"],
        binary=config["binary.handling.mode"],
        adjust_years=config["enable.time.adjuster"],
        exact=config["compatibility.mode"] == "exact",
    )
