# cython: language_level=3
"""The dump stream's bytes -> events, rows decoded inside.

Packets may be split anywhere and continue over 16 MiB; compressed transactions and events are expanded. Must not
know a socket or a table model. Everything is checked against its packet: a wrong length raises DecodeError.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import cython

from headwater.errors import DecodeError
from headwater.wire.mysql import compression, eventbodies
from headwater.wire.mysql import eventtypes as et
from headwater.wire.mysql.servererror import parse_error
from headwater.wire.mysql.tablemap import Reader, TableMap
from headwater.wire.mysql.taggedgtid import parse_tagged

if not cython.compiled:
    # The .pxd beside this file imports them where it is compiled.
    from headwater.wire.mysql.logevent_cy import (
        Event,
        GtidEvent,
        HeartbeatEvent,
        QueryEvent,
        RowsEvent,
        commit_times,
        gtid_event,
        heartbeat_event,
        plain_event,
        query_event,
        rotate_event,
        row_images,
        rows_event,
        table_map_event,
        text_event,
        u24,
        u32,
        u48,
        u63,
        xid_event,
    )  # fmt: skip

MAX_EVENT = 1 << 31

_HEADER = cython.declare(cython.Py_ssize_t, 19)
_FULL_PACKET = cython.declare(cython.Py_ssize_t, 0xFFFFFF)
# What the event loop compares with: as C variables, since looking names up in a module costs more than the rest.
_ROWS = cython.declare(cython.int, et.ROWS)
_QUERY = cython.declare(cython.int, et.QUERY)
_OTHER = cython.declare(cython.int, et.OTHER)
_C_QUERY = cython.declare(cython.int, et.C_QUERY)
_C_FORMAT = cython.declare(cython.int, et.C_FORMAT)
_C_XID = cython.declare(cython.int, et.C_XID)
_C_TABLE_MAP = cython.declare(cython.int, et.C_TABLE_MAP)
_C_HEARTBEAT = cython.declare(cython.int, et.C_HEARTBEAT)
_C_ROWS_QUERY = cython.declare(cython.int, et.C_ROWS_QUERY)
_C_GTID = cython.declare(cython.int, et.C_GTID)
_C_ANONYMOUS_GTID = cython.declare(cython.int, et.C_ANONYMOUS_GTID)
_C_TRANSACTION_PAYLOAD = cython.declare(cython.int, et.C_TRANSACTION_PAYLOAD)
_SHAPES = cython.declare(dict, et.ROWS_CODES)

Resolve = Callable[[TableMap], Any]
# Statements that change no table: the parser need not stop behind them.
_HARMLESS = frozenset(("BEGIN", "COMMIT"))
# Table numbers of the rows event that only ends a statement.
_NO_TABLE = frozenset((0xFFFFFF, 0xFFFFFFFFFFFF))


def _is_compiled() -> bool:
    """Whether this module runs as C."""
    return bool(cython.compiled)


@cython.final
@cython.cclass
class _Table:
    """A table map as it was resolved; `raw` is its body."""

    raw: bytes
    table_map: object
    target: object

    def __init__(self, raw: bytes, table_map: TableMap, target: Any) -> None:
        self.raw = raw
        self.table_map = table_map
        self.target = target


@cython.final
@cython.cclass
class EventParser:
    """Parses a dump stream, or a log file.

    `resolve` is asked once for each table map's content and gives an object whose `decoder` decodes rows, or None for
    a table that is not captured. `checksum`: whether events end in four bytes of CRC32 (a format event may change
    it); `verify`: whether to compare them.

    A statement other than BEGIN and COMMIT may change a table, and with it how the next rows are decoded: the
    parser stops behind it, `paused` is true, and `next` goes on once the statement was dealt with.

    After an error the stream cannot be read on.
    """

    _resolve: object
    _checksum: cython.Py_ssize_t
    _verify: cython.bint
    _buffer: bytes
    _pos: cython.Py_ssize_t
    # Pieces of a packet that is not complete, their size, and the size worth looking at them again.
    _pieces: list
    _held: cython.Py_ssize_t
    _wanted: cython.Py_ssize_t
    # Packets of a payload of 16 MiB or more, and their size.
    _parts: list
    _parts_size: cython.Py_ssize_t
    _tables: dict
    _gtid_source: bytes
    _gtid_prefix: str
    # A compressed transaction, the events left in it, and whether one of them is being read.
    _payload: Event
    _inner: object
    _outer: Event
    paused = cython.declare(cython.bint, visibility="readonly")

    def __init__(self, resolve: Resolve, checksum: bool = False, *, verify: bool = False) -> None:
        self._resolve = resolve
        self._checksum = 4 if checksum else 0
        self._verify = verify
        self._buffer = b""
        self._pos = 0
        self._pieces = []
        self._held = 0
        self._wanted = 0
        self._parts = []
        self._parts_size = 0
        self._tables = {}
        self._gtid_source = b""
        self._gtid_prefix = ""
        self._payload = None
        self._inner = None
        self._outer = None
        self.paused = False

    def forget_tables(self) -> None:
        """Drops all table maps; the next ones are resolved anew."""
        self._tables.clear()

    @cython.ccall
    def feed(self, data: bytes) -> list:
        """The events completed by these bytes, up to a pause. Raises DecodeError, or ServerError for an error packet."""
        left: cython.Py_ssize_t = len(self._buffer) - self._pos
        if left == 0 and not self._pieces:
            self._buffer = data
            self._pos = 0
            return self.next()
        if left:
            self._pieces.append(self._buffer[self._pos :])
            self._held += left
        self._buffer = b""
        self._pos = 0
        self._pieces.append(data)
        self._held += len(data)
        # Joined only once a packet is complete: a packet may come in very many pieces.
        if self._held < self._wanted:
            return []
        self._buffer = b"".join(self._pieces)
        self._pieces = []
        self._held = 0
        return self.next()

    @cython.ccall
    def next(self) -> list:
        """The events behind a pause, up to the next one or the end of the bytes at hand."""
        out: list = []
        self.paused = False
        try:
            if self._inner is not None:
                self._drain(out)
            self._packets(out)
        except (IndexError, struct.error) as e:
            raise DecodeError(f"an event is cut off: {e}") from e
        return out

    @cython.cfunc
    def _packets(self, out: list) -> None:
        data: bytes = self._buffer
        size: cython.Py_ssize_t = len(data)
        length: cython.Py_ssize_t
        pos: cython.Py_ssize_t
        self._wanted = 0
        while not self.paused:
            pos = self._pos
            if size - pos < 4:
                self._wanted = 4
                return
            length = u24(data, pos)
            if length > size - pos - 4:
                self._wanted = 4 + length
                return
            pos += 4
            self._pos = pos + length
            if length == _FULL_PACKET or self._parts:
                self._continued(data, pos, length, out)
            else:
                self._packet(data, pos, pos + length, out)

    @cython.cfunc
    def _continued(self, data: bytes, pos: cython.Py_ssize_t, length: cython.Py_ssize_t, out: list) -> None:
        # A payload of 16 MiB or more comes in several packets; a shorter one ends it.
        self._parts.append(data[pos : pos + length])
        self._parts_size += length
        if self._parts_size > MAX_EVENT:
            raise DecodeError("an event of more than 2 GiB")
        if length < _FULL_PACKET:
            whole: bytes = b"".join(self._parts)
            self._parts = []
            self._parts_size = 0
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
            out.append(plain_event(et.END_OF_STREAM))
        else:
            raise DecodeError(f"a packet of unknown kind {first:#x} in the log stream")

    def parse_file(self, data: bytes) -> Iterator[Event]:
        """The events of a log file's bytes (with its four-byte magic). Pauses are passed over."""
        if data[:4] != b"\xfebin":
            raise DecodeError("not a binary log file: the magic number is missing")
        pos = 4
        while pos < len(data):
            if len(data) - pos < 19:
                raise DecodeError("a log file ends inside an event header")
            size = int.from_bytes(data[pos + 9 : pos + 13], "little")
            if not 19 <= size <= len(data) - pos:
                raise DecodeError(f"an event of {size} bytes at {pos} of a log file")
            yield from self.parse_event(data, pos, pos + size)
            while self._inner is not None:
                yield from self.next()
            pos += size

    def parse_event(self, data: bytes, pos: int = 0, end: int = -1) -> list:
        """The event in `data[pos:end]`, header and checksum included, as it stands in a log file.

        A compressed transaction gives the events in it, too, up to a pause.
        """
        stop = len(data) if end < 0 else end
        if not 0 <= pos <= stop <= len(data):
            raise DecodeError("an event lies outside its buffer")
        out: list = []
        try:
            self._event(data, pos, stop, out)
        except (IndexError, struct.error) as e:
            raise DecodeError(f"an event is cut off: {e}") from e
        return out

    @cython.cfunc
    def _event(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t, out: list) -> None:
        if end - pos < _HEADER:
            raise DecodeError("an event shorter than its header")
        code: cython.int = data[pos + 4]
        body: cython.Py_ssize_t = pos + _HEADER
        stop: cython.Py_ssize_t = end
        if self._outer is None and code != _C_FORMAT:
            stop -= self._checksum
            if stop < body:
                raise DecodeError("an event shorter than its checksum")
            if self._verify and self._checksum:
                _verify_checksum(data, pos, stop)
        event: Event = self._make(code, data, body, stop)
        event.type_code = code
        event.timestamp = u32(data, pos)
        event.server_id = u32(data, pos + 5)
        event.flags = data[pos + 17] | data[pos + 18] << 8
        if self._outer is not None:
            event.start_pos = self._outer.start_pos
            event.end_pos = self._outer.end_pos
            event.in_payload = True
        else:
            event.end_pos = u32(data, pos + 13)
            if event.end_pos:
                # The field has 32 bits and wraps in a file that one transaction made larger.
                event.start_pos = (event.end_pos - u32(data, pos + 9)) & 0xFFFFFFFF
        out.append(event)
        if event.kind == _QUERY:
            self.paused = cython.cast(QueryEvent, event).sql not in _HARMLESS
        elif event.kind >= _OTHER:
            self._after_other(event, data, body, stop, out)
        elif code == _C_HEARTBEAT:
            cython.cast(HeartbeatEvent, event).position = event.end_pos

    def _after_other(self, event: Event, data: bytes, pos: int, end: int, out: list) -> None:
        if event.kind == et.UNKNOWN:
            if event.flags & et.IGNORABLE_FLAG:
                event.kind = et.OTHER
        elif event.type_code == et.C_TRANSACTION_PAYLOAD:
            if self._outer is not None:
                raise DecodeError("a compressed transaction inside another one")
            payload = compression.parse_payload(data, pos, end)
            self._payload = event
            self._inner = compression.inner_events(payload)
            self._drain(out)

    @cython.cfunc
    def _drain(self, out: list) -> None:
        # Takes events of a compressed transaction until a pause or their end.
        self._outer = self._payload
        try:
            for data, pos, end in self._inner:
                self._event(data, pos, end, out)
                if self.paused:
                    return
            self._inner = self._payload = None
        finally:
            self._outer = None

    @cython.cfunc
    def _make(self, code: cython.int, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
        if code == _C_TABLE_MAP:
            return self._table_map(data, pos, end)
        if code == _C_XID:
            return xid_event(data, pos, end)
        if code == _C_GTID or code == _C_ANONYMOUS_GTID:
            return self._gtid(code, data, pos, end)
        if code == _C_QUERY:
            return query_event(data, pos, end)
        if code == _C_ROWS_QUERY:
            # One byte of length that is too small to be of use.
            return text_event(data, pos + 1, end)
        if 20 <= code <= 32 or 166 <= code <= 171:
            shape = _SHAPES.get(code)
            if shape is not None:
                return self._rows(shape, data, pos, end)
        return self._make_rare(code, data, pos, end)

    def _make_rare(self, code: int, data: bytes, pos: int, end: int) -> Event:
        if code == et.C_ROTATE:
            place = eventbodies.rotate(data, pos, end)
            self._tables.clear()
            return rotate_event(place.file, place.position)
        if code == et.C_FORMAT:
            self._checksum = eventbodies.checksum_size(data, pos, end)
            self._tables.clear()
            return plain_event(et.FORMAT)
        if code == et.C_HEARTBEAT:
            return heartbeat_event(eventbodies.heartbeat(data, pos, end), 0)
        if code == et.C_HEARTBEAT_V2:
            place = eventbodies.heartbeat_v2(data, pos, end)
            return heartbeat_event(place.file, place.position)
        if code == et.C_GTID_TAGGED:
            return _tagged(data, pos, end)
        if code == et.C_MARIADB_GTID:
            return _mariadb_gtid(data, pos, end)
        if code == et.C_MARIADB_ANNOTATE:
            return text_event(data, pos, end)
        if code == et.C_MARIADB_QUERY_COMPRESSED:
            plain = eventbodies.inflate_query(data, pos, end)
            return query_event(plain, 0, len(plain))
        if code == et.C_PARTIAL_UPDATE:
            return self._partial(data, pos, end)
        return plain_event(et.PLAIN_KINDS.get(code, et.UNKNOWN))

    # -- transactions

    @cython.cfunc
    def _gtid(self, code: cython.int, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
        if end - pos < 25:
            raise DecodeError("a GTID event of fewer than 25 bytes")
        event: GtidEvent
        if code == _C_GTID:
            source: bytes = data[pos + 1 : pos + 17]
            if source != self._gtid_source:
                self._gtid_source = source
                self._gtid_prefix = eventbodies.uuid_text(source) + ":"
            event = gtid_event(self._gtid_prefix + str(u63(data, pos + 17)), data[pos])
        else:
            event = gtid_event("", data[pos])
            event.kind = et.ANONYMOUS_GTID
        # Behind a byte that says its kind: the logical clock.
        if end - pos >= 42:
            event.last_committed = u63(data, pos + 26)
            event.sequence_number = u63(data, pos + 34)
            commit_times(event, data, pos + 42, end)
        return event

    # -- tables and rows

    @cython.cfunc
    def _table_map(self, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
        if end - pos < 8:
            raise DecodeError("a table map of fewer than eight bytes")
        raw: bytes = data[pos:end]
        number: cython.longlong = u48(data, pos)
        table: _Table = self._tables.get(number)
        if table is None or table.raw != raw:
            table_map = TableMap.parse(raw, 0, len(raw))
            table = _Table(raw, table_map, self._resolve(table_map))
            self._tables[number] = table
        return table_map_event(table.table_map)

    @cython.cfunc
    def _rows(self, shape: tuple, data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> Event:
        if end - pos < 8:
            raise DecodeError("a rows event of fewer than eight bytes")
        number: cython.longlong = u48(data, pos)
        table: _Table = self._tables.get(number)
        if table is None:
            if number not in _NO_TABLE:
                raise DecodeError(f"rows of table number {number} without its map")
            return plain_event(et.OTHER)
        event: RowsEvent = rows_event(_ROWS, shape[0], table.table_map, table.target)
        if table.target is None:
            return event
        pos += 8
        if shape[1]:
            pos += _extra(data, pos, end)
        if shape[2]:
            data = eventbodies.inflate_rows(event.op, data, pos, end)
            pos, end = 0, len(data)
        row_images(event, table.target.decoder, data, pos, end)
        return event

    def _partial(self, data: bytes, pos: int, end: int) -> Event:
        number = Reader(data, pos, end).uint(6)
        table: _Table = self._tables.get(number)
        if table is None:
            raise DecodeError(f"rows of table number {number} without its map")
        return rows_event(et.PARTIAL_UPDATE, "u", table.table_map, table.target)


def _verify_checksum(data: bytes, pos: int, stop: int) -> None:
    claimed = int.from_bytes(data[stop : stop + 4], "little")
    if zlib.crc32(memoryview(data)[pos:stop]) != claimed:
        raise DecodeError("an event's checksum does not fit its bytes: it was damaged on its way")


def _tagged(data: bytes, pos: int, end: int) -> Event:
    fields = parse_tagged(data, pos, end)
    event: GtidEvent = gtid_event(fields.text, fields.flags)
    event.original_commit_timestamp = fields.original_commit_timestamp
    event.immediate_commit_timestamp = fields.immediate_commit_timestamp
    event.last_committed = fields.last_committed
    event.sequence_number = fields.sequence_number
    event.transaction_length = fields.transaction_length
    return event


def _mariadb_gtid(data: bytes, pos: int, end: int) -> Event:
    gtid = eventbodies.mariadb_gtid(data, pos, end)
    # The server's number is in the header, 14 bytes before the body.
    server = int.from_bytes(data[pos - 14 : pos - 10], "little")
    return gtid_event(f"{gtid.domain}-{server}-{gtid.sequence}", gtid.flags)


@cython.cfunc
def _extra(data: bytes, pos: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    # The extra data of version 2 rows events; its length counts itself.
    if end - pos < 2:
        raise DecodeError("a rows event without its extra data's length")
    length: cython.Py_ssize_t = data[pos] | data[pos + 1] << 8
    if not 2 <= length <= end - pos:
        raise DecodeError(f"a rows event with {length} bytes of extra data")
    return length
