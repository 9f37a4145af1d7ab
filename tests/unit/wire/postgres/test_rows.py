"""Text values, tuples of pgoutput and lines of COPY -> canonical values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import DecodeError
from headwater.wire.postgres.rows_cy import (
    DATE_INFINITY,
    TIMESTAMP_INFINITY,
    TIMESTAMP_NEGATIVE_INFINITY,
    Column,
    RowDecoder,
    ValueFormat,
    bytea,
    unescape,
)

DAY = 86_400_000_000

VALUES: list[tuple[str, bytes, Any]] = [
    ("int", b"0", 0), ("int", b"-32768", -32768), ("int", b"9223372036854775807", 2**63 - 1),
    ("int", b"-9223372036854775808", -(2**63)), ("bool", b"t", True), ("bool", b"f", False), ("float", b"1e-45", 1e-45),
    ("float", b"-Infinity", float("-inf")), ("text", "é😀".encode(), "é😀"), ("text", b"", ""),
    ("bytes", rb"\x00fF", b"\0\xff"), ("bytes", rb"a\\b\000", b"a\\b\0"),
    ("date", b"1970-01-01", 0), ("date", b"1969-12-31", -1), ("date", b"0001-01-01 BC", -719528),
    ("date", b"10000-01-01", 2932897), ("date", b"infinity", DATE_INFINITY),
    ("time", b"00:00:00", 0), ("time", b"24:00:00", DAY), ("time", b"01:02:03.000004", 3_723_000_004),
    ("time", b"01:02:03.5", 3_723_500_000), ("timetz", b"23:59:59-01", 59 * 60_000_000 + 59_000_000),
    ("timetz", b"00:00:00+00:30:15", DAY - 1_815_000_000),
    ("timestamp", b"1970-01-02 00:00:00.1", DAY + 100_000), ("timestamp", b"infinity", TIMESTAMP_INFINITY),
    ("timestamp", b"-infinity", TIMESTAMP_NEGATIVE_INFINITY),
    ("timestamp", b"294276-12-31 23:59:59", 9_224_318_015_999_000_000),  # beyond 64 bits
    ("timestamp", b"0044-03-15 00:00:00 BC", -735160 * DAY),
    ("timestamptz", b"1970-01-01 00:00:00+00", 0), ("timestamptz", b"1970-01-01 02:30:00.5+02:30", 500_000),
    ("timestamptz", b"1969-12-31 19:00:00-05", 0), ("timestamptz", b"0044-03-15 00:00:00+00 BC", -735160 * DAY),
]  # fmt: skip

WRONG = [
    ("int", b""), ("int", b"-"), ("int", b"1_0"), ("int", b" 1"), ("int", b"1.0"), ("int", b"12345678901234567890x"),
    ("bool", b""), ("bool", b"true"), ("float", b"x"), ("text", b"\xff"), ("bytes", rb"\xfg"), ("bytes", rb"\8"),
    ("bytes", b"\\99"), ("date", b""), ("date", b"2020-1-01"), ("date", b"2020-13-01"), ("date", b"2020-01-00"),
    ("date", b"99999999-01-01"), ("date", b"2020/01/01"), ("time", b"1:02:03"), ("time", b"01:02"), ("time", b"01:02:03."),
    ("time", b"01:02:03.1234567"), ("timestamp", b"2020-01-01"), ("timestamp", b"2020-01-01T00:00:00"), ("timestamp", b"finity"),
    ("timestamptz", b"2020-01-01 00:00:00"), ("timestamptz", b"2020-01-01 00:00:00+x"), ("timetz", b"00:00:00"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "raw", "value"), VALUES)
def test_value(kind: str, raw: bytes, value: Any) -> None:
    got = Column(ValueFormat(kind)).read(raw)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(("kind", "raw"), WRONG)
def test_text_that_is_no_value(kind: str, raw: bytes) -> None:
    with pytest.raises(DecodeError, match="cannot be read"):
        Column(ValueFormat(kind)).read(raw)


@pytest.mark.parametrize(
    ("raw", "scale", "value"),
    [
        (b"0", 2, 0), (b"1.25", 2, 125), (b"-0.5", 2, -50), (b"1.500", 2, 150), (b"7", 0, 7),
        (b"99999999999999999999999999999999999999", 0, 10**38 - 1), (b"-12345678901234567890.12", 2, -1234567890123456789012),
        (b"999999999999999999", 2, 99999999999999999900), (b"12300", 2046, 12300 * 10**2046),
        (b"NaN", 2, "NaN"), (b"Infinity", 2, "Infinity"), (b"-Infinity", 2, "-Infinity"),
    ],
)  # fmt: skip
def test_numeric(raw: bytes, scale: int, value: Any) -> None:
    assert Column(ValueFormat("numeric", scale)).read(raw) == value


@pytest.mark.parametrize(("raw", "scale"), [(b"", 2), (b"-", 2), (b".", 0), (b"1.2.3", 2), (b"1e5", 2), (b"1.005", 2), (b"x", 0)])
def test_numeric_that_is_none(raw: bytes, scale: int) -> None:
    with pytest.raises(DecodeError):
        Column(ValueFormat("numeric", scale)).read(raw)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**20), max_value=10**20))
def test_any_numeric(number: Any) -> None:
    assert Column(ValueFormat("numeric", 4)).read(format(number, "f").encode()) == int(number.scaleb(4))


@given(st.integers(-(2**70), 2**70))
def test_any_integer(number: int) -> None:
    assert Column(ValueFormat("int")).read(str(number).encode()) == number


TWO = RowDecoder([ValueFormat("int"), ValueFormat("text")])


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b"1\ta\n", [1, "a"]), (b"1\ta", [1, "a"]), (b"\\N\t\\N\n", [None, None]), (b"1\t\n", [1, ""]),
        (rb"1" b"\t" rb"a\tb\nc\\d\b\f\r\v", [1, "a\tb\nc\\d\b\f\r\v"]), (b"1\t\\\\N\n", [1, "\\N"]), (b"1\t\\\\\\\\\n", [1, "\\\\"]),
        (b"1\t\\\\t\n", [1, "\\t"]),
    ],
)  # fmt: skip
def test_copy_line(line: bytes, row: list[Any]) -> None:
    assert TWO.copy_line(line) == row


@pytest.mark.parametrize("line", [b"", b"1\n", b"1\ta\tb\n", b"1\ta\t\n", b"1\ta\\", b"x\ta\n", b"1\t\xff\n"])
def test_copy_line_that_does_not_fit(line: bytes) -> None:
    with pytest.raises(DecodeError):
        TWO.copy_line(line)


def test_copy_of_a_table_without_columns() -> None:
    assert RowDecoder([]).copy_line(b"\n") == []


def test_columns_left_out() -> None:
    decoder = RowDecoder([ValueFormat("int", include=False), ValueFormat("text"), ValueFormat("int", include=False)])
    assert decoder.copy_line(b"x\ta\ty\n") == ["a"]
    assert decoder.tuple_data(b"\0\3t\0\0\0\1xt\0\0\0\1an", 0) == (["a"], 15)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_survives_copy(text: str) -> None:
    # What the server escapes: backslash and the control characters with a letter.
    escapes = {"\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
    line = "".join(escapes.get(c, c) for c in text).encode()
    assert TWO.copy_line(b"1\t" + line + b"\n") == [1, text]
    assert unescape(line) == text.encode()


@given(st.binary(max_size=60), st.integers(-5, 70))
def test_random_bytes_are_refused_or_read(data: bytes, pos: int) -> None:
    for act in (lambda: TWO.tuple_data(data, pos), lambda: TWO.copy_line(data)):
        try:
            act()
        except DecodeError:
            continue


@given(st.binary(max_size=40))
def test_bytea_in_hex(value: bytes) -> None:
    assert bytea(b"\\x" + value.hex().encode()) == value


def test_function_errors_become_decode_errors() -> None:
    def broken(text: str) -> None:
        raise LookupError(text)

    with pytest.raises(DecodeError, match="'abc' cannot be read"):
        Column(ValueFormat("call", function=broken)).read(b"abc")
