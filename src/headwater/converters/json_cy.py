# cython: language_level=3
"""Kafka Connect's JSON converter: a program per schema, run over raw values.

A schema is compiled once into a tree of nodes with pre-rendered field names; the schema's own JSON is
rendered once and copied. Output is byte for byte that of the reference (`docs/reference/json.md`).
"""

from __future__ import annotations

import base64
from typing import Any

import cython

from headwater.converters.javatext import decimal_text, double_text, float_text
from headwater.converters.jsonschema import schema_text
from headwater.errors import ConversionError
from headwater.model import Record, Schema, Struct

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

_ESCAPES = {0x22: '\\"', 0x5C: "\\\\", 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
_LIMITS = {"int8": 2**7, "int16": 2**15, "int32": 2**31}
CACHE = 4096


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.cfunc
def _quoted(text: str) -> str:
    # A JSON string. Most text needs nothing but the quotes.
    ch: cython.Py_UCS4
    for ch in text:
        if ch < " " or ch == '"' or ch == "\\" or ch > "\uffff" or "\ud800" <= ch <= "\udfff":
            return _escaped(text)
    return '"' + text + '"'


def _escaped(text: str) -> str:
    out = []
    for ch in text:
        n = ord(ch)
        if n in _ESCAPES:
            out.append(_ESCAPES[n])
        elif n < 0x20 or 0xD800 <= n <= 0xDFFF:
            out.append(f"\\u{n:04X}")
        elif n > 0xFFFF:
            n -= 0x10000
            out.append(f"\\u{0xD800 + (n >> 10):04X}\\u{0xDC00 + (n & 0x3FF):04X}")
        else:
            out.append(ch)
    return '"' + "".join(out) + '"'


def quote(text: str) -> str:
    """A string as the converter writes it."""
    return _quoted(text)


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
    names: list  # of a struct: `{"a":`, `,"b":`, ...
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
                self.names.append(("," if i else "{") + _escaped(f.name) + ":")
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
def _write(node: Node, value: object, out: list) -> None:
    op: cython.int = node.op
    if value is None:
        if node.has_default:
            value = node.default
        elif node.optional:
            out.append("null")
            return
        else:
            raise ValueError("null for a required field without a default value")
    if op == N_INT:
        if type(value) is not int:
            raise TypeError("an integer is expected")
        number: cython.longlong = value
        if node.limit and not -node.limit <= number < node.limit:
            raise ValueError(f"{number} does not fit {node.schema.type}")
        out.append(str(value))
    elif op == N_STRING:
        out.append(_quoted(value))
    elif op == N_STRUCT:
        _write_struct(node, value, out)
    elif op == N_BOOL:
        if value is True:
            out.append("true")
        elif value is False:
            out.append("false")
        else:
            raise TypeError("a boolean is expected")
    elif op == N_DECIMAL:
        out.append(_unscaled(value))
    elif op == N_BYTES:
        out.append('"' + base64.b64encode(value).decode("ascii") + '"')
    elif op == N_DOUBLE or op == N_FLOAT:
        out.append(_floating(value, op == N_DOUBLE))
    else:
        _write_rare(node, op, value, out)


@cython.cfunc
def _write_struct(node: Node, value: object, out: list) -> None:
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
        out.append("{}")
        return
    for i in range(node.count):
        out.append(node.names[i])
        _write(node.children[i], values[i], out)
    out.append("}")


@cython.cfunc
def _unscaled(value: object) -> str:
    # Shortest two's complement, big-endian, in base64.
    if type(value) is not int:
        raise TypeError("an unscaled integer is expected")
    bits: object = value.bit_length() if value >= 0 else (~value).bit_length()
    raw: bytes = value.to_bytes(bits // 8 + 1, "big", signed=True)
    return '"' + base64.b64encode(raw).decode("ascii") + '"'


@cython.cfunc
def _floating(value: object, double: cython.bint) -> str:
    number: cython.double = value
    if number != number:
        return '"NaN"'
    if number == float("inf"):
        return '"Infinity"'
    if number == float("-inf"):
        return '"-Infinity"'
    text = double_text(value) if double else float_text(value)
    return '"' + text + '"' if text.endswith("y") else text


def _write_rare(node: Node, op: int, value: Any, out: list) -> None:
    if op == N_DECIMAL_NUMBER:
        out.append(decimal_text(value, node.scale))
        return
    if op == N_ARRAY:
        out.append("[")
        for i, item in enumerate(value):
            if i:
                out.append(",")
            _write(node.children[0], item, out)
        out.append("]")
        return
    if not isinstance(value, dict):
        raise TypeError("a map is expected")
    out.append("{" if op == N_MAP else "[")
    for i, (k, v) in enumerate(value.items()):
        if i:
            out.append(",")
        if op == N_PAIRS:
            out.append("[")
        _write(node.children[0], k, out)
        out.append(":" if op == N_MAP else ",")
        _write(node.children[1], v, out)
        if op == N_PAIRS:
            out.append("]")
    out.append("}" if op == N_MAP else "]")


@cython.cclass
class Program:
    """A compiled schema with its rendered prefix."""

    schema = cython.declare(object, visibility="readonly")
    node: Node
    prefix: bytes
    suffix: bytes

    def __init__(self, schema: Schema, with_schema: bool, numeric: bool, replace_null: bool) -> None:
        self.schema = schema
        self.node = Node(schema, numeric, replace_null)
        self.prefix = b""
        self.suffix = b""
        if with_schema:
            self.prefix = ('{"schema":' + schema_text(schema, numeric=numeric) + ',"payload":').encode()
            self.suffix = b"}"

    @cython.ccall
    def render(self, value: object) -> bytes:
        """The bytes of one value. Raises ValueError or TypeError where it does not fit."""
        out: list = []
        _write(self.node, value, out)
        if self.suffix:
            return self.prefix + "".join(out).encode() + self.suffix
        return "".join(out).encode()

    def payload(self, value: Any) -> str:
        """The payload's text alone."""
        out: list = []
        _write(self.node, value, out)
        return "".join(out)


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
