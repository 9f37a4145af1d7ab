# cython: language_level=3, boundscheck=True, wraparound=False, cdivision=True
"""The growable output buffer of the compiled writers: bytes, and values in JSON's form with Java's numbers.

The one module that touches memory itself, in its `cython.compiled` branches; every write first makes room.
Must not know schemas or records.
"""

from __future__ import annotations

import binascii
import re

import cython

from headwater._javatext import double_text, float_text, shortest_is_exact

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.cpython.conversion import PyOS_double_to_string
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow
    from cython.cimports.cpython.mem import PyMem_Free, PyMem_Realloc
    from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize
    from cython.cimports.libc.math import frexp, ldexp
    from cython.cimports.libc.stdlib import strtod
    from cython.cimports.libc.string import memcpy, strlen

_ALPHABET = cython.declare(bytes, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# From here up a power of two prints its own digits.
_SURE = cython.declare(cython.double, 2.0**-20)
_HEX = cython.declare(bytes, b"0123456789ABCDEF")
_SHORT = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
# What a JSON string cannot hold as it is: controls, quote, backslash, surrogates, four-byte characters.
_SPECIAL = re.compile(rb'[\x00-\x1f"\\\xed\xf0-\xff]')
# A buffer grown beyond this gives its memory back once its content is taken.
_KEPT = cython.declare(cython.Py_ssize_t, 1 << 16)


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.final
@cython.cclass
class Buffer:
    """Grows as it is written; `take` hands the content out and empties it. One thread at a time.

    Most `put_…` methods write a piece that is ready (`before`: a member's name) and then a value.
    """

    def __init__(self) -> None:
        self.length = 0
        if not cython.compiled:
            self._capacity = 0
            self._data = bytearray()

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self._data)

    # -- bytes

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _room(self, extra: cython.Py_ssize_t) -> cython.int:
        # Makes room for `extra` more bytes.
        if 0 <= extra <= self._capacity - self.length:
            return 0
        if extra < 0 or extra > (1 << 62) - self.length:
            raise MemoryError("the output is too large")
        wanted: cython.Py_ssize_t = self.length + extra
        wanted = max(wanted + wanted // 4, 1024)
        if cython.compiled:
            moved: cython.p_uchar = cython.cast(cython.p_uchar, PyMem_Realloc(self._data, wanted))
            if moved == cython.NULL:
                raise MemoryError("no memory for the output")
            self._data = moved
        else:
            self._data.extend(bytes(wanted - self._capacity))
        self._capacity = wanted
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _copy(self, source: cython.p_const_uchar, size: cython.Py_ssize_t) -> cython.int:
        self._room(size)
        if cython.compiled:
            memcpy(self._data + self.length, source, size)
        else:
            self._data[self.length : self.length + size] = source[:size]
        self.length += size

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _byte(self, value: cython.uint) -> cython.int:
        self._room(1)
        self._data[self.length] = value
        self.length += 1

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put(self, data: bytes) -> cython.int:
        """Bytes as they are."""
        self._copy(data, len(data))

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_two(self, first: bytes, second: bytes) -> cython.int:
        """Two pieces as they are."""
        self._copy(first, len(first))
        self._copy(second, len(second))

    @cython.ccall
    def since(self, start: cython.Py_ssize_t) -> bytes:
        """A copy of what was written from `start` on."""
        if not 0 <= start <= self.length:
            raise IndexError("not a place in the buffer")
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self._data) + start, self.length - start)
        else:
            return bytes(self._data[start : self.length])

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def cut(self, length: cython.Py_ssize_t) -> cython.int:
        """Forgets what was written after the first `length` bytes."""
        if not 0 <= length <= self.length:
            raise IndexError("not a place in the buffer")
        self.length = length

    @cython.ccall
    def take(self, prefix: bytes, suffix: bytes) -> bytes:
        """The content between `prefix` and `suffix`; the buffer is empty afterwards."""
        size: cython.Py_ssize_t = self.length
        out: bytes
        if cython.compiled:
            head: cython.Py_ssize_t = len(prefix)
            tail: cython.Py_ssize_t = len(suffix)
            out = PyBytes_FromStringAndSize(cython.NULL, head + size + tail)
            target: cython.p_char = PyBytes_AS_STRING(out)
            memcpy(target, PyBytes_AS_STRING(prefix), head)
            if size:
                memcpy(target + head, self._data, size)
            memcpy(target + head + size, PyBytes_AS_STRING(suffix), tail)
        else:
            out = prefix + bytes(self._data[:size]) + suffix
        self.length = 0
        if self._capacity > _KEPT:
            self._capacity = 0
            if cython.compiled:
                PyMem_Free(self._data)
                self._data = cython.NULL
            else:
                self._data = bytearray()
        return out

    # -- strings

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_string(self, before: bytes, text: str) -> cython.int:
        """A JSON string. Characters above U+FFFF, and lone surrogates, become escapes in upper case."""
        self._copy(before, len(before))
        loose: bytes
        if cython.compiled:
            size: cython.Py_ssize_t = 0
            source: cython.p_const_char
            try:
                source = PyUnicode_AsUTF8AndSize(text, cython.address(size))
            except UnicodeEncodeError:
                loose = text.encode("utf-8", "surrogatepass")
                source = PyBytes_AS_STRING(loose)
                size = len(loose)
            self._quoted(cython.cast(cython.p_const_uchar, source), size)
        else:
            loose = text.encode("utf-8", "surrogatepass")
            self._quoted(loose, len(loose))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _special(self, source: cython.p_const_uchar, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        # The next byte that needs an escape. The last one is a terminator that does.
        if cython.compiled:
            c: cython.uint
            while True:
                c = source[i]
                if c < 0x20 or c == 34 or c == 92 or (c >= 0xED and c != 0xEE and c != 0xEF):
                    return i
                i += 1
        found = _SPECIAL.search(source, i)
        return found.start() if found else len(source)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _quoted(self, source: cython.p_const_uchar, size: cython.Py_ssize_t) -> cython.int:
        # `source`: UTF-8 of `size` bytes, surrogates as three bytes each; C strings end in a zero byte behind it.
        i: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t
        c: cython.uint
        self._byte(34)
        while True:
            start = i
            i = self._special(source, i)
            if cython.compiled:
                self._copy(source + start, i - start)
            else:
                self._copy(source[start:i], i - start)
            if i >= size:
                break
            c = source[i]
            if c < 0x80:
                self._unit(c)
                i += 1
            elif c == 0xED and i + 2 < size:
                c = 0xD000 | (source[i + 1] & 63) << 6 | (source[i + 2] & 63)
                if c >= 0xD800:
                    self._unit(c)
                else:
                    self._byte(0xED)
                    self._byte(source[i + 1])
                    self._byte(source[i + 2])
                i += 3
            elif i + 3 < size:
                c = (c & 7) << 18 | (source[i + 1] & 63) << 12 | (source[i + 2] & 63) << 6 | (source[i + 3] & 63)
                c -= 0x10000
                self._unit(0xD800 | c >> 10)
                self._unit(0xDC00 | c & 0x3FF)
                i += 4
            else:
                raise ValueError("text ends within a character")
        self._byte(34)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _unit(self, unit: cython.uint) -> cython.int:
        # An escaped UTF-16 unit.
        if unit < 0x80:
            short: bytes = _SHORT.get(unit)
            if short is not None:
                self._copy(short, len(short))
                return 0
        self._byte(92)
        self._byte(117)
        self._byte(_HEX[unit >> 12])
        self._byte(_HEX[unit >> 8 & 15])
        self._byte(_HEX[unit >> 4 & 15])
        self._byte(_HEX[unit & 15])
        return 0

    # -- integers, bytes

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_int(self, before: bytes, value: cython.longlong) -> cython.int:
        """A 64-bit integer in decimal."""
        self._copy(before, len(before))
        rest: cython.ulonglong
        if value < 0:
            self._byte(45)
            if cython.compiled:
                rest = 0 - cython.cast(cython.ulonglong, value)
            else:
                rest = -value
        else:
            rest = value
        self._unsigned(rest, 0)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _unsigned(self, value: cython.ulonglong, width: cython.int) -> cython.int:
        # Decimal digits, with leading zeros up to `width` (at most 20).
        if cython.compiled:
            scratch = cython.declare(cython.uchar[20])
            at: cython.int = 20
            while at > 0 and (value or at > 20 - width or at == 20):
                at -= 1
                scratch[at] = cython.cast(cython.uchar, 48 + value % 10)
                value //= 10
            self._copy(cython.address(scratch[at]), 20 - at)
        else:
            text = b"%0*d" % (width, value)
            self._copy(text, len(text))

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_base64(self, before: bytes, data: bytes) -> cython.int:
        """Bytes in standard base64, with padding, as a JSON string."""
        self._copy(before, len(before))
        self._base64(data, len(data))

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_unscaled(self, before: bytes, value: object) -> cython.int:
        """The shortest two's complement of an integer of any size, big-endian, in base64."""
        self._copy(before, len(before))
        size: cython.Py_ssize_t
        if cython.compiled:
            overflow: cython.int = 0
            number: cython.longlong = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
            if overflow == 0:
                scratch = cython.declare(cython.uchar[8])
                rest: cython.longlong = (number if number >= 0 else ~number) >> 7
                size = 1
                while rest:
                    size += 1
                    rest >>= 8
                at: cython.Py_ssize_t = size
                while at > 0:
                    at -= 1
                    scratch[at] = cython.cast(cython.uchar, number & 0xFF)
                    number >>= 8
                self._base64(scratch, size)
                return 0
        size = (value if value >= 0 else ~value).bit_length() // 8 + 1
        data: bytes = value.to_bytes(size, "big", signed=True)
        self._base64(data, size)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _base64(self, source: cython.p_const_uchar, size: cython.Py_ssize_t) -> cython.int:
        self._byte(34)
        if cython.compiled:
            i: cython.Py_ssize_t = 0
            bits: cython.uint
            while i + 2 < size:
                bits = source[i] << 16 | source[i + 1] << 8 | source[i + 2]
                self._letters(bits, 4)
                i += 3
            if i < size:
                bits = source[i] << 16
                if i + 1 < size:
                    bits |= source[i + 1] << 8
                self._letters(bits, 3 if i + 1 < size else 2)
        else:
            text = binascii.b2a_base64(source, newline=False)
            self._copy(text, len(text))
        self._byte(34)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _letters(self, bits: cython.uint, count: cython.int) -> cython.int:
        # A group of base64: `count` letters of 24 bits, then padding.
        self._room(4)
        i: cython.int
        for i in range(4):
            self._data[self.length + i] = _ALPHABET[bits >> (18 - 6 * i) & 63] if i < count else 61
        self.length += 4

    # -- floating point

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_double(self, before: bytes, value: cython.double) -> cython.int:
        """A double as Java prints it; what is no number as a string."""
        self._copy(before, len(before))
        if cython.compiled:
            size: cython.double = -value if value < 0 else value
            if 1e-3 <= size < 1e7 and self._few_decimals(value, size):
                return 0
            if (_SURE <= size < 1e15) or shortest_is_exact(size, 53):
                self._shortest(value, False)
                return 0
        self._word(double_text(value))
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def put_float(self, before: bytes, value: cython.double) -> cython.int:
        """The nearest 32-bit float as Java prints it; what is no number as a string."""
        self._copy(before, len(before))
        if cython.compiled:
            near: cython.double = cython.cast(cython.float, value)
            size: cython.double = -near if near < 0 else near
            if 1e-3 <= size < 1e7 and self._float_decimals(near, size):
                return 0
            if shortest_is_exact(size, 24) and self._shortest(near, True):
                return 0
        self._word(float_text(value))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _word(self, text: str) -> cython.int:
        data: bytes = (text if not text.endswith(("N", "y")) else f'"{text}"').encode("ascii")
        self._copy(data, len(data))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _few_decimals(self, value: cython.double, size: cython.double) -> cython.bint:
        # Writes a double that has few decimals. At most 15 digits that give a number back are its shortest.
        scale: cython.double = 1.0
        places: cython.int
        for places in range(7):
            if size * scale >= 1e15:
                return False
            scaled: cython.longlong = cython.cast(cython.longlong, size * scale + 0.5)
            if scaled / scale == size:
                self._fixed(value < 0, scaled, cython.cast(cython.longlong, scale), places)
                return True
            scale *= 10.0
        return False

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _float_decimals(self, value: cython.double, size: cython.double) -> cython.bint:
        # Writes a float with the fewest decimals that are within half a unit of its last place. All products
        # are exact: 24 bits by at most 28. A tie is left to the slow path.
        exponent: cython.int = 0
        frexp(size, cython.address(exponent))
        half: cython.double = ldexp(1.0, exponent - 25)
        scale: cython.double = 1.0
        places: cython.int
        if size >= 2097152.0 and size != cython.cast(cython.double, cython.cast(cython.longlong, size)):
            return False
        for places in range(13):
            scaled: cython.double = size * scale
            if scaled >= 1e9:
                return False
            near: cython.longlong = cython.cast(cython.longlong, scaled)
            rest: cython.double = scaled - near
            if rest == 0.5:
                return False
            if rest > 0.5:
                near += 1
                rest = 1.0 - rest
            if rest == 0 or rest < half * scale:
                self._fixed(value < 0, near, cython.cast(cython.longlong, scale), places)
                return True
            scale *= 10.0
        return False

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _fixed(self, negative: cython.bint, scaled: cython.longlong, scale: cython.longlong, places: cython.int) -> cython.int:
        # scaled / scale with its decimals; at least one.
        if negative:
            self._byte(45)
        self._unsigned(scaled // scale, 0)
        self._byte(46)
        self._unsigned(scaled % scale, places if places else 1)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _shortest(self, value: cython.double, narrow: cython.bint) -> cython.bint:
        # Writes the shortest digits of a double, or of a float held in one; False where they are not certain.
        if not narrow:
            self._laid_out(value, 114, 0)
            return True
        places: cython.int
        for places in range(5, 9):
            text: cython.p_char = PyOS_double_to_string(value, 101, places, 0, cython.NULL)
            back: cython.double = strtod(text, cython.NULL)
            PyMem_Free(text)
            off: cython.double = back - value
            # Twice the way to the midpoint of two floats is the next float: a tie.
            beyond: cython.double = cython.cast(cython.float, value + 2 * off)
            if cython.cast(cython.float, back) == value and (off == 0 or beyond != value + 2 * off):
                self._laid_out(value, 101, places)
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _laid_out(self, value: cython.double, form: cython.int, places: cython.int) -> cython.int:
        # C's digits in Java's layout: plain from 1e-3 to below 1e7, else with an exponent.
        text: cython.p_char = PyOS_double_to_string(value, cython.cast(cython.char, form), places, 0, cython.NULL)
        size: cython.Py_ssize_t = strlen(text)
        scratch = cython.declare(cython.char[40])
        if size < 40:
            memcpy(scratch, text, size)
        PyMem_Free(text)
        if size >= 40:
            raise ValueError("a number's text is too long")
        self._digits(cython.cast(cython.p_const_uchar, scratch), size)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _digits(self, text: cython.p_const_uchar, size: cython.Py_ssize_t) -> cython.int:
        found = cython.declare(cython.uchar[40])
        count: cython.int = 0
        point: cython.int = -1
        leading: cython.int = 0
        i: cython.Py_ssize_t = 0
        if text[0] == 45:
            self._byte(45)
            i = 1
        while i < size and text[i] != 101:
            if text[i] == 46:
                point = count + leading
            elif count == 0 and text[i] == 48:
                leading += 1
            else:
                found[count] = text[i]
                count += 1
            i += 1
        point = (count if point < 0 else point - leading) + _exponent(text, size, i + 1)
        while count > 1 and found[count - 1] == 48:
            count -= 1
        self._java_layout(found, count, point)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _java_layout(self, digits: cython.p_const_uchar, count: cython.int, point: cython.int) -> cython.int:
        i: cython.int
        if -3 < point <= 0:
            self._byte(48)
            self._byte(46)
            for i in range(-point):
                self._byte(48)
            self._copy(digits, count)
            return 0
        whole: cython.int = point if 0 < point <= 7 else 1
        for i in range(whole):
            self._byte(digits[i] if i < count else 48)
        self._byte(46)
        if count > whole:
            self._copy(digits + whole, count - whole)
        else:
            self._byte(48)
        if not 0 < point <= 7:
            self.put_int(b"E", point - 1)
        return 0


@cython.cfunc
@cython.exceptval(check=False)
def _exponent(text: cython.p_const_uchar, size: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.int:
    # The number after an `e`; 0 where there is none.
    negative: cython.bint = False
    value: cython.int = 0
    while i < size and value < 1000:
        if text[i] == 45:
            negative = True
        elif text[i] != 43:
            value = value * 10 + text[i] - 48
        i += 1
    return -value if negative else value
