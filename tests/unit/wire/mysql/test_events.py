"""The dump stream's framing, and every kind of event as literal bytes."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.wire.mysql.logbytes import (
    event,
    format_body,
    gtid_body,
    packet,
    query_body,
    rows_body,
    streamed,
    table_map_body,
)

from headwater.errors import DecodeError, SchemaMismatch
from headwater.wire.mysql import eventtypes as et
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.events_cy import EventParser
from headwater.wire.mysql.rows_cy import BinlogRowDecoder
from headwater.wire.mysql.servererror import ServerError
from headwater.wire.mysql.tablemap import TableMap

UUID = bytes.fromhex("ab7de11bed2111f1a06b02fc00000001")
UUID_TEXT = "ab7de11b-ed21-11f1-a06b-02fc00000001"


class Target:
    """What a captured table resolves to: real decoders of INT columns."""

    def __init__(self, table_map: TableMap) -> None:
        self.decoder = BinlogRowDecoder(table_map, [ColumnFormat("int")] * len(table_map.types))


def parse(data: bytes, *, captured: bool = True, checksum: bool = False, **options: Any) -> list[Any]:
    """All events of stream bytes, pauses passed over."""
    parser = EventParser(Target if captured else lambda table_map: None, checksum, **options)
    return drain(parser, parser.feed(data))


def drain(parser: EventParser, events: Sequence[Any]) -> list[Any]:
    out = list(events)
    while parser.paused:
        out += parser.next()
    return out


def one(raw: bytes, **options: Any) -> Any:
    (only,) = parse(streamed(raw), **options)
    return only


def test_header_fields_are_read() -> None:
    e = one(event(et.C_STOP, b"", end=1019, flags=0x21, time=1_700_000_001, server=4_000_000_000))
    assert (e.kind, e.type_code, e.timestamp, e.server_id) == (et.STOP, 3, 1_700_000_001, 4_000_000_000)
    assert (e.start_pos, e.end_pos, e.flags, e.in_payload) == (1000, 1019, 0x21, False)


def test_positions_beyond_32_bits_wrap() -> None:
    # A file of more than 4 GiB: the header's end position starts again at 0.
    assert one(event(et.C_STOP, b"", end=9)).start_pos == 2**32 - 10


@pytest.mark.parametrize("size", [1, 2, 3, 5, 18, 64])
def test_packets_may_be_split_anywhere(size: int) -> None:
    data = streamed(event(et.C_XID, (77).to_bytes(8, "little"))) + streamed(event(et.C_STOP, b"")) * 3
    parser = EventParser(Target)
    kinds = [e.kind for i in range(0, len(data), size) for e in parser.feed(data[i : i + size])]
    assert kinds == [et.XID, et.STOP, et.STOP, et.STOP]


@pytest.mark.parametrize("text", [0xFFFFFF - 21, 0xFFFFFF - 20, 0xFFFFFF * 2 + 5])
def test_payloads_of_16_mib_and_more_continue(text: int) -> None:
    sql = b"x" * text
    data = streamed(event(et.C_ROWS_QUERY, b"\0" + sql)) + streamed(event(et.C_STOP, b""))
    parser = EventParser(Target)
    events = [e for i in range(0, len(data), 1 << 20) for e in parser.feed(data[i : i + (1 << 20)])]
    assert [e.kind for e in events] == [et.ROWS_QUERY, et.STOP]
    assert events[0].text == sql.decode()


def test_the_end_of_the_stream_and_errors() -> None:
    assert [e.kind for e in parse(packet(b"\xfe\0\0\2\0"))] == [et.END_OF_STREAM]
    with pytest.raises(ServerError) as caught:
        parse(packet(b"\xff\xd4\x04#HY000no such file"))
    assert (caught.value.code, caught.value.sqlstate, caught.value.text) == (1236, "HY000", "no such file")


def test_rotate_names_file_and_position_and_drops_table_maps() -> None:
    e = one(event(et.C_ROTATE, (4).to_bytes(8, "little") + b"mysql-bin.000002"))
    assert (e.kind, e.file, e.position) == (et.ROTATE, "mysql-bin.000002", 4)
    rotate = streamed(event(et.C_ROTATE, bytes(8) + b"b.2"))
    with pytest.raises(DecodeError, match="without its map"):
        parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + rotate + streamed(event(30, rows_body(bytes(5)))))


@pytest.mark.parametrize("algorithm, checksum", [(0, False), (1, True)])
def test_the_format_event_says_whether_checksums_follow(algorithm: int, checksum: bool) -> None:
    data = streamed(event(et.C_FORMAT, format_body(algorithm)))
    data += streamed(event(et.C_MARIADB_ANNOTATE, b"delete from t", checksum=checksum))
    first, second = parse(data, checksum=not checksum)
    assert first.kind == et.FORMAT
    assert second.text == "delete from t"


def test_checksums_are_compared_when_asked() -> None:
    raw = event(et.C_MARIADB_ANNOTATE, b"delete", checksum=True)
    assert one(raw, checksum=True, verify=True).text == "delete"
    damaged = raw.replace(b"delete", b"delEte")
    assert one(damaged, checksum=True).text == "delEte"
    with pytest.raises(DecodeError, match="checksum"):
        one(damaged, checksum=True, verify=True)


def test_a_heartbeat_takes_its_position_from_the_header_or_its_fields() -> None:
    e = one(event(et.C_HEARTBEAT, b"mysql-bin.000003", end=1234))
    assert (e.kind, e.file, e.position) == (et.HEARTBEAT, "mysql-bin.000003", 1234)
    # Version 2: field 1 the file, field 2 the position, as type, length, value; 0 ends it.
    body = b"\x01\x10mysql-bin.000003" + b"\x02\x09\xfe" + (5 << 32).to_bytes(8, "little") + b"\0"
    e = one(event(et.C_HEARTBEAT_V2, body))
    assert (e.kind, e.file, e.position) == (et.HEARTBEAT, "mysql-bin.000003", 5 << 32)


def test_commit() -> None:
    e = one(event(et.C_XID, (0x0102030405060708).to_bytes(8, "little")))
    assert (e.kind, e.xid) == (et.XID, 0x0102030405060708)


_T1, _T2 = 1_700_000_000_123_456, 1_600_000_000_654_321
_TWO_TIMES = (_T1 | 1 << 55).to_bytes(7, "little") + _T2.to_bytes(7, "little")


@pytest.mark.parametrize(
    "times, immediate, original, length",
    [
        (b"", 0, 0, 0),  # MySQL 5.7
        (_T1.to_bytes(7, "little") + b"\xc8", _T1, _T1, 200),
        (_T1.to_bytes(7, "little") + b"\xfc\x39\x30", _T1, _T1, 12345),
        (_TWO_TIMES + b"\xfd\x01\x00\x01", _T1, _T2, 65537),  # a replica: the original commit was earlier
    ],
)
def test_gtid(times: bytes, immediate: int, original: int, length: int) -> None:
    e = one(event(et.C_GTID, gtid_body(UUID, 698, times=times)))
    assert (e.kind, e.text, e.gtid_flags) == (et.GTID, f"{UUID_TEXT}:698", 1)
    assert (e.last_committed, e.sequence_number) == (4, 5)
    assert (e.immediate_commit_timestamp, e.original_commit_timestamp, e.transaction_length) == (
        immediate, original, length,
    )  # fmt: skip


def test_gtids_of_several_sources_and_anonymous_ones() -> None:
    other = bytes(15) + b"\1"
    bodies = [gtid_body(UUID, 1), gtid_body(other, 2), gtid_body(UUID, 3)]
    events = parse(b"".join(streamed(event(et.C_GTID, b)) for b in bodies))
    assert [e.text for e in events] == [
        f"{UUID_TEXT}:1", "00000000-0000-0000-0000-000000000001:2", f"{UUID_TEXT}:3",
    ]  # fmt: skip
    e = one(event(et.C_ANONYMOUS_GTID, gtid_body(bytes(16), 0, times=_T1.to_bytes(7, "little"))))
    assert (e.kind, e.text, e.original_commit_timestamp) == (et.ANONYMOUS_GTID, "", _T1)


def test_tagged_gtid() -> None:
    # As a MySQL 9.7 server wrote it for gtid_next = 'automatic:mytag'.
    def varlen(n: int) -> bytes:
        size = max(1, -(-n.bit_length() // 7))
        return ((n << size) | ((1 << (size - 1)) - 1)).to_bytes(size, "little")

    fields = b"\x00" + varlen(1)
    fields += varlen(1) + b"".join(varlen(b) for b in UUID)
    fields += varlen(2) + varlen(5 << 1)
    fields += varlen(3) + varlen(5) + b"mytag"
    fields += varlen(4) + varlen(7 << 1) + varlen(5) + varlen(8 << 1)
    fields += varlen(6) + varlen(_T1) + varlen(7) + varlen(_T2) + varlen(8) + varlen(300)
    e = one(event(et.C_GTID_TAGGED, varlen(1) + varlen(len(fields) + 3) + varlen(9) + fields))
    assert (e.kind, e.text, e.last_committed, e.sequence_number) == (et.GTID, f"{UUID_TEXT}:mytag:5", 7, 8)
    assert (e.immediate_commit_timestamp, e.original_commit_timestamp, e.transaction_length) == (_T1, _T2, 300)


def test_mariadb_gtid_takes_the_server_from_the_header() -> None:
    body = (41).to_bytes(8, "little") + (2).to_bytes(4, "little") + b"\x01" + bytes(6)
    e = one(event(et.C_MARIADB_GTID, body, server=3))
    assert (e.kind, e.text, e.gtid_flags) == (et.GTID, "2-3-41", 1)


def test_begin_needs_no_pause_and_other_statements_do() -> None:
    parser = EventParser(Target)
    data = streamed(event(et.C_QUERY, query_body(b"BEGIN"))) + streamed(event(et.C_QUERY, query_body(b"DROP TABLE t")))
    events = parser.feed(data + streamed(event(et.C_STOP, b"")))
    assert [(e.sql, e.thread_id) for e in events] == [("BEGIN", 9), ("DROP TABLE t", 9)]
    assert parser.paused
    assert [e.kind for e in parser.next()] == [et.STOP]
    assert not parser.paused


def test_query_settings() -> None:
    # flags2 (0), sql_mode (1), catalog (6), charset (4: client cp1251 = 51), time zone (5), then the statement.
    status = b"\x00" + bytes(4) + b"\x01" + (4).to_bytes(8, "little") + b"\x06\x03std" + b"\x04\x33\0\x33\0\x33\0" + b"\x05\x03UTC"
    e = one(event(et.C_QUERY, query_body("ALTER TABLE т ADD я INT".encode("cp1251"), status=status, error=1290)))
    assert (e.database, e.sql, e.error_code) == ("shop", "ALTER TABLE т ADD я INT", 1290)
    assert (e.sql_mode, e.charset) == (4, "cp1251")


def test_rows_of_every_version() -> None:
    row1, row2 = b"\0" + (1).to_bytes(4, "little"), b"\0" + (2).to_bytes(4, "little")
    for code, op in ((23, "c"), (25, "d"), (30, "c"), (32, "d")):
        body = rows_body(row1 + row2, version=2 if code >= 30 else 1)
        _, e = parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(code, body)))
        assert (e.kind, e.op, e.captured, e.table_map.name) == (et.ROWS, op, True, "shop.t")
        assert (e.afters if op == "c" else e.befores) == [[1], [2]]
        assert (e.befores if op == "c" else e.afters) is None
    for code in (24, 31):
        body = rows_body(row1 + row2, images=2, version=2 if code == 31 else 1)
        _, e = parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(code, body)))
        assert (e.op, e.befores, e.afters) == ("u", [[1]], [[2]])


def test_extra_data_of_rows_is_passed_over() -> None:
    body = (5).to_bytes(6, "little") + b"\0\0" + b"\x06\0\x01abc" + b"\x01\xff" + b"\0" + (9).to_bytes(4, "little")
    _, e = parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(30, body)))
    assert e.afters == [[9]]


def test_rows_of_tables_not_captured_are_not_decoded() -> None:
    data = streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(30, rows_body(b"no rows at all")))
    _, e = parse(data, captured=False)
    assert (e.kind, e.captured, e.target, e.befores, e.afters) == (et.ROWS, False, None, None, None)
    assert e.table_map.table == "t"


def test_a_table_map_is_resolved_once_while_it_stays_the_same() -> None:
    asked: list[bytes] = []
    parser = EventParser(lambda table_map: asked.append(table_map.types))
    first, changed = (streamed(event(et.C_TABLE_MAP, table_map_body(types=t))) for t in (b"\x03", b"\x03\x08"))
    parser.feed(first * 3 + changed + changed)
    assert asked == [b"\x03", b"\x03\x08"]
    parser.forget_tables()
    parser.feed(changed)
    assert asked[2:] == [b"\x03\x08"]


@pytest.mark.parametrize("number", [0xFFFFFF, 0xFFFFFFFFFFFF])
def test_the_rows_event_that_only_ends_a_statement(number: int) -> None:
    assert one(event(30, rows_body(b"", number))).kind == et.OTHER


def test_partial_updates_are_identified() -> None:
    _, e = parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(et.C_PARTIAL_UPDATE, rows_body(b"..."))))
    assert (e.kind, e.table_map.name, e.captured) == (et.PARTIAL_UPDATE, "shop.t", True)


@pytest.mark.parametrize(
    "code, flags, kind",
    [
        (et.C_INCIDENT, 0, et.INCIDENT), (et.C_XA_PREPARE, 0, et.XA_PREPARE), (et.C_PREVIOUS_GTIDS, 0, et.PREVIOUS_GTIDS),
        (et.C_MARIADB_GTID_LIST, 0, et.GTID_LIST), (161, 0, et.OTHER), (164, 0, et.OTHER), (37, 0, et.OTHER),
        (99, 0, et.UNKNOWN), (99, 0x80, et.OTHER),  # 0x80: may be ignored
    ],
)  # fmt: skip
def test_other_events(code: int, flags: int, kind: int) -> None:
    assert one(event(code, bytes(20), flags=flags)).kind == kind


def mariadb_compressed(plain: bytes) -> bytes:
    return b"\x82" + len(plain).to_bytes(2, "big") + zlib.compress(plain)


def test_compressed_mariadb_events() -> None:
    body = query_body(b"")
    e = one(event(et.C_MARIADB_QUERY_COMPRESSED, body + mariadb_compressed(b"DROP TABLE t")))
    assert (e.kind, e.sql, e.database) == (et.QUERY, "DROP TABLE t", "shop")
    row = b"\0" + (3).to_bytes(4, "little")
    for code, op, images in ((166, "c", 1), (167, "u", 2), (168, "d", 1), (169, "c", 1), (170, "u", 2), (171, "d", 1)):
        head = rows_body(b"", images=images, version=2 if code >= 169 else 1)
        _, e = parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(code, head + mariadb_compressed(row * images))))
        assert (e.op, e.befores or e.afters) == (op, [[3]])


def transaction_payload(events: bytes, *, compress: bool = True, size: int | None = None) -> bytes:
    body = zstandard.compress(events) if compress else events
    fields = [(2, 0 if compress else 255), (3, len(events) if size is None else size), (1, len(body))]
    head = b"".join(bytes((k,)) + b"\x09\xfe" + v.to_bytes(8, "little") for k, v in fields)
    return head + b"\0" + body


def _inner() -> bytes:
    return (
        event(et.C_QUERY, query_body(b"BEGIN")) + event(et.C_TABLE_MAP, table_map_body())
        + event(30, rows_body(b"\0" + (6).to_bytes(4, "little"))) + event(et.C_XID, bytes(8))
    )  # fmt: skip


@pytest.mark.parametrize("compress", [True, False])
def test_compressed_transactions_give_their_events_at_the_outer_place(compress: bool) -> None:
    raw = event(et.C_TRANSACTION_PAYLOAD, transaction_payload(_inner(), compress=compress), end=5000, checksum=True)
    events = parse(streamed(raw) + streamed(event(et.C_STOP, b"", checksum=True)), checksum=True)
    assert [e.kind for e in events] == [et.OTHER, et.QUERY, et.TABLE_MAP, et.ROWS, et.XID, et.STOP]
    assert [e.in_payload for e in events] == [False, True, True, True, True, False]
    assert {(e.start_pos, e.end_pos) for e in events[1:5]} == {(5000 - len(raw), 5000)}
    assert events[3].afters == [[6]]


def test_a_statement_inside_a_compressed_transaction_pauses() -> None:
    inner = event(et.C_QUERY, query_body(b"CREATE TABLE t (a INT)")) + event(et.C_XID, bytes(8))
    parser = EventParser(Target)
    data = streamed(event(et.C_TRANSACTION_PAYLOAD, transaction_payload(inner))) + streamed(event(et.C_STOP, b""))
    assert [e.kind for e in parser.feed(data)] == [et.OTHER, et.QUERY]
    assert parser.paused
    assert [e.kind for e in parser.next()] == [et.XID, et.STOP]


def test_compressed_transactions_do_not_nest() -> None:
    nested = event(et.C_TRANSACTION_PAYLOAD, transaction_payload(_inner()))
    with pytest.raises(DecodeError, match="inside another"):
        one(event(et.C_TRANSACTION_PAYLOAD, transaction_payload(nested)))


def test_log_files() -> None:
    events = event(et.C_FORMAT, format_body(0)) + event(et.C_QUERY, query_body(b"DROP TABLE t")) + event(et.C_STOP, b"")
    assert [e.kind for e in EventParser(Target).parse_file(b"\xfebin" + events)] == [et.FORMAT, et.QUERY, et.STOP]
    for damaged in (events, b"\xfebin" + events[:-1], b"\xfebin" + events + b"\0"):
        with pytest.raises(DecodeError):
            list(EventParser(Target).parse_file(damaged))


DAMAGED = [
    packet(b""),
    packet(b"\x01"),
    streamed(b"\0" * 18),
    streamed(event(et.C_ROTATE, bytes(8))),
    streamed(event(et.C_FORMAT, bytes(20))),
    streamed(event(et.C_TABLE_MAP, bytes(7))),
    streamed(event(et.C_TABLE_MAP, table_map_body()[:-1])),
    streamed(event(et.C_GTID, bytes(24))),
    streamed(event(et.C_GTID, gtid_body(UUID, 1, times=_TWO_TIMES[:9]))),
    streamed(event(et.C_XID, bytes(7))),
    streamed(event(et.C_QUERY, query_body(b"")[:-1])),
    streamed(event(et.C_QUERY, bytes(12))),
    streamed(event(30, bytes(7))),
    streamed(event(30, rows_body(bytes(5), number=6))),
    streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(30, rows_body(b"")[:9])),
    streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(30, (5).to_bytes(6, "little") + b"\0\0\xff\xff\1\xff")),
    streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(30, rows_body(b"\0\1\2\3"))),
    streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(event(30, rows_body(b"\0", columns=200))),
    streamed(event(et.C_TRANSACTION_PAYLOAD, transaction_payload(_inner(), size=20))),
    streamed(event(et.C_TRANSACTION_PAYLOAD, transaction_payload(_inner()[:-3]))),
    streamed(event(et.C_HEARTBEAT_V2, b"\x01\xfaabc")),
]


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_events_are_decode_errors(data: bytes) -> None:
    with pytest.raises(DecodeError):
        parse(data)


_SAMPLES = [
    event(et.C_TABLE_MAP, table_map_body()), event(30, rows_body(bytes(5))), event(31, rows_body(bytes(10), images=2)),
    event(et.C_QUERY, query_body(b"DROP TABLE t", status=b"\x06\x03std\x0c\x01shop\0\x0b\x01a\x01b")),
    event(et.C_GTID, gtid_body(UUID, 3, times=_TWO_TIMES + b"\x20")), event(et.C_FORMAT, format_body(1)),
    event(et.C_TRANSACTION_PAYLOAD, transaction_payload(_inner())), event(et.C_ROTATE, bytes(8) + b"f"),
    event(166, rows_body(b"", version=1) + mariadb_compressed(bytes(5))), event(et.C_GTID_TAGGED, bytes(40)),
    event(et.C_HEARTBEAT_V2, b"\x01\x01f\x02\x01\x04\0"), event(et.C_MARIADB_GTID, bytes(19)),
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(_SAMPLES), st.data())
def test_any_damage_is_an_event_or_an_error(raw: bytes, data: st.DataObject) -> None:
    damaged = bytearray(raw)
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    # A damaged table map may still be one, of a table the decoder does not fit.
    with contextlib.suppress(DecodeError, SchemaMismatch):
        parse(streamed(event(et.C_TABLE_MAP, table_map_body())) + streamed(cut))
