# cython: language_level=3
"""MySQL's binary JSON -> text.

Style `server` prints what `SELECT json_column` prints. Style `compact` prints what the reference emits from
the log (no blanks, other number and time forms, defects included). Documents are untrusted: bounds and
depth are checked.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from decimal import Decimal

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql.decimal_cy import packed_size

if not cython.compiled:
    # The .pxd beside this file imports it where it is compiled.
    from headwater.wire.mysql.decimal_cy import unscaled

# The server allows 100.
MAX_DEPTH = 128

_CONTROL = re.compile(r'["\\\x00-\x1f]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# The most digits before the point, and zeros behind it, that the server prints without an exponent.
_F_FORMAT_DIGITS = 15
_DOUBLE = struct.Struct("<d").unpack


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


def render(data: bytes, start: int, end: int, style: str) -> str:
    """The document in `data[start:end]` as text. An empty document (an ignored invalid value) is `null`."""
    if not 0 <= start <= end <= len(data):
        raise DecodeError("a JSON document lies outside its buffer")
    if start == end:
        return "null"
    out: list = []
    try:
        printer = Printer(data, end, end - start, style == "server", out)
        printer.value(data[start], start + 1, 0)
    except (IndexError, struct.error) as e:
        raise DecodeError(f"a JSON document is cut off: {e}") from e
    return "".join(out)


@cython.cclass
class Printer:
    """Prints one document; offsets in it count from the container they stand in.

    `left` is what may still be printed, in bytes of the document. A document of the server's holds each part once;
    one whose entries share parts could otherwise grow without bounds.
    """

    data: bytes
    end: cython.Py_ssize_t
    left: cython.Py_ssize_t
    server: cython.bint
    behind: cython.Py_ssize_t
    out: list
    comma: str
    colon: str

    def __init__(self, data: bytes, end: int, left: int, server: bool, out: list) -> None:
        self.data = data
        self.end = end
        self.left = left
        self.behind = 0
        self.server = server
        self.out = out
        self.comma = ", " if server else ","
        self.colon = ": " if server else ":"

    @cython.cfunc
    def uint(self, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.longlong:
        # An unsigned integer of one, two or four bytes.
        if at < 0 or n > self.end - at:
            raise DecodeError("a JSON document is cut off")
        data: bytes = self.data
        value: cython.longlong = data[at]
        if n == 1:
            return value
        value |= data[at + 1] << 8
        if n == 2:
            return value
        high: cython.longlong = data[at + 3]
        return value | data[at + 2] << 16 | high << 24

    @cython.ccall
    def value(self, kind: cython.int, at: cython.Py_ssize_t, depth: cython.int) -> None:
        """Prints the value of type `kind` whose bytes start at `at`."""
        if depth > MAX_DEPTH:
            raise DecodeError(f"a JSON document is nested deeper than {MAX_DEPTH}")
        if kind <= 3:
            self.container(kind, at, depth)
        elif kind == 12:
            n: cython.Py_ssize_t = self.length(at)
            self.text(self.bytes_at(self.behind, n))
        else:
            self.scalar(kind, at)

    @cython.cfunc
    def container(self, kind: cython.int, at: cython.Py_ssize_t, depth: cython.int) -> None:
        is_object: cython.bint = kind <= 1
        size: cython.Py_ssize_t = 4 if kind & 1 else 2
        count: cython.Py_ssize_t = self.uint(at, size)
        total: cython.Py_ssize_t = self.uint(at + size, size)
        keys: cython.Py_ssize_t = at + 2 * size
        entry: cython.Py_ssize_t = keys + (count * (size + 2) if is_object else 0)
        if total > self.end - at or count * (1 + size) > self.end - entry or entry > self.end:
            raise DecodeError("a JSON container runs past its document")
        self.spend(2 * size + count * (1 + size))
        i: cython.Py_ssize_t
        key: cython.Py_ssize_t
        self.out.append("{" if is_object else "[")
        for i in range(count):
            if i:
                self.out.append(self.comma)
            if is_object:
                key = keys + i * (size + 2)
                self.text(self.bytes_at(at + self.uint(key, size), self.uint(key + size, 2)))
                self.out.append(self.colon)
            self.entry(at, entry + i * (1 + size), size, depth)
        self.out.append("}" if is_object else "]")

    @cython.cfunc
    def entry(self, base: cython.Py_ssize_t, at: cython.Py_ssize_t, size: cython.Py_ssize_t,
              depth: cython.int) -> None:  # fmt: skip
        # A value entry: the type, then the value itself where it fits, else its offset.
        kind: cython.int = self.uint(at, 1)
        if kind in (4, 5, 6) or (size == 4 and kind in (7, 8)):
            self.scalar(kind, at + 1)
            return
        self.value(kind, base + self.uint(at + 1, size), depth + 1)

    @cython.cfunc
    def length(self, at: cython.Py_ssize_t) -> cython.longlong:
        # A length in groups of seven bits; leaves the place behind it in `behind`.
        value: cython.longlong = 0
        byte: cython.longlong
        i: cython.Py_ssize_t
        for i in range(5):
            byte = self.uint(at + i, 1)
            value |= (byte & 0x7F) << (7 * i)
            if byte < 0x80:
                self.behind = at + i + 1
                return value
        raise DecodeError("a JSON length of more than five bytes")

    @cython.cfunc
    def spend(self, n: cython.Py_ssize_t) -> None:
        self.left -= n
        if self.left < 0:
            raise DecodeError("a JSON document uses parts of itself more than once")

    @cython.cfunc
    def bytes_at(self, at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> bytes:
        if at < 0 or n < 0 or n > self.end - at:
            raise DecodeError("a JSON string runs past its document")
        self.spend(n)
        return self.data[at : at + n]

    @cython.cfunc
    def text(self, raw: bytes) -> None:
        i: cython.Py_ssize_t
        byte: cython.int
        text: str = raw.decode("utf-8", "replace")
        for i in range(len(raw)):
            byte = raw[i]
            if byte < 0x20 or byte == 0x22 or byte == 0x5C:
                text = _escaped(text, self.server)
                break
        self.out.append('"' + text + '"')

    @cython.cfunc
    def scalar(self, kind: cython.int, at: cython.Py_ssize_t) -> None:
        n: cython.longlong
        if kind == 4:
            n = self.uint(at, 1)
            if n > 2:
                raise DecodeError(f"a JSON literal {n}")
            self.out.append("null" if n == 0 else "true" if n == 1 else "false")
        elif kind == 5:
            n = self.uint(at, 2)
            self.out.append(str(n - 0x10000 if n & 0x8000 else n))
        elif kind == 7:
            n = self.uint(at, 4)
            self.out.append(str(n - 0x100000000 if n & 0x80000000 else n))
        elif kind == 6 or kind == 8:
            self.out.append(str(self.uint(at, 2 if kind == 6 else 4)))
        elif kind == 9 or kind == 10:
            self.out.append(str(int.from_bytes(self.bytes_at(at, 8), "little", signed=kind == 9)))
        elif kind == 11:
            number: float = _DOUBLE(self.bytes_at(at, 8))[0]
            if not math.isfinite(number):
                raise DecodeError("a JSON document with a number that is none")
            self.out.append(server_double(number) if self.server else compact_double(number))
        elif kind == 15:
            self.opaque(at)
        else:
            raise DecodeError(f"a JSON value of unknown type {kind}")

    @cython.cfunc
    def opaque(self, at: cython.Py_ssize_t) -> None:
        kind: cython.int = self.uint(at, 1)
        n: cython.Py_ssize_t = self.length(at + 1)
        raw: bytes = self.bytes_at(self.behind, n)
        if kind == 246:
            self.out.append(_decimal(raw))
        elif kind in (7, 10, 11, 12):
            if len(raw) != 8:
                raise DecodeError(f"a temporal value of {len(raw)} bytes in a JSON document")
            packed = int.from_bytes(raw, "little", signed=True)
            self.out.append('"' + _temporal(kind, packed, self.server) + '"')
        else:
            prefix = f"base64:type{kind}:" if self.server else ""
            self.out.append('"' + prefix + base64.b64encode(raw).decode("ascii") + '"')


def _escaped(text: str, server: bool) -> str:
    # Only what must be escaped is. The reference writes hexadecimal digits in upper case.
    form = "\\u%04x" if server else "\\u%04X"
    return _CONTROL.sub(lambda m: _ESCAPES.get(m[0]) or form % ord(m[0]), text)


def server_double(value: float) -> str:
    """A double as the server prints it in a document: shortest digits, `.0` where it would look like an integer."""
    if value == 0 or 1e-4 <= abs(value) < 1e15:
        # Here Python has the same form.
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)  # digits before the decimal point
    minus = "-" if sign else ""
    if point <= -_F_FORMAT_DIGITS or point > max(_F_FORMAT_DIGITS, len(text) - 1):
        mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
        return f"{minus}{mantissa}e{point - 1}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    if len(text) <= point:
        return f"{minus}{text.ljust(point, '0')}.0"
    return f"{minus}{text[:point]}.{text[point:]}"


def compact_double(value: float) -> str:
    """The reference's form: plain between 1e-3 and 1e7, the exact decimal expansion elsewhere."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    return format(Decimal(value), "f")


def _decimal(raw: bytes) -> str:
    # Precision, scale, then the packed form of the rows.
    if len(raw) < 3:
        raise DecodeError("a decimal of fewer than three bytes in a JSON document")
    precision, scale = raw[0], raw[1]
    if len(raw) - 2 != packed_size(precision, scale):
        raise DecodeError("a decimal of the wrong length in a JSON document")
    value = unscaled(raw, 2, precision - scale, scale)
    text = str(abs(value)).rjust(scale + 1, "0")
    if scale:
        text = text[:-scale] + "." + text[-scale:]
    return "-" + text if value < 0 else text


def _temporal(kind: int, packed: int, server: bool) -> str:
    if kind == 11:
        return _server_time(packed) if server else _compact_time(packed)
    value = packed >> 24
    micros = packed & 0xFFFFFF
    days, clock = value >> 17, value & 0x1FFFF
    months = days >> 5
    date = f"{months // 13:04d}-{months % 13:02d}-{days & 31:02d}"
    if kind == 10:
        return date
    text = f"{date} {clock >> 12:02d}:{clock >> 6 & 63:02d}:{clock & 63:02d}"
    if server:
        return f"{text}.{micros:06d}"
    return text + (f".{micros:06d}".rstrip("0") if micros else "")


def _server_time(packed: int) -> str:
    sign, packed = ("-", -packed) if packed < 0 else ("", packed)
    value, micros = packed >> 24, packed & 0xFFFFFF
    return f"{sign}{value >> 12 & 1023:02d}:{value >> 6 & 63:02d}:{value & 63:02d}.{micros:06d}"


def _compact_time(packed: int) -> str:
    """The reference's form; it takes a negative number apart with truncating remainders."""

    def remainder(n: int, m: int) -> int:
        return -(-n % m) if n < 0 else n % m

    value = packed >> 24
    hours, minutes, seconds = (remainder(value >> s, m) for s, m in ((12, 1024), (6, 64), (0, 64)))
    micros = remainder(packed, 1 << 24)
    if value < 0:
        hours = -hours
    text = ":".join(("0" if n < 10 else "") + str(n) for n in (hours, minutes, seconds))
    if not micros:
        return text
    if micros < 0:
        return text + ".00000" + str(micros).rstrip("0")
    return text + f".{micros:06d}".rstrip("0")
