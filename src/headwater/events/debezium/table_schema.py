"""One version of a captured table, ready to make events: schemas, and the conversion of its rows.

Built once per table version from the model and the columns' value types; knows no database.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.errors import ConversionError
from headwater.events.debezium import schemas
from headwater.events.debezium.naming import NameAdjuster
from headwater.model import Column, Field, Schema, SchemaBuilder, Table
from headwater.types.base import Steps, ValueType
from headwater.types.convert_cy import RowConverter

log = logging.getLogger(__name__)

# A column rule (mask, truncate, hash, propagate) may change the field's schema and gives further steps.
ColumnRule = Callable[[Column, SchemaBuilder], Steps]


@dataclass(frozen=True, slots=True)
class SchemaOptions:
    """What shapes schemas beyond the types: names, and how failed conversions are handled.

    `on_conversion_failure` is `warn`, `skip` or `fail`.
    """

    adjust_schema_name: NameAdjuster = str
    adjust_field_name: NameAdjuster = str
    on_conversion_failure: str = "warn"


class TableSchema:
    """Schemas and row programs of one table version.

    A decoder yields rows of the columns in `read_columns` (included ones and key columns), in table order.
    `convert_stream` and `convert_snapshot` turn them into raw values in place; `key` and `value` then
    give the key struct's and the row struct's values.
    """

    def __init__(
        self,
        table: Table,
        topic: str,
        value_types: Sequence[ValueType | None],
        source: Schema,
        options: SchemaOptions,
        *,
        included: Callable[[Column], bool] = lambda column: True,
        key: Sequence[str] | None = None,
        rule: Callable[[Column], ColumnRule | None] = lambda column: None,
    ) -> None:
        self.table = table
        self.topic = topic
        self._options = options
        names = [n.lower() for n in (table.primary_key if key is None else key)]
        columns = [c for c, t in zip(table.columns, value_types, strict=True) if t is not None]
        types = dict(zip((c.name for c in table.columns), value_types, strict=True))
        self.read_columns = [c for c in columns if included(c) or c.name.lower() in names]
        kinds: list[ValueType] = [t for c in self.read_columns if (t := types[c.name]) is not None]
        self.value_indexes = [i for i, c in enumerate(self.read_columns) if included(c)]
        self._all = len(self.value_indexes) == len(self.read_columns)
        index = {c.name.lower(): i for i, c in enumerate(self.read_columns)}
        self.key_indexes = [index[n] for n in names if n in index]
        fields = [self._field(c, t) for c, t in zip(self.read_columns, kinds, strict=True)]
        rules = {i: r for i in self.value_indexes if (r := rule(self.read_columns[i])) is not None}
        self._defaults = [f.default for f in fields]
        self._make_schemas(fields, rules, source)
        self.convert_stream = self._converter(kinds, snapshot=False)
        self.convert_snapshot = self._converter(kinds, snapshot=True)

    # -- schemas

    def _field(self, column: Column, kind: ValueType) -> SchemaBuilder:
        builder = SchemaBuilder.of(kind.schema)
        builder.optional = column.optional
        if column.comment:
            builder.doc = column.comment
        if column.has_default and column.default_expression is not None:
            try:
                builder.default = kind.default(column.default_expression)
            except (ValueError, ArithmeticError, OverflowError) as e:
                log.warning("the default of %s.%s is left out of its schema: %s", self.table.id, column.name, e)
        return builder

    def _make_schemas(self, fields: list[SchemaBuilder], rules: dict[int, ColumnRule], source: Schema) -> None:
        name = self._options.adjust_schema_name
        field_name = self._options.adjust_field_name
        plain = [f.build() for f in fields]
        self.key_schema: Schema | None = None
        if self.key_indexes:
            keys = tuple((field_name(self.read_columns[i].name), plain[i]) for i in self.key_indexes)
            self.key_schema = Schema("struct", name=name(self.topic + ".Key"), fields=keys)
        masked: list[tuple[int, Steps]] = []
        values = []
        for position, i in enumerate(self.value_indexes):
            schema = plain[i]
            if i in rules:
                if steps := rules[i](self.read_columns[i], fields[i]):
                    masked.append((position, steps))
                schema = fields[i].build()
            values.append((field_name(self.read_columns[i].name), schema))
        row = Schema("struct", name=name(self.topic + ".Value"), fields=tuple(values), optional=True)
        self.row_schema = row
        self.envelope = schemas.envelope(name(self.topic + ".Envelope"), row, source)
        self._masks = RowConverter([(p, s, None) for p, s in masked], self._mask_failed) if masked else None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The row's fields, in order."""
        return self.row_schema.fields

    # -- rows

    def _converter(self, kinds: list[ValueType], *, snapshot: bool) -> RowConverter:
        work = []
        for i, (column, kind) in enumerate(zip(self.read_columns, kinds, strict=True)):
            steps = kind.steps_for(snapshot)
            default = self._defaults[i]
            fallback = None if column.optional else kind.fallback if default is None else default
            if steps or fallback is not None:
                work.append((i, steps, fallback))
        return RowConverter(work, self._failed)

    def _failed(self, index: int, value: Any, error: Exception) -> Any:
        column = self.read_columns[index]
        text = (
            f"Failed to properly convert data value for '{self.table.id}.{column.name}' of type "
            f"{column.type_expression or column.type_name}: {error}"
        )
        if self._options.on_conversion_failure == "fail":
            raise ConversionError(text) from error
        if self._options.on_conversion_failure == "warn":
            log.warning("%s; the field is left null", text)
        return None

    def _mask_failed(self, index: int, value: Any, error: Exception) -> Any:
        raise ConversionError(f"cannot mask '{self.table.id}.{self.fields[index].name}': {error}") from error

    def key(self, row: list[Any]) -> list[Any] | None:
        """The key struct's values of a converted row; None where the table has no key."""
        if not self.key_indexes:
            return None
        return [row[i] for i in self.key_indexes]

    def value(self, row: list[Any]) -> list[Any]:
        """The row struct's values of a converted row: `row` itself where all columns are included."""
        if not self._all:
            row = [row[i] for i in self.value_indexes]
        elif self._masks is not None:
            row = row.copy()
        if self._masks is not None:
            self._masks.apply(row)
        return row

    @property
    def plain_rows(self) -> bool:
        """Whether `value` is the row itself."""
        return self._all and self._masks is None


def keys_without(names: Iterable[str], table: Table) -> list[str]:
    """Those of `names` that the table lacks."""
    return [n for n in names if table.index(n) is None]
