"""QUERY events: the statement, its database, and the session settings it was run with."""

from __future__ import annotations

from headwater.errors import DecodeError
from headwater.wire.mysql import charsets

# Status variables: code -> bytes of a fixed-size value; the variable-size ones are handled by name.
_FIXED = {0: 4, 1: 8, 3: 4, 4: 6, 7: 2, 8: 2, 9: 8, 10: 4, 13: 3, 16: 1, 17: 8, 18: 2, 19: 1, 20: 1, 128: 3, 129: 8}


def parse_query(data: bytes, pos: int, end: int) -> tuple[int, int, str, str, int, str]:
    """(thread id, error code, database, statement, sql_mode, client character set). Raises DecodeError."""
    if end - pos < 13:
        raise DecodeError("a query event of fewer than 13 bytes")
    thread_id = int.from_bytes(data[pos : pos + 4], "little")
    db_length = data[pos + 8]
    error_code = data[pos + 9] | data[pos + 10] << 8
    status_length = data[pos + 11] | data[pos + 12] << 8
    at = pos + 13
    rest = at + status_length + db_length + 1
    if rest > end:
        raise DecodeError("a query event whose parts run past it")
    statement = data[rest:end]
    if statement == b"BEGIN":
        return thread_id, error_code, "", "BEGIN", 0, "utf8mb4"
    sql_mode, charset = _status(data, at, at + status_length)
    database = data[at + status_length : rest - 1].decode("utf-8", "replace")
    return thread_id, error_code, database, charsets.decoder(charset)(statement), sql_mode, charset


def _status(data: bytes, pos: int, end: int) -> tuple[int, str]:
    """sql_mode and the client's character set; stops at a variable it does not know the size of."""
    sql_mode, charset = 0, "utf8mb4"
    while pos < end:
        code = data[pos]
        pos += 1
        if code in (2, 5, 6):  # a length byte, then text (2 has a terminator)
            size = 1 + (data[pos] if pos < end else 0) + (code == 2)
        elif code == 11:  # user and host, each with a length byte
            user = data[pos] if pos < end else 0
            at = pos + 1 + user
            size = 2 + user + (data[at] if at < end else 0)
        elif code == 12:  # database names, each ended by a zero; 254 means too many
            count = data[pos] if pos < end else 0
            size = 1
            for _ in range(count if count < 254 else 0):
                stop = data.find(b"\0", pos + size, end)
                if stop < 0:
                    return sql_mode, charset
                size = stop + 1 - pos
        elif code in _FIXED:
            size = _FIXED[code]
        else:
            break
        if size > end - pos:
            break
        if code == 1:
            sql_mode = int.from_bytes(data[pos : pos + 8], "little")
        elif code == 4:
            charset = charsets.charset_of(data[pos] | data[pos + 1] << 8)
        pos += size
    return sql_mode, charset
