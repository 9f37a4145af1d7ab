"""TABLE_MAP events: a table's log types, and the optional metadata of newer servers.

Knows the event's bytes; must not know a table model or how values are decoded. Lengths in the event are claims and
checked against it. https://dev.mysql.com/doc/dev/mysql-server/latest/classmysql_1_1binlog_1_1event_1_1Table__map__event.html
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import DecodeError
from headwater.wire.mysql import wiretypes as wt

MAX_COLUMNS = 65535

# Every column type of the log, with the bytes of metadata it carries.
_META_SIZE = {
    **dict.fromkeys((wt.DECIMAL, wt.TINY, wt.SHORT, wt.LONG, wt.NULL, wt.LONGLONG, wt.INT24, wt.YEAR), 0),
    **dict.fromkeys((wt.DATE, wt.NEWDATE, wt.TIME, wt.DATETIME, wt.TIMESTAMP), 0),
    **dict.fromkeys((wt.FLOAT, wt.DOUBLE, wt.TIME2, wt.DATETIME2, wt.TIMESTAMP2), 1),
    **dict.fromkeys((*wt.BLOBS, wt.BLOB_COMPRESSED, wt.JSON, wt.GEOMETRY, wt.VECTOR), 1),
    **dict.fromkeys((wt.VARCHAR, wt.VARCHAR_COMPRESSED, wt.VAR_STRING, wt.STRING), 2),
    **dict.fromkeys((wt.BIT, wt.NEWDECIMAL, wt.ENUM, wt.SET), 2),
}
_NUMERIC = frozenset((wt.TINY, wt.SHORT, wt.INT24, wt.LONG, wt.LONGLONG, wt.FLOAT, wt.DOUBLE, wt.NEWDECIMAL, wt.YEAR))
# The two bytes of these are a pair and not a little-endian number: the first becomes the high byte.
_PAIR_META = frozenset((wt.NEWDECIMAL, wt.ENUM, wt.SET, wt.VAR_STRING, wt.STRING))


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
        """The next `n` bytes."""
        if n < 0 or n > self.end - self.pos:
            raise DecodeError(f"{n} bytes wanted at {self.pos}, {self.end - self.pos} left")
        self.pos += n
        return self.data[self.pos - n : self.pos]

    def uint(self, n: int) -> int:
        """An unsigned little-endian integer of `n` bytes."""
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

    def block(self, n: int) -> Reader:
        """A reader of the next `n` bytes, which are passed over here."""
        start = self.pos
        self.take(n)
        return Reader(self.data, start, self.pos)

    def lenencs(self) -> tuple[int, ...]:
        """Length-encoded integers up to the end."""
        out = []
        while self.left:
            out.append(self.lenenc())
        return tuple(out)

    @property
    def left(self) -> int:
        """Bytes left."""
        return self.end - self.pos


@dataclass(frozen=True, slots=True)
class DefaultCharset:
    """A collation id for all columns of a kind, but for those whose place among them is in `others`."""

    collation: int
    others: dict[int, int]


@dataclass(slots=True)
class TableMap:
    """One table map.

    `metadata` has one number a column, 0 where its type carries none; `nullable` is a bitmap, lowest bit first.
    Optional metadata is None where the server does not send it (`binlog_row_metadata`). Lists of it count only the
    columns of a kind: `signedness` (True is unsigned) the numeric ones, `default_charset` and `column_charsets`
    (collation ids) the character ones, `enum_charsets` and `enum_default_charset` ENUM and SET together, and
    `set_values`, `enum_values` (labels in the column's character set), `geometry_types` and `vector_dimensions`
    their own. `primary_key` has column indexes, `primary_key_prefixes` the length of each in characters, 0 for
    the whole column. `visibility` has one entry a column.
    """

    table_id: int
    flags: int
    database: str
    table: str
    types: bytes
    metadata: tuple[int, ...]
    nullable: bytes
    signedness: tuple[bool, ...] | None = None
    default_charset: DefaultCharset | None = None
    column_charsets: tuple[int, ...] | None = None
    column_names: tuple[str, ...] | None = None
    set_values: tuple[tuple[bytes, ...], ...] | None = None
    enum_values: tuple[tuple[bytes, ...], ...] | None = None
    geometry_types: tuple[int, ...] | None = None
    primary_key: tuple[int, ...] | None = None
    primary_key_prefixes: tuple[int, ...] | None = None
    enum_default_charset: DefaultCharset | None = None
    enum_charsets: tuple[int, ...] | None = None
    visibility: tuple[bool, ...] | None = None
    vector_dimensions: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        """`database.table`."""
        return f"{self.database}.{self.table}"

    @classmethod
    def parse(cls, data: bytes, pos: int, end: int) -> TableMap:
        """Reads the event's body: `data[pos:end]` without common header and checksum. Raises DecodeError."""
        r = Reader(data, pos, end)
        table_id, flags = r.uint(6), r.uint(2)
        database, table = _name(r), _name(r)
        count = r.lenenc()
        if count > MAX_COLUMNS:
            raise DecodeError(f"a table map with {count} columns")
        types = r.take(count)
        metadata = _metadata(types, r.block(r.lenenc()))
        nullable = r.take((count + 7) // 8)
        out = cls(table_id, flags, database, table, types, metadata, nullable)
        while r.left:
            kind = r.uint(1)
            _optional(out, kind, r.block(r.lenenc()))
        return out


def _name(r: Reader) -> str:
    raw = r.take(r.uint(1))
    if r.uint(1) != 0:
        raise DecodeError("a name in a table map does not end in a zero byte")
    return raw.decode("utf-8", "replace")


def _metadata(types: bytes, r: Reader) -> tuple[int, ...]:
    out: list[int] = []
    for code in types:
        size = _array_size(r) if code == wt.TYPED_ARRAY else _META_SIZE.get(code)
        if size is None:
            # A type of a newer server: where its metadata ends is not known. The table can still be passed over;
            # a decoder is refused for it.
            return (*out, *(0 for _ in range(len(types) - len(out))))
        raw = r.take(size)
        out.append(int.from_bytes(raw, "big" if code in _PAIR_META else "little"))
    if r.left:
        raise DecodeError(f"a table map has {r.left} bytes of column metadata too many")
    return tuple(out)


def _array_size(r: Reader) -> int | None:
    # The type of the elements, then their metadata; a VARCHAR's length takes three bytes here.
    if not r.left:
        raise DecodeError("a table map is cut off inside an array type")
    element = r.data[r.pos]
    size = 3 if element == wt.VARCHAR else _META_SIZE.get(element)
    return None if size is None else 1 + size


def _optional(out: TableMap, kind: int, r: Reader) -> None:
    if kind == 1:
        out.signedness = _bits(r.take(r.left))[: sum(code in _NUMERIC for code in out.types)]
    elif kind == 2:
        out.default_charset = _default_charset(r)
    elif kind == 3:
        out.column_charsets = r.lenencs()
    elif kind == 4:
        out.column_names = tuple(raw.decode("utf-8", "replace") for raw in _strings(r))
    elif kind == 5:
        out.set_values = _labels(r)
    elif kind == 6:
        out.enum_values = _labels(r)
    elif kind == 7:
        out.geometry_types = r.lenencs()
    elif kind == 8:
        out.primary_key = r.lenencs()
        out.primary_key_prefixes = (0,) * len(out.primary_key)
    elif kind == 9:
        out.primary_key, out.primary_key_prefixes = _pairs(r)
    elif kind == 10:
        out.enum_default_charset = _default_charset(r)
    elif kind == 11:
        out.enum_charsets = r.lenencs()
    elif kind == 12:
        out.visibility = _bits(r.take(r.left))[: len(out.types)]
    elif kind == 13:
        out.vector_dimensions = r.lenencs()


def _bits(raw: bytes) -> tuple[bool, ...]:
    # Bitmaps of the optional metadata count from the highest bit.
    return tuple(bool(byte >> shift & 1) for byte in raw for shift in range(7, -1, -1))


def _default_charset(r: Reader) -> DefaultCharset:
    default = r.lenenc()
    columns, collations = _pairs(r)
    return DefaultCharset(default, dict(zip(columns, collations, strict=True)))


def _pairs(r: Reader) -> tuple[tuple[int, ...], tuple[int, ...]]:
    numbers = r.lenencs()
    if len(numbers) % 2:
        raise DecodeError("a list of pairs in a table map has an odd number")
    return numbers[::2], numbers[1::2]


def _strings(r: Reader) -> list[bytes]:
    out = []
    while r.left:
        out.append(r.take(r.lenenc()))
    return out


def _labels(r: Reader) -> tuple[tuple[bytes, ...], ...]:
    out = []
    while r.left:
        count = r.lenenc()
        if count > r.left:
            raise DecodeError(f"{count} labels in {r.left} bytes")
        out.append(tuple(r.take(r.lenenc()) for _ in range(count)))
    return tuple(out)
