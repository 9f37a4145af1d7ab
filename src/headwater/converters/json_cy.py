# cython: language_level=3
"""Kafka Connect's JSON converter: a program per schema, run over raw values.

A schema is compiled once into a tree of nodes with pre-rendered field names; the schema's own JSON is
rendered once and copied. Output is byte for byte that of the reference (`docs/reference/json.md`).
"""

from __future__ import annotations

from typing import Any

import cython

from headwater._javatext import decimal_text
from headwater.converters.jsonschema import schema_text
from headwater.errors import ConversionError
from headwater.model import Record, Schema, Struct

if cython.compiled:
    from cython.cimports.headwater._buffer_cy import Buffer
else:
    from headwater._buffer_cy import Buffer

N_INT = cython.declare(cython.int, 1)
N_STRING = cython.declare(cython.int, 2)
N_BOOL = cython.declare(cython.int, 3)
N_BYTES = cython.declare(cython.int, 4)
N_DOUBLE = cython.declare(cython.int, 5)
N_FLOAT = cython.declare(cython.int, 6)
N_DECIMAL = cython.declare(cython.int, 7)
N_DECIMAL_NUMBER = cython.declare(cython.int, 8)
N_STRUCT = cython.declare(cython.int, 9)
N_ARRAY = cython.declare(cython.int, 10)
N_MAP = cython.declare(cython.int, 11)
N_PAIRS = cython.declare(cython.int, 12)

_LIMITS = {"int8": 2**7, "int16": 2**15, "int32": 2**31}
CACHE = 4096


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


def quote(text: str) -> str:
    """A string as the converter writes it."""
    out = Buffer()
    out.put_string(b"", text)
    return out.take(b"", b"").decode()


@cython.cclass
class Node:
    """One schema of the program."""

    op: cython.int
    optional: cython.bint
    has_default: cython.bint
    default: object
    schema: object
    scale: cython.int
    limit: cython.longlong  # of integers below 64 bits; 0 is none
    count: cython.Py_ssize_t
    names: list  # of a struct: `{"a":`, `,"b":`, ..., as bytes
    children: list

    def __init__(self, schema: Schema, numeric: bool, replace_null: bool) -> None:
        self.schema = schema
        self.optional = schema.optional
        self.default = schema.default
        self.has_default = schema.default is not None and (replace_null or not schema.optional)
        self.scale = 0
        self.limit = _LIMITS.get(schema.type, 0)
        self.names = []
        self.children = []
        self.op = self._operation(schema, numeric)
        if schema.type == "struct":
            for i, f in enumerate(schema.fields):
                self.names.append((("," if i else "{") + quote(f.name) + ":").encode())
                self.children.append(Node(f.schema, numeric, replace_null))
        elif schema.type == "array":
            self.children.append(Node(schema.items, numeric, replace_null))
        elif schema.type == "map":
            self.children.append(Node(schema.keys, numeric, replace_null))
            self.children.append(Node(schema.values, numeric, replace_null))
        self.count = len(self.children)

    def _operation(self, schema: Schema, numeric: bool) -> int:
        kind = schema.type
        if kind == "bytes" and schema.is_decimal:
            self.scale = schema.scale
            return N_DECIMAL_NUMBER if numeric else N_DECIMAL
        if kind == "map":
            return N_MAP if schema.keys is not None and schema.keys.type == "string" else N_PAIRS
        simple = {
            "string": N_STRING, "boolean": N_BOOL, "bytes": N_BYTES, "double": N_DOUBLE, "float": N_FLOAT,
            "struct": N_STRUCT, "array": N_ARRAY,
        }  # fmt: skip
        return simple.get(kind, N_INT)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write(node: Node, before: bytes, value: object, out: Buffer) -> cython.int:
    # Writes `before` and the value.
    op: cython.int = node.op
    if value is None:
        if node.has_default:
            value = node.default
        elif node.optional:
            out.put_two(before, b"null")
            return 0
        else:
            raise ValueError("null for a required field without a default value")
    if op == N_INT:
        if type(value) is not int:
            raise TypeError("an integer is expected")
        _write_int(node, before, value, out)
    elif op == N_STRING:
        if type(value) is not str:
            raise TypeError("a string is expected")
        out.put_string(before, value)
    elif op == N_STRUCT:
        _write_struct(node, before, value, out)
    elif op == N_BOOL:
        if value is True:
            out.put_two(before, b"true")
        elif value is False:
            out.put_two(before, b"false")
        else:
            raise TypeError("a boolean is expected")
    elif op == N_DECIMAL:
        if type(value) is not int:
            raise TypeError("an unscaled integer is expected")
        out.put_unscaled(before, value)
    elif op == N_DOUBLE or op == N_FLOAT:
        _write_floating(op, before, value, out)
    else:
        out.put(before)
        _write_rare(node, op, value, out)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_int(node: Node, before: bytes, value: object, out: Buffer) -> cython.int:
    if not cython.compiled and not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} does not fit {node.schema.type}")
    number: cython.longlong = value
    if node.limit and not -node.limit <= number < node.limit:
        raise ValueError(f"{number} does not fit {node.schema.type}")
    out.put_int(before, number)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_floating(op: cython.int, before: bytes, value: object, out: Buffer) -> cython.int:
    if type(value) is not float and type(value) is not int:
        raise TypeError("a number is expected")
    number: cython.double = float(value)
    if op == N_DOUBLE:
        out.put_double(before, number)
    else:
        out.put_float(before, number)
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_struct(node: Node, before: bytes, value: object, out: Buffer) -> cython.int:
    values: list
    if type(value) is list:
        values = value
    elif isinstance(value, Struct):
        values = value.values
    else:
        raise TypeError("a struct is expected")
    i: cython.Py_ssize_t
    if len(values) != node.count:
        raise ValueError(f"{len(values)} values for {node.count} fields")
    if node.count == 0:
        out.put_two(before, b"{}")
        return 0
    out.put(before)
    for i in range(node.count):
        _write(node.children[i], node.names[i], values[i], out)
    out.put(b"}")
    return 0


def _write_rare(node: Node, op: int, value: Any, out: Buffer) -> None:
    if op == N_BYTES:
        out.put_base64(b"", bytes(memoryview(value)))
    elif op == N_DECIMAL_NUMBER:
        if type(value) is not int:
            raise TypeError("an unscaled integer is expected")
        out.put(decimal_text(value, node.scale).encode("ascii"))
    elif op == N_ARRAY:
        if not isinstance(value, list | tuple):
            raise TypeError("an array is expected")
        for i, item in enumerate(value):
            _write(node.children[0], b"," if i else b"[", item, out)
        out.put(b"]" if value else b"[]")
    elif isinstance(value, dict):
        _write_map(node, op == N_MAP, value, out)
    else:
        raise TypeError("a map is expected")


def _write_map(node: Node, as_object: bool, value: dict[Any, Any], out: Buffer) -> None:
    # An object where the keys are strings, else an array of pairs.
    first = b"{" if as_object else b"[["
    between = b"," if as_object else b",["
    for i, (k, v) in enumerate(value.items()):
        if k is None and as_object and node.children[0].optional:
            # A null key has the text of its JSON form.
            out.put_two(between if i else first, b'"null"')
        else:
            _write(node.children[0], between if i else first, k, out)
        _write(node.children[1], b":" if as_object else b",", v, out)
        if not as_object:
            out.put(b"]")
    if not value:
        out.put(b"{" if as_object else b"[")
    out.put(b"}" if as_object else b"]")


@cython.cclass
class Program:
    """A compiled schema with its rendered prefix."""

    schema = cython.declare(object, visibility="readonly")
    node: Node
    prefix: bytes
    suffix: bytes
    _spare: Buffer

    def __init__(self, schema: Schema, with_schema: bool, numeric: bool, replace_null: bool) -> None:
        self.schema = schema
        self.node = Node(schema, numeric, replace_null)
        self.prefix = b""
        self.suffix = b""
        self._spare = None
        if with_schema:
            self.prefix = ('{"schema":' + schema_text(schema, numeric=numeric) + ',"payload":').encode()
            self.suffix = b"}"

    @cython.ccall
    def render(self, value: object) -> bytes:
        """The bytes of one value. Raises ValueError, TypeError or OverflowError where it does not fit."""
        # Taken away while in use: another thread, or a nested call, makes one of its own.
        out: Buffer = self._spare
        self._spare = None
        if out is None:
            out = Buffer()
        _write(self.node, b"", value, out)
        result: bytes = out.take(self.prefix, self.suffix)
        self._spare = out
        return result

    def payload(self, value: Any) -> str:
        """The payload's text alone."""
        out = Buffer()
        _write(self.node, b"", value, out)
        return out.take(b"", b"").decode()


@cython.cclass
class JsonConverter:
    """Connect's JsonConverter."""

    _with_schema: cython.bint
    _numeric: cython.bint
    _replace_null: cython.bint
    _programs: dict
    _last: Program

    def __init__(self, *, schemas: bool = True, numeric: bool = False, replace_null: bool = True) -> None:
        self._with_schema = schemas
        self._numeric = numeric
        self._replace_null = replace_null
        self._programs = {}
        self._last = None

    @cython.cfunc
    def _program(self, schema: object) -> Program:
        if self._last is not None and self._last.schema is schema:
            return self._last
        program: Program = self._programs.get(id(schema))
        if program is None or program.schema is not schema:
            if len(self._programs) >= CACHE:
                self._programs.clear()
            program = Program(schema, self._with_schema, self._numeric, self._replace_null)
            self._programs[id(schema)] = program
        self._last = program
        return program

    @cython.cfunc
    def _one(self, topic: object, schema: object, value: object) -> object:
        if schema is None:
            return self._schemaless(topic, value)
        program: Program = self._program(schema)
        try:
            return program.render(value)
        except (ValueError, TypeError, AttributeError, OverflowError) as e:
            raise ConversionError(_problem(topic, schema, value, e)) from e

    def _schemaless(self, topic: str, value: Any) -> bytes | None:
        if value is None:
            return None
        import orjson

        try:
            body: bytes = orjson.dumps(value)
        except TypeError as e:
            raise ConversionError(f"a value without schema for topic {topic} cannot be written as JSON: {e}") from e
        return b'{"schema":null,"payload":' + body + b"}" if self._with_schema else body

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """One value; None only for a null value without schema."""
        result: bytes | None = self._one(topic, schema, value)
        return result

    def keys(self, records: list[Record]) -> list[bytes | None]:
        """The keys of a batch."""
        return [self._one(r.topic, r.key_schema, r.key) for r in records]

    def values(self, records: list[Record]) -> list[bytes | None]:
        """The values of a batch."""
        return [self._one(r.topic, r.value_schema, r.value) for r in records]

    def to_connect(self, topic: str, data: bytes | None) -> tuple[Schema | None, Any]:
        """Bytes back to (schema, raw value)."""
        from headwater.converters.jsonread import read

        return read(data, with_schema=self._with_schema, topic=topic)


def _problem(topic: str, schema: Schema, value: Any, error: Exception) -> str:
    path = find_problem(schema, value, "")
    return f"a value for topic {topic} does not fit the schema {schema.name or schema.type}" + (
        f" at {path}: {error}" if path else f": {error}"
    )


def find_problem(schema: Schema, value: Any, path: str) -> str:
    """The path of the first value that cannot be written; empty where none is found."""
    try:
        Program(schema, False, False, True).render(value)
    except (ValueError, TypeError, AttributeError, OverflowError):
        pass
    else:
        return ""
    if schema.type == "struct":
        values = value.values if isinstance(value, Struct) else value
        if isinstance(values, list) and len(values) == len(schema.fields):
            for f in schema.fields:
                found = find_problem(f.schema, values[f.index], f"{path}.{f.name}" if path else f.name)
                if found:
                    return found
    shown = repr(value)
    return f"{path or 'the value'} (is {shown[:60]})"
