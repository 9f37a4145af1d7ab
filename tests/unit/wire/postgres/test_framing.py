"""Log positions and the frames of the replication stream."""

from __future__ import annotations

import struct

import pytest

from headwater.errors import DecodeError
from headwater.wire.postgres import copyboth
from headwater.wire.postgres.lsn import format_lsn, parse_lsn


@pytest.mark.parametrize(
    ("text", "number"),
    [("0/0", 0), ("16/B374D848", 0x16_B374D848), ("FFFFFFFF/FFFFFFFF", 2**64 - 1), ("1/1", (1 << 32) + 1)],
)
def test_lsn(text: str, number: int) -> None:
    assert parse_lsn(text) == number
    assert format_lsn(number) == text


@pytest.mark.parametrize("text", ["", "1", "1/", "/1", "x/1", "1/100000000", "-1/0", "1/-1", " 1/2", "1_0/2"])
def test_lsn_that_is_none(text: str) -> None:
    with pytest.raises(DecodeError):
        parse_lsn(text)


def test_frames() -> None:
    data = b"w" + struct.pack(">QQq", 5, 9, 0) + b"body"
    assert copyboth.parse(data) == copyboth.XLogData(5, 9, b"body")
    assert copyboth.parse(b"k" + struct.pack(">QqB", 7, 0, 1)) == copyboth.Keepalive(7, True)
    assert copyboth.parse(b"k" + struct.pack(">QqB", 7, 0, 0)) == copyboth.Keepalive(7, False)


@pytest.mark.parametrize("data", [b"", b"w", b"w" + bytes(23), b"k" + bytes(16), b"x" + bytes(40)])
def test_frames_cut_off_or_unknown(data: bytes) -> None:
    with pytest.raises(DecodeError):
        copyboth.parse(data)


def test_status_update() -> None:
    # Byte1('r') Int64 written, flushed, applied, microseconds since 2000-01-01, Byte1 reply.
    message = copyboth.status_update(30, 20, 946_684_800_000_001, reply=True)
    assert message == b"r" + struct.pack(">QQQqB", 30, 20, 20, 1, 1)
