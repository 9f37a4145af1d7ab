"""QUERY events: the statement, its database, and the session settings it was run with."""

from __future__ import annotations

from typing import NamedTuple

from headwater.errors import DecodeError
from headwater.wire.mysql import charsets

# Status variables: code -> bytes of a fixed-size value; the variable-size ones are handled one by one.
_FIXED = {0: 4, 1: 8, 3: 4, 4: 6, 7: 2, 8: 2, 9: 8, 10: 4, 13: 3, 16: 1, 17: 8, 18: 2, 19: 1, 20: 1, 128: 3, 129: 8}
_SQL_MODE, _CHARSET, _INVOKER, _DATABASES = 1, 4, 11, 12
# Catalog (old form), time zone and catalog: a length byte and text.
_TEXTS = frozenset((2, 5, 6))
# A count of databases that says: too many to list.
_MANY_DATABASES = 254


class Query(NamedTuple):
    """A statement and what it was run with; `sql_mode` is a bit mask, `charset` the client's character set."""

    thread_id: int
    error_code: int
    database: str
    sql: str
    sql_mode: int
    charset: str


def parse_query(data: bytes, pos: int, end: int) -> Query:
    """Reads the event's body: `data[pos:end]` without header and checksum. Raises DecodeError."""
    if end - pos < 13:
        raise DecodeError("a query event of fewer than 13 bytes")
    status = pos + 13
    database = status + int.from_bytes(data[pos + 11 : pos + 13], "little")
    statement = database + data[pos + 8] + 1
    if statement > end:
        raise DecodeError("a query event whose parts run past it")
    sql_mode, charset = _status(data, status, database)
    return Query(
        thread_id=int.from_bytes(data[pos : pos + 4], "little"),
        error_code=int.from_bytes(data[pos + 9 : pos + 11], "little"),
        database=data[database : statement - 1].decode("utf-8", "replace"),
        sql=charsets.decoder(charset)(data[statement:end]),
        sql_mode=sql_mode,
        charset=charset,
    )


def _status(data: bytes, pos: int, end: int) -> tuple[int, str]:
    """sql_mode and the client's character set; stops at a variable it does not know the size of."""
    sql_mode, charset = 0, "utf8mb4"
    while pos < end:
        code = data[pos]
        pos += 1
        size = _size(data, code, pos, end)
        if size is None or size > end - pos:
            break
        if code == _SQL_MODE:
            sql_mode = int.from_bytes(data[pos : pos + 8], "little")
        elif code == _CHARSET:
            charset = charsets.charset_of(data[pos] | data[pos + 1] << 8)
        pos += size
    return sql_mode, charset


def _size(data: bytes, code: int, pos: int, end: int) -> int | None:
    """Bytes of the value at `pos`; None where it cannot be told."""
    if code in _FIXED:
        return _FIXED[code]
    if pos >= end:
        return None
    if code in _TEXTS:
        # The old form of the catalog has a zero byte behind it.
        return 1 + data[pos] + (code == 2)
    if code == _INVOKER:
        host = pos + 1 + data[pos]
        return 2 + data[pos] + data[host] if host < end else None
    if code == _DATABASES:
        at = pos + 1
        for _ in range(data[pos] if data[pos] != _MANY_DATABASES else 0):
            at = data.find(b"\0", at, end) + 1
            if at == 0:
                return None
        return at - pos
    return None
