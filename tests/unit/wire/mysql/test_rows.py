"""Row images of the log: every type's recorded bytes, images of all shapes, and damaged ones."""

from __future__ import annotations

import datetime
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.mysql_values import VALUES, Value
from unit.wire.mysql.images import all_present, image, table_map

from headwater.errors import DecodeError, SchemaMismatch
from headwater.wire.mysql import wiretypes as wt
from headwater.wire.mysql.columns import ABSENT, ColumnFormat
from headwater.wire.mysql.rows_cy import BinlogRowDecoder
from headwater.wire.mysql.rowvalues import decompress

INT = ColumnFormat("int")
TEXT = ColumnFormat("string", charset="utf8mb4")
BYTES = ColumnFormat("bytes")


def one(wire: int, metadata: int, form: ColumnFormat, value: bytes | None, **options: str) -> Any:
    """The canonical value of a one-column row."""
    data = image(value)
    rows = BinlogRowDecoder(table_map((wire, metadata)), [form], **options).decode(data, 0, len(data), b"\x01")
    assert len(rows) == 1
    return rows[0][0]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{v.column[:40]}={v.sql[:30]}")
def test_recorded_value(value: Value) -> None:
    got = one(value.wire, value.metadata, value.form, value.image if value.text is not None else None)
    assert got == value.canonical
    assert type(got) is type(value.canonical)


def test_all_recorded_values_in_one_row_and_many() -> None:
    formats = [v.form for v in VALUES]
    decoder = BinlogRowDecoder(table_map(*((v.wire, v.metadata) for v in VALUES)), formats)
    row = image(*(v.image if v.text is not None else None for v in VALUES))
    wanted = [v.canonical for v in VALUES]
    data = b"before" + row * 3 + b"after"
    assert decoder.decode(data, 6, 6 + 3 * len(row), all_present(formats)) == [wanted] * 3
    nulls = image(*(None for _ in VALUES))
    assert decoder.decode(nulls, 0, len(nulls), all_present(formats)) == [[None] * len(VALUES)]


def test_columns_left_out_do_not_move_the_others() -> None:
    # Every second column is not wanted.
    formats = [v.form._replace(include=i % 2 == 0) for i, v in enumerate(VALUES)]
    decoder = BinlogRowDecoder(table_map(*((v.wire, v.metadata) for v in VALUES)), formats)
    row = image(*(v.image if v.text is not None else None for v in VALUES))
    assert decoder.decode(row, 0, len(row), all_present(formats)) == [[v.canonical for v in VALUES[::2]]]


# -- what the recording server cannot write

OLD_TIMES = [
    # MySQL 5.5: TIME as HHMMSS, DATETIME as YYYYMMDDHHMMSS, TIMESTAMP as seconds.
    (wt.TIME, ColumnFormat("time"), (123456).to_bytes(3, "little"), 45_296_000_000),
    (wt.TIME, ColumnFormat("time"), (-8385959).to_bytes(3, "little", signed=True), -3_020_399_000_000),
    (wt.DATETIME, ColumnFormat("datetime"), (20180113094827).to_bytes(8, "little"), 1_515_836_907_000_000),
    (wt.DATETIME, ColumnFormat("datetime"), bytes(8), None),
    (wt.DATETIME, ColumnFormat("datetime"), (20180013000000).to_bytes(8, "little"), None),
    (wt.DATETIME, ColumnFormat("datetime"), (20180113246060).to_bytes(8, "little"), None),
    (wt.TIMESTAMP, ColumnFormat("timestamp"), (1515836907).to_bytes(4, "little"), 1_515_836_907_000_000),
    (wt.TIMESTAMP, ColumnFormat("timestamp"), bytes(4), None),
    (wt.NEWDATE, ColumnFormat("date"), (2024 << 9 | 2 << 5 | 29).to_bytes(3, "little"), 19782),
]


@pytest.mark.parametrize(("wire", "form", "raw", "value"), OLD_TIMES)
def test_old_temporal_types(wire: int, form: ColumnFormat, raw: bytes, value: int | None) -> None:
    assert one(wire, 0, form, raw) == value


def raw_deflate(plain: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(plain) + stream.flush()


LONG = b"headwater " * 60
COMPRESSED = [
    # MariaDB: a COMPRESSED column; column_compression_zlib_wrap is OFF by default.
    (b"", b""),
    (b"\x00plain", b"plain"),
    (b"\x8a" + (600).to_bytes(2, "big") + raw_deflate(LONG), LONG),
    (b"\x82" + (600).to_bytes(2, "big") + zlib.compress(LONG), LONG),
    (b"\x81\xc8" + zlib.compress(LONG[:200]), LONG[:200]),
]


@pytest.mark.parametrize(("raw", "plain"), COMPRESSED)
def test_mariadb_compressed_columns(raw: bytes, plain: bytes) -> None:
    assert one(wt.VARCHAR_COMPRESSED, 2000, BYTES, struct.pack("<H", len(raw)) + raw) == plain
    assert one(wt.BLOB_COMPRESSED, 4, TEXT, struct.pack("<I", len(raw)) + raw) == plain.decode()


@pytest.mark.parametrize(
    "raw",
    [
        b"\x72\x02\x58" + raw_deflate(LONG),  # an unknown method
        b"\x80" + raw_deflate(LONG),  # a length of no bytes
        b"\x8a\x02",  # cut off in the length
        b"\x8a\x02\x57" + raw_deflate(LONG),  # one byte longer than declared
        b"\x8a\x02\x59" + raw_deflate(LONG),  # one byte shorter
        b"\x8a\x02\x58" + raw_deflate(LONG)[:-4],  # cut off
        b"\x82\x02\x58" + raw_deflate(LONG),  # no zlib frame
        b"\x81\x01" + zlib.compress(bytes(1 << 20)),  # a bomb
    ],
)
def test_damaged_compressed_columns(raw: bytes) -> None:
    with pytest.raises(DecodeError):
        decompress(raw)


@pytest.mark.parametrize(
    ("wire", "metadata", "form", "raw", "value"),
    [
        # MariaDB: JSON is a LONGTEXT, UUID and INET4 fixed binaries without their zero bytes at the end.
        (wt.BLOB, 4, ColumnFormat("json", charset="utf8mb4"), b'\x08\0\0\0{"a": 1}', '{"a": 1}'),
        (wt.STRING, 0xFE10, ColumnFormat("bytes", length=16), b"\x02\xab\xcd", b"\xab\xcd" + bytes(14)),
        (wt.STRING, 0xFE04, ColumnFormat("bytes", length=4), b"\x01\x7f", b"\x7f\0\0\0"),
        (wt.VARCHAR, 12, ColumnFormat("vector"), b"\x08" + struct.pack("<2f", 1, -2), [1.0, -2.0]),
        # A CHAR of 300 bytes borrows two bits of the type: 0xEE is 0xFE with the bits of 0x100 inverted.
        (wt.STRING, 0xEE2C, TEXT, b"\x02\0ab", "ab"),
        # REAL with sql_mode=REAL_AS_FLOAT; DOUBLE(10,2) declared as FLOAT.
        (wt.FLOAT, 4, ColumnFormat("double"), struct.pack("<f", 1.25), 1.25),
        (wt.DOUBLE, 8, ColumnFormat("float"), struct.pack("<d", 1.25), 1.25),
        # MariaDB 11.5: TIMESTAMP up to 2106.
        (wt.TIMESTAMP2, 0, ColumnFormat("timestamp"), b"\xff\xff\xff\xff", 4294967295_000_000),
        (wt.BLOB, 2, ColumnFormat("geometry"), b"\x02\0gg", b"gg"),
    ],
)
def test_other_forms(wire: int, metadata: int, form: ColumnFormat, raw: bytes, value: object) -> None:
    assert one(wire, metadata, form, raw) == value


def test_json_styles() -> None:
    document = next(v for v in VALUES if v.column == "JSON")
    assert one(wt.JSON, 4, document.form, document.image, json_style="compact") == '{"a":[1,2.5],"b":1}'


def test_undecodable_text() -> None:
    raw = b"\x03a\xffb"
    assert one(wt.VARCHAR, 20, TEXT, raw) == "a\ufffdb"
    assert one(wt.VARCHAR, 20, TEXT, raw, undecodable="hex") == "61ff62"
    with pytest.raises(DecodeError, match="utf8mb4"):
        one(wt.VARCHAR, 20, TEXT, raw, undecodable="fail")


@given(st.integers(1, 65).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, min(p, 30)), st.integers(-(10**p) + 1, 10**p - 1))))
def test_every_decimal(case: tuple[int, int, int]) -> None:
    precision, scale, unscaled = case
    digits = str(abs(unscaled)).rjust(precision, "0")
    whole, fraction = digits[: precision - scale], digits[precision - scale :]
    groups = [whole[: len(whole) % 9]] if len(whole) % 9 else []
    groups += [whole[i : i + 9] for i in range(len(whole) % 9, len(whole), 9)]
    groups += [fraction[i : i + 9] for i in range(0, scale, 9)]
    packed = bytearray(b"".join(int(g).to_bytes((0, 1, 1, 2, 2, 3, 3, 4, 4, 4)[len(g)], "big") for g in groups))
    packed[0] ^= 0x80
    if unscaled < 0:
        packed = bytearray(b ^ 0xFF for b in packed)
    form = ColumnFormat("decimal", length=precision, scale=scale)
    assert one(wt.NEWDECIMAL, precision << 8 | scale, form, bytes(packed)) == unscaled


def test_a_decimal_group_of_too_many_digits() -> None:
    # DECIMAL(9,0): four bytes that say 10**9.
    with pytest.raises(DecodeError, match="group of 9 digits"):
        one(wt.NEWDECIMAL, 0x0900, ColumnFormat("decimal"), (10**9 | 0x80000000).to_bytes(4, "big"))


@pytest.mark.parametrize("step", [1, 37])
def test_dates_agree_with_python(step: int) -> None:
    # Every day around two centuries, one of them a leap year; every 37th of the server's whole range.
    first, last = (datetime.date(1896, 1, 1), datetime.date(2004, 12, 31)) if step == 1 else (datetime.date.min, datetime.date.max)
    epoch = datetime.date(1970, 1, 1).toordinal()
    days = [datetime.date.fromordinal(n) for n in range(first.toordinal(), last.toordinal() + 1, step)]
    data = b"".join(image((d.year << 9 | d.month << 5 | d.day).to_bytes(3, "little")) for d in days)
    rows = BinlogRowDecoder(table_map((wt.DATE, 0)), [ColumnFormat("date")]).decode(data, 0, len(data), b"\x01")
    assert [r[0] for r in rows] == [d.toordinal() - epoch for d in days]


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [(2023, 2, 29), (1900, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0), (0, 0, 0)],
)
def test_days_that_do_not_exist(year: int, month: int, day: int) -> None:
    packed = (year << 9 | month << 5 | day).to_bytes(3, "little")
    assert one(wt.DATE, 0, ColumnFormat("date"), packed) is None


# -- images

FIVE = [ColumnFormat("int"), TEXT, ColumnFormat("int"), TEXT, ColumnFormat("int")]
FIVE_MAP = table_map((wt.TINY, 0), (wt.VARCHAR, 10), (wt.TINY, 0), (wt.VARCHAR, 10), (wt.TINY, 0))


def test_partial_image() -> None:
    # MINIMAL: columns 2, 4 and 5; the null bitmap counts only them.
    data = image(b"\x02hi", None, b"\x05")
    assert BinlogRowDecoder(FIVE_MAP, FIVE).decode(data, 0, len(data), b"\x1a") == [[ABSENT, "hi", ABSENT, None, 5]]


def test_partial_image_with_columns_left_out() -> None:
    formats = [f._replace(include=i in (0, 4)) for i, f in enumerate(FIVE)]
    data = image(b"\x02hi", None, b"\x05")
    assert BinlogRowDecoder(FIVE_MAP, formats).decode(data, 0, len(data), b"\x1a") == [[ABSENT, 5]]


def test_updates() -> None:
    # The old image has the key, the new one what changed.
    data = image(b"\x01") + image(b"\x02hi") + image(b"\x02") + image(None)
    before, after = BinlogRowDecoder(FIVE_MAP, FIVE).decode_updates(data, 0, len(data), b"\x01", b"\x02")
    assert before == [[1] + [ABSENT] * 4, [2] + [ABSENT] * 4]
    assert after == [[ABSENT, "hi"] + [ABSENT] * 3, [ABSENT, None] + [ABSENT] * 3]


def test_an_image_without_columns_is_one_row() -> None:
    # binlog_row_image=MINIMAL; CREATE TABLE m (a INT DEFAULT 5); INSERT INTO m VALUES () writes no byte. The server
    # refuses to write two such rows.
    decoder = BinlogRowDecoder(table_map((wt.LONG, 0)), [INT])
    assert decoder.decode(b"", 0, 0, b"\x00") == [[ABSENT]]
    with pytest.raises(DecodeError):
        decoder.decode(b"\x00", 0, 1, b"\x00")
    with pytest.raises(DecodeError):
        decoder.decode_updates(b"\x00", 0, 1, b"\x00", b"\x00")


def test_absent_is_false_and_says_its_name() -> None:
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"


def test_more_than_eight_columns() -> None:
    values = [bytes((i,)) if i % 3 else None for i in range(19)]
    decoder = BinlogRowDecoder(table_map(*[(wt.TINY, 0)] * 19), [INT] * 19)
    data = image(*values)
    assert decoder.decode(data, 0, len(data), b"\xff\xff\x07") == [[i if i % 3 else None for i in range(19)]]


# -- what does not fit


@pytest.mark.parametrize(
    ("wire", "metadata", "family"),
    [
        (wt.LONG, 0, "string"), (wt.VARCHAR, 10, "int"), (wt.DATETIME2, 0, "timestamp"), (wt.JSON, 4, "string"),
        (wt.STRING, 0xF701, "string"), (wt.STRING, 0xFE0A, "enum"), (wt.TYPED_ARRAY, 8, "json"), (wt.NULL, 0, "int"),
        (wt.DECIMAL, 0, "decimal"), (wt.GEOMETRY, 4, "bytes"), (160, 0, "int"),
    ],
)  # fmt: skip
def test_another_type_than_the_model_says(wire: int, metadata: int, family: str) -> None:
    with pytest.raises(SchemaMismatch, match=r"column 2 of shop\.orders"):
        BinlogRowDecoder(table_map((wt.LONG, 0), (wire, metadata)), [INT, ColumnFormat(family)])


def test_another_number_of_columns() -> None:
    with pytest.raises(SchemaMismatch, match=r"shop\.orders, internal schema size 1, but row size 2"):
        BinlogRowDecoder(table_map((wt.LONG, 0), (wt.LONG, 0)), [INT])


def test_mariadbs_old_fractional_times_are_refused() -> None:
    with pytest.raises(SchemaMismatch, match="mysql56_temporal_format"):
        BinlogRowDecoder(table_map((wt.DATETIME, 0)), [ColumnFormat("datetime", fsp=3)])


@pytest.mark.parametrize(
    ("wire", "metadata", "form"),
    [
        (wt.NEWDECIMAL, 0x4200, ColumnFormat("decimal")),  # 66 digits
        (wt.NEWDECIMAL, 0x0506, ColumnFormat("decimal")),  # scale above precision
        (wt.NEWDECIMAL, 0x0000, ColumnFormat("decimal")),
        (wt.TIME2, 7, ColumnFormat("time")),
        (wt.BLOB, 0, BYTES), (wt.BLOB, 5, BYTES), (wt.JSON, 9, ColumnFormat("json")),
        (wt.STRING, 0xF703, ColumnFormat("enum")), (wt.STRING, 0xF809, ColumnFormat("set")),
        (wt.BIT, 0x0801, ColumnFormat("bit")), (wt.BIT, 0, ColumnFormat("bit")),
    ],
)  # fmt: skip
def test_impossible_metadata(wire: int, metadata: int, form: ColumnFormat) -> None:
    with pytest.raises(DecodeError):
        BinlogRowDecoder(table_map((wire, metadata)), [form])


@pytest.mark.parametrize(
    ("wire", "metadata", "form", "raw"),
    [
        (wt.STRING, 0xF701, ColumnFormat("enum", options=("a",)), b"\x02"),  # an index beyond the labels
        (wt.STRING, 0xF801, ColumnFormat("set", options=("a",)), b"\x02"),  # a bit beyond the labels
        (wt.VECTOR, 4, ColumnFormat("vector"), b"\x03\0\0\0abc"),
        (wt.LONG, 0, INT, b"\0\0\0"),
        (wt.VARCHAR, 10, TEXT, b"\x05abcd"),
        (wt.VARCHAR, 300, TEXT, b"\x05"),
        (wt.BLOB, 4, BYTES, b"\xff\xff\xff\xffabcd"),
        (wt.NEWDECIMAL, 0x0A02, ColumnFormat("decimal", scale=2), b"\x80\0\0\0"),
    ],
)
def test_values_that_lie(wire: int, metadata: int, form: ColumnFormat, raw: bytes) -> None:
    with pytest.raises(DecodeError):
        one(wire, metadata, form, raw)


@pytest.mark.parametrize(("pos", "end", "present"), [(-1, 2, b"\x01"), (3, 2, b"\x01"), (0, 9, b"\x01"), (0, 2, b"")])
def test_bounds_that_lie(pos: int, end: int, present: bytes) -> None:
    with pytest.raises(DecodeError):
        BinlogRowDecoder(table_map((wt.TINY, 0)), [INT]).decode(b"\0\x01", pos, end, present)


# -- damage: a DecodeError or some value, never another exception and nothing read past the end

WIDE = BinlogRowDecoder(table_map(*((v.wire, v.metadata) for v in VALUES)), [v.form for v in VALUES])
WIDE_ROW = image(*(v.image if v.text is not None else None for v in VALUES))
PRESENT = all_present(VALUES)


@pytest.mark.parametrize("size", range(1, len(WIDE_ROW)))
def test_every_truncation_is_refused(size: int) -> None:
    # The rest of the row is behind the end: a reader that goes on would succeed.
    with pytest.raises(DecodeError):
        WIDE.decode(WIDE_ROW, 0, size, PRESENT)
    with pytest.raises(DecodeError):
        WIDE.decode(WIDE_ROW[:size], 0, size, PRESENT)


@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, len(WIDE_ROW) - 1), st.integers(0, 7)), min_size=1, max_size=4))
def test_flipped_bits(flips: list[tuple[int, int]]) -> None:
    data = bytearray(WIDE_ROW)
    for at, bit in flips:
        data[at] ^= 1 << bit
    try:
        rows = WIDE.decode(bytes(data), 0, len(data), PRESENT)
    except DecodeError:
        return
    assert all(len(row) == len(VALUES) for row in rows)


@settings(max_examples=200)
@given(st.binary(max_size=200), st.binary(min_size=len(PRESENT), max_size=len(PRESENT)))
def test_noise(data: bytes, present: bytes) -> None:
    for call in (WIDE.decode, lambda d, p, e, b: WIDE.decode_updates(d, p, e, b, b)):
        try:
            call(data, 0, len(data), present)
        except DecodeError:
            pass
