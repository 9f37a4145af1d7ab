# cython: language_level=3
"""Text result sets -> lists of canonical values: the other front door of the row decoder.

Takes the raw packets after the column definitions of a query run with UTF-8 results and the session time
zone +00:00, and gives the same canonical values as the log's decoder. Bytes are untrusted: each value's bounds
are checked against its packet before it is read. Must not know a socket.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.rowvalues import vector
from headwater.wire.mysql.servererror import parse_error

if not cython.compiled:
    # The .pxd beside this file imports them where it is compiled.
    from headwater.wire.mysql.calendar_cy import days, micros, valid_day

T_INT = cython.declare(cython.int, 1)
T_FLOAT = cython.declare(cython.int, 2)
T_DECIMAL = cython.declare(cython.int, 3)
T_STRING = cython.declare(cython.int, 4)
T_BYTES = cython.declare(cython.int, 5)
T_BIT = cython.declare(cython.int, 6)
T_DATE = cython.declare(cython.int, 7)
T_TIME = cython.declare(cython.int, 8)
T_DATETIME = cython.declare(cython.int, 9)
T_VECTOR = cython.declare(cython.int, 10)

# The server's packets end at max_allowed_packet, 1 GiB; a row may take a little more.
MAX_ROW = 1 << 31

_CODES = {
    "int": T_INT, "year": T_INT, "float": T_FLOAT, "double": T_FLOAT, "decimal": T_DECIMAL, "string": T_STRING,
    "enum": T_STRING, "set": T_STRING, "json": T_STRING, "bytes": T_BYTES, "geometry": T_BYTES, "bit": T_BIT,
    "date": T_DATE, "time": T_TIME, "datetime": T_DATETIME, "timestamp": T_DATETIME, "vector": T_VECTOR,
}  # fmt: skip
_FLOAT_CHARACTERS = b"0123456789+-.eE"


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.cclass
class Field:
    """One column of the result set."""

    code: cython.int
    scale: cython.int
    wanted: cython.bint

    def __init__(self, form: ColumnFormat) -> None:
        self.code = _CODES[form.family]
        self.scale = form.scale
        self.wanted = form.include


@cython.cclass
class TextRowDecoder:
    """Decodes rows as their bytes arrive, split anywhere; `done` once the end was seen.

    The end is an EOF packet, or with CLIENT_DEPRECATE_EOF an OK packet that also starts with 0xFE: the two need no
    flag to tell, and no row looks like either, as a value whose length starts with 0xFE fills a whole packet.
    """

    _fields: list
    _count: cython.Py_ssize_t
    _width: cython.Py_ssize_t
    _held: list
    _held_size: cython.Py_ssize_t
    _needed: cython.Py_ssize_t
    _parts: list
    _parts_size: cython.Py_ssize_t
    done = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, formats: Sequence[ColumnFormat]) -> None:
        self._fields = [Field(f) for f in formats]
        self._count = len(self._fields)
        self._width = sum(f.include for f in formats)
        self._held = []
        self._held_size = 0
        self._needed = 4
        self._parts = []
        self._parts_size = 0
        self.done = False

    @cython.ccall
    def feed(self, data: bytes) -> list:
        """The rows completed by these bytes. Raises DecodeError, or ServerError for an error packet."""
        rows: list = []
        if self._held_size:
            # Pieces are joined once, when the packet they belong to is there.
            self._held.append(data)
            self._held_size += len(data)
            if self._held_size < self._needed:
                return rows
            data = b"".join(self._held)
        pos: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = len(data)
        length: cython.Py_ssize_t
        self._needed = 4
        while size - pos >= 4 and not self.done:
            length = data[pos] | data[pos + 1] << 8 | data[pos + 2] << 16
            if length > size - pos - 4:
                self._needed = length + 4
                break
            pos += 4
            if length == 0xFFFFFF or self._parts:
                self._continued(data, pos, length, rows)
            else:
                self._packet(data, pos, pos + length, rows)
            pos += length
        self._held = [data[pos:]]
        self._held_size = size - pos
        return rows

    @cython.cfunc
    def _continued(self, data: bytes, pos: cython.Py_ssize_t, length: cython.Py_ssize_t, rows: list) -> cython.void:
        # A payload of 16 MiB or more comes in several packets; a shorter one ends it.
        self._parts.append(data[pos : pos + length])
        self._parts_size += length
        if self._parts_size > MAX_ROW:
            raise DecodeError("a row of more than 2 GiB")
        if length < 0xFFFFFF:
            whole: bytes = b"".join(self._parts)
            self._parts = []
            self._parts_size = 0
            self._packet(whole, 0, len(whole), rows)

    @cython.cfunc
    def _packet(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, rows: list) -> cython.void:
        first: cython.int = data[pos] if pos < end else 0
        if first == 0xFE and end - pos < 0xFFFFFF:
            self.done = True
        elif first == 0xFF:
            self.done = True
            raise parse_error(data[pos:end])
        else:
            rows.append(self._row(data, pos, end))

    @cython.cfunc
    def _row(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> list:
        row: list = [None] * self._width
        field: Field
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        first: cython.int
        for i in range(self._count):
            if pos >= end:
                raise DecodeError("a row with fewer columns than its result set")
            field = self._fields[i]
            first = data[pos]
            pos += 1
            if first != 251:  # NULL
                n = first
                if first > 251:
                    n = _length(data, pos, end, first)
                    pos += 2 if first == 252 else 3 if first == 253 else 8
                if n < 0 or n > end - pos:
                    raise DecodeError("a value runs past its row")
                if field.wanted:
                    row[at] = _value(data, pos, n, field)
                pos += n
            if field.wanted:
                at += 1
        if pos != end:
            raise DecodeError("a row with more bytes than its columns")
        return row


@cython.cfunc
def _length(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, first: cython.int) -> cython.Py_ssize_t:
    size: cython.Py_ssize_t = 2 if first == 252 else 3 if first == 253 else 8
    if first == 255 or size > end - pos:
        raise DecodeError("a row is cut off inside a length")
    value: cython.ulonglong = 0
    i: cython.Py_ssize_t
    for i in range(pos + size - 1, pos - 1, -1):
        value = value << 8 | data[i]
    if value > 0x7FFFFFFFFFFFFFFF:
        raise DecodeError("a value runs past its row")
    return value


@cython.cfunc
def _value(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t, field: Field) -> object:
    code: cython.int = field.code
    if code == T_INT:
        return _integer(data, pos, n)
    if code == T_STRING:
        return data[pos : pos + n].decode("utf-8", "replace")
    if code == T_DECIMAL:
        return _decimal(data, pos, n, field.scale)
    if code == T_DATETIME:
        return _datetime(data, pos, n)
    if code == T_FLOAT:
        return _float(data[pos : pos + n])
    if code == T_DATE:
        return _date(data, pos, n)
    if code == T_TIME:
        return _time(data, pos, n)
    if code == T_BIT:
        if n > 8:
            raise DecodeError(f"a BIT value of {n} bytes")
        return int.from_bytes(data[pos : pos + n], "big")
    if code == T_VECTOR:
        return vector(data[pos : pos + n])
    return data[pos : pos + n]


@cython.cfunc
def _integer(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    # Up to 18 digits in a machine word; the rest through Python.
    value: cython.longlong = 0
    i: cython.Py_ssize_t
    digit: cython.int
    negative: cython.bint = n > 0 and data[pos] == 45
    start: cython.Py_ssize_t = pos + 1 if negative else pos
    end: cython.Py_ssize_t = pos + n
    if end - start > 18 or end == start:
        return _any_integer(data[pos:end], 20)
    for i in range(start, end):
        digit = data[i] - 48
        if digit < 0 or digit > 9:
            raise DecodeError(f"an integer column has a text of {n} characters that is none")
        value = value * 10 + digit
    return -value if negative else value


def _any_integer(text: bytes, limit: int) -> int:
    digits = text[1:] if text[:1] == b"-" else text
    # A ZEROFILL column may be padded to 255 digits.
    if not digits.isdigit() or len(digits) > 255 or len(digits.lstrip(b"0")) > limit:
        raise DecodeError(f"a number column has a text of {len(text)} characters that is no number of its type")
    return int(text)


@cython.cfunc
def _decimal(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t, scale: cython.int) -> object:
    # The server prints exactly `scale` digits behind the point, so dropping the point gives the unscaled value.
    value: cython.longlong = 0
    i: cython.Py_ssize_t
    digit: cython.int
    behind: cython.int = -1
    negative: cython.bint = n > 0 and data[pos] == 45
    if n > 19:
        return _any_decimal(data[pos : pos + n], scale)
    for i in range(pos + 1 if negative else pos, pos + n):
        if data[i] == 46 and behind < 0:
            behind = 0
            continue
        digit = data[i] - 48
        if digit < 0 or digit > 9:
            return _any_decimal(data[pos : pos + n], scale)
        value = value * 10 + digit
        if behind >= 0:
            behind += 1
    if n == 0 or (behind if behind > 0 else 0) != scale:
        return _any_decimal(data[pos : pos + n], scale)
    return -value if negative else value


def _any_decimal(text: bytes, scale: int) -> int:
    whole, _, fraction = text.partition(b".")
    if len(fraction) > scale:
        raise DecodeError(f"a decimal has {len(fraction)} digits behind the point instead of {scale}")
    return _any_integer(whole + fraction.ljust(scale, b"0"), 65 + scale)


def _float(text: bytes) -> float:
    # float() alone would take blanks, underscores and names.
    if text.strip(_FLOAT_CHARACTERS):
        raise DecodeError(f"a float column has a text of {len(text)} characters that is none")
    try:
        return float(text)
    except ValueError:
        raise DecodeError(f"a float column has a text of {len(text)} characters that is none") from None


@cython.cfunc
def _number(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
    # Digits of a temporal value; the caller has checked that they are there.
    value: cython.longlong = 0
    i: cython.Py_ssize_t
    digit: cython.int
    for i in range(pos, pos + n):
        digit = data[i] - 48
        if digit < 0 or digit > 9:
            raise DecodeError("a temporal value with something else than digits")
        value = value * 10 + digit
    return value


@cython.cfunc
def _expect(data: bytes, pos: cython.Py_ssize_t, character: cython.int) -> cython.bint:
    if data[pos] != character:
        raise DecodeError("a temporal value with another separator than the server's")
    return True


@cython.cfunc
def _fraction(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
    # A point and up to six digits, or nothing -> microseconds.
    if n == 0:
        return 0
    if data[pos] != 46 or n > 7:
        raise DecodeError("a temporal value with a malformed fraction")
    value: cython.longlong = _number(data, pos + 1, n - 1)
    for _ in range(7 - n):
        value *= 10
    return value


@cython.cfunc
def _date(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    # YYYY-MM-DD
    if n != 10:
        raise DecodeError(f"a date of {n} characters")
    _expect(data, pos + 4, 45)
    _expect(data, pos + 7, 45)
    year: cython.longlong = _number(data, pos, 4)
    month: cython.longlong = _number(data, pos + 5, 2)
    day: cython.longlong = _number(data, pos + 8, 2)
    return days(year, month, day) if valid_day(year, month, day) else None


@cython.cfunc
def _datetime(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    # YYYY-MM-DD hh:mm:ss[.ffffff]
    if n < 19:
        raise DecodeError(f"a date and time of {n} characters")
    _expect(data, pos + 4, 45)
    _expect(data, pos + 7, 45)
    _expect(data, pos + 10, 32)
    _expect(data, pos + 13, 58)
    _expect(data, pos + 16, 58)
    return micros(
        _number(data, pos, 4), _number(data, pos + 5, 2), _number(data, pos + 8, 2), _number(data, pos + 11, 2),
        _number(data, pos + 14, 2), _number(data, pos + 17, 2), _fraction(data, pos + 19, n - 19),
    )  # fmt: skip


@cython.cfunc
def _time(data: bytes, pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    # [-]hh:mm:ss[.ffffff], two or three digits of hours
    negative: cython.bint = n > 0 and data[pos] == 45
    if negative:
        pos += 1
        n -= 1
    hours: cython.Py_ssize_t = 3 if n > 3 and data[pos + 2] != 58 else 2
    if n < hours + 6:
        raise DecodeError(f"a time of {n} characters")
    _expect(data, pos + hours, 58)
    _expect(data, pos + hours + 3, 58)
    seconds: cython.longlong = _number(data, pos, hours) * 3600 + _number(data, pos + hours + 1, 2) * 60
    seconds += _number(data, pos + hours + 4, 2)
    total: cython.longlong = seconds * 1000000 + _fraction(data, pos + hours + 6, n - hours - 6)
    return -total if negative else total


__all__ = ["TextRowDecoder"]
