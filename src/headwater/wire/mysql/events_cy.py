# cython: language_level=3
"""The dump stream's bytes -> events, rows decoded inside.

Packets may be split anywhere and continue over 16 MiB; compressed transactions and events are expanded.
Must not know a socket. Everything is checked against its packet: wrong lengths raise DecodeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql import compression
from headwater.wire.mysql import eventtypes as et
from headwater.wire.mysql.queryevent import parse_query
from headwater.wire.mysql.servererror import parse_error
from headwater.wire.mysql.tablemap import Reader, TableMap
from headwater.wire.mysql.taggedgtid import parse_tagged

_HEADER = cython.declare(cython.Py_ssize_t, 19)
MAX_EVENT = 1 << 31

Resolve = Callable[[TableMap], Any]
# Statements that change no table: the parser need not wait for them.
_HARMLESS = frozenset(("BEGIN", "COMMIT"))


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.cclass
class Event:
    """What every event has. Times in seconds; `start_pos` and `end_pos` are places in the log file.

    Events inside a compressed transaction carry the places of the event that holds them.
    """

    kind = cython.declare(cython.int, visibility="public")
    type_code = cython.declare(cython.int, visibility="public")
    timestamp = cython.declare(cython.longlong, visibility="public")
    server_id = cython.declare(cython.longlong, visibility="public")
    start_pos = cython.declare(cython.longlong, visibility="public")
    end_pos = cython.declare(cython.longlong, visibility="public")
    flags = cython.declare(cython.int, visibility="public")
    in_payload = cython.declare(cython.bint, visibility="public")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} type {self.type_code} at {self.start_pos}-{self.end_pos}>"


@cython.cclass
class RotateEvent(Event):
    """The log goes on in `file` at `position`."""

    file = cython.declare(object, visibility="public")
    position = cython.declare(cython.longlong, visibility="public")


@cython.cclass
class HeartbeatEvent(Event):
    """The server has nothing to send; its log stands at `file`, `position`."""

    file = cython.declare(object, visibility="public")
    position = cython.declare(cython.longlong, visibility="public")


@cython.cclass
class GtidEvent(Event):
    """The next transaction's GTID (`text`) and commit times in microseconds (0 where not known)."""

    text = cython.declare(object, visibility="public")
    original_commit_timestamp = cython.declare(cython.longlong, visibility="public")
    immediate_commit_timestamp = cython.declare(cython.longlong, visibility="public")
    transaction_length = cython.declare(cython.longlong, visibility="public")
    gtid_flags = cython.declare(cython.int, visibility="public")


@cython.cclass
class QueryEvent(Event):
    """A statement. `sql_mode` is a bit mask (0 where not sent)."""

    thread_id = cython.declare(cython.longlong, visibility="public")
    error_code = cython.declare(cython.int, visibility="public")
    database = cython.declare(object, visibility="public")
    sql = cython.declare(object, visibility="public")
    sql_mode = cython.declare(object, visibility="public")
    charset = cython.declare(object, visibility="public")


@cython.cclass
class TextEvent(Event):
    """ROWS_QUERY and ANNOTATE_ROWS: the statement behind the next rows."""

    text = cython.declare(object, visibility="public")


@cython.cclass
class TableMapEvent(Event):
    """A table map was seen."""

    table_map = cython.declare(object, visibility="public")


@cython.cclass
class RowsEvent(Event):
    """Changed rows. `target` is what `resolve` gave; None: the table is not captured, nothing was decoded.

    `op` is `c`, `u` or `d`; `befores` is None for `c`, `afters` None for `d`.
    """

    op = cython.declare(object, visibility="public")
    target = cython.declare(object, visibility="public")
    table_map = cython.declare(object, visibility="public")
    befores = cython.declare(object, visibility="public")
    afters = cython.declare(object, visibility="public")
    captured = cython.declare(cython.bint, visibility="public")


@cython.cclass
class EventParser:
    """Parses a dump stream.

    `resolve` is asked once per table map and gives an object whose `decoder` decodes rows, None for tables
    that are not captured. `checksum`: whether events end in four bytes of CRC32 (the format event may change it).

    A statement other than BEGIN and COMMIT may change a table, and with it how the next rows are decoded: the
    parser stops behind it, `paused` is true, and `next` goes on once the statement was dealt with.
    """

    _resolve: object
    _checksum: cython.Py_ssize_t
    _buffer: bytes
    _pos: cython.Py_ssize_t
    _parts: list
    _tables: dict
    _outer: Event
    _plain: cython.bint
    _inner_events: object
    paused = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, resolve: Resolve, checksum: bool = False) -> None:
        self._resolve = resolve
        self._checksum = 4 if checksum else 0
        self._buffer = b""
        self._pos = 0
        self._parts = []
        self._tables = {}
        self._outer = None
        self._plain = False
        self._inner_events = None
        self.paused = False

    def forget_tables(self) -> None:
        """Drops all table maps; the next ones are resolved anew."""
        self._tables.clear()

    @cython.ccall
    def feed(self, data: bytes) -> list:
        """The events completed by these bytes, up to a pause. Raises DecodeError, or ServerError for an error packet."""
        if self._pos < len(self._buffer):
            data = self._buffer[self._pos :] + data
        self._buffer = data
        self._pos = 0
        return self.next()

    @cython.ccall
    def next(self) -> list:
        """The events behind a pause, up to the next one or the end of the bytes at hand."""
        out: list = []
        data: bytes = self._buffer
        size: cython.Py_ssize_t = len(data)
        length: cython.Py_ssize_t
        pos: cython.Py_ssize_t
        view: cython.const_uchar[:] = data
        self.paused = False
        if self._inner_events is not None:
            self._drain(out)
        while not self.paused and size - self._pos >= 4:
            pos = self._pos
            length = view[pos] | view[pos + 1] << 8 | view[pos + 2] << 16
            if length > size - pos - 4:
                break
            pos += 4
            self._pos = pos + length
            if length == 0xFFFFFF or self._parts:
                self._continued(data, pos, length, out)
            else:
                self._packet(data, pos, pos + length, out)
        return out

    @cython.cfunc
    def _continued(self, data: bytes, pos: cython.Py_ssize_t, length: cython.Py_ssize_t, out: list) -> None:
        # A payload of 16 MiB or more comes in several packets; a shorter one ends it.
        self._parts.append(data[pos : pos + length])
        if sum(map(len, self._parts)) > MAX_EVENT:
            raise DecodeError("an event of more than 2 GiB")
        if length < 0xFFFFFF:
            whole: bytes = b"".join(self._parts)
            self._parts = []
            self._packet(whole, 0, len(whole), out)

    @cython.cfunc
    def _packet(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, out: list) -> None:
        if pos == end:
            raise DecodeError("an empty packet in the log stream")
        first: cython.int = data[pos]
        if first == 0:
            self._event(data, pos + 1, end, out)
        elif first == 0xFF:
            raise parse_error(data[pos:end])
        elif first == 0xFE:
            event: Event = Event()
            event.kind = et.END_OF_STREAM
            out.append(event)
        else:
            raise DecodeError(f"a packet of unknown kind {first:#x} in the log stream")

    def parse_file(self, data: bytes) -> Iterator[Event]:
        """The events of a log file's bytes (with its four-byte magic)."""
        if data[:4] != b"\xfebin":
            raise DecodeError("not a binary log file: the magic number is missing")
        pos = 4
        while pos < len(data):
            if len(data) - pos < 19:
                raise DecodeError("a log file ends inside an event header")
            size = int.from_bytes(data[pos + 9 : pos + 13], "little")
            if not 19 <= size <= len(data) - pos:
                raise DecodeError(f"an event of {size} bytes at {pos} of a log file")
            out: list[Event] = []
            self._event(data, pos, pos + size, out)
            yield from out
            while self._inner_events is not None:
                yield from self.next()
            pos += size

    @cython.cfunc
    def _event(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, out: list) -> None:
        if end - pos < _HEADER:
            raise DecodeError("an event shorter than its header")
        view: cython.const_uchar[:] = data
        code: cython.int = view[pos + 4]
        body: cython.Py_ssize_t = pos + _HEADER
        stop: cython.Py_ssize_t = end if self._plain else end - self._checksum
        if code == et.C_FORMAT:
            stop = end
        if stop < body:
            raise DecodeError("an event shorter than its checksum")
        event: Event = self._make(code, data, body, stop, out)
        if event is None:
            return
        event.type_code = code
        event.timestamp = _u32(view, pos)
        event.server_id = _u32(view, pos + 5)
        event.flags = view[pos + 17] | view[pos + 18] << 8
        if self._outer is not None:
            event.start_pos = self._outer.start_pos
            event.end_pos = self._outer.end_pos
            event.in_payload = True
        else:
            event.end_pos = _u32(view, pos + 13)
            event.start_pos = event.end_pos - _u32(view, pos + 9) if event.end_pos else 0
        if event.kind == et.UNKNOWN and event.flags & et.IGNORABLE_FLAG:
            event.kind = et.OTHER
        if code == et.C_HEARTBEAT:
            cython.cast(HeartbeatEvent, event).position = event.end_pos
        out.append(event)
        if event.kind == et.QUERY:
            self.paused = cython.cast(QueryEvent, event).sql not in _HARMLESS
        elif code == et.C_TRANSACTION_PAYLOAD:
            self._inner_events = self._inner(event, *self._payload(data, body, stop))
            self._drain(out)

    @cython.cfunc
    def _make(self, code: cython.int, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t,
              out: list) -> Event:  # fmt: skip
        if 20 <= code <= 32 or 166 <= code <= 171:
            shape = et.ROWS_CODES.get(code)
            if shape is not None:
                return self._rows(shape, data, pos, end)
        if code == et.C_TABLE_MAP:
            return self._table_map(data, pos, end)
        if code == et.C_XID:
            return _plain_event(et.XID)
        if code == et.C_GTID or code == et.C_ANONYMOUS_GTID:
            return _gtid(code, data, pos, end)
        if code == et.C_QUERY:
            return _query(data, pos, end)
        if code == et.C_ROWS_QUERY:
            return _text(data, pos + 1, end)
        return self._make_rare(code, data, pos, end)

    def _make_rare(self, code: int, data: bytes, pos: int, end: int) -> Event:
        if code == et.C_ROTATE:
            return self._rotate(data, pos, end)
        if code == et.C_FORMAT:
            self._tables.clear()
            if end - pos >= 57 + 5:
                self._checksum = 4 if data[end - 5] == 1 else 0
            return _plain_event(et.FORMAT)
        if code in (et.C_HEARTBEAT, et.C_HEARTBEAT_V2):
            return _heartbeat(code, data, pos, end)
        if code == et.C_GTID_TAGGED:
            return _tagged(data, pos, end)
        if code == et.C_MARIADB_GTID:
            return _mariadb_gtid(data, pos, end)
        if code == et.C_MARIADB_ANNOTATE:
            return _text(data, pos, end)
        if code == et.C_MARIADB_QUERY_COMPRESSED:
            return _query_compressed(data, pos, end)
        if code == et.C_PARTIAL_UPDATE:
            return self._partial(data, pos, end)
        kinds = {
            et.C_STOP: et.STOP, et.C_INCIDENT: et.INCIDENT, et.C_XA_PREPARE: et.XA_PREPARE,
            et.C_PREVIOUS_GTIDS: et.PREVIOUS_GTIDS, et.C_MARIADB_GTID_LIST: et.GTID_LIST,
            et.C_TRANSACTION_PAYLOAD: et.OTHER,
        }  # fmt: skip
        if code in kinds:
            return _plain_event(kinds[code])
        return _plain_event(et.OTHER if code in et.KNOWN_OTHER else et.UNKNOWN)

    def _rotate(self, data: bytes, pos: int, end: int) -> Event:
        if end - pos < 9:
            raise DecodeError("a rotate event of fewer than nine bytes")
        event = RotateEvent()
        event.kind = et.ROTATE
        event.position = int.from_bytes(data[pos : pos + 8], "little")
        event.file = data[pos + 8 : end].decode("utf-8", "replace")
        self._tables.clear()
        return event

    # -- tables and rows

    @cython.cfunc
    def _table_map(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
        event: TableMapEvent = TableMapEvent()
        event.kind = et.TABLE_MAP
        if end - pos < 8:
            raise DecodeError("a table map of fewer than eight bytes")
        raw: bytes = data[pos:end]
        table_id = raw[:6]
        known = self._tables.get(table_id)
        if known is not None and known[0] == raw:
            event.table_map = known[1]
            return event
        table = TableMap.parse(raw, 0, len(raw))
        self._tables[table_id] = (raw, table, self._resolve(table))
        event.table_map = table
        return event

    @cython.cfunc
    def _rows(self, shape: tuple, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
        event: RowsEvent = RowsEvent()
        event.kind = et.ROWS
        event.op = shape[0]
        if end - pos < 8:
            raise DecodeError("a rows event of fewer than eight bytes")
        known = self._tables.get(data[pos : pos + 6])
        if known is None:
            if data[pos : pos + 6] in (b"\xff\xff\xff\x00\x00\x00", b"\xff\xff\xff\xff\xff\xff"):
                event.kind = et.OTHER  # the end mark of a statement that changed no row
                return event
            raise DecodeError(f"rows of table number {int.from_bytes(data[pos : pos + 6], 'little')} without its map")
        event.table_map = known[1]
        target = known[2]
        if target is None:
            return event
        event.captured = True
        event.target = target
        decoder = target.decoder
        pos += 8
        if shape[1]:
            pos += _extra(data, pos, end)
        if shape[2]:
            data, pos, end = self._inflate(shape[0], data, pos, end)
        self._row_images(event, decoder, data, pos, end)
        return event

    def _inflate(self, op: str, data: bytes, pos: int, end: int) -> tuple[bytes, int, int]:
        # MariaDB compresses what follows the column count and the bitmaps.
        r = Reader(data, pos, end)
        width = (r.lenenc() + 7) // 8
        r.take(width * (2 if op == "u" else 1))
        plain = data[pos : r.pos] + compression.mariadb_event(data, r.pos, end)
        return plain, 0, len(plain)

    @cython.cfunc
    def _row_images(self, event: RowsEvent, decoder: object, data: bytes, pos: cython.Py_ssize_t,
                    end: cython.Py_ssize_t) -> None:  # fmt: skip
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

    def _partial(self, data: bytes, pos: int, end: int) -> Event:
        event = RowsEvent()
        event.kind = et.PARTIAL_UPDATE
        event.op = "u"
        known = self._tables.get(data[pos : pos + 6])
        if known is not None:
            event.table_map = known[1]
            event.captured = known[2] is not None
        return event

    # -- compressed transactions

    def _payload(self, data: bytes, pos: int, end: int) -> tuple[bytes, int, int]:
        """(body, method, declared size) of a compressed transaction."""
        r = Reader(data, pos, end)
        declared, method, size = 0, 0, None
        while (kind := r.lenenc()) != 0:
            field = Reader(r.take(length := r.lenenc()), 0, length)
            if kind == 1:
                size = field.lenenc()
            elif kind == 2:
                method = field.lenenc()
            elif kind == 3:
                declared = field.lenenc()
        return r.take(r.left if size is None else size), method, declared

    def _inner(self, outer: Event, body: bytes, method: int, declared: int) -> Iterator[list[Event]]:
        """The events of a compressed transaction, in lists, as they are decompressed; a list ends at a pause."""
        if method not in (0, 255):
            raise DecodeError(f"a transaction compressed by the unknown method {method}")
        rest = b""
        for chunk in compression.zstd_chunks(body, declared) if method == 0 else iter((body,)):
            rest = rest + chunk if rest else chunk
            pos = 0
            out: list[Event] = []
            while len(rest) - pos >= 19:
                size = int.from_bytes(rest[pos + 9 : pos + 13], "little")
                if size < 19:
                    raise DecodeError(f"an event of {size} bytes inside a compressed transaction")
                if size > len(rest) - pos:
                    break
                self._outer, self._plain = outer, True
                try:
                    self._event(rest, pos, pos + size, out)
                finally:
                    self._outer, self._plain = None, False
                pos += size
                if self.paused:
                    yield out
                    out = []
            rest = rest[pos:]
            yield out
        if rest:
            raise DecodeError("a compressed transaction ends inside an event")

    @cython.cfunc
    def _drain(self, out: list) -> None:
        # Takes inner events until a pause or their end.
        for events in self._inner_events:
            out.extend(events)
            if self.paused:
                return
        self._inner_events = None


@cython.cfunc
def _u32(view: cython.const_uchar[:], at: cython.Py_ssize_t) -> cython.longlong:
    high: cython.longlong = view[at + 3]
    return view[at] | view[at + 1] << 8 | view[at + 2] << 16 | high << 24


@cython.cfunc
def _plain_event(kind: cython.int) -> Event:
    event: Event = Event()
    event.kind = kind
    return event


def _extra(data: bytes, pos: int, end: int) -> int:
    # The extra data of version 2 rows events; its length counts itself.
    if end - pos < 2:
        raise DecodeError("a rows event without its extra data's length")
    length = data[pos] | data[pos + 1] << 8
    if not 2 <= length <= end - pos:
        raise DecodeError(f"a rows event with {length} bytes of extra data")
    return length


@cython.cfunc
def _text(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
    event: TextEvent = TextEvent()
    event.kind = et.ROWS_QUERY
    event.text = data[pos:end].decode("utf-8", "replace") if pos < end else ""
    return event


@cython.cfunc
def _query(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
    event: QueryEvent = QueryEvent()
    event.kind = et.QUERY
    event.thread_id, event.error_code, event.database, event.sql, event.sql_mode, event.charset = parse_query(
        data, pos, end
    )
    return event


def _query_compressed(data: bytes, pos: int, end: int) -> Event:
    r = Reader(data, pos, end)
    head = r.take(13)
    r.take(int.from_bytes(head[11:13], "little") + head[8] + 1)
    plain = data[pos : r.pos] + compression.mariadb_event(data, r.pos, end)
    return _query(plain, 0, len(plain))


@cython.cfunc
def _gtid(code: cython.int, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
    event: GtidEvent = GtidEvent()
    event.kind = et.GTID if code == et.C_GTID else et.ANONYMOUS_GTID
    if end - pos < 25:
        raise DecodeError("a GTID event of fewer than 25 bytes")
    digits: str = data[pos + 1 : pos + 17].hex()
    number: object = int.from_bytes(data[pos + 17 : pos + 25], "little")
    event.gtid_flags = data[pos]
    event.text = (
        digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:] + ":" + str(number)
    )
    if end - pos >= 42 + 7:
        # Logical clock (1 + 16 bytes), then the commit times: 55 bits, the top bit tells that a second one follows.
        pos += 42
        stamp: object = int.from_bytes(data[pos : pos + 7], "little")
        event.immediate_commit_timestamp = stamp & 0x7FFFFFFFFFFFFF
        event.original_commit_timestamp = event.immediate_commit_timestamp
        pos += 7
        if stamp >> 55 and end - pos >= 7:
            event.original_commit_timestamp = int.from_bytes(data[pos : pos + 7], "little")
    return event


def _tagged(data: bytes, pos: int, end: int) -> Event:
    fields = parse_tagged(data, pos, end)
    event = GtidEvent()
    event.kind = et.GTID
    event.text = fields.text
    event.original_commit_timestamp = fields.original_commit_timestamp
    event.immediate_commit_timestamp = fields.immediate_commit_timestamp
    event.gtid_flags = fields.flags
    return event


def _mariadb_gtid(data: bytes, pos: int, end: int) -> Event:
    r = Reader(data, pos, end)
    number, domain, flags = r.uint(8), r.uint(4), r.uint(1)
    event = GtidEvent()
    event.kind = et.GTID
    event.gtid_flags = flags
    # The server's number stands in the event header; the parser's user completes the text.
    server = int.from_bytes(data[pos - 14 : pos - 10], "little")
    event.text = f"{domain}-{server}-{number}"
    return event


def _heartbeat(code: int, data: bytes, pos: int, end: int) -> Event:
    event = HeartbeatEvent()
    event.kind = et.HEARTBEAT
    if code == et.C_HEARTBEAT:
        event.file = data[pos:end].decode("utf-8", "replace")
        return event
    r = Reader(data, pos, end)
    event.file = ""
    while r.left and (kind := r.lenenc()) != 0:
        field = r.take(r.lenenc())
        if kind == 1:
            event.file = field.decode("utf-8", "replace")
        elif kind == 2:
            event.position = Reader(field, 0, len(field)).lenenc()
    return event
