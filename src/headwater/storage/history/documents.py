"""Schema history documents, in the reference's JSON: table models and changes to plain maps and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from headwater.errors import HistoryError
from headwater.model import Column, Table, TableId


class TableChange(Protocol):
    """What is needed of a change (`ddl.Change` has it)."""

    @property
    def type(self) -> str | None: ...
    @property
    def id(self) -> TableId: ...
    @property
    def table(self) -> Table | None: ...
    @property
    def previous_id(self) -> TableId | None: ...


@dataclass(slots=True)
class HistoryRecord:
    """One record of a schema history. Keys of `to_dict` stand in the reference's order."""

    source: dict[str, Any]
    position: dict[str, Any]
    ts_ms: int | None = None
    database_name: str | None = None
    schema_name: str | None = None
    ddl: str | None = None
    changes: list[Any] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"source": self.source, "position": self.position}
        optional = (("ts_ms", self.ts_ms), ("databaseName", self.database_name), ("schemaName", self.schema_name),
                    ("ddl", self.ddl))  # fmt: skip
        out.update({k: v for k, v in optional if v is not None})
        out["tableChanges"] = [change_document(c) for c in self.changes]
        return out


def change_document(change: TableChange) -> dict[str, Any]:
    """One table change."""
    out: dict[str, Any] = {"type": change.type, "id": change.id.quoted()}
    if change.previous_id is not None:
        out["previousId"] = change.previous_id.quoted()
    if change.table is not None:
        table = table_document(change.table)
        # The reference's history has a table's comment beside its model.
        comment = table.pop("comment")
        out.update(table=table, comment=comment)
    return out


def table_document(table: Table) -> dict[str, Any]:
    """A table model."""
    return {
        "defaultCharsetName": table.charset,
        "primaryKeyColumnNames": list(table.primary_key),
        "columns": [_column_document(c) for c in table.columns],
        "attributes": [{"name": n, "value": v} for n, v in table.attributes],
        "comment": table.comment,
    }


def _column_document(c: Column) -> dict[str, Any]:
    out: dict[str, Any] = {"name": c.name, "jdbcType": c.jdbc_type}
    if c.native_type is not None:
        out["nativeType"] = c.native_type
    out.update(typeName=c.type_name, typeExpression=c.type_expression, charsetName=c.charset)
    if c.length is not None:
        out["length"] = c.length
    if c.scale is not None:
        out["scale"] = c.scale
    out.update(position=c.position, optional=c.optional, autoIncremented=c.auto_incremented, generated=c.generated,
               comment=c.comment, hasDefaultValue=c.has_default)  # fmt: skip
    if c.has_default and c.default_expression is not None:
        out["defaultValueExpression"] = c.default_expression
    out["enumValues"] = list(c.enum_values)
    return out


def parse_id(text: str) -> TableId:
    """`"db"."table"` -> TableId. Raises HistoryError."""
    parts: list[str] = []
    i = 0
    while i < len(text):
        if text[i] != '"':
            raise HistoryError(f"{text!r} is not a quoted table id")
        end = i + 1
        while True:
            end = text.find('"', end)
            if end < 0:
                raise HistoryError(f"{text!r} is not a quoted table id")
            if text.startswith('""', end):
                end += 2
                continue
            break
        parts.append(text[i + 1 : end].replace('""', '"'))
        i = end + 2
    if len(parts) == 3:
        return TableId(parts[0], parts[1], parts[2])
    if len(parts) != 2:
        raise HistoryError(f"{text!r} is not a table id of two or three parts")
    return TableId(parts[0], None, parts[1])


def document_table(table_id: TableId, node: Any) -> Table:
    """A table model from its document. Raises HistoryError for a malformed one."""
    try:
        columns = tuple(_column(c, i) for i, c in enumerate(node["columns"], 1))
        return Table(
            table_id, columns, tuple(node.get("primaryKeyColumnNames") or ()), node.get("defaultCharsetName"),
            node.get("comment"), tuple((a["name"], a["value"]) for a in node.get("attributes") or ()),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise HistoryError(f"the model of {table_id} is malformed: {e!r}") from e


def _column(c: dict[str, Any], position: int) -> Column:
    return Column(
        name=str(c["name"]), jdbc_type=int(c["jdbcType"]), type_name=str(c["typeName"]),
        type_expression=c.get("typeExpression"), native_type=c.get("nativeType"), charset=c.get("charsetName"),
        length=c.get("length"), scale=c.get("scale"), position=int(c.get("position") or position),
        optional=bool(c.get("optional")), auto_incremented=bool(c.get("autoIncremented")),
        generated=bool(c.get("generated")), comment=c.get("comment"), has_default=bool(c.get("hasDefaultValue")),
        default_expression=c.get("defaultValueExpression"), enum_values=tuple(c.get("enumValues") or ()),
    )  # fmt: skip
