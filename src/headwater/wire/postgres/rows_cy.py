# cython: language_level=3
"""Text values of PostgreSQL -> canonical values: rows of pgoutput messages and of COPY.

Both front doors share one function per value. Text is the server's output under DateStyle ISO and UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import cython

from headwater.errors import DecodeError

_MICROS = cython.declare(cython.longlong, 86_400_000_000)
# The server's infinities, as microseconds and days beyond any real value.
POSITIVE_INFINITY: Final = "infinity"
NEGATIVE_INFINITY: Final = "-infinity"


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
V_CALL = cython.declare(cython.int, 10)

_KINDS = {
    "text": V_TEXT, "int": V_INT, "bool": V_BOOL, "float": V_FLOAT, "numeric": V_NUMERIC, "bytes": V_BYTES,
    "date": V_DATE, "time": V_TIME, "timestamp": V_TIMESTAMP, "timestamptz": V_TIMESTAMPTZ, "call": V_CALL,
}  # fmt: skip


class ValueFormat(NamedTuple):
    """How a column's text is read.

    `kind`: text int bool float numeric bytes date time timestamp timestamptz, or call with `function` from text to
    a canonical value. `include` False leaves the column out of the rows.
    """

    kind: str = "text"
    scale: int = 0
    function: Callable[[str], Any] | None = None
    include: bool = True


@cython.cclass
class Column:
    """One column of the program."""

    op: cython.int
    scale: cython.int
    fn: object
    wanted: cython.bint

    def __init__(self, form: ValueFormat) -> None:
        self.op = _KINDS[form.kind]
        self.scale = form.scale
        self.fn = form.function
        self.wanted = form.include


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
        if size - pos < 2:
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
            if kind == 0x74 or kind == 0x62:  # 't' text; 'b' binary is never asked for
                if size - pos < 4:
                    raise DecodeError("a row message is cut off")
                n = int.from_bytes(data[pos : pos + 4], "big")
                pos += 4
                if n > size - pos:
                    raise DecodeError("a value runs past its message")
                if column.wanted:
                    row.append(_value(column, data[pos : pos + n]))
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
        """A row of COPY ... TO STDOUT in text form, with or without its line feed."""
        fields: list = line.rstrip(b"\n").split(b"\t")
        if len(fields) != self._count:
            raise DecodeError(f"a copied row of {len(fields)} columns instead of {self._count}")
        row: list = []
        i: cython.Py_ssize_t
        column: Column
        for i in range(self._count):
            column = self._columns[i]
            field: bytes = fields[i]
            if not column.wanted:
                continue
            if field == b"\\N":
                row.append(None)
            else:
                row.append(_value(column, unescape(field) if b"\\" in field else field))
        return row


_COPY = {0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9, 0x76: 11}


def unescape(field: bytes) -> bytes:
    """COPY's backslash escapes."""
    out = bytearray()
    i = 0
    while i < len(field):
        ch = field[i]
        if ch == 0x5C and i + 1 < len(field):
            i += 1
            ch = _COPY.get(field[i], field[i])
        out.append(ch)
        i += 1
    return bytes(out)


@cython.cfunc
def _value(column: Column, raw: bytes) -> object:
    op: cython.int = column.op
    try:
        if op == V_TEXT:
            return raw.decode("utf-8")
        if op == V_INT:
            return int(raw)
        if op == V_BOOL:
            return raw == b"t"
        if op == V_FLOAT:
            return float(raw)
        if op == V_NUMERIC:
            return numeric(raw, column.scale)
        if op == V_TIMESTAMP:
            return _timestamp(raw)
        if op == V_DATE:
            return _date_value(raw)
        if op == V_TIME:
            return time_of_day(raw)
        if op == V_TIMESTAMPTZ:
            return _timestamptz(raw)
        if op == V_BYTES:
            return bytea(raw)
        return column.fn(raw.decode("utf-8"))
    except (ValueError, UnicodeDecodeError) as e:
        raise DecodeError(f"{raw[:60]!r} cannot be read: {e}") from e


def numeric(raw: bytes, scale: int) -> Any:
    """Unscaled int at `scale`; the text itself for NaN and the infinities."""
    whole, _, fraction = raw.partition(b".")
    if len(fraction) == scale:
        try:
            return int(whole + fraction)
        except ValueError:
            return raw.decode("ascii")
    if raw in (b"NaN", b"Infinity", b"-Infinity"):
        return raw.decode("ascii")
    if len(fraction) < scale:
        return int(whole + fraction.ljust(scale, b"0"))
    kept = fraction[:scale] if scale > 0 else b""
    if fraction[max(scale, 0) :].strip(b"0"):
        raise ValueError(f"more than {scale} digits behind the point")
    return int(whole + kept)


def bytea(raw: bytes) -> bytes:
    """Hex or escape form."""
    if raw[:2] == b"\\x":
        return bytes.fromhex(raw[2:].decode("ascii"))
    out = bytearray()
    i = 0
    while i < len(raw):
        if raw[i] == 0x5C:
            if raw[i + 1 : i + 2] == b"\\":
                out.append(0x5C)
                i += 2
                continue
            out.append(int(raw[i + 1 : i + 4], 8) & 0xFF)
            i += 4
            continue
        out.append(raw[i])
        i += 1
    return bytes(out)


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


def days(raw: bytes) -> int:
    """`YYYY-MM-DD`, a longer year, ` BC` behind -> days since 1970-01-01."""
    text = raw.decode("ascii")
    before_christ = text.endswith(" BC")
    year, month, day = text.removesuffix(" BC").split("-")
    y = int(year)
    return int(_days(1 - y if before_christ else y, int(month), int(day)))


@cython.cfunc
def _date_value(raw: bytes) -> object:
    if raw[-1:] == b"y":
        return raw.decode("ascii")
    return days(raw)


def time_of_day(raw: bytes) -> int:
    """`HH:MM:SS[.f]` -> microseconds."""
    clock, _, fraction = raw.partition(b".")
    hours, minutes, seconds = clock.split(b":")
    return (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1_000_000 + int(fraction.ljust(6, b"0")[:6] or b"0")


@cython.cfunc
def _timestamp(raw: bytes) -> object:
    if raw[-1:] == b"y":
        return raw.decode("ascii")
    date, _, clock = raw.partition(b" ")
    if clock[-3:] == b" BC":
        date, clock = date + b" BC", clock[:-3]
    return days(date) * _MICROS + time_of_day(clock)


@cython.cfunc
def _timestamptz(raw: bytes) -> object:
    if raw[-1:] == b"y":
        return raw.decode("ascii")
    era: bytes = b" BC" if raw[-3:] == b" BC" else b""
    if era:
        raw = raw[:-3]
    date, _, rest = raw.partition(b" ")
    at: cython.Py_ssize_t = max(rest.rfind(b"+"), rest.rfind(b"-"))
    if at < 0:
        raise DecodeError(f"{raw[:60]!r} has no time zone")
    return days(date + era) * _MICROS + time_of_day(rest[:at]) - zone_offset(rest[at:])


def zone_offset(raw: bytes) -> int:
    """`+HH[:MM[:SS]]` -> microseconds east of UTC."""
    parts = [int(p) for p in raw[1:].split(b":")]
    seconds = parts[0] * 3600 + (parts[1] if len(parts) > 1 else 0) * 60 + (parts[2] if len(parts) > 2 else 0)
    return (-seconds if raw[:1] == b"-" else seconds) * 1_000_000
