# cython: language_level=3
"""The events of a binary log, and how the bodies of the common ones are read.

The `.pxd` beside this file declares the events' fields and the functions the parser calls without Python's overhead.
Functions read `data[pos:end]`, a body without header and checksum; must not know packets or tables. Too few bytes
raise DecodeError, or IndexError, which the parser turns into one.
"""

from __future__ import annotations

from typing import Any

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql import eventtypes as et
from headwater.wire.mysql.queryevent import parse_query
from headwater.wire.mysql.tablemap import Reader

# As C variables: looking names up in a module costs more than the rest.
_QUERY = cython.declare(cython.int, et.QUERY)
_TABLE_MAP = cython.declare(cython.int, et.TABLE_MAP)
_XID = cython.declare(cython.int, et.XID)
_GTID = cython.declare(cython.int, et.GTID)
_ROWS_QUERY = cython.declare(cython.int, et.ROWS_QUERY)


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


class Event:
    """What every event has. `timestamp` in seconds; `start_pos` and `end_pos` are places in the log file.

    `kind` is one of `eventtypes`' kinds, `type_code` the code on the wire. Events of a compressed transaction
    (`in_payload`) carry the places of the event that holds them. Positions are 0 where the server gives none.
    Events hold no references to each other, so none of them needs the garbage collector.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} type {self.type_code} at {self.start_pos}-{self.end_pos}>"


class RotateEvent(Event):
    """The log goes on in `file` at `position`."""


class HeartbeatEvent(Event):
    """The server has nothing to send; its log stands at `file`, `position`."""


class XidEvent(Event):
    """A commit of transaction `xid`."""


class GtidEvent(Event):
    """The next transaction's GTID (`text`; "" for an anonymous one).

    Commit times in microseconds, `transaction_length` in bytes of log, `last_committed` and `sequence_number`
    (the server's logical clock): 0 where not known. `gtid_flags` are the server's own.
    """


class QueryEvent(Event):
    """A statement. `sql_mode` is a bit mask (0 where not sent), `charset` the client's character set."""


class TextEvent(Event):
    """ROWS_QUERY and ANNOTATE_ROWS: the statement behind the next rows, decoded when asked for."""

    @property
    def text(self) -> str:
        """The statement."""
        return self._data[self._start : self._stop].decode("utf-8", "replace")


class TableMapEvent(Event):
    """A table map was seen."""


class RowsEvent(Event):
    """Changed rows. `target` is what `resolve` gave; None: the table is not captured, nothing was decoded.

    `op` is `c`, `u` or `d`; `befores` is None for `c`, `afters` None for `d`.
    """


def u24(data: bytes, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Three bytes, little-endian. Raises IndexError past the end."""
    low: cython.Py_ssize_t = data[at]
    return low | data[at + 1] << 8 | data[at + 2] << 16


def u32(data: bytes, at: cython.Py_ssize_t) -> cython.longlong:
    """Four bytes."""
    high: cython.longlong = data[at + 3]
    return u24(data, at) | high << 24


def u48(data: bytes, at: cython.Py_ssize_t) -> cython.longlong:
    """Six bytes."""
    high: cython.longlong = u24(data, at + 3)
    return u24(data, at) | high << 24


def _u56(data: bytes, at: cython.Py_ssize_t) -> cython.longlong:
    high: cython.longlong = u24(data, at + 4)
    return u32(data, at) | high << 32


def u63(data: bytes, at: cython.Py_ssize_t) -> cython.longlong:
    """Eight bytes; the top bit must be 0."""
    high: cython.longlong = data[at + 7]
    if high > 0x7F:
        raise DecodeError("a number of more than 63 bits where the server uses fewer")
    return _u56(data, at) | high << 56


def plain_event(kind: cython.int) -> Event:
    """An event of which the kind is all."""
    event: Event = Event.__new__(Event)
    event.kind = kind
    return event


def rotate_event(file: str, position: cython.longlong) -> Event:
    """A rotation."""
    event: RotateEvent = RotateEvent.__new__(RotateEvent)
    event.kind = et.ROTATE
    event.file = file
    event.position = position
    return event


def heartbeat_event(file: str, position: cython.longlong) -> Event:
    """A heartbeat."""
    event: HeartbeatEvent = HeartbeatEvent.__new__(HeartbeatEvent)
    event.kind = et.HEARTBEAT
    event.file = file
    event.position = position
    return event


def xid_event(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
    """A commit."""
    event: XidEvent = XidEvent.__new__(XidEvent)
    event.kind = _XID
    if end - pos < 8:
        raise DecodeError("a commit event of fewer than eight bytes")
    event.xid = u63(data, pos)
    return event


def text_event(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
    """A statement text, read when asked for."""
    event: TextEvent = TextEvent.__new__(TextEvent)
    event.kind = _ROWS_QUERY
    event._data = data
    event._start = min(pos, end)
    event._stop = end
    return event


def query_event(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
    """A QUERY event."""
    event: QueryEvent = QueryEvent.__new__(QueryEvent)
    event.kind = _QUERY
    if end - pos < 13:
        raise DecodeError("a query event of fewer than 13 bytes")
    if end - pos >= 18 and data[end - 6] == 0 and data[end - 5 : end] == b"BEGIN":
        # Every transaction starts with it; none of its settings matter.
        if pos + 13 + (data[pos + 11] | data[pos + 12] << 8) + data[pos + 8] + 1 == end - 5:
            event.thread_id = u32(data, pos)
            event.sql = "BEGIN"
            event.database = ""
            event.charset = "utf8mb4"
            event.sql_mode = 0
            return event
    query = parse_query(data, pos, end)
    event.thread_id = query.thread_id
    event.error_code = query.error_code
    event.database = query.database
    event.sql = query.sql
    event.sql_mode = query.sql_mode
    event.charset = query.charset
    return event


def commit_times(event: GtidEvent, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> None:
    """Reads a GTID event's commit times and length: `data[pos:end]`, which may be empty."""
    # 55 bits of microseconds; the top bit says that the original commit's time follows, else it is the same.
    if end - pos < 7:
        return
    stamp: cython.longlong = _u56(data, pos)
    event.immediate_commit_timestamp = stamp & 0x7FFFFFFFFFFFFF
    event.original_commit_timestamp = event.immediate_commit_timestamp
    pos += 7
    if stamp >> 55:
        if end - pos < 7:
            raise DecodeError("a GTID event without its original commit time")
        event.original_commit_timestamp = _u56(data, pos)
        pos += 7
    if pos < end:
        length: cython.longlong = data[pos]
        event.transaction_length = length if length < 251 else Reader(data, pos, end).lenenc()


def gtid_event(text: str, flags: cython.int) -> GtidEvent:
    """A GTID without times."""
    event: GtidEvent = GtidEvent.__new__(GtidEvent)
    event.kind = _GTID
    event.text = text
    event.gtid_flags = flags
    return event


def rows_event(kind: cython.int, op: object, table_map: object, target: object) -> RowsEvent:
    """Rows that are not decoded yet."""
    event: RowsEvent = RowsEvent.__new__(RowsEvent)
    event.kind = kind
    event.op = op
    event.table_map = table_map
    event.target = target
    event.captured = target is not None
    return event


def row_images(
    event: RowsEvent, decoder: object, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> None:
    """Decodes the column count, the bitmaps and the rows in `data[pos:end]` into the event."""
    """Decodes the column count, the bitmaps and the rows in `data[pos:end]` into the event."""
    if pos >= end:
        raise DecodeError("a rows event without columns")
    width: cython.Py_ssize_t = data[pos]
    pos += 1
    if width >= 251:
        reader = Reader(data, pos - 1, end)
        width = reader.lenenc()
        pos = reader.pos
    width = (width + 7) >> 3
    if width * (2 if event.op == "u" else 1) > end - pos:
        raise DecodeError("a rows event whose bitmaps run past it")
    present: bytes = data[pos : pos + width]
    pos += width
    if event.op == "u":
        after: bytes = data[pos : pos + width]
        event.befores, event.afters = decoder.decode_updates(data, pos + width, end, present, after)
    elif event.op == "c":
        event.afters = decoder.decode(data, pos, end, present)
    else:
        event.befores = decoder.decode(data, pos, end, present)


def table_map_event(table_map: object) -> TableMapEvent:
    """A table map."""
    event: TableMapEvent = TableMapEvent.__new__(TableMapEvent)
    event.kind = _TABLE_MAP
    event.table_map = table_map
    return event


def _start_with(event: Any, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(event, name, value)


if not cython.compiled:
    # Compiled, the fields of a new event are 0 or None; here the classes say so.
    _start_with(Event, kind=0, type_code=0, timestamp=0, server_id=0, start_pos=0, end_pos=0, flags=0, in_payload=False)
    _start_with(RotateEvent, file=None, position=0)
    _start_with(HeartbeatEvent, file=None, position=0)
    _start_with(XidEvent, xid=0)
    _start_with(GtidEvent, text=None, original_commit_timestamp=0, immediate_commit_timestamp=0, transaction_length=0,
                last_committed=0, sequence_number=0, gtid_flags=0)  # fmt: skip
    _start_with(QueryEvent, thread_id=0, error_code=0, database=None, sql=None, sql_mode=0, charset=None)
    _start_with(TableMapEvent, table_map=None)
    _start_with(RowsEvent, op=None, target=None, table_map=None, befores=None, afters=None, captured=False)
