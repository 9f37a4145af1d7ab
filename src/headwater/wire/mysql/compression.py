"""Compressed transactions (MySQL) and compressed events (MariaDB), with a bound on what comes out.

MySQL compresses whole transactions with zstd, MariaDB the bodies of single events with zlib. Sizes in the log are
claims: output stops where it exceeds them, and a stream that is short or damaged is a DecodeError. Must not know
what the events inside mean.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

from headwater.errors import DecodeError
from headwater.wire.mysql.tablemap import Reader

# What is decompressed at a time.
CHUNK = 256 * 1024
# The server compresses with windows of up to 8 MiB; larger ones would only make us hold more memory.
MAX_WINDOW = 1 << 27
# The largest body of an event, as in the server.
MAX_PLAIN = 1 << 30

_HEADER_SIZE = 19
_ZSTD, _NONE = 0, 255


class Payload(NamedTuple):
    """A TRANSACTION_PAYLOAD event: its body, the method, and the size the plain form is said to have."""

    body: bytes
    method: int
    plain_size: int


def parse_payload(data: bytes, pos: int, end: int) -> Payload:
    """Reads the event `data[pos:end]` (without header and checksum). Raises DecodeError."""
    r = Reader(data, pos, end)
    method, plain_size, size = _ZSTD, None, None
    while (field := r.lenenc()) != 0:
        length = r.lenenc()
        value = Reader(r.take(length), 0, length)
        if field == 1:
            size = value.lenenc()
        elif field == 2:
            method = value.lenenc()
        elif field == 3:
            plain_size = value.lenenc()
    body = r.take(r.left if size is None else size)
    if method not in (_ZSTD, _NONE):
        raise DecodeError(f"a transaction is compressed by the unknown method {method}")
    return Payload(body, method, len(body) if plain_size is None else plain_size)


def inner_events(payload: Payload) -> Iterator[tuple[bytes, int, int]]:
    """The events in a payload as (buffer, start, end), decompressed as they are asked for. Raises DecodeError.

    Inner events have headers but no checksums. At most one event and one chunk are held.
    """
    chunks = _zstd_chunks(payload) if payload.method == _ZSTD else iter((payload.body,))
    buffer, pos = b"", 0
    for chunk in chunks:
        buffer, pos = buffer[pos:] + chunk, 0
        while len(buffer) - pos >= _HEADER_SIZE:
            size = int.from_bytes(buffer[pos + 9 : pos + 13], "little")
            if not _HEADER_SIZE <= size <= payload.plain_size:
                raise DecodeError(f"an event of {size} bytes in a compressed transaction of {payload.plain_size}")
            if size > len(buffer) - pos:
                buffer, pos = _gather(buffer[pos:], size, chunks), 0
            yield buffer, pos, pos + size
            pos += size
    if pos < len(buffer):
        raise DecodeError("a compressed transaction ends inside an event")


def _gather(start: bytes, size: int, chunks: Iterator[bytes]) -> bytes:
    # Joined once: an event may span very many chunks.
    parts, have = [start], len(start)
    while have < size:
        chunk = next(chunks, b"")
        if not chunk:
            raise DecodeError("a compressed transaction ends inside an event")
        parts.append(chunk)
        have += len(chunk)
    return b"".join(parts)


def _zstd_chunks(payload: Payload) -> Iterator[bytes]:
    import zstandard

    total, declared = 0, payload.plain_size
    try:
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        with decompressor.stream_reader(payload.body, read_across_frames=True) as reader:
            while chunk := reader.read(CHUNK):
                total += len(chunk)
                if total > declared:
                    raise DecodeError(f"a compressed transaction holds more than the {declared} bytes it declares")
                yield chunk
    except zstandard.ZstdError as e:
        raise DecodeError(f"a compressed transaction is damaged: {e}") from e
    if total != declared:
        raise DecodeError(f"a compressed transaction holds {total} bytes instead of {declared}")


def mariadb_inflate(data: bytes, pos: int, end: int) -> bytes:
    """The plain form of `data[pos:end]`: a header byte, the plain length (big-endian), zlib data.

    Raises DecodeError.
    """
    if end - pos < 2:
        raise DecodeError("a compressed event of fewer than two bytes")
    header = data[pos]
    start = pos + 1 + (header & 7)
    # 0x80 marks the form, 0x70 the method: zlib is 0.
    if header & 0xF0 != 0x80 or not 1 <= header & 7 <= 4 or start > end:
        raise DecodeError(f"a compressed event with the unknown header {header:#x}")
    length = int.from_bytes(data[pos + 1 : start], "big")
    if length > MAX_PLAIN:
        raise DecodeError(f"a compressed event declares {length} bytes")
    try:
        # A length of 0 would mean no limit.
        plain = zlib.decompressobj().decompress(data[start:end], length + 1)
    except zlib.error as e:
        raise DecodeError(f"a compressed event is damaged: {e}") from e
    if len(plain) != length:
        raise DecodeError(f"a compressed event holds {len(plain)} bytes instead of {length}")
    return plain
