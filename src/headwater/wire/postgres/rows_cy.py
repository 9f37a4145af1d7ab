# cython: language_level=3
# cython: wraparound=False
"""Text values of PostgreSQL -> canonical values: rows of pgoutput messages and of COPY.

Both front doors share one function per value, which reads the bytes in place. Text is the server's output
under DateStyle ISO, TimeZone UTC and UTF-8. Must not know a schema or an event.

Infinite dates and timestamps are numbers beyond any real one (`DATE_INFINITY`, `TIMESTAMP_INFINITY` and
their negatives); a numeric that is no number is its word (`NaN`, `Infinity`, `-Infinity`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import cython

from headwater.errors import DecodeError

# The reference's numbers for infinite timestamps, in microseconds; dates have the last days of 32 bits.
TIMESTAMP_INFINITY: Final = 9_223_372_036_825_200_000
TIMESTAMP_NEGATIVE_INFINITY: Final = -9_223_372_036_832_400_000
DATE_INFINITY: Final = 2**31 - 1
DATE_NEGATIVE_INFINITY: Final = -(2**31)

_MICROS = cython.declare(cython.longlong, 86_400_000_000)
_SAFE_DAYS = cython.declare(cython.longlong, 106_000_000)  # whose microseconds fit 64 bits
_MAX_DIGITS = cython.declare(cython.Py_ssize_t, 18)  # that always fit 64 bits


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


class _Unchanged:
    """A TOASTed value that the update did not touch, and the log does not hold."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = _Unchanged()

V_TEXT = cython.declare(cython.int, 0)
V_INT = cython.declare(cython.int, 1)
V_BOOL = cython.declare(cython.int, 2)
V_FLOAT = cython.declare(cython.int, 3)
V_NUMERIC = cython.declare(cython.int, 4)
V_BYTES = cython.declare(cython.int, 5)
V_DATE = cython.declare(cython.int, 6)
V_TIME = cython.declare(cython.int, 7)
V_TIMESTAMP = cython.declare(cython.int, 8)
V_TIMESTAMPTZ = cython.declare(cython.int, 9)
V_TIMETZ = cython.declare(cython.int, 10)
V_CALL = cython.declare(cython.int, 11)

_KINDS = {
    "text": V_TEXT, "int": V_INT, "bool": V_BOOL, "float": V_FLOAT, "numeric": V_NUMERIC, "bytes": V_BYTES,
    "date": V_DATE, "time": V_TIME, "timestamp": V_TIMESTAMP, "timestamptz": V_TIMESTAMPTZ, "timetz": V_TIMETZ,
    "call": V_CALL,
}  # fmt: skip


class ValueFormat(NamedTuple):
    """How a column's text is read.

    `kind`: text int bool float numeric bytes date time timestamp timestamptz timetz, or call with `function`
    from text to a canonical value. `include` False leaves the column out of the rows.
    """

    kind: str = "text"
    scale: int = 0
    function: Callable[[str], Any] | None = None
    include: bool = True


@cython.cclass
class Column:
    """One column of the program."""

    op: cython.int
    scale: cython.Py_ssize_t
    fn: object
    wanted: cython.bint

    def __init__(self, form: ValueFormat) -> None:
        self.op = _KINDS[form.kind]
        self.scale = form.scale
        self.fn = form.function
        self.wanted = form.include

    def read(self, raw: bytes) -> Any:
        """One value, as the elements of arrays and column defaults are read. Raises DecodeError."""
        return _value(self, raw, 0, len(raw))


@cython.cclass
class RowDecoder:
    """Decodes rows of one relation."""

    _columns: list
    _count: cython.Py_ssize_t

    def __init__(self, formats: Sequence[ValueFormat]) -> None:
        self._columns = [Column(f) for f in formats]
        self._count = len(self._columns)

    @cython.ccall
    def tuple_data(self, data: bytes, pos: cython.Py_ssize_t) -> tuple:
        """A pgoutput tuple that starts at `pos`: (row, place behind it). Raises DecodeError."""
        size: cython.Py_ssize_t = len(data)
        if pos < 0 or size - pos < 2:
            raise DecodeError("a row message is cut off")
        count: cython.Py_ssize_t = data[pos] << 8 | data[pos + 1]
        if count != self._count:
            raise DecodeError(f"a row of {count} columns for a relation of {self._count}")
        pos += 2
        row: list = []
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        column: Column
        kind: cython.int
        for i in range(count):
            if pos >= size:
                raise DecodeError("a row message is cut off")
            kind = data[pos]
            pos += 1
            column = self._columns[i]
            if kind == 0x74:  # 't'; binary values are never asked for
                if size - pos < 4:
                    raise DecodeError("a row message is cut off")
                n = data[pos] << 24 | data[pos + 1] << 16 | data[pos + 2] << 8 | data[pos + 3]
                pos += 4
                if n < 0 or n > size - pos:
                    raise DecodeError("a value runs past its message")
                if column.wanted:
                    row.append(_value(column, data, pos, pos + n))
                pos += n
            elif kind == 0x6E:  # 'n'
                if column.wanted:
                    row.append(None)
            elif kind == 0x75:  # 'u'
                if column.wanted:
                    row.append(UNCHANGED)
            else:
                raise DecodeError(f"a value of unknown kind {kind:#x} in a row message")
        return row, pos

    @cython.ccall
    def copy_line(self, line: bytes) -> list:
        """A row of COPY ... TO STDOUT in text form, with or without its line feed. Raises DecodeError."""
        size: cython.Py_ssize_t = len(line)
        if size and line[size - 1] == 0x0A:
            size -= 1
        row: list = []
        i: cython.Py_ssize_t
        pos: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t
        escaped: cython.bint
        ch: cython.int
        column: Column
        for i in range(self._count):
            if pos > size:
                raise DecodeError(f"a copied row of {i} columns instead of {self._count}")
            start = pos
            escaped = False
            while pos < size:
                ch = line[pos]
                if ch == 0x09:
                    break
                if ch == 0x5C:
                    escaped = True
                    pos += 1  # whatever is escaped is no separator
                pos += 1
            if pos > size:
                raise DecodeError("a copied row ends with a backslash")
            column = self._columns[i]
            if column.wanted:
                row.append(_field(column, line, start, pos, escaped))
            pos += 1
        # A table without columns has empty lines.
        if pos <= size and not (self._count == 0 and size == 0):
            raise DecodeError(f"a copied row of more than {self._count} columns")
        return row


@cython.cfunc
def _field(column: Column, line: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, escaped: cython.bint) -> object:
    if not escaped:
        return _value(column, line, start, end)
    if end - start == 2 and line[start + 1] == 0x4E:  # \N
        return None
    plain: bytes = unescape(line[start:end])
    return _value(column, plain, 0, len(plain))


_COPY = {0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9, 0x76: 11}


def unescape(field: bytes) -> bytes:
    """COPY's backslash escapes. The server writes control characters by letter, others as they are."""
    parts = field.split(b"\\")
    out = [parts[0]]
    i = 1
    while i < len(parts):
        part = parts[i]
        if part:
            out.append(bytes((_COPY.get(part[0], part[0]),)) + part[1:])
            i += 1
            continue
        # An escaped backslash; what follows it is plain.
        if i + 1 >= len(parts):
            raise DecodeError("a copied value ends with a backslash")
        out.append(b"\\" + parts[i + 1])
        i += 2
    return b"".join(out)


# -- values


@cython.cfunc
def _value(column: Column, data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
    try:
        return _read(column, data, start, end)
    except (ValueError, ArithmeticError, LookupError) as e:
        raise DecodeError(f"{data[start:min(end, start + 60)]!r} cannot be read: {e}") from e


@cython.cfunc
def _read(column: Column, data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
    op: cython.int = column.op
    if op == V_TEXT:
        return data[start:end].decode("utf-8")
    if op == V_INT:
        return _integer(data, start, end)
    if op == V_NUMERIC:
        return _numeric(data, start, end, column.scale)
    if op == V_TIMESTAMP:
        return _timestamp(data, start, end, False)
    if op == V_TIMESTAMPTZ:
        return _timestamp(data, start, end, True)
    if op == V_DATE:
        return _date_value(data, start, end)
    if op == V_BOOL:
        return _boolean(data, start, end)
    if op == V_FLOAT:
        return float(data[start:end])
    if op == V_TIME:
        return _clock(data, start, end)
    if op == V_TIMETZ:
        return _timetz(data, start, end)
    if op == V_BYTES:
        return bytea(data[start:end])
    return column.fn(data[start:end].decode("utf-8"))


@cython.cfunc
def _digits(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    n: cython.longlong = 0
    i: cython.Py_ssize_t
    ch: cython.int
    if start >= end or end - start > _MAX_DIGITS or end > len(data):
        raise ValueError("digits are expected")
    for i in range(start, end):
        ch = data[i]
        if ch < 0x30 or ch > 0x39:
            raise ValueError("digits are expected")
        n = n * 10 + (ch - 0x30)
    return n


@cython.cfunc
def _integer(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
    negative: cython.bint = start < end and data[start] == 0x2D
    if negative:
        start += 1
    if end - start > _MAX_DIGITS:
        return _long_integer(data[start:end], negative)
    n: cython.longlong = _digits(data, start, end)
    return -n if negative else n


def _long_integer(raw: bytes, negative: bool) -> int:
    if not raw.isdigit():
        raise ValueError("digits are expected")
    return -int(raw) if negative else int(raw)


@cython.cfunc
def _boolean(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
    if end - start == 1:
        if data[start] == 0x74:
            return True
        if data[start] == 0x66:
            return False
    raise ValueError("t or f is expected")


@cython.cfunc
def _numeric(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, scale: cython.Py_ssize_t) -> object:
    negative: cython.bint = start < end and data[start] == 0x2D
    i: cython.Py_ssize_t
    ch: cython.int
    n: cython.longlong = 0
    whole: cython.Py_ssize_t = -1  # digits before the point
    digits: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t = start + 1 if negative else start
    if end - first > _MAX_DIGITS or scale < 0 or scale > _MAX_DIGITS:
        return numeric(data[start:end], scale)
    for i in range(first, end):
        ch = data[i]
        if ch == 0x2E and whole < 0:
            whole = digits
        elif 0x30 <= ch <= 0x39:
            n = n * 10 + (ch - 0x30)
            digits += 1
        else:
            return numeric(data[start:end], scale)
    missing: cython.Py_ssize_t = scale if whole < 0 else scale - (digits - whole)
    if missing < 0 or digits == 0 or digits + missing > _MAX_DIGITS:
        return numeric(data[start:end], scale)
    for i in range(missing):
        n *= 10
    return -n if negative else n


def numeric(raw: bytes, scale: int) -> Any:
    """Unscaled int at `scale`; the word itself for NaN and the infinities. Raises ValueError."""
    if raw in (b"NaN", b"Infinity", b"-Infinity"):
        return raw.decode("ascii")
    negative = raw[:1] == b"-"
    whole, _, fraction = raw[negative:].partition(b".")
    if not whole.isdigit() or (fraction and not fraction.isdigit()):
        raise ValueError("not a number")
    if scale < 0:
        raise ValueError("a negative scale")
    if fraction[scale:].strip(b"0"):
        raise ValueError(f"more than {scale} digits behind the point")
    n = int(whole + fraction[:scale].ljust(scale, b"0"))
    return -n if negative else n


def bytea(raw: bytes) -> bytes:
    """Hex or escape form. Raises ValueError."""
    if raw[:2] == b"\\x":
        return bytes.fromhex(raw[2:].decode("ascii"))
    out = bytearray()
    i = 0
    while i < len(raw):
        if raw[i] != 0x5C:
            out.append(raw[i])
            i += 1
        elif raw[i + 1 : i + 2] == b"\\":
            out.append(0x5C)
            i += 2
        else:
            out.append(_octal(raw[i + 1 : i + 4]))
            i += 4
    return bytes(out)


def _octal(raw: bytes) -> int:
    if len(raw) != 3 or not raw.isdigit():
        raise ValueError("three octal digits are expected")
    return int(raw, 8)


# -- dates and times


@cython.cfunc
def _days(year: cython.longlong, month: cython.longlong, day: cython.longlong) -> cython.longlong:
    # Days since 1970-01-01, proleptic Gregorian. Division rounds down, compiled too.
    y: cython.longlong = year - 1 if month <= 2 else year
    era: cython.longlong = y // 400
    yoe: cython.longlong = y - era * 400
    mp: cython.longlong = month - 3 if month > 2 else month + 9
    doy: cython.longlong = (153 * mp + 2) // 5 + day - 1
    doe: cython.longlong = yoe * 365 + yoe // 4 - yoe // 100 + doy
    return era * 146097 + doe - 719468


@cython.cfunc
def _date(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, before_christ: cython.bint) -> cython.longlong:
    # YYYY-MM-DD, the year of four digits or more.
    if end - start < 10 or data[end - 3] != 0x2D or data[end - 6] != 0x2D:
        raise ValueError("not a date")
    year: cython.longlong = _digits(data, start, end - 6)
    month: cython.longlong = _digits(data, end - 5, end - 3)
    day: cython.longlong = _digits(data, end - 2, end)
    if year > 6_000_000 or month < 1 or month > 12 or day < 1 or day > 31:
        raise ValueError("not a date")
    return _days(1 - year if before_christ else year, month, day)


@cython.cfunc
def _is_bc(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    return end - start > 3 and data[end - 1] == 0x43 and data[end - 2] == 0x42 and data[end - 3] == 0x20


@cython.cfunc
def _infinity(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
    # 1 and -1 for the infinities, 0 for anything else.
    if end == start or data[end - 1] != 0x79:  # y
        return 0
    word: bytes = data[start:end]
    return 1 if word == b"infinity" else -1 if word == b"-infinity" else 0


@cython.cfunc
def _date_value(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
    sign: cython.int = _infinity(data, start, end)
    if sign:
        return DATE_INFINITY if sign > 0 else DATE_NEGATIVE_INFINITY
    bc: cython.bint = _is_bc(data, start, end)
    return _date(data, start, end - 3 if bc else end, bc)


@cython.cfunc
def _clock(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    # HH:MM:SS[.f] -> microseconds.
    if end - start < 8 or data[start + 2] != 0x3A or data[start + 5] != 0x3A:
        raise ValueError("not a time")
    seconds: cython.longlong = _digits(data, start, start + 2) * 3600 + _digits(data, start + 3, start + 5) * 60
    seconds += _digits(data, start + 6, start + 8)
    micros: cython.longlong = 0
    i: cython.Py_ssize_t
    if end - start > 8:
        if data[start + 8] != 0x2E or end - start > 15:
            raise ValueError("not a time")
        micros = _digits(data, start + 9, end)
        for i in range(15 - (end - start)):
            micros *= 10
    return seconds * 1_000_000 + micros


@cython.cfunc
def _zone(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    # Where the time zone begins: +HH, +HH:MM or +HH:MM:SS at the end.
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    for i in range(3, 10, 3):
        at = end - i
        if at <= start:
            break
        if data[at] == 0x2B or data[at] == 0x2D:
            return at
    raise ValueError("no time zone")


@cython.cfunc
def _offset(data: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    seconds: cython.longlong = 0
    unit: cython.longlong = 3600
    pos: cython.Py_ssize_t = at + 1
    while True:
        seconds += _digits(data, pos, pos + 2) * unit
        pos += 2
        if pos >= end:
            break
        if data[pos] != 0x3A:
            raise ValueError("not a time zone")
        pos += 1
        unit //= 60
    return (-seconds if data[at] == 0x2D else seconds) * 1_000_000


@cython.cfunc
def _timestamp(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, zoned: cython.bint) -> object:
    sign: cython.int = _infinity(data, start, end)
    if sign:
        return TIMESTAMP_INFINITY if sign > 0 else TIMESTAMP_NEGATIVE_INFINITY
    bc: cython.bint = _is_bc(data, start, end)
    if bc:
        end -= 3
    space: cython.Py_ssize_t = start
    while space < end and data[space] != 0x20:
        space += 1
    shift: cython.longlong = 0
    at: cython.Py_ssize_t
    if zoned:
        at = _zone(data, space, end)
        shift = _offset(data, at, end)
        end = at
    day: cython.longlong = _date(data, start, space, bc)
    rest: cython.longlong = _clock(data, space + 1, end) - shift
    if -_SAFE_DAYS < day < _SAFE_DAYS:
        return day * _MICROS + rest
    # The server counts from 2000, so its last days are beyond 64 bits from 1970 on.
    far: object = day
    return far * 86_400_000_000 + rest


@cython.cfunc
def _timetz(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> object:
    # Microseconds of the day in UTC.
    at: cython.Py_ssize_t = _zone(data, start, end)
    return (_clock(data, start, at) - _offset(data, at, end)) % _MICROS
