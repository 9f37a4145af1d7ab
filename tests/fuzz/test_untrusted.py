"""Bytes and texts of others, damaged: what reads them refuses with its own error or gives a value, nothing else."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.config.properties import parse_properties
from headwater.errors import DecodeError, OffsetError
from headwater.storage import javaser
from headwater.wire.postgres import copyboth, pgoutput
from headwater.wire.postgres.lsn import format_lsn, parse_lsn
from headwater.wire.postgres.rows_cy import RowDecoder, ValueFormat

OFFSETS = (Path(__file__).resolve().parents[1] / "unit" / "storage" / "data" / "java-1.dat").read_bytes()
DECODER = RowDecoder([ValueFormat("int"), ValueFormat("text")])
MESSAGES = [
    b"B" + bytes(20),
    b"C" + bytes(25),
    b"R\0\0\0\x10public\0t\0d\0\2\1id\0\0\0\0\x17\xff\xff\xff\xff\0v\0\0\0\x04\x13\0\0\0\x0e",
    b"I\0\0\0\x10N\0\2t\0\0\0\x011t\0\0\0\1x",
    b"U\0\0\0\x10O\0\2t\0\0\0\x011nN\0\2t\0\0\0\x012u",
    b"D\0\0\0\x10K\0\2t\0\0\0\x011n",
    b"T\0\0\0\1\0\0\0\0\x10",
    b"M\1" + bytes(8) + b"p\0\0\0\0\1x",
    b"O" + bytes(8) + b"node\0",
]


@st.composite
def damaged(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """A sample with up to three bytes changed, and cut somewhere."""
    data = bytearray(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


def test_samples_are_whole() -> None:
    for message in MESSAGES:
        pgoutput.parse(message, {0: None, 16: DECODER}.get)
        with pytest.raises(DecodeError):
            pgoutput.parse(message[:-1], {0: None, 16: DECODER}.get)
    assert javaser.read_map(OFFSETS)


@given(damaged(MESSAGES) | st.binary(max_size=60))
def test_pgoutput(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        pgoutput.parse(data, {0: None, 16: DECODER}.get)


@given(st.binary(max_size=60))
def test_copy_both(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        copyboth.parse(data)


@given(damaged([OFFSETS]) | st.binary(max_size=200))
def test_offset_file(data: bytes) -> None:
    with contextlib.suppress(OffsetError):
        javaser.read_map(data)


@given(st.text(max_size=200) | st.text(alphabet="ab=: \\\\u00\n\r#!\t", max_size=60))
def test_properties(text: str) -> None:
    with contextlib.suppress(ValueError):
        parsed = parse_properties(text)
        assert all(isinstance(k, str) and isinstance(v, str) for k, v in parsed.items())


@given(st.integers(0, 2**64 - 1))
def test_lsn_there_and_back(number: int) -> None:
    assert parse_lsn(format_lsn(number)) == number
