"""Codes of column types in the binary log, MySQL 5.6-9.7 and MariaDB 10-11."""

from __future__ import annotations

from typing import Final

DECIMAL: Final = 0
TINY: Final = 1
SHORT: Final = 2
LONG: Final = 3
FLOAT: Final = 4
DOUBLE: Final = 5
NULL: Final = 6
TIMESTAMP: Final = 7
LONGLONG: Final = 8
INT24: Final = 9
DATE: Final = 10
TIME: Final = 11
DATETIME: Final = 12
YEAR: Final = 13
NEWDATE: Final = 14
VARCHAR: Final = 15
BIT: Final = 16
TIMESTAMP2: Final = 17
DATETIME2: Final = 18
TIME2: Final = 19
TYPED_ARRAY: Final = 20
BLOB_COMPRESSED: Final = 140
VARCHAR_COMPRESSED: Final = 141
VECTOR: Final = 242
JSON: Final = 245
NEWDECIMAL: Final = 246
ENUM: Final = 247
SET: Final = 248
TINY_BLOB: Final = 249
MEDIUM_BLOB: Final = 250
LONG_BLOB: Final = 251
BLOB: Final = 252
VAR_STRING: Final = 253
STRING: Final = 254
GEOMETRY: Final = 255

BLOBS: Final = (TINY_BLOB, MEDIUM_BLOB, LONG_BLOB, BLOB)


def unpack_string(metadata: int) -> tuple[int, int]:
    """(real type, length in bytes) of a STRING column's metadata: ENUM and SET hide in it, and a length above 255
    borrows two bits of the type's byte, inverted."""
    first, second = metadata >> 8, metadata & 0xFF
    if first & 0x30 != 0x30:
        return first | 0x30, second | (first & 0x30 ^ 0x30) << 4
    return first, second
