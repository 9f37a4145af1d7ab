"""TABLE_MAP events: a table's log types, and the optional metadata of newer servers."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import DecodeError

MAX_COLUMNS = 65535

# Column types that carry metadata, and how many bytes of it.
_META_SIZE = {
    4: 1, 5: 1,  # FLOAT DOUBLE
    15: 2, 16: 2,  # VARCHAR BIT
    17: 1, 18: 1, 19: 1,  # TIMESTAMP2 DATETIME2 TIME2
    242: 1, 243: 0, 244: 0,  # VECTOR, (unused)
    245: 1,  # JSON
    246: 2, 247: 2, 248: 2,  # NEWDECIMAL ENUM SET
    249: 1, 250: 1, 251: 1, 252: 1,  # BLOBs
    253: 2, 254: 2,  # VAR_STRING STRING
    255: 1,  # GEOMETRY
    140: 1, 141: 2,  # MariaDB compressed BLOB, VARCHAR
}  # fmt: skip
# Of the two bytes, these are stored with the first byte high.
_BIG_META = frozenset((246, 247, 248, 253, 254))
_NUMERIC = frozenset((1, 2, 3, 4, 5, 8, 9, 13, 246))
_CHARACTER = frozenset((15, 249, 250, 251, 252, 253, 254, 140, 141))


class Reader:
    """A bounded cursor over bytes; every read past the end is a DecodeError."""

    __slots__ = ("data", "end", "pos")

    def __init__(self, data: bytes, pos: int, end: int) -> None:
        if not 0 <= pos <= end <= len(data):
            raise DecodeError("an event's bounds lie outside its buffer")
        self.data = data
        self.pos = pos
        self.end = end

    def take(self, n: int) -> bytes:
        if n < 0 or n > self.end - self.pos:
            raise DecodeError(f"{n} bytes wanted at {self.pos}, {self.end - self.pos} left")
        self.pos += n
        return self.data[self.pos - n : self.pos]

    def uint(self, n: int) -> int:
        return int.from_bytes(self.take(n), "little")

    def lenenc(self) -> int:
        """A length-encoded integer."""
        first = self.uint(1)
        if first < 251:
            return first
        if first == 252:
            return self.uint(2)
        if first == 253:
            return self.uint(3)
        if first == 254:
            return self.uint(8)
        raise DecodeError("a length-encoded integer starts with an impossible byte")

    @property
    def left(self) -> int:
        return self.end - self.pos


@dataclass(slots=True)
class TableMap:
    """One table map. Optional metadata is None where the server does not send it.

    `metadata` has one number a column. `signedness`: True means unsigned, one a numeric column.
    """

    table_id: int
    flags: int
    database: str
    table: str
    types: bytes
    metadata: tuple[int, ...]
    nullable: bytes
    signedness: tuple[bool, ...] | None = None
    default_charset: tuple[int, dict[int, int]] | None = None
    column_charsets: tuple[int, ...] | None = None
    column_names: tuple[str, ...] | None = None
    set_values: tuple[tuple[bytes, ...], ...] | None = None
    enum_values: tuple[tuple[bytes, ...], ...] | None = None
    geometry_types: tuple[int, ...] | None = None
    primary_key: tuple[int, ...] | None = None
    visibility: bytes | None = None
    vector_dimensions: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        return f"{self.database}.{self.table}"

    @classmethod
    def parse(cls, data: bytes, pos: int, end: int) -> TableMap:
        """Reads the event's body (after the common header, without checksum). Raises DecodeError."""
        r = Reader(data, pos, end)
        table_id, flags = r.uint(6), r.uint(2)
        database = r.take(r.uint(1)).decode("utf-8", "replace")
        r.take(1)
        table = r.take(r.uint(1)).decode("utf-8", "replace")
        r.take(1)
        count = r.lenenc()
        if count > MAX_COLUMNS:
            raise DecodeError(f"a table map with {count} columns")
        types = r.take(count)
        metadata = _metadata(types, r)
        nullable = r.take((count + 7) // 8)
        out = cls(table_id, flags, database, table, types, metadata, nullable)
        while r.left:
            kind = r.uint(1)
            length = r.lenenc()
            field = Reader(data, r.pos, r.pos + length) if length <= r.left else None
            if field is None:
                raise DecodeError("optional metadata runs past its event")
            r.take(length)
            _optional(out, kind, field)
        return out


def _metadata(types: bytes, r: Reader) -> tuple[int, ...]:
    size = r.lenenc()
    block = Reader(r.data, r.pos, r.pos + size) if size <= r.left else None
    if block is None:
        raise DecodeError("column metadata runs past its event")
    r.take(size)
    out = []
    for t in types:
        n = _META_SIZE.get(t, 0)
        raw = block.take(n)
        out.append(int.from_bytes(raw, "big" if t in _BIG_META else "little"))
    return tuple(out)


def _optional(out: TableMap, kind: int, r: Reader) -> None:
    if kind == 1:
        bits = r.take(r.left)
        numeric = sum(t in _NUMERIC for t in out.types)
        out.signedness = tuple(bool(bits[i // 8] & 0x80 >> i % 8) for i in range(min(numeric, len(bits) * 8)))
    elif kind in (2, 10):
        default, pairs = r.lenenc(), {}
        while r.left:
            index = r.lenenc()
            pairs[index] = r.lenenc()
        if kind == 2:
            out.default_charset = (default, pairs)
    elif kind == 3:
        out.column_charsets = tuple(_all(r))
    elif kind == 4:
        names = []
        while r.left:
            names.append(r.take(r.lenenc()).decode("utf-8", "replace"))
        out.column_names = tuple(names)
    elif kind in (5, 6):
        values = []
        while r.left:
            values.append(tuple(r.take(r.lenenc()) for _ in range(_bounded(r))))
        if kind == 5:
            out.set_values = tuple(values)
        else:
            out.enum_values = tuple(values)
    elif kind == 7:
        out.geometry_types = tuple(_all(r))
    elif kind == 8:
        out.primary_key = tuple(_all(r))
    elif kind == 9:
        numbers = list(_all(r))
        out.primary_key = tuple(numbers[::2])
    elif kind == 12:
        out.visibility = r.take(r.left)
    elif kind == 13:
        out.vector_dimensions = tuple(_all(r))


def _all(r: Reader) -> list[int]:
    out = []
    while r.left:
        out.append(r.lenenc())
    return out


def _bounded(r: Reader) -> int:
    count = r.lenenc()
    if count > r.left:
        raise DecodeError(f"{count} labels in {r.left} bytes")
    return count
