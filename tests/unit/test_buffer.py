"""The output buffer: texts of numbers as Java 17 prints them, strings, base64, growth."""

from __future__ import annotations

import base64
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater._buffer_cy import Buffer
from headwater._javatext import double_text, float_text


def taken(buffer: Buffer) -> str:
    return buffer.take(b"", b"").decode()


# Printed by Double.toString of Java 17; the bits, since some are not what their text says.
DOUBLES = [
    (0x0000000000000001, "4.9E-324"),
    (0x000FFFFFFFFFFFFF, "2.225073858507201E-308"),
    (0x0010000000000000, "2.2250738585072014E-308"),
    (0x7FEFFFFFFFFFFFFF, "1.7976931348623157E308"),
    (0x3FB999999999999A, "0.1"),
    (0x3F50624DD2F1A9FC, "0.001"),
    (0x416312D000000000, "1.0E7"),
    (0xC16312CFE0000000, "-9999999.0"),
    (0x8000000000000000, "-0.0"),
]

# Not the shortest: Java takes digits only strictly within half a unit. [value as Python writes it, as Java 17 does]
LONGER = [
    (2e23, "1.9999999999999998E23"),
    (1e23, "9.999999999999999E22"),
    (8.41e21, "8.409999999999999E21"),
]


@pytest.mark.parametrize(("bits", "text"), DOUBLES)
def test_doubles(bits: int, text: str) -> None:
    value = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    buffer = Buffer()
    buffer.put_double(b"", value)
    assert taken(buffer) == text == double_text(value)


@pytest.mark.parametrize(("value", "text"), LONGER)
def test_doubles_java_prints_longer(value: float, text: str) -> None:
    buffer = Buffer()
    buffer.put_double(b"", value)
    assert taken(buffer) == text == double_text(value)


@pytest.mark.parametrize(("value", "text"), [(float("nan"), '"NaN"'), (float("inf"), '"Infinity"'), (float("-inf"), '"-Infinity"')])
def test_what_is_no_number_is_a_string(value: float, text: str) -> None:
    buffer = Buffer()
    buffer.put_double(b"", value)
    assert taken(buffer) == text
    buffer.put_float(b"", value)
    assert taken(buffer) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_reads_back_and_the_two_writers_agree(value: float) -> None:
    buffer = Buffer()
    buffer.put_double(b"", value)
    text = taken(buffer)
    assert float(text) == value
    assert text == double_text(value)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_and_the_two_writers_agree(value: float) -> None:
    buffer = Buffer()
    buffer.put_float(b"", value)
    text = taken(buffer)
    assert struct.unpack("<f", struct.pack("<f", float(text)))[0] == value
    assert text == float_text(value)


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers(value: int) -> None:
    buffer = Buffer()
    buffer.put_int(b"x", value)
    assert taken(buffer) == f"x{value}"


@given(st.integers(-(2**70), 2**70) | st.integers(-(2**16), 2**16))
def test_unscaled_integers(value: int) -> None:
    # BigInteger.toByteArray: bitLength / 8 + 1 bytes.
    size = (value if value >= 0 else ~value).bit_length() // 8 + 1
    buffer = Buffer()
    buffer.put_unscaled(b"", value)
    assert taken(buffer) == '"' + base64.b64encode(value.to_bytes(size, "big", signed=True)).decode() + '"'


@given(st.binary(max_size=100))
def test_base64(data: bytes) -> None:
    buffer = Buffer()
    buffer.put_base64(b"", data)
    assert taken(buffer) == '"' + base64.b64encode(data).decode() + '"'


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_strings_read_back(text: str) -> None:
    buffer = Buffer()
    buffer.put_string(b"", text)
    data = buffer.take(b"", b"")
    # json joins escaped surrogates into one character; so does this.
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert json.loads(data) == expected
    assert all(b < 0xF0 for b in data)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\ud7ff\ue000\uffff", '"\ud7ff\ue000\uffff"'),  # the neighbours of the surrogates stay as they are
        ("\ud800", '"\\uD800"'),
        ("a\udfffb", '"a\\uDFFFb"'),
        ("\U00010000\U0010ffff", '"\\uD800\\uDC00\\uDBFF\\uDFFF"'),
        ("\x00\x1f\x7f", '"\\u0000\\u001F\x7f"'),
    ],
)
def test_edges_of_the_escapes(text: str, written: str) -> None:
    buffer = Buffer()
    buffer.put_string(b"", text)
    assert taken(buffer) == written


def test_grows_and_is_empty_after_take() -> None:
    buffer = Buffer()
    piece = b"0123456789" * 7000
    for _ in range(20):
        buffer.put(piece)
    assert buffer.take(b"<", b">") == b"<" + piece * 20 + b">"
    assert buffer.take(b"", b"") == b""
    buffer.put_two(b"a", b"b")
    assert buffer.since(1) == b"b"
    buffer.cut(1)
    assert buffer.take(b"", b"") == b"a"


@pytest.mark.parametrize("place", [-1, 1, 2**40])
def test_places_outside_are_refused(place: int) -> None:
    buffer = Buffer()
    with pytest.raises(IndexError):
        buffer.cut(place)
    with pytest.raises(IndexError):
        buffer.since(place)
