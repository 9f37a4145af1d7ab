"""Values too rare for the row decoder's loop: vectors, MariaDB's compressed columns, old temporal types."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import TypeVar

from headwater.errors import DecodeError

T = TypeVar("T", str, bytes)

_ZLIB = 0x80
_RAW_DEFLATE = 0x08


def vector(data: bytes) -> list[float]:
    """A VECTOR: little-endian floats of four bytes."""
    if len(data) % 4:
        raise DecodeError(f"a vector of {len(data)} bytes, which is no multiple of four")
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def compressed(finish: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """A reader of MariaDB's COMPRESSED columns; `finish` makes the value of the plain bytes."""
    return lambda data: finish(decompress(data))


def decompress(data: bytes) -> bytes:
    """The plain bytes of a MariaDB COMPRESSED column.

    An empty value has no header. Else a byte comes first: zero before plain bytes; or the method in the high half,
    a flag for a stream without zlib's frame, and the size of the big-endian length that follows.
    """
    if not data:
        return b""
    header = data[0]
    if header == 0:
        return data[1:]
    size = header & 7
    if header & 0xF0 != _ZLIB or not 1 <= size <= 4 or len(data) < 1 + size:
        raise DecodeError(f"a compressed column with the unknown header {header:#x}")
    length = int.from_bytes(data[1 : 1 + size], "big")
    stream = zlib.decompressobj(-zlib.MAX_WBITS if header & _RAW_DEFLATE else zlib.MAX_WBITS)
    try:
        # One byte more than declared, so that a stream that is longer shows.
        plain = stream.decompress(data[1 + size :], length + 1)
    except zlib.error as e:
        raise DecodeError(f"a compressed column is damaged: {e}") from e
    if len(plain) != length or not stream.eof:
        raise DecodeError(f"a compressed column does not hold the {length} bytes it declares")
    return plain


def bit_set(bits: int, labels: tuple[str, ...]) -> str:
    """The members of a SET, joined by commas, in the order of declaration."""
    if bits >> len(labels):
        raise DecodeError(f"a SET of {len(labels)} labels has the bits {bits:#x}")
    return ",".join([label for i, label in enumerate(labels) if bits >> i & 1])


def old_time(packed: int) -> int:
    """TIME before MySQL 5.6: HHMMSS as a signed number of three bytes -> microseconds."""
    value = packed - 0x1000000 if packed & 0x800000 else packed
    clock = abs(value)
    seconds = clock // 10000 * 3600 + clock // 100 % 100 * 60 + clock % 100
    return -seconds * 1_000_000 if value < 0 else seconds * 1_000_000


def old_datetime(packed: int) -> tuple[int, int, int, int, int, int]:
    """DATETIME before MySQL 5.6: YYYYMMDDHHMMSS as a number -> its six parts."""
    day, clock = divmod(packed, 1_000_000)
    return day // 10000, day // 100 % 100, day % 100, clock // 10000, clock // 100 % 100, clock % 100
