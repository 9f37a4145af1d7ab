# cython: language_level=3
"""The log's packed DECIMAL -> the unscaled integer.

Digits stand in big-endian groups of nine, four bytes each; the group at either end is shorter. The first bit is
inverted, and all bits of a negative number are. Must not know columns; callers check that the bytes are there.
"""

from __future__ import annotations

import cython

from headwater.errors import DecodeError

MAX_PRECISION = 65


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


def packed_size(precision: int, scale: int) -> int:
    """Bytes of a DECIMAL(precision, scale). Raises DecodeError if there is no such type."""
    if not 0 <= scale <= precision <= MAX_PRECISION or precision == 0:
        raise DecodeError(f"a decimal of precision {precision} and scale {scale}")
    whole = precision - scale
    return whole // 9 * 4 + _group_size(whole % 9) + scale // 9 * 4 + _group_size(scale % 9)


@cython.cfunc
def unscaled(data: bytes, pos: cython.Py_ssize_t, whole: cython.int, scale: cython.int) -> object:
    """The value at `pos` times 10**scale. `whole` and `scale`: digits before and behind the point.

    Raises DecodeError for a group of more digits than it may have.
    """
    negative: cython.bint = not data[pos] & 0x80
    # Machine words hold 18 digits. The first bit is put right in the first group.
    flip: cython.ulonglong = 0xFFFFFFFF if negative else 0
    first: cython.bint = True
    small: cython.ulonglong = 0
    digits: cython.int = 0
    large: object = None  # what machine words do not hold
    size: cython.int
    part: cython.int
    group: cython.ulonglong
    power: cython.ulonglong
    left: cython.int = whole
    turn: cython.int
    one: cython.ulonglong = 1
    for turn in range(2):
        while left > 0:
            # Before the point the short group comes first, behind it last.
            part = left % 9 if turn == 0 else (left if left < 9 else 9)
            if part == 0:
                part = 9
            size = _group_size(part)
            group = _group(data, pos, size) ^ (flip & ((one << (8 * size)) - 1))
            if first:
                group ^= one << (8 * size - 1)
                first = False
            power = _power(part)
            if group >= power:
                raise DecodeError(f"a decimal has a group of {part} digits with the value {group}")
            if digits + part > 18:
                large = small if large is None else large * _power(digits) + small
                small = 0
                digits = 0
            small = small * power + group
            digits += part
            pos += size
            left -= part
        left = scale
    if large is not None:
        large = large * _power(digits) + small
        return -large if negative else large
    value: cython.longlong = small
    return -value if negative else value


@cython.cfunc
def _group_size(digits: cython.int) -> cython.int:
    return (digits + 1) >> 1 if digits < 9 else 4


@cython.cfunc
def _group(data: bytes, pos: cython.Py_ssize_t, size: cython.int) -> cython.ulonglong:
    value: cython.ulonglong = 0
    i: cython.Py_ssize_t
    for i in range(pos, pos + size):
        value = value << 8 | data[i]
    return value


@cython.cfunc
def _power(n: cython.int) -> cython.ulonglong:
    value: cython.ulonglong = 1
    for _ in range(n):
        value *= 10
    return value
