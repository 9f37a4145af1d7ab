"""Text result sets: the same canonical values as the log, packets split anywhere, and damaged ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.mysql_values import VALUES, Value
from unit.wire.mysql.images import packet, text_row

from headwater.errors import DecodeError
from headwater.wire.mysql.columns import ColumnFormat
from headwater.wire.mysql.servererror import ServerError, parse_error
from headwater.wire.mysql.text_cy import TextRowDecoder

EOF = packet(b"\xfe\0\0\x02\0")
# The OK packet that takes its place under CLIENT_DEPRECATE_EOF: affected rows, last id, status, warnings, info.
OK = packet(b"\xfe\0\0\x02\0\0\0done")
INT = ColumnFormat("int")
TEXT = ColumnFormat("string")


def one(form: ColumnFormat, text: bytes | None) -> object:
    rows = TextRowDecoder([form]).feed(text_row(text))
    assert len(rows) == 1
    return rows[0][0]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{v.column[:40]}={v.sql[:30]}")
def test_recorded_value_is_the_logs(value: Value) -> None:
    got = one(value.form, value.text)
    assert got == value.canonical
    assert type(got) is type(value.canonical)


WIDE_FORMATS = [v.form for v in VALUES]
WIDE_ROW = text_row(*(v.text for v in VALUES))
WIDE_VALUES = [v.canonical for v in VALUES]


@pytest.mark.parametrize("step", [1, 2, 3, 7, 100, 5000])
@pytest.mark.parametrize("end", [EOF, OK])
def test_bytes_split_anywhere(step: int, end: bytes) -> None:
    decoder = TextRowDecoder(WIDE_FORMATS)
    data = WIDE_ROW * 3 + end
    rows: list[object] = []
    for i in range(0, len(data), step):
        assert not decoder.done
        rows += decoder.feed(data[i : i + step])
    assert decoder.done
    assert rows == [WIDE_VALUES] * 3


def test_columns_left_out() -> None:
    formats = [f._replace(include=i % 2 == 1) for i, f in enumerate(WIDE_FORMATS)]
    assert TextRowDecoder(formats).feed(WIDE_ROW) == [WIDE_VALUES[1::2]]


@pytest.mark.parametrize("size", [250, 251, 65535, 65536, 0xFFFFFF - 5, 0xFFFFFF, 0x1FFFFFF])
def test_long_values_and_continued_packets(size: int) -> None:
    value = b"x" * size
    payload = b"\xfe" + size.to_bytes(8, "little") + value if size >= 1 << 24 else text_row(value)[4:] if size < 0xFFFFF0 else (
        b"\xfd" + size.to_bytes(3, "little") + value)  # fmt: skip
    data = b"".join(packet(payload[i : i + 0xFFFFFF]) for i in range(0, len(payload) + 1, 0xFFFFFF))
    decoder = TextRowDecoder([TEXT])
    rows: list[list[str]] = []
    for i in range(0, len(data), 1 << 20):
        rows += decoder.feed(data[i : i + (1 << 20)])
    assert [len(r[0]) for r in rows] == [size]
    assert not decoder.done
    assert decoder.feed(EOF) == []
    assert decoder.done


def test_what_follows_the_end_is_left_alone() -> None:
    decoder = TextRowDecoder([INT])
    assert decoder.feed(text_row(b"1") + EOF + text_row(b"2")) == [[1]]
    assert decoder.done


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (INT, b"-0", 0), (INT, b"00000000000000000000000042", 42), (INT, b"999999999999999999", 10**18 - 1),
        (INT, b"-1000000000000000000", -(10**18)),
        (ColumnFormat("decimal", scale=2), b"-.5", -50), (ColumnFormat("decimal", scale=2), b"7", 700),
        (ColumnFormat("float"), b"1e-45", 1e-45), (ColumnFormat("double"), b"-0", -0.0), (ColumnFormat("float"), b"123.45", 123.45),
        (ColumnFormat("bit"), b"", 0),
        (ColumnFormat("time"), b"-00:00:00.5", -500000), (ColumnFormat("time"), b"100:00:00", 360_000_000_000),
        (ColumnFormat("string"), b"", ""), (ColumnFormat("string"), b"a\xff", "a\ufffd"),
        (ColumnFormat("year"), b"0000", 0), (ColumnFormat("vector"), b"", []),
    ],
)  # fmt: skip
def test_forms(form: ColumnFormat, text: bytes, value: object) -> None:
    assert one(form, text) == value


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("int", b""), ("int", b"-"), ("int", b"+1"), ("int", b"1 "), ("int", b"1_0"), ("int", b"1" * 21), ("int", b"0" * 300),
        ("int", b"x" * 30), ("decimal", b""), ("decimal", b"1.2.3"), ("decimal", b"1.23"), ("decimal", b"9" * 70), ("decimal", b"1e5"),
        ("float", b""), ("float", b"nan"), ("float", b"1_0"), ("float", b" 1"), ("float", b"1e"), ("bit", b"123456789"),
        ("date", b"2020-1-01"), ("date", b"2020/01/01"), ("date", b"20a0-01-01"), ("date", b""),
        ("datetime", b"2020-01-01"), ("datetime", b"2020-01-01T00:00:00"), ("datetime", b"2020-01-01 00:00:00,5"),
        ("datetime", b"2020-01-01 00:00:00.1234567"), ("timestamp", b"2020-01-01 00:00.00"),
        ("time", b""), ("time", b"-"), ("time", b"1:2:3"), ("time", b"12:34"), ("time", b"1234:56:78"), ("time", b"12-34-56"),
        ("vector", b"abc"),
    ],
)  # fmt: skip
def test_text_that_is_no_value(family: str, text: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        one(ColumnFormat(family), text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "payload",
    [b"", b"\x02a", b"\x01a\x01b\x01c", b"\x01a", b"\xfc\x01", b"\x01a\xfd\xff\xff\xff", b"\x01a\xfe" + b"\xff" * 8, b"\x01a\xff"],
)
def test_rows_that_lie(payload: bytes) -> None:
    with pytest.raises(DecodeError):
        TextRowDecoder([TEXT, TEXT]).feed(packet(payload))


def test_error_packet() -> None:
    decoder = TextRowDecoder([INT])
    assert decoder.feed(text_row(b"1")) == [[1]]
    with pytest.raises(ServerError, match="Query execution was interrupted") as caught:
        decoder.feed(packet(b"\xff\x25\x05#70100Query execution was interrupted"))
    assert (caught.value.code, caught.value.sqlstate) == (1317, "70100")
    assert decoder.done


def test_error_packets_of_all_forms() -> None:
    early = parse_error(b"\xff\x10\x04Too many connections")  # before the handshake there is no SQL state
    assert (early.code, early.sqlstate, early.text) == (1040, "HY000", "Too many connections")
    with pytest.raises(DecodeError):
        parse_error(b"\xff\x10")


@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, len(WIDE_ROW) - 1), st.integers(0, 7)), min_size=1, max_size=4))
def test_flipped_bits(flips: list[tuple[int, int]]) -> None:
    data = bytearray(WIDE_ROW + WIDE_ROW)
    for at, bit in flips:
        data[at] ^= 1 << bit
    try:
        TextRowDecoder(WIDE_FORMATS).feed(bytes(data))
    except (DecodeError, ServerError):
        pass


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_noise(payload: bytes) -> None:
    try:
        TextRowDecoder(WIDE_FORMATS).feed(packet(payload))
    except (DecodeError, ServerError):
        pass
