"""Binary JSON: documents of a server, hand-made damage, and the bounds on what a document may ask for."""

from __future__ import annotations

import contextlib
import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.mysql_json import DOCUMENTS

from headwater.errors import DecodeError
from headwater.wire.mysql.json_cy import compact_double, render, server_double


def document(body: bytes, style: str = "compact") -> str:
    return render(body, 0, len(body), style)


@pytest.mark.parametrize("expression, data, server, compact", DOCUMENTS, ids=[row[0] for row in DOCUMENTS])
def test_documents_of_a_server(expression: str, data: str, server: str, compact: str) -> None:
    raw = bytes.fromhex(data)
    assert document(raw, "server") == server
    assert document(raw, "compact") == compact
    # The same in the middle of a row.
    assert render(b"\xff" * 5 + raw + b"\xff" * 7, 5, 5 + len(raw), "server") == server


def test_documents_of_64_kib_and_more_have_32_bit_offsets() -> None:
    # JSON_OBJECT('n', JSON_ARRAY(1, 70000, -70000), 'big', REPEAT('y', 66000), 'm', JSON_OBJECT('k', 100000)), MySQL 9.7
    head = bytes.fromhex(
        "0103000000260201002900000001002a00000001002b0000000300002e000000023e0000000c530000006d6e626967"
        "010010000b000100070c006ba086010003001500050100070d000711007011010090eefeffd08304"
    )  # fmt: skip
    text = "y" * 66000
    assert json.loads(document(head + text.encode(), "server")) == {"m": {"k": 100000}, "n": [1, 70000, -70000], "big": text}


def test_an_empty_document_is_null() -> None:
    # What the server stores where an invalid value was ignored.
    assert render(b"abc", 1, 1, "server") == "null"


@pytest.mark.parametrize(
    "number, server, compact",
    [
        # MySQL: SELECT JSON_ARRAY(1e-15), ...; compact: the exact expansion outside 1e-3 ... 1e7
        (1e-15, "0.000000000000001", "0.0000000000000010000000000000000777"),
        (1e-16, "1e-16", "0.0000000000000000999999999999999979"),
        (1e15, "1e15", "1000000000000000"),
        (1234567890123456.5, "1234567890123456.5", "1234567890123456.5"),
        (-1.5e17, "-1.5e17", "-150000000000000000"),
        (0.001, "0.001", "0.001"),
        (0.0009, "0.0009", "0.000899999999999999975366926641"),
        (9999999.5, "9999999.5", "9999999.5"),
        (1e7, "10000000.0", "10000000"),
        (-0.0, "-0.0", "-0.0"),
    ],
)
def test_doubles(number: float, server: str, compact: str) -> None:
    assert server_double(number) == server
    assert compact_double(number).startswith(compact)
    assert float(compact_double(number)) == number


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("style", ["server", "compact"])
def test_numbers_that_are_none(number: float, style: str) -> None:
    with pytest.raises(DecodeError):
        document(b"\x0b" + struct.pack("<d", number), style)


def test_times_of_the_reference() -> None:
    # [TIME '-00:00:01.500000'] packed as -(1 << 24 | 500000): the reference takes remainders of the negative number.
    packed = (-(1 << 24 | 500000)).to_bytes(8, "little", signed=True)
    body = bytes.fromhex("02010011000f07000b08") + packed
    assert document(body, "server") == '["-00:00:01.500000"]'
    assert document(body, "compact") == '["01:0-1:0-2.00000-5"]'


def nested(depth: int) -> bytes:
    """Arrays in arrays: `depth` of them."""
    body = b"\0\0\4\0"
    for _ in range(depth - 1):
        body = b"\1\0" + (len(body) + 7).to_bytes(2, "little") + b"\2\7\0" + body
    return b"\2" + body


def test_depth_is_bounded() -> None:
    # The server refuses more than 100 levels.
    assert document(nested(100)) == "[" * 100 + "]" * 100
    with pytest.raises(DecodeError, match="nested deeper"):
        document(nested(200))


def test_parts_used_more_than_once_are_refused() -> None:
    # 40 arrays of two entries that both name the next array: 2**40 values in 400 bytes.
    body = b"\0\0\4\0"
    for _ in range(40):
        body = b"\2\0" + (len(body) + 10).to_bytes(2, "little") + b"\2\x0a\0" * 2 + body
    with pytest.raises(DecodeError, match="more than once"):
        document(b"\2" + body)


def test_a_container_inside_itself_is_refused() -> None:
    with pytest.raises(DecodeError):
        document(b"\2" + b"\1\0\7\0" + b"\2\0\0")


DAMAGED = [
    "04", "0403", "05", "0500", "07000000", "0b00000000000000", "0c", "0c05", "0c0261", "0cffffffffff01", "0d", "ff",
    "0200", "02010004", "0201000700", "02ffff0400", "0201000700020700", "0001000b000b000100050100", "0f", "0ff6", "0ff603",
    "0ff6030a0380", "0ff6040a0b8000", "0ff6044203800000", "0f0c07" + "00" * 7, "0ff603000080",
    "0201000a000c0800", "0001000c000b00ffff05000061", "00010008000b000100",
]  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED)
def test_damaged_documents(data: str) -> None:
    with pytest.raises(DecodeError):
        document(bytes.fromhex(data))


@pytest.mark.parametrize("start, end", [(-1, 2), (2, 1), (0, 4), (4, 4)])
def test_bounds_outside_the_buffer(start: int, end: int) -> None:
    with pytest.raises(DecodeError):
        render(b"\4\0\0", start, end, "server")


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(DOCUMENTS), st.sampled_from(["server", "compact"]), st.data())
def test_any_damage_is_a_decode_error_or_a_text(row: tuple[str, str, str, str], style: str, data: st.DataObject) -> None:
    raw = bytearray(bytes.fromhex(row[1]))
    for _ in range(data.draw(st.integers(0, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with contextlib.suppress(DecodeError):
        assert isinstance(document(cut, style), str)
