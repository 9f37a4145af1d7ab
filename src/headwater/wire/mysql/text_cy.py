# cython: language_level=3
"""Text result sets -> lists of canonical values: the other front door of the row decoder.

Takes the raw packets after the column definitions of a query run with UTF-8 results and the session time
zone +00:00, and gives the same canonical values as the log's decoder.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.servererror import parse_error

T_INT = cython.declare(cython.int, 1)
T_FLOAT = cython.declare(cython.int, 2)
T_DECIMAL = cython.declare(cython.int, 3)
T_STRING = cython.declare(cython.int, 4)
T_BYTES = cython.declare(cython.int, 5)
T_BIT = cython.declare(cython.int, 6)
T_DATE = cython.declare(cython.int, 7)
T_TIME = cython.declare(cython.int, 8)
T_DATETIME = cython.declare(cython.int, 9)
T_TIMESTAMP = cython.declare(cython.int, 10)
T_VECTOR = cython.declare(cython.int, 11)

_MICROS = cython.declare(cython.longlong, 86_400_000_000)
MAX_PAYLOAD = 1 << 31


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


def _code(family: str) -> int:
    codes = {
        "int": T_INT, "year": T_INT, "float": T_FLOAT, "double": T_FLOAT, "decimal": T_DECIMAL, "string": T_STRING,
        "enum": T_STRING, "set": T_STRING, "json": T_STRING, "bytes": T_BYTES, "geometry": T_BYTES, "bit": T_BIT,
        "date": T_DATE, "time": T_TIME, "datetime": T_DATETIME, "timestamp": T_TIMESTAMP, "vector": T_VECTOR,
    }  # fmt: skip
    return codes[family]


@cython.cclass
class TextRowDecoder:
    """Decodes rows as their bytes arrive; `done` once the end (an EOF or OK packet) was seen."""

    _ops: list
    _scales: list
    _count: cython.Py_ssize_t
    _pending: bytes
    _parts: list
    done = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, formats: Sequence[ColumnFormat]) -> None:
        self._ops = [_code(f.family) for f in formats]
        self._scales = [(f.scale, f.length) for f in formats]
        self._count = len(self._ops)
        self._pending = b""
        self._parts = []
        self.done = False

    @cython.ccall
    def feed(self, data: bytes) -> list:
        """The rows completed by these bytes. Raises DecodeError, or ServerError for an error packet."""
        if self._pending:
            data = self._pending + data
        rows: list = []
        pos: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = len(data)
        length: cython.Py_ssize_t
        view: cython.const_uchar[:] = data
        while size - pos >= 4 and not self.done:
            length = view[pos] | view[pos + 1] << 8 | view[pos + 2] << 16
            if length > size - pos - 4:
                break
            pos += 4
            if length == 0xFFFFFF or self._parts:
                self._parts.append(data[pos : pos + length])
                if length < 0xFFFFFF:
                    whole: bytes = b"".join(self._parts)
                    self._parts = []
                    self._packet(whole, 0, len(whole), rows)
            else:
                self._packet(data, pos, pos + length, rows)
            pos += length
        self._pending = data[pos:]
        return rows

    @cython.cfunc
    def _packet(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, rows: list) -> None:
        first: cython.int = data[pos] if pos < end else 0
        # A row may start with 0xFE as well, but then its first value has 16 MiB or more.
        if first == 0xFE and end - pos < 0xFFFFFF:
            self.done = True
            return
        if first == 0xFF:
            raise parse_error(data[pos:end])
        rows.append(self._row(data, pos, end))

    @cython.cfunc
    def _row(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> list:
        view: cython.const_uchar[:] = data
        row: list = []
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        first: cython.int
        for i in range(self._count):
            if pos >= end:
                raise DecodeError("a row with fewer columns than its result set")
            first = view[pos]
            pos += 1
            if first == 251:
                row.append(None)
                continue
            n = first
            if first > 251:
                n, pos = _length(data, pos, end, first)
            if n < 0 or n > end - pos:
                raise DecodeError("a value runs past its row")
            row.append(self._value(data, view, i, pos, n))
            pos += n
        if pos != end:
            raise DecodeError("a row with more bytes than its columns")
        return row

    @cython.cfunc
    def _value(self, data: bytes, view: cython.const_uchar[:], i: cython.Py_ssize_t, pos: cython.Py_ssize_t,
               n: cython.Py_ssize_t) -> object:  # fmt: skip
        op: cython.int = self._ops[i]
        if op == T_INT:
            return _integer(data, view, pos, n)
        if op == T_STRING:
            return data[pos : pos + n].decode("utf-8", "replace")
        if op == T_DECIMAL:
            return _decimal(data, view, pos, n, self._scales[i][0])
        if op == T_DATETIME or op == T_TIMESTAMP:
            return _datetime(view, pos, n)
        if op == T_FLOAT:
            return float(data[pos : pos + n])
        if op == T_DATE:
            return _date(view, pos, n)
        if op == T_TIME:
            return _time(view, pos, n)
        if op == T_BIT:
            return int.from_bytes(data[pos : pos + n], "big")
        if op == T_VECTOR:
            if n % 4:
                raise DecodeError(f"a vector of {n} bytes")
            return list(struct.unpack(f"<{n // 4}f", data[pos : pos + n]))
        return data[pos : pos + n]


def _length(data: bytes, pos: int, end: int, first: int) -> tuple[int, int]:
    size = {252: 2, 253: 3, 254: 8}.get(first, 0)
    if not size or size > end - pos:
        raise DecodeError("a row is cut off inside a length")
    return int.from_bytes(data[pos : pos + size], "little"), pos + size


@cython.cfunc
def _integer(data: bytes, view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    # Up to 18 digits in a machine word; the rest through Python.
    value: cython.longlong = 0
    i: cython.Py_ssize_t = 0
    digit: cython.int
    negative: cython.bint = n > 0 and view[pos] == 45
    if negative:
        i = 1
    if n - i > 18 or n == i:
        return _any_integer(data[pos : pos + n])
    for i in range(i, n):
        digit = view[pos + i] - 48
        if digit < 0 or digit > 9:
            return _any_integer(data[pos : pos + n])
        value = value * 10 + digit
    return -value if negative else value


def _any_integer(text: bytes) -> int:
    try:
        return int(text)
    except ValueError as e:
        raise DecodeError(f"{text[:40]!r} is not an integer") from e


@cython.cfunc
def _decimal(data: bytes, view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t,
             scale: cython.int) -> object:  # fmt: skip
    # The server prints exactly `scale` digits behind the point, so dropping the point gives the unscaled value.
    value: cython.longlong = 0
    i: cython.Py_ssize_t
    digit: cython.int
    behind: cython.int = -1
    negative: cython.bint = n > 0 and view[pos] == 45
    if n > 19:
        return _any_decimal(data[pos : pos + n], scale)
    for i in range(1 if negative else 0, n):
        if view[pos + i] == 46 and behind < 0:
            behind = 0
            continue
        digit = view[pos + i] - 48
        if digit < 0 or digit > 9:
            return _any_decimal(data[pos : pos + n], scale)
        value = value * 10 + digit
        if behind >= 0:
            behind += 1
    if (behind if behind > 0 else 0) != scale:
        return _any_decimal(data[pos : pos + n], scale)
    return -value if negative else value


def _any_decimal(text: bytes, scale: int) -> int:
    whole, _, fraction = text.partition(b".")
    try:
        return int(whole + fraction.ljust(scale, b"0"))
    except ValueError as e:
        raise DecodeError(f"{text[:80]!r} is not a decimal") from e


@cython.cfunc
def _number(view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
    value: cython.longlong = 0
    i: cython.Py_ssize_t
    digit: cython.int
    for i in range(n):
        digit = view[pos + i] - 48
        if digit < 0 or digit > 9:
            raise DecodeError("a temporal value with something else than digits")
        value = value * 10 + digit
    return value


@cython.cfunc
def _micros(view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
    # The fraction: a point and up to six digits, or nothing.
    if n <= 0:
        return 0
    if view[pos] != 46 or n > 7:
        raise DecodeError("a temporal value with a malformed fraction")
    value: cython.longlong = _number(view, pos + 1, n - 1)
    for _ in range(7 - n):
        value *= 10
    return value


@cython.cfunc
def _valid_day(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.bint:
    if month < 1 or month > 12 or day < 1 or day > 31:
        return False
    if day <= 28:
        return True
    if month == 2:
        return day == 29 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= 30 or month in (1, 3, 5, 7, 8, 10, 12)


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
def _date(view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    if n != 10:
        raise DecodeError(f"a date of {n} characters")
    year: cython.longlong = _number(view, pos, 4)
    month: cython.longlong = _number(view, pos + 5, 2)
    day: cython.longlong = _number(view, pos + 8, 2)
    if not _valid_day(year, month, day):
        return None
    return _days(year, month, day)


@cython.cfunc
def _datetime(view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    if n < 19:
        raise DecodeError(f"a timestamp of {n} characters")
    year: cython.longlong = _number(view, pos, 4)
    month: cython.longlong = _number(view, pos + 5, 2)
    day: cython.longlong = _number(view, pos + 8, 2)
    seconds: cython.longlong = _number(view, pos + 11, 2) * 3600 + _number(view, pos + 14, 2) * 60
    seconds += _number(view, pos + 17, 2)
    micros: cython.longlong = _micros(view, pos + 19, n - 19)
    if not _valid_day(year, month, day):
        return None
    return _days(year, month, day) * _MICROS + seconds * 1_000_000 + micros


@cython.cfunc
def _time(view: cython.const_uchar[:], pos: cython.Py_ssize_t, n: cython.Py_ssize_t) -> object:
    negative: cython.bint = n > 0 and view[pos] == 45
    if negative:
        pos += 1
        n -= 1
    hours: cython.Py_ssize_t = 0
    while hours < n and view[pos + hours] != 58:
        hours += 1
    if n - hours < 6 or hours > 4:
        raise DecodeError("a malformed time")
    total: cython.longlong = _number(view, pos, hours) * 3600 + _number(view, pos + hours + 1, 2) * 60
    total += _number(view, pos + hours + 4, 2)
    total = total * 1_000_000 + _micros(view, pos + hours + 6, n - hours - 6)
    return -total if negative else total


__all__ = ["TextRowDecoder"]
