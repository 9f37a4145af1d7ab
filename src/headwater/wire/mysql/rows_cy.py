# cython: language_level=3
"""Row images of the binary log -> lists of canonical values.

A decoder is a column program for one table map: wire type, metadata and format per column, run by one loop.
Bytes are untrusted: every read is checked against the event's end. Canonical values are described in
`docs/design/interfaces.md`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import cython

from headwater.errors import DecodeError, SchemaMismatch
from headwater.wire.mysql import charsets
from headwater.wire.mysql.columns import ABSENT, ColumnFormat
from headwater.wire.mysql.json_cy import render as render_json
from headwater.wire.mysql.tablemap import TableMap

# Operations of the column program.
OP_INT = cython.declare(cython.int, 1)
OP_UINT = cython.declare(cython.int, 2)
OP_FLOAT = cython.declare(cython.int, 3)
OP_DOUBLE = cython.declare(cython.int, 4)
OP_DECIMAL = cython.declare(cython.int, 5)
OP_UTF8 = cython.declare(cython.int, 6)
OP_TEXT = cython.declare(cython.int, 7)
OP_BYTES = cython.declare(cython.int, 8)
OP_FIXED_BYTES = cython.declare(cython.int, 9)
OP_DATE = cython.declare(cython.int, 10)
OP_TIME2 = cython.declare(cython.int, 11)
OP_DATETIME2 = cython.declare(cython.int, 12)
OP_TIMESTAMP2 = cython.declare(cython.int, 13)
OP_YEAR = cython.declare(cython.int, 14)
OP_ENUM = cython.declare(cython.int, 15)
OP_SET = cython.declare(cython.int, 16)
OP_BIT = cython.declare(cython.int, 17)
OP_JSON = cython.declare(cython.int, 18)
OP_VECTOR = cython.declare(cython.int, 19)
OP_OLD_TIME = cython.declare(cython.int, 20)
OP_OLD_DATETIME = cython.declare(cython.int, 21)
OP_OLD_TIMESTAMP = cython.declare(cython.int, 22)
OP_COMPRESSED_TEXT = cython.declare(cython.int, 23)
OP_COMPRESSED_BYTES = cython.declare(cython.int, 24)

_SIZES = {1: 1, 2: 2, 9: 3, 3: 4, 8: 8}
# Which families may sit on which wire type, for the check of the model against the log.
_FAMILIES: dict[int, frozenset[str]] = {
    1: frozenset(("int",)), 2: frozenset(("int",)), 9: frozenset(("int",)), 3: frozenset(("int",)),
    8: frozenset(("int",)), 4: frozenset(("float",)), 5: frozenset(("double", "float")),
    246: frozenset(("decimal",)), 16: frozenset(("bit",)), 13: frozenset(("year",)),
    10: frozenset(("date",)), 14: frozenset(("date",)), 11: frozenset(("time",)), 19: frozenset(("time",)),
    12: frozenset(("datetime",)), 18: frozenset(("datetime",)), 7: frozenset(("timestamp",)),
    17: frozenset(("timestamp",)), 245: frozenset(("json",)), 255: frozenset(("geometry",)),
    242: frozenset(("vector",)), 247: frozenset(("enum",)), 248: frozenset(("set",)),
    15: frozenset(("string", "bytes")), 253: frozenset(("string", "bytes")), 254: frozenset(("string", "bytes")),
    252: frozenset(("string", "bytes", "json", "geometry")), 140: frozenset(("string", "bytes")),
    141: frozenset(("string", "bytes")),
}  # fmt: skip
for _blob in (249, 250, 251):
    _FAMILIES[_blob] = _FAMILIES[252]
_MICROS = cython.declare(cython.longlong, 86_400_000_000)


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


def string_type(metadata: int) -> tuple[int, int]:
    """(real type, length) of a STRING column's metadata; lengths over 255 borrow two bits of the type byte."""
    first, second = metadata >> 8, metadata & 0xFF
    if first & 0x30 != 0x30:
        return first | 0x30, second | (first & 0x30 ^ 0x30) << 4
    return first, second


@cython.cclass
class Step:
    """One column of the program."""

    op: cython.int
    size: cython.Py_ssize_t  # fixed size, or bytes of a length prefix
    arg: cython.longlong  # op-specific number
    wanted: cython.bint
    extra: object  # decoder function, labels, pad length

    def __init__(self, op: int, size: int, arg: int = 0, extra: Any = None, *, include: bool = True) -> None:
        self.op = op
        self.size = size
        self.arg = arg
        self.wanted = include
        self.extra = extra


def _program(table: TableMap, formats: Sequence[ColumnFormat], json_style: str, undecodable: str) -> list[Step]:
    if len(formats) != len(table.types):
        raise SchemaMismatch(
            f"Error processing a row of {table.name}, internal schema size {len(formats)}, but row size "
            f"{len(table.types)}, restart connector with schema recovery mode (snapshot.mode=recovery)"
        )
    return [
        _step(table, i, wire, meta, form, json_style, undecodable)
        for i, (wire, meta, form) in enumerate(zip(table.types, table.metadata, formats, strict=True))
    ]


def _step(table: TableMap, i: int, wire: int, meta: int, form: ColumnFormat, json_style: str,
          undecodable: str) -> Step:  # fmt: skip
    length = 0
    if wire == 254:
        wire, length = string_type(meta)
    if wire not in _FAMILIES or form.family not in _FAMILIES[wire]:
        raise SchemaMismatch(
            f"column {i + 1} of {table.name} is written to the log as type {wire}, which does not fit the table "
            f"model's {form.family}: the model is not that of the log. Set snapshot.mode=recovery once"
        )
    fixed = _fixed_step(wire, meta, form)
    if fixed is not None:
        return fixed
    if wire == 247:
        return Step(OP_ENUM, length or meta & 0xFF, 0, form.options, include=form.include)
    if wire == 248:
        return Step(OP_SET, length or meta & 0xFF, 0, form.options, include=form.include)
    if wire == 242:
        return Step(OP_VECTOR, meta, include=form.include)
    if form.family == "json":
        return Step(OP_JSON, meta, 0, json_style, include=form.include)
    return _string_step(wire, meta, length, form, undecodable)


def _string_step(wire: int, meta: int, length: int, form: ColumnFormat, undecodable: str) -> Step:
    if wire in (15, 253, 141):
        size = 2 if meta > 255 else 1
    elif wire == 254:
        size = 2 if length > 255 else 1
    else:
        size = meta
    if wire in (140, 141):
        op = OP_COMPRESSED_BYTES if form.family != "string" else OP_COMPRESSED_TEXT
        return Step(op, size, 0, charsets.decoder(form.charset, undecodable), include=form.include)
    if form.family != "string":
        if form.length:
            return Step(OP_FIXED_BYTES, size, form.length, include=form.include)
        return Step(OP_BYTES, size, include=form.include)
    op = OP_UTF8 if charsets.is_utf8(form.charset) else OP_TEXT
    return Step(op, size, 0, charsets.decoder(form.charset, undecodable), include=form.include)


def _fixed_step(wire: int, meta: int, form: ColumnFormat) -> Step | None:
    inc = form.include
    if wire in _SIZES:
        return Step(OP_UINT if form.unsigned else OP_INT, _SIZES[wire], include=inc)
    if wire in (4, 5):
        return Step(OP_FLOAT if wire == 4 else OP_DOUBLE, 4 if wire == 4 else 8, include=inc)
    if wire == 246:
        precision, scale = meta >> 8, meta & 0xFF
        whole = precision - scale
        if not 0 <= scale <= precision <= 65:
            raise DecodeError(f"a decimal of precision {precision} and scale {scale}")
        size = whole // 9 * 4 + _dig(whole % 9) + scale // 9 * 4 + _dig(scale % 9)
        return Step(OP_DECIMAL, size, whole, scale, include=inc)
    if wire == 16:
        return Step(OP_BIT, (meta & 0xFF > 0) + (meta >> 8), include=inc)
    if wire == 13:
        return Step(OP_YEAR, 1, include=inc)
    if wire in (10, 14):
        return Step(OP_DATE, 3, include=inc)
    fraction = (meta + 1) // 2
    if meta > 6 and wire in (17, 18, 19):
        raise DecodeError(f"a fraction of {meta} digits")
    if wire == 19:
        return Step(OP_TIME2, 3 + fraction, fraction, include=inc)
    if wire == 18:
        return Step(OP_DATETIME2, 5 + fraction, fraction, include=inc)
    if wire == 17:
        return Step(OP_TIMESTAMP2, 4 + fraction, fraction, include=inc)
    old = {11: (OP_OLD_TIME, 3), 12: (OP_OLD_DATETIME, 8), 7: (OP_OLD_TIMESTAMP, 4)}
    if wire in old:
        return Step(old[wire][0], old[wire][1], include=inc)
    return None


@cython.cfunc
def _days(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.longlong:
    # Days since 1970-01-01, proleptic Gregorian.
    y: cython.longlong = year - 1 if month <= 2 else year
    era: cython.longlong = y // 400
    yoe: cython.longlong = y - era * 400
    mp: cython.longlong = month - 3 if month > 2 else month + 9
    doy: cython.longlong = (153 * mp + 2) // 5 + day - 1
    doe: cython.longlong = yoe * 365 + yoe // 4 - yoe // 100 + doy
    return era * 146097 + doe - 719468


@cython.cfunc
def _valid_day(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.bint:
    if month < 1 or month > 12 or day < 1 or day > 31:
        return False
    if day <= 28:
        return True
    if month == 2:
        return day == 29 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= 30 or month in (1, 3, 5, 7, 8, 10, 12)


@cython.cclass
class BinlogRowDecoder:
    """Decodes the rows of one table map.

    Raises SchemaMismatch where the formats do not fit the map. `json_style` is `server` or `compact`
    (see `json_cy`); `undecodable` says what becomes of bytes that are no text in their character set.
    """

    table = cython.declare(object, visibility="readonly")
    _steps: list
    _count: cython.Py_ssize_t

    def __init__(self, table: TableMap, formats: Sequence[ColumnFormat], json_style: str = "server",
                 undecodable: str = "replace") -> None:  # fmt: skip
        self.table = table
        self._steps = _program(table, formats, json_style, undecodable)
        self._count = len(self._steps)

    def decode(self, data: bytes, pos: int, end: int, present: bytes) -> list[list[Any]]:
        """The rows of a WRITE or DELETE body: `data[pos:end]`. `present`: bitmap of the columns in the image."""
        return self._decode(data, pos, end, present)

    def decode_updates(self, data: bytes, pos: int, end: int, present_before: bytes,
                       present_after: bytes) -> tuple[list[list[Any]], list[list[Any]]]:  # fmt: skip
        """Old and new rows of an UPDATE body, two lists of equal length."""
        befores: list = []
        afters: list = []
        cursor: Cursor = Cursor(data, pos, end)
        self._check(present_before)
        self._check(present_after)
        while cursor.pos < cursor.end:
            befores.append(self._row(cursor, present_before))
            afters.append(self._row(cursor, present_after))
        return befores, afters

    def _check(self, present: bytes) -> None:
        if len(present) < (self._count + 7) // 8:
            raise DecodeError(f"a bitmap of {len(present)} bytes for {self._count} columns of {self.table.name}")

    @cython.cfunc
    def _decode(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, present: bytes) -> list:
        rows: list = []
        cursor: Cursor = Cursor(data, pos, end)
        self._check(present)
        start: cython.Py_ssize_t
        while cursor.pos < cursor.end:
            start = cursor.pos
            rows.append(self._row(cursor, present))
            if cursor.pos == start:
                raise DecodeError(f"a row of no bytes in the log of {self.table.name}")
        return rows

    @cython.cfunc
    def _row(self, cursor: Cursor, present: bytes) -> list:
        row: list = []
        i: cython.Py_ssize_t
        bit: cython.Py_ssize_t = 0
        count: cython.Py_ssize_t = 0
        step: Step
        mask: cython.int
        whole: cython.bint = True
        for i in range(self._count):
            mask = present[i >> 3]
            if mask >> (i & 7) & 1:
                count += 1
            else:
                whole = False
        nulls: cython.Py_ssize_t = cursor.pos
        cursor.skip((count + 7) >> 3)
        for i in range(self._count):
            step = self._steps[i]
            if not whole:
                mask = present[i >> 3]
                if not mask >> (i & 7) & 1:
                    if step.wanted:
                        row.append(ABSENT)
                    continue
            mask = cursor.view[nulls + (bit >> 3)]
            if mask >> (bit & 7) & 1:
                if step.wanted:
                    row.append(None)
            else:
                value = _value(cursor, step)
                if step.wanted:
                    row.append(value)
            bit += 1
        return row


@cython.cclass
class Cursor:
    """A position in an event's bytes; every move is checked."""

    data: bytes
    view: cython.const_uchar[:]
    pos = cython.declare(cython.Py_ssize_t, visibility="public")
    end = cython.declare(cython.Py_ssize_t, visibility="public")
    # Eight bytes seen as bytes and as floats: turns bits into numbers without a cast.
    bits: cython.uchar[:]
    doubles: cython.double[:]
    floats: cython.float[:]

    def __init__(self, data: bytes, pos: int, end: int) -> None:
        if not 0 <= pos <= end <= len(data):
            raise DecodeError("an event's bounds lie outside its buffer")
        self.data = data
        self.view = data
        self.pos = pos
        self.end = end
        scratch = bytearray(8)
        self.bits = scratch
        self.doubles = memoryview(scratch).cast("d")
        self.floats = memoryview(scratch).cast("f")

    @cython.cfunc
    def double(self) -> cython.double:
        at: cython.Py_ssize_t = self.skip(8)
        i: cython.Py_ssize_t
        for i in range(8):
            self.bits[i] = self.view[at + i]
        return self.doubles[0]

    @cython.cfunc
    def single(self) -> cython.double:
        at: cython.Py_ssize_t = self.skip(4)
        i: cython.Py_ssize_t
        for i in range(4):
            self.bits[i] = self.view[at + i]
        return self.floats[0]

    @cython.cfunc
    def skip(self, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        # Moves on by n bytes and gives the place before the move.
        if n < 0 or n > self.end - self.pos:
            raise DecodeError(f"a row runs {n - (self.end - self.pos)} bytes past its event")
        self.pos += n
        return self.pos - n

    @cython.cfunc
    def uint(self, n: cython.Py_ssize_t) -> cython.ulonglong:
        at: cython.Py_ssize_t = self.skip(n)
        value: cython.ulonglong = 0
        i: cython.Py_ssize_t
        for i in range(n - 1, -1, -1):
            value = value << 8 | self.view[at + i]
        return value

    @cython.cfunc
    def big(self, n: cython.Py_ssize_t) -> cython.ulonglong:
        at: cython.Py_ssize_t = self.skip(n)
        value: cython.ulonglong = 0
        i: cython.Py_ssize_t
        for i in range(n):
            value = value << 8 | self.view[at + i]
        return value


@cython.cfunc
def _value(c: Cursor, step: Step) -> object:
    op: cython.int = step.op
    n: cython.Py_ssize_t
    at: cython.Py_ssize_t
    u: cython.ulonglong
    shift: cython.longlong
    if op == OP_INT:
        u = c.uint(step.size)
        if step.size < 8:
            shift = u
            if u >> (step.size * 8 - 1):
                shift -= cython.cast(cython.longlong, 1) << (step.size * 8)
            return shift
        return u - 18446744073709551616 if u >> 63 else u
    if op == OP_UINT:
        return c.uint(step.size)
    if op == OP_UTF8:
        n = c.uint(step.size)
        at = c.skip(n)
        try:
            return c.data[at : at + n].decode("utf-8")
        except UnicodeDecodeError:
            return step.extra(c.data[at : at + n])
    if op == OP_DECIMAL:
        return _decimal(c, step)
    if op == OP_DATETIME2:
        return _datetime2(c, step.arg)
    if op == OP_TIMESTAMP2:
        return _timestamp2(c, step.arg)
    if op == OP_FLOAT:
        return c.single()
    if op == OP_DOUBLE:
        return c.double()
    if op == OP_DATE:
        return _date(c.uint(3))
    if op == OP_TIME2:
        return _time2(c, step.arg)
    if op == OP_ENUM:
        return _enum(c.uint(step.size), step.extra)
    if op == OP_SET:
        return _set(c.uint(step.size), step.extra)
    if op == OP_BIT:
        return c.big(step.size)
    if op == OP_YEAR:
        u = c.uint(1)
        return u + 1900 if u else 0
    return _value_rare(c, step, op)


@cython.cfunc
def _value_rare(c: Cursor, step: Step, op: cython.int) -> object:
    n: cython.Py_ssize_t
    at: cython.Py_ssize_t
    u: cython.ulonglong
    if op == OP_OLD_TIMESTAMP:
        u = c.uint(4)
        return u * 1_000_000 if u else None
    if op == OP_OLD_TIME:
        return _old_time(c.uint(3))
    if op == OP_OLD_DATETIME:
        return _old_datetime(c.uint(8))
    n = c.uint(step.size)
    at = c.skip(n)
    data: bytes = c.data[at : at + n]
    if op == OP_BYTES:
        return data
    if op == OP_FIXED_BYTES:
        return data.ljust(step.arg, b"\0") if n < step.arg else data
    if op == OP_TEXT:
        return step.extra(data)
    if op == OP_JSON:
        return render_json(c.data, at, at + n, step.extra)
    if op == OP_VECTOR:
        if n % 4:
            raise DecodeError(f"a vector of {n} bytes")
        return list(struct.unpack(f"<{n // 4}f", data))
    data = _decompress(data)
    return step.extra(data) if op == OP_COMPRESSED_TEXT else data


def _decompress(data: bytes) -> bytes:
    """MariaDB's column compression: a method byte (0 = plain), the length, then zlib data."""
    if not data:
        return b""
    method, size = data[0] >> 4, data[0] & 7
    if data[0] == 0:
        return data[1:]
    if method != 8 or not 1 <= size <= 4 or len(data) < 1 + size:
        raise DecodeError(f"a compressed column of unknown method {method}")
    length = int.from_bytes(data[1 : 1 + size], "little")
    wrap = -15 if not data[0] & 8 else 15
    try:
        plain = zlib.decompressobj(wrap).decompress(data[1 + size :], length + 1)
    except zlib.error as e:
        raise DecodeError(f"a compressed column is damaged: {e}") from e
    if len(plain) != length:
        raise DecodeError(f"a compressed column has {len(plain)} bytes instead of {length}")
    return plain


@cython.cfunc
def _dig(digits: cython.int) -> cython.int:
    # Bytes that hold up to nine decimal digits.
    return 4 if digits >= 9 else (digits + 1) // 2


@cython.cfunc
def _pow10(n: cython.int) -> cython.ulonglong:
    value: cython.ulonglong = 1
    for _ in range(n):
        value *= 10
    return value


@cython.cfunc
def _digits(c: Cursor, n: cython.Py_ssize_t, flip: cython.ulonglong) -> cython.ulonglong:
    # One big-endian group; a negative number has all its bytes inverted.
    u: cython.ulonglong = c.big(n)
    one: cython.ulonglong = 1
    return u ^ (flip & ((one << (8 * n)) - 1))


@cython.cfunc
def _decimal(c: Cursor, step: Step) -> object:
    whole: cython.int = step.arg
    scale: cython.int = step.extra
    size: cython.Py_ssize_t = step.size
    if size > c.end - c.pos:
        raise DecodeError("a decimal runs past its event")
    if size == 0:
        return 0
    first: cython.int = c.view[c.pos]
    negative: cython.bint = not first & 0x80
    flip: cython.ulonglong = 0xFFFFFFFFFFFFFFFF if negative else 0
    if whole + scale > 18:
        return _wide_decimal(c, whole, scale, size, negative)
    value: cython.ulonglong = 0
    n: cython.Py_ssize_t = _dig(whole % 9)
    started: cython.bint = False
    group: cython.ulonglong
    i: cython.int
    top: cython.ulonglong
    if n:
        group = _digits(c, n, flip)
        top = 1
        group ^= top << (8 * n - 1)
        started = True
        value = group
    for i in range(whole // 9):
        group = _digits(c, 4, flip)
        if not started:
            group ^= 0x80000000
            started = True
        value = value * 1000000000 + group
    for i in range(scale // 9):
        group = _digits(c, 4, flip)
        if not started:
            group ^= 0x80000000
            started = True
        value = value * 1000000000 + group
    n = _dig(scale % 9)
    if n:
        group = _digits(c, n, flip)
        if not started:
            top = 1
            group ^= top << (8 * n - 1)
        top = _pow10(scale % 9)
        value = value * top + group
    signed: cython.longlong = value
    return -signed if negative else signed


@cython.cfunc
def _wide_decimal(c: Cursor, whole: cython.int, scale: cython.int, size: cython.Py_ssize_t,
                  negative: cython.bint) -> object:  # fmt: skip
    at: cython.Py_ssize_t = c.skip(size)
    raw = bytearray(c.data[at : at + size])
    raw[0] ^= 0x80
    if negative:
        raw = bytearray(b ^ 0xFF for b in raw)
    value: object = 0
    pos: cython.Py_ssize_t = 0
    for digits, count in ((whole % 9, 1), (9, whole // 9), (9, scale // 9), (scale % 9, 1)):
        n = _dig(digits)
        if n == 0:
            continue
        for _ in range(count):
            value = value * _pow10(digits) + int.from_bytes(raw[pos : pos + n], "big")
            pos += n
    return -value if negative else value


@cython.cfunc
def _date(u: cython.ulonglong) -> object:
    day: cython.longlong = u & 31
    month: cython.longlong = u >> 5 & 15
    year: cython.longlong = u >> 9
    if not _valid_day(year, month, day):
        return None
    return _days(year, month, day)


@cython.cfunc
def _fraction(c: Cursor, n: cython.longlong) -> cython.longlong:
    # The fraction's n bytes (0-3), big-endian hundredths, ten-thousandths or millionths -> microseconds.
    if n == 0:
        return 0
    u: cython.longlong = c.big(n)
    if n == 1:
        return u * 10000
    return u * 100 if n == 2 else u


@cython.cfunc
def _datetime2(c: Cursor, n: cython.longlong) -> object:
    packed: cython.longlong = c.big(5)
    micros: cython.longlong = _fraction(c, n)
    packed -= 0x8000000000
    if packed < 0:
        return None
    ymd: cython.longlong = packed >> 17
    hms: cython.longlong = packed & 0x1FFFF
    ym: cython.longlong = ymd >> 5
    year: cython.longlong = ym // 13
    month: cython.longlong = ym % 13
    day: cython.longlong = ymd & 31
    if not _valid_day(year, month, day):
        return None
    seconds: cython.longlong = (hms >> 12) * 3600 + (hms >> 6 & 63) * 60 + (hms & 63)
    return _days(year, month, day) * _MICROS + seconds * 1_000_000 + micros


@cython.cfunc
def _timestamp2(c: Cursor, n: cython.longlong) -> object:
    seconds: cython.longlong = c.big(4)
    micros: cython.longlong = _fraction(c, n)
    if seconds == 0 and micros == 0:
        return None
    return seconds * 1_000_000 + micros


@cython.cfunc
def _time2(c: Cursor, n: cython.longlong) -> object:
    # Integer and fraction form one number, offset so that it sorts; a negative time is its complement.
    size: cython.longlong = 3 + n
    packed: cython.longlong = c.big(size)
    one: cython.longlong = 1
    packed -= one << (8 * size - 1)
    negative: cython.bint = packed < 0
    if negative:
        packed = -packed
    hms: cython.longlong = packed >> (8 * n)
    fraction: cython.longlong = packed & ((one << (8 * n)) - 1)
    if n == 1:
        fraction *= 10000
    elif n == 2:
        fraction *= 100
    seconds: cython.longlong = (hms >> 12 & 1023) * 3600 + (hms >> 6 & 63) * 60 + (hms & 63)
    micros: cython.longlong = seconds * 1_000_000 + fraction
    return -micros if negative else micros


def _old_time(u: int) -> int:
    value = u - 0x1000000 if u & 0x800000 else u
    sign = -1 if value < 0 else 1
    value = abs(value)
    return sign * (value // 10000 * 3600 + value // 100 % 100 * 60 + value % 100) * 1_000_000


def _old_datetime(u: int) -> int | None:
    day, clock = divmod(u, 1_000_000)
    year, month, dom = day // 10000, day // 100 % 100, day % 100
    if not _valid_day(year, month, dom):
        return None
    seconds = clock // 10000 * 3600 + clock // 100 % 100 * 60 + clock % 100
    return int(_days(year, month, dom)) * _MICROS + seconds * 1_000_000


@cython.cfunc
def _enum(index: cython.ulonglong, labels: tuple) -> object:
    if index == 0:
        return ""
    if index > cython.cast(cython.ulonglong, len(labels)):
        raise DecodeError(f"an ENUM index {index} of {len(labels)} labels")
    return labels[index - 1]


@cython.cfunc
def _set(bits: cython.ulonglong, labels: tuple) -> object:
    if bits >> len(labels) if len(labels) < 64 else 0:
        raise DecodeError(f"a SET of {len(labels)} labels has the bits {bits:#x}")
    return ",".join([labels[i] for i in range(len(labels)) if bits >> i & 1])
