"""Kafka Connect schemas: immutable, compared by structure, hashed once.

Type names are those of the JSON converter: int8 int16 int32 int64 float double boolean string bytes
array map struct.

Values are held in one *raw* form everywhere (rows, structs, defaults):
int for the integer types and for Connect's Date, Time and Timestamp; float; bool; str; bytes;
**int (the unscaled value) for Connect's Decimal**; list for array; dict for map; for struct a
`Struct` or a plain list of its field values in order; None for null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DECIMAL = "org.apache.kafka.connect.data.Decimal"


class Field:
    """A struct's member: its name, its index (from 0) and its schema."""

    __slots__ = ("index", "name", "schema")

    def __init__(self, name: str, index: int, schema: Schema) -> None:
        self.name = name
        self.index = index
        self.schema = schema

    def __repr__(self) -> str:
        return f"Field({self.name!r}, {self.schema!r})"


class Schema:
    """A Connect schema. Make one with the module's constants or `SchemaBuilder`; never change it."""

    __slots__ = ("_hash", "_names", "default", "doc", "fields", "items", "keys", "name", "optional",
                 "parameters", "type", "values", "version")  # fmt: skip

    def __init__(
        self,
        type: str,
        *,
        optional: bool = False,
        name: str | None = None,
        version: int | None = None,
        doc: str | None = None,
        parameters: Mapping[str, str] | None = None,
        default: Any = None,
        fields: tuple[tuple[str, Schema], ...] | None = None,
        items: Schema | None = None,
        keys: Schema | None = None,
        values: Schema | None = None,
    ) -> None:
        self.type = type
        self.optional = optional
        self.name = name
        self.version = version
        self.doc = doc
        self.parameters = dict(parameters) if parameters else None
        self.default = default
        self.fields = tuple(Field(n, i, s) for i, (n, s) in enumerate(fields or ()))
        self.items = items
        self.keys = keys
        self.values = values
        self._names = {f.name: f for f in self.fields}
        self._hash = 0

    def field(self, name: str) -> Field | None:
        """The member called `name`, or None."""
        return self._names.get(name)

    @property
    def is_decimal(self) -> bool:
        return self.name == DECIMAL and self.type == "bytes"

    @property
    def scale(self) -> int:
        """The scale of a Decimal schema."""
        return int((self.parameters or {}).get("scale", "0"))

    def with_(self, **changes: Any) -> Schema:
        """A copy with some attributes changed (`fields` as pairs of name and schema)."""
        have: dict[str, Any] = {
            "optional": self.optional, "name": self.name, "version": self.version, "doc": self.doc,
            "parameters": self.parameters, "default": self.default,
            "fields": tuple((f.name, f.schema) for f in self.fields), "items": self.items,
            "keys": self.keys, "values": self.values,
        }  # fmt: skip
        kind = changes.pop("type", self.type)
        have.update(changes)
        return Schema(kind, **have)

    def _identity(self) -> tuple[Any, ...]:
        params = tuple(self.parameters.items()) if self.parameters else None
        default = repr(self.default)
        return (self.type, self.optional, self.name, self.version, self.doc, params, default,
                tuple((f.name, f.schema) for f in self.fields), self.items, self.keys, self.values)  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Schema) or hash(self) != hash(other):
            return False
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        if self._hash == 0:
            self._hash = hash(self._identity()) or 1
        return self._hash

    def __repr__(self) -> str:
        inner = f" {self.name}" if self.name else ""
        if self.fields:
            inner += " {" + ", ".join(f.name for f in self.fields) + "}"
        return f"<Schema {self.type}{'?' if self.optional else ''}{inner}>"


class SchemaBuilder:
    """Collects what makes a schema; `build()` gives the immutable result.

    Column mappers and custom converters receive one and may change any attribute.
    """

    def __init__(self, type: str, name: str | None = None, version: int | None = None) -> None:
        self.type = type
        self.name = name
        self.version = version
        self.optional = False
        self.doc: str | None = None
        self.parameters: dict[str, str] = {}
        self.default: Any = None
        self.fields: list[tuple[str, Schema]] = []
        self.items: Schema | None = None
        self.keys: Schema | None = None
        self.values: Schema | None = None

    @classmethod
    def of(cls, schema: Schema) -> SchemaBuilder:
        b = cls(schema.type, schema.name, schema.version)
        b.optional, b.doc, b.default = schema.optional, schema.doc, schema.default
        b.parameters = dict(schema.parameters or {})
        b.fields = [(f.name, f.schema) for f in schema.fields]
        b.items, b.keys, b.values = schema.items, schema.keys, schema.values
        return b

    def field(self, name: str, schema: Schema) -> SchemaBuilder:
        self.fields.append((name, schema))
        return self

    def build(self) -> Schema:
        return Schema(
            self.type, optional=self.optional, name=self.name, version=self.version, doc=self.doc,
            parameters=self.parameters, default=self.default, fields=tuple(self.fields), items=self.items,
            keys=self.keys, values=self.values,
        )  # fmt: skip


INT8 = Schema("int8")
INT16 = Schema("int16")
INT32 = Schema("int32")
INT64 = Schema("int64")
FLOAT32 = Schema("float")
FLOAT64 = Schema("double")
BOOLEAN = Schema("boolean")
STRING = Schema("string")
BYTES = Schema("bytes")
OPTIONAL_INT8 = Schema("int8", optional=True)
OPTIONAL_INT16 = Schema("int16", optional=True)
OPTIONAL_INT32 = Schema("int32", optional=True)
OPTIONAL_INT64 = Schema("int64", optional=True)
OPTIONAL_FLOAT32 = Schema("float", optional=True)
OPTIONAL_FLOAT64 = Schema("double", optional=True)
OPTIONAL_BOOLEAN = Schema("boolean", optional=True)
OPTIONAL_STRING = Schema("string", optional=True)
OPTIONAL_BYTES = Schema("bytes", optional=True)


def struct(name: str | None, *fields: tuple[str, Schema], optional: bool = False, version: int | None = None,
           doc: str | None = None) -> Schema:  # fmt: skip
    """A struct schema from (name, schema) pairs."""
    return Schema("struct", name=name, fields=fields, optional=optional, version=version, doc=doc)
