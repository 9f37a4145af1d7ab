"""Table models and event schemas of a running PostgreSQL capture."""

from __future__ import annotations

from dataclasses import replace

from headwater.config.options import Config
from headwater.connectors.postgres import catalog, types
from headwater.drivers.postgres import Connection
from headwater.events.debezium.naming import TopicNaming, adjuster
from headwater.events.debezium.schemas import SOURCE_HEAD
from headwater.events.debezium.table_schema import SchemaOptions, TableSchema
from headwater.model import Column, Table, TableId
from headwater.model.schema import OPTIONAL_INT64, OPTIONAL_STRING, STRING, struct
from headwater.source.filters import ColumnFilter, KeyColumns, TableFilter
from headwater.types.base import TypeOptions
from headwater.wire.postgres.pgoutput import Relation
from headwater.wire.postgres.rows_cy import ValueFormat

SOURCE = struct(
    "io.debezium.connector.postgresql.Source",
    *SOURCE_HEAD,
    ("schema", STRING),
    ("table", STRING),
    ("txId", OPTIONAL_INT64),
    ("lsn", OPTIONAL_INT64),
    ("xmin", OPTIONAL_INT64),
    ("origin", OPTIONAL_STRING),
    ("origin_lsn", OPTIONAL_INT64),
    version=1,
)


class PostgresSchema:
    """Builds a table's schema from the catalogs, and again when the log describes it differently."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.filter = TableFilter(config, "postgres")
        self.naming = TopicNaming.from_config(config)
        self._columns = ColumnFilter(config, "postgres")
        self._keys = KeyColumns(config)
        self.types = TypeOptions(
            temporal=config["time.precision.mode"], decimal=config["decimal.handling.mode"],
            binary=config["binary.handling.mode"], adjust_years=False, exact=config["compatibility.mode"] == "exact",
            hstore=config["hstore.handling.mode"], interval=config["interval.handling.mode"],
            money_digits=config["money.fraction.digits"], unknown_types=config["include.unknown.datatypes"], placeholder=config["unavailable.value.placeholder"],
        )  # fmt: skip
        self._options = SchemaOptions(
            adjust_schema_name=adjuster(config["schema.name.adjustment.mode"], fields=False),
            adjust_field_name=adjuster(config["field.name.adjustment.mode"], fields=True),
            on_conversion_failure=config["event.converting.failure.handling.mode"],
        )

    def read(self, connection: Connection, table_id: TableId) -> TableSchema:
        """The schema of a table as the catalogs have it now."""
        return self.build(catalog.read_table(connection, table_id, comments=self.config["include.schema.comments"]))

    def build(self, table: Table) -> TableSchema:
        """The schema of a table model."""

        def included(column: Column) -> bool:
            return self._columns.includes(table.id, column.name)

        return TableSchema(
            table, self.naming.data(table.id), [types.value_type(c, self.types) for c in table.columns], SOURCE,
            self._options, included=included, key=self._keys.columns(table.id) or table.primary_key,
        )  # fmt: skip

    def formats(self, schema: TableSchema) -> list[ValueFormat]:
        """The decoder's formats of the table's columns; columns that are not read are left out of its rows."""
        read = {c.name for c in schema.read_columns}
        return [types.value_format(c, include=c.name in read) for c in schema.table.columns]

    def relation(self, connection: Connection, relation: Relation) -> TableSchema:
        """The schema of a table as the log describes it: its columns, with what only the catalogs know.

        The catalogs may be ahead of the log: a column they have no more, or have with another type, is taken
        from the log alone.
        """
        table_id = TableId(None, relation.schema, relation.table)
        known = catalog.read_table(connection, table_id)
        columns = []
        for c in relation.columns:
            have = known.column(c.name)
            if have is None or have.native_type != c.type_oid:
                have = self._from_log(connection, c.name, c.type_oid, key=c.key)
            length, scale = catalog.modifiers(have.type_name, c.type_modifier)
            if c.type_modifier >= 0:
                have = replace(have, length=length, scale=scale)
            columns.append(have)
        names = {c.name for c in columns}
        keys = tuple(k for k in known.primary_key if k in names)
        if not known.columns and relation.identity == "d":
            # The table is dropped by now. With the default replica identity, the log marks its primary key.
            keys = tuple(c.name for c in relation.columns if c.key)
        return self.build(Table(table_id, (), keys).with_(columns=columns))

    @staticmethod
    def _from_log(connection: Connection, name: str, oid: int, *, key: bool) -> Column:
        rows = connection.query("SELECT typname FROM pg_type WHERE oid = %s", [oid])
        kind = str(rows[0][0]) if rows else "unknown"
        return Column(name, 1111, kind, kind, native_type=oid, optional=not key)
