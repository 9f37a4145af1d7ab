"""Table map and column formats -> the row decoder's program: one operation a column.

Where the log's types are checked against the table model's. Must not know row bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from headwater.errors import DecodeError, SchemaMismatch
from headwater.wire.mysql import charsets, rowvalues
from headwater.wire.mysql import wiretypes as wt
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.decimal_cy import packed_size
from headwater.wire.mysql.tablemap import TableMap

# Operation codes. Those from LENGTH_PREFIXED on have a length before the value.
INT: Final = 1
UINT: Final = 2
FLOAT: Final = 3
DOUBLE: Final = 4
DECIMAL: Final = 5
DATE: Final = 6
DATETIME2: Final = 7
TIMESTAMP2: Final = 8
TIME2: Final = 9
YEAR: Final = 10
ENUM: Final = 11
SET: Final = 12
BIT: Final = 13
OLD_TIME: Final = 14
OLD_DATETIME: Final = 15
OLD_TIMESTAMP: Final = 16
LENGTH_PREFIXED: Final = 32
UTF8: Final = 32
BYTES: Final = 33
PADDED_BYTES: Final = 34
TEXT: Final = 35
JSON: Final = 36
CALL: Final = 37

_STRINGS = frozenset(("string", "bytes"))
_INT_SIZES = {wt.TINY: 1, wt.SHORT: 2, wt.INT24: 3, wt.LONG: 4, wt.LONGLONG: 8}
# Wire type -> the families it can hold. MariaDB's JSON is a text, its VECTOR a VARBINARY.
_FAMILIES: dict[int, frozenset[str]] = {
    **dict.fromkeys(_INT_SIZES, frozenset(("int",))),
    **dict.fromkeys((wt.FLOAT, wt.DOUBLE), frozenset(("float", "double"))),
    **dict.fromkeys((wt.DATE, wt.NEWDATE), frozenset(("date",))),
    **dict.fromkeys((wt.TIME, wt.TIME2), frozenset(("time",))),
    **dict.fromkeys((wt.DATETIME, wt.DATETIME2), frozenset(("datetime",))),
    **dict.fromkeys((wt.TIMESTAMP, wt.TIMESTAMP2), frozenset(("timestamp",))),
    **dict.fromkeys((wt.STRING, wt.BLOB_COMPRESSED, wt.VARCHAR_COMPRESSED), _STRINGS | {"json"}),
    **dict.fromkeys((wt.VARCHAR, wt.VAR_STRING), _STRINGS | {"json", "vector"}),
    **dict.fromkeys(wt.BLOBS, _STRINGS | {"json", "geometry"}),
    wt.NEWDECIMAL: frozenset(("decimal",)),
    wt.BIT: frozenset(("bit",)),
    wt.YEAR: frozenset(("year",)),
    wt.ENUM: frozenset(("enum",)),
    wt.SET: frozenset(("set",)),
    wt.JSON: frozenset(("json",)),
    wt.GEOMETRY: frozenset(("geometry",)),
    wt.VECTOR: frozenset(("vector",)),
}


class Operation(NamedTuple):
    """How one column is read.

    `size`: bytes of the value, or of the length before it. `arg` and `extra` belong to the code: digits before
    the point and scale of a DECIMAL, bytes of a fraction, labels, the length to pad to, a function from bytes.
    """

    code: int
    size: int
    arg: int = 0
    extra: Any = None


def build(table: TableMap, formats: Sequence[ColumnFormat], json_style: str, undecodable: str) -> list[Operation]:
    """The operations, one a column of the table map.

    Raises SchemaMismatch where the formats are not those of the logged table, DecodeError for impossible metadata.
    """
    if len(formats) != len(table.types):
        raise SchemaMismatch(
            f"Error processing a row of {table.name}, internal schema size {len(formats)}, but row size "
            f"{len(table.types)}, restart connector with schema recovery mode (snapshot.mode=recovery)"
        )
    out = []
    for i, (wire, meta, form) in enumerate(zip(table.types, table.metadata, formats, strict=True)):
        length = 0
        if wire == wt.STRING:
            wire, length = wt.unpack_string(meta)
        if form.family not in _FAMILIES.get(wire, ()):
            raise SchemaMismatch(
                f"column {i + 1} of {table.name} is written to the log as type {wire}, which does not fit the table "
                f"model's {form.family}: the model is not that of the log. Set snapshot.mode=recovery once"
            )
        operation = _fixed(wire, meta, length, form) or _prefixed(wire, meta, length, form, json_style, undecodable)
        _check(operation, table, i)
        out.append(operation)
    return out


def _check(operation: Operation, table: TableMap, i: int) -> None:
    # Sizes come from the log; the decoder's machine words must not be asked for more than they hold.
    code, size = operation.code, operation.size
    if code >= LENGTH_PREFIXED:
        good = 1 <= size <= 4
    elif code == ENUM:
        good = size in (1, 2)
    elif code in (SET, BIT):
        good = 1 <= size <= 8
    else:
        good = size > 0
    if not good:
        raise DecodeError(f"column {i + 1} of {table.name} has impossible metadata: a size of {size} bytes")


def _fixed(wire: int, meta: int, length: int, form: ColumnFormat) -> Operation | None:
    """Types of a known size; None for the others."""
    if wire in _INT_SIZES:
        return Operation(UINT if form.unsigned else INT, _INT_SIZES[wire])
    if wire == wt.FLOAT:
        return Operation(FLOAT, 4)
    if wire == wt.DOUBLE:
        return Operation(DOUBLE, 8)
    if wire == wt.NEWDECIMAL:
        precision, scale = meta >> 8, meta & 0xFF
        return Operation(DECIMAL, packed_size(precision, scale), precision - scale, scale)
    if wire == wt.BIT:
        return Operation(BIT, (meta >> 8) + (1 if meta & 0xFF else 0))
    if wire == wt.YEAR:
        return Operation(YEAR, 1)
    if wire == wt.ENUM:
        return Operation(ENUM, length or meta & 0xFF, 0, form.options)
    if wire == wt.SET:
        return Operation(SET, length or meta & 0xFF, 0, form.options)
    return _temporal(wire, meta, form)


def _temporal(wire: int, meta: int, form: ColumnFormat) -> Operation | None:
    if wire in (wt.DATE, wt.NEWDATE):
        return Operation(DATE, 3)
    new = {wt.TIME2: (TIME2, 3), wt.DATETIME2: (DATETIME2, 5), wt.TIMESTAMP2: (TIMESTAMP2, 4)}
    if wire in new:
        if meta > 6:
            raise DecodeError(f"a temporal column with a fraction of {meta} digits")
        code, size = new[wire]
        fraction = (meta + 1) // 2
        return Operation(code, size + fraction, fraction)
    old = {wt.TIME: (OLD_TIME, 3), wt.DATETIME: (OLD_DATETIME, 8), wt.TIMESTAMP: (OLD_TIMESTAMP, 4)}
    if wire not in old:
        return None
    if form.fsp > 0:
        # MariaDB's own older form of these types: the log does not say how many bytes they take.
        raise SchemaMismatch(
            "a TIME, DATETIME or TIMESTAMP column with a fraction is stored in MariaDB's old format, which the log "
            "does not describe: set mysql56_temporal_format=ON and run ALTER TABLE ... FORCE"
        )
    return Operation(*old[wire])


def _prefixed(wire: int, meta: int, length: int, form: ColumnFormat, json_style: str,
              undecodable: str) -> Operation:  # fmt: skip
    """Types with a length before the value."""
    if wire in (wt.VARCHAR, wt.VAR_STRING, wt.VARCHAR_COMPRESSED):
        size = 2 if meta > 255 else 1
    elif wire == wt.STRING:
        size = 2 if length > 255 else 1
    else:
        size = meta
    if wire == wt.JSON:
        return Operation(JSON, size, 0, json_style)
    if form.family == "vector":
        return Operation(CALL, size, 0, rowvalues.vector)
    compressed = wire in (wt.BLOB_COMPRESSED, wt.VARCHAR_COMPRESSED)
    if form.family in ("string", "json"):
        decode = charsets.decoder(form.charset, undecodable)
        if compressed:
            return Operation(CALL, size, 0, rowvalues.compressed(decode))
        if charsets.is_utf8(form.charset):
            return Operation(UTF8, size, 0, decode)
        return Operation(TEXT, size, int(charsets.is_ascii_compatible(form.charset)), decode)
    if compressed:
        return Operation(CALL, size, 0, rowvalues.compressed(bytes))
    if form.family == "bytes" and form.length:
        return Operation(PADDED_BYTES, size, form.length)
    return Operation(BYTES, size)
