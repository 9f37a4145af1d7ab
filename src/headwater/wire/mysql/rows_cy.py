# cython: language_level=3
"""Row images of the binary log -> lists of canonical values.

A decoder is a program for one table map, one operation a column (`rowprogram`), run by one loop. Bytes are
untrusted: the loop checks each value's bounds before it is read. Canonical values are described in
`docs/design/interfaces.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql import rowprogram as program
from headwater.wire.mysql.columns import ABSENT, ColumnFormat
from headwater.wire.mysql.json_cy import render as render_json
from headwater.wire.mysql.rowvalues import bit_set, old_datetime, old_time
from headwater.wire.mysql.tablemap import TableMap

if not cython.compiled:
    # The .pxd beside this file imports them where it is compiled.
    from headwater.wire.mysql.calendar_cy import days, micros, valid_day
    from headwater.wire.mysql.decimal_cy import unscaled

# The operation codes as machine numbers.
_INT = cython.declare(cython.int, program.INT)
_UINT = cython.declare(cython.int, program.UINT)
_FLOAT = cython.declare(cython.int, program.FLOAT)
_DOUBLE = cython.declare(cython.int, program.DOUBLE)
_DECIMAL = cython.declare(cython.int, program.DECIMAL)
_DATE = cython.declare(cython.int, program.DATE)
_DATETIME2 = cython.declare(cython.int, program.DATETIME2)
_TIMESTAMP2 = cython.declare(cython.int, program.TIMESTAMP2)
_TIME2 = cython.declare(cython.int, program.TIME2)
_YEAR = cython.declare(cython.int, program.YEAR)
_ENUM = cython.declare(cython.int, program.ENUM)
_SET = cython.declare(cython.int, program.SET)
_BIT = cython.declare(cython.int, program.BIT)
_OLD_TIME = cython.declare(cython.int, program.OLD_TIME)
_OLD_DATETIME = cython.declare(cython.int, program.OLD_DATETIME)
_LENGTH_PREFIXED = cython.declare(cython.int, program.LENGTH_PREFIXED)
_UTF8 = cython.declare(cython.int, program.UTF8)
_BYTES = cython.declare(cython.int, program.BYTES)
_PADDED_BYTES = cython.declare(cython.int, program.PADDED_BYTES)
_TEXT = cython.declare(cython.int, program.TEXT)
_JSON = cython.declare(cython.int, program.JSON)
# Turns the order of a number's bytes round on a big-endian machine.
_BIG_ENDIAN = cython.declare(cython.bint, sys.byteorder == "big")


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.cclass
class Step:
    """One column's operation."""

    code: cython.int
    size: cython.Py_ssize_t
    arg: cython.longlong
    detail: object
    labels: tuple
    wanted: cython.bint

    def __init__(self, operation: program.Operation, wanted: bool) -> None:
        self.code = operation.code
        self.size = operation.size
        self.arg = operation.arg
        self.detail = operation.extra
        self.labels = operation.extra if operation.code in (program.ENUM, program.SET) else ()
        self.wanted = wanted


@cython.cclass
class BinlogRowDecoder:
    """Decodes the rows of one table map.

    `json_style` is `server` or `compact` (see `json_cy`); `undecodable` (`replace`, `hex` or `fail`) says what
    becomes of bytes that are no text in their character set. Raises SchemaMismatch where the formats do not fit
    the map. A row is a list of the included columns' values; a column that the image leaves out is ABSENT.
    """

    table = cython.declare(object, visibility="readonly")
    _steps: list
    _count: cython.Py_ssize_t
    _width: cython.Py_ssize_t
    _floats: FloatBits

    def __init__(self, table_map: TableMap, formats: Sequence[ColumnFormat], json_style: str = "server",
                 undecodable: str = "replace") -> None:  # fmt: skip
        self.table = table_map
        operations = program.build(table_map, formats, json_style, undecodable)
        self._steps = [Step(o, f.include) for o, f in zip(operations, formats, strict=True)]
        self._count = len(self._steps)
        self._width = sum(f.include for f in formats)
        self._floats = FloatBits()

    @cython.ccall
    def decode(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, present: bytes) -> list:
        """The rows of a WRITE or DELETE body, `data[pos:end]`. `present`: bitmap of the columns in the image.

        Raises DecodeError where the bytes are not rows of this table.
        """
        rows: list = []
        row: list
        count: cython.Py_ssize_t = self._image(data, pos, end, present)
        if count == 0:
            # An image without columns takes no bytes: what the minimal form makes of a row of defaults.
            if pos < end:
                raise DecodeError(f"a row image of {self.table.name} without columns has bytes")
            return [[ABSENT] * self._width]
        while pos < end:
            row = [None] * self._width
            pos = self._row(data, pos, end, present, count, row)
            rows.append(row)
        return rows

    @cython.ccall
    def decode_updates(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, present_before: bytes,
                       present_after: bytes) -> tuple:  # fmt: skip
        """Old and new rows of an UPDATE body, `data[pos:end]`: two lists of equal length. Raises DecodeError."""
        befores: list = []
        afters: list = []
        row: list
        before: cython.Py_ssize_t = self._image(data, pos, end, present_before)
        after: cython.Py_ssize_t = self._image(data, pos, end, present_after)
        if before + after == 0 and pos < end:
            raise DecodeError(f"row images of {self.table.name} without columns have bytes")
        while pos < end:
            row = [None] * self._width
            pos = self._row(data, pos, end, present_before, before, row)
            befores.append(row)
            row = [None] * self._width
            pos = self._row(data, pos, end, present_after, after, row)
            afters.append(row)
        return befores, afters

    @cython.cfunc
    def _image(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t,
               present: bytes) -> cython.Py_ssize_t:  # fmt: skip
        # Checks a body's bounds and a bitmap's; gives how many columns the image has.
        if data is None or present is None or pos < 0 or pos > end or end > len(data):
            raise DecodeError("the rows of an event lie outside its buffer")
        if len(present) < (self._count + 7) >> 3:
            raise DecodeError(f"a bitmap of {len(present)} bytes for {self._count} columns of {self.table.name}")
        i: cython.Py_ssize_t
        mask: cython.int
        count: cython.Py_ssize_t = 0
        for i in range(self._count):
            mask = present[i >> 3]
            count += mask >> (i & 7) & 1
        return count

    @cython.cfunc
    def _row(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, present: bytes,
             count: cython.Py_ssize_t, row: list) -> cython.Py_ssize_t:  # fmt: skip
        # Fills `row` with the values of the image at `pos`; gives the place behind it.
        step: Step
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        mask: cython.int
        nulls: cython.Py_ssize_t = pos
        bit: cython.Py_ssize_t = 0  # counts the columns in the image
        at: cython.Py_ssize_t = 0  # counts the columns in the row
        whole: cython.bint = count == self._count
        pos += (count + 7) >> 3
        if pos > end:
            raise DecodeError(f"a row of {self.table.name} is cut off")
        for i in range(self._count):
            step = self._steps[i]
            if not whole:
                mask = present[i >> 3]
                if not mask >> (i & 7) & 1:
                    if step.wanted:
                        row[at] = ABSENT
                        at += 1
                    continue
            mask = data[nulls + (bit >> 3)]
            if not mask >> (bit & 7) & 1:
                n = step.size
                if n > end - pos:
                    raise DecodeError(f"a row of {self.table.name} is cut off in column {i + 1}")
                if step.code >= _LENGTH_PREFIXED:
                    pos += n
                    n = _little(data, pos - n, n)
                    if n > end - pos:
                        raise DecodeError(f"column {i + 1} of {self.table.name} runs past its event")
                    if step.wanted:
                        row[at] = _prefixed(data, pos, n, step)
                elif step.wanted:
                    row[at] = self._fixed(data, pos, n, step)
                pos += n
            bit += 1
            if step.wanted:
                at += 1
        return pos

    @cython.cfunc
    def _fixed(self, data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t, step: Step) -> object:
        # The caller has checked that the n bytes are there.
        code: cython.int = step.code
        if code == _INT:
            return _signed(data, pos, n)
        if code == _UINT:
            return _little(data, pos, n)
        if code == _DECIMAL:
            return unscaled(data, pos, step.arg, step.detail)
        if code == _DATETIME2:
            return _datetime2(data, pos, step.arg)
        if code == _TIMESTAMP2:
            return _timestamp2(data, pos, step.arg)
        if code == _DOUBLE:
            return self._floats.double(data, pos)
        if code == _FLOAT:
            return self._floats.single(data, pos)
        if code == _DATE:
            return _date(data, pos)
        if code == _TIME2:
            return _time2(data, pos, n)
        if code == _ENUM:
            return _enum(_little(data, pos, n), step.labels)
        if code == _SET:
            return bit_set(_little(data, pos, n), step.labels)
        if code == _BIT:
            return _big(data, pos, n)
        if code == _YEAR:
            return 1900 + data[pos] if data[pos] else 0
        if code == _OLD_TIME:
            return old_time(_little(data, pos, n))
        if code == _OLD_DATETIME:
            return _old_datetime(data, pos)
        return _old_timestamp(data, pos)


@cython.cclass
class FloatBits:
    """Turns a float's bytes into its value: eight bytes seen as bytes and as floats."""

    bits: cython.uchar[:]
    doubles: cython.double[:]
    floats: cython.float[:]

    def __init__(self) -> None:
        scratch = bytearray(8)
        self.bits = scratch
        self.doubles = memoryview(scratch).cast("d")
        self.floats = memoryview(scratch).cast("f")

    @cython.cfunc
    def double(self, data: bytes, pos: cython.Py_ssize_t) -> cython.double:
        i: cython.Py_ssize_t
        for i in range(8):
            self.bits[7 - i if _BIG_ENDIAN else i] = data[pos + i]
        return self.doubles[0]

    @cython.cfunc
    def single(self, data: bytes, pos: cython.Py_ssize_t) -> cython.double:
        i: cython.Py_ssize_t
        for i in range(4):
            self.bits[3 - i if _BIG_ENDIAN else i] = data[pos + i]
        return self.floats[0]


@cython.cfunc
def _prefixed(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t, step: Step) -> object:
    code: cython.int = step.code
    if code == _UTF8:
        try:
            return data[pos : pos + n].decode("utf-8")
        except UnicodeDecodeError:
            return step.detail(data[pos : pos + n])
    if code == _JSON:
        return render_json(data, pos, pos + n, step.detail)
    value: bytes = data[pos : pos + n]
    if code == _BYTES:
        return value
    if code == _PADDED_BYTES:
        # The server strips zero bytes at the end.
        return value.ljust(step.arg, b"\0") if n < step.arg else value
    if code == _TEXT and step.arg and value.isascii():
        return value.decode("ascii")
    return step.detail(value)


@cython.cfunc
def _little(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.ulonglong:
    value: cython.ulonglong = 0
    i: cython.Py_ssize_t
    for i in range(pos + n - 1, pos - 1, -1):
        value = value << 8 | data[i]
    return value


@cython.cfunc
def _big(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.ulonglong:
    value: cython.ulonglong = 0
    i: cython.Py_ssize_t
    for i in range(pos, pos + n):
        value = value << 8 | data[i]
    return value


@cython.cfunc
def _signed(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
    # The last byte has the sign; the sum stays within 64 bits.
    value: cython.longlong = data[pos + n - 1]
    i: cython.Py_ssize_t
    if value >= 128:
        value -= 256
    for i in range(pos + n - 2, pos - 1, -1):
        value = value * 256 + data[i]
    return value


@cython.cfunc
def _date(data: bytes, pos: cython.Py_ssize_t) -> object:
    packed: cython.longlong = _little(data, pos, 3)
    year: cython.longlong = packed >> 9
    month: cython.longlong = packed >> 5 & 15
    if not valid_day(year, month, packed & 31):
        return None
    return days(year, month, packed & 31)


@cython.cfunc
def _fraction(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
    # A fraction of n bytes (0-3) in hundredths, ten-thousandths or millionths -> microseconds.
    if n == 0:
        return 0
    value: cython.longlong = _big(data, pos, n)
    if n == 1:
        return value * 10000
    return value * 100 if n == 2 else value


@cython.cfunc
def _datetime2(data: bytes, pos: cython.Py_ssize_t, fraction: cython.Py_ssize_t) -> object:
    # A sign bit, always set; 17 bits of year * 13 + month; day, hour, minute and second.
    packed: cython.longlong = _big(data, pos, 5)
    packed -= 0x8000000000
    if packed < 0:
        return None
    months: cython.longlong = packed >> 22
    return micros(months // 13, months % 13, packed >> 17 & 31, packed >> 12 & 31, packed >> 6 & 63, packed & 63,
                  _fraction(data, pos + 5, fraction))  # fmt: skip


@cython.cfunc
def _timestamp2(data: bytes, pos: cython.Py_ssize_t, fraction: cython.Py_ssize_t) -> object:
    seconds: cython.longlong = _big(data, pos, 4)
    rest: cython.longlong = _fraction(data, pos + 4, fraction)
    if seconds == 0 and rest == 0:
        return None
    return seconds * 1000000 + rest


@cython.cfunc
def _old_datetime(data: bytes, pos: cython.Py_ssize_t) -> object:
    year, month, day, hour, minute, second = old_datetime(_little(data, pos, 8))
    return micros(year, month, day, hour, minute, second, 0)


@cython.cfunc
def _old_timestamp(data: bytes, pos: cython.Py_ssize_t) -> object:
    seconds: cython.longlong = _little(data, pos, 4)
    return seconds * 1000000 if seconds else None


@cython.cfunc
def _time2(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    # Clock and fraction form one number, offset so that it sorts; a negative time is its complement as a whole,
    # so the sign has to go before the parts are taken.
    packed: cython.longlong = _big(data, pos, n)
    one: cython.longlong = 1
    packed -= one << (8 * n - 1)
    negative: cython.bint = packed < 0
    if negative:
        packed = -packed
    bits: cython.longlong = 8 * (n - 3)
    rest: cython.longlong = packed & ((one << bits) - 1)
    clock: cython.longlong = packed >> bits
    if n == 4:
        rest *= 10000
    elif n == 5:
        rest *= 100
    seconds: cython.longlong = (clock >> 12 & 1023) * 3600 + (clock >> 6 & 63) * 60 + (clock & 63)
    total: cython.longlong = seconds * 1000000 + rest
    return -total if negative else total


@cython.cfunc
def _enum(index: cython.Py_ssize_t, labels: tuple) -> object:
    if index == 0:
        return ""
    if index > len(labels):
        raise DecodeError(f"an ENUM of {len(labels)} labels has the index {index}")
    return labels[index - 1]
