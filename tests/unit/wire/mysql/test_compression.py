"""Compressed transactions and events: bounds, damage, chunks."""

from __future__ import annotations

import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from unit.wire.mysql.logbytes import event

from headwater.errors import DecodeError
from headwater.wire.mysql.compression import CHUNK, Payload, inner_events, mariadb_inflate, parse_payload


def inner(body: bytes, size: int, method: int = 0) -> list[bytes]:
    return [buffer[pos:end] for buffer, pos, end in inner_events(Payload(body, method, size))]


def test_payload_fields() -> None:
    # Type, length, value of each: 2 the method, 3 the plain size, 1 the body's size; unknown ones are passed over.
    head = b"\x02\x03\xfc\xff\0" + b"\x09\x02ab" + b"\x03\x03\xfc\x10\x27" + b"\x01\x01\x03" + b"\0"
    assert parse_payload(b"xx" + head + b"abcdef", 2, 2 + len(head) + 6) == Payload(b"abc", 255, 10_000)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x02\x01", b"\x02\x01\x00", b"\x02\x01\x07\0body", b"\x01\x01\x05\0body", b"\x01\xff", b"\x02\x00\x00"],
)
def test_damaged_payload_fields(data: bytes) -> None:
    with pytest.raises(DecodeError):
        parse_payload(data, 0, len(data))


@pytest.mark.parametrize("sizes", [[0], [0, 1, 2], [CHUNK - 19, 5], [CHUNK - 20, 5], [CHUNK * 3, 1, CHUNK * 2 + 7], [CHUNK - 30, 40]])
def test_events_over_the_borders_of_chunks(sizes: list[int]) -> None:
    events = [event(29, bytes((i,)) * size) for i, size in enumerate(sizes)]
    plain = b"".join(events)
    assert inner(zstandard.compress(plain), len(plain)) == events
    assert inner(plain, len(plain), 255) == events


def test_events_come_before_the_whole_is_decompressed() -> None:
    # The second half is damaged; the first events are given all the same.
    events = [event(29, bytes((i % 251,)) * 1000) for i in range(2000)]
    plain = b"".join(events)
    frame = zstandard.compress(plain[: len(plain) // 2]) + b"no zstd frame here"
    got = inner_events(Payload(frame, 0, len(plain)))
    buffer, pos, end = next(got)
    assert buffer[pos:end] == events[0]
    with pytest.raises(DecodeError):
        list(got)


def test_more_than_declared_stops_at_the_first_chunk() -> None:
    bomb = zstandard.compress(bytes(50 * 1024 * 1024))
    with pytest.raises(DecodeError, match="more than the 1000 bytes it declares"):
        inner(bomb, 1000)


def test_damaged_transactions() -> None:
    plain = event(29, b"abc")
    good = zstandard.compress(plain)
    for body, size in ((good[:-1], len(plain)), (good[:4] + b"\xff" * (len(good) - 4), len(plain)), (good, len(plain) + 1), (b"\0" * 9, 9)):
        with pytest.raises(DecodeError):
            inner(body, size)
    for damaged in (plain[:-1], plain + b"x", plain[:9] + b"\x12\0\0\0" + plain[13:], plain[:9] + b"\xff" * 4 + plain[13:]):
        with pytest.raises(DecodeError):
            inner(zstandard.compress(damaged), len(damaged))


@given(st.binary(max_size=300))
def test_noise_is_a_decode_error_or_nothing(body: bytes) -> None:
    with pytest.raises(DecodeError):
        inner(b"\x28\xb5\x2f\xfd" + body, 1 << 20)


@pytest.mark.parametrize("plain", [b"", b"a", b"DROP TABLE t" * 1000])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_mariadb(plain: bytes, width: int) -> None:
    # 0x80 plus the bytes of the length, the length (big-endian), zlib.
    if len(plain) >= 1 << 8 * width:
        return
    data = bytes((0x80 | width,)) + len(plain).to_bytes(width, "big") + zlib.compress(plain)
    assert mariadb_inflate(b"--" + data, 2, 2 + len(data)) == plain


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x81", b"\x80" + zlib.compress(b"a"), b"\x85\0\0\0\0\1" + zlib.compress(b"a"), b"\x01\x01" + zlib.compress(b"a"),
        b"\x91\x01" + zlib.compress(b"a"), b"\x81\x01" + zlib.compress(b"ab"), b"\x81\x03" + zlib.compress(b"ab"),
        b"\x81\x02" + zlib.compress(b"ab")[:-6], b"\x81\x02no zlib", b"\x84\xff\xff\xff\xff" + zlib.compress(b"a"),
    ],
)  # fmt: skip
def test_damaged_mariadb(data: bytes) -> None:
    with pytest.raises(DecodeError):
        mariadb_inflate(data, 0, len(data))
