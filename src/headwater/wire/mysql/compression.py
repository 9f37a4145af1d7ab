"""Decompression with a bound on what comes out.

MySQL compresses whole transactions (zstd), MariaDB single events (zlib). Sizes in the log are claims:
output stops at a limit, and a stream that is short or damaged is a DecodeError.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from headwater.errors import DecodeError

CHUNK = 256 * 1024


def zstd_chunks(data: bytes, declared: int) -> Iterator[bytes]:
    """The decompressed bytes of a zstd frame in chunks. `declared`: the size the event claims."""
    import zstandard

    total = 0
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data, read_across_frames=True) as reader:
            while chunk := reader.read(CHUNK):
                total += len(chunk)
                if total > declared:
                    raise DecodeError(f"a compressed transaction holds more than the {declared} bytes it declares")
                yield chunk
    except zstandard.ZstdError as e:
        raise DecodeError(f"a compressed transaction is damaged: {e}") from e
    if total != declared:
        raise DecodeError(f"a compressed transaction holds {total} bytes instead of {declared}")


def mariadb_event(data: bytes, pos: int, end: int) -> bytes:
    """The plain bytes of a compressed MariaDB event part: a header byte, the length (big-endian), zlib data."""
    if end - pos < 2:
        raise DecodeError("a compressed event of fewer than two bytes")
    header = data[pos]
    size = header & 7
    if header & 0x70 or not header & 0x80 or not 1 <= size <= 4 or pos + 1 + size > end:
        raise DecodeError(f"a compressed event with the unknown header {header:#x}")
    length = int.from_bytes(data[pos + 1 : pos + 1 + size], "big")
    try:
        plain = zlib.decompressobj().decompress(data[pos + 1 + size : end], length + 1)
    except zlib.error as e:
        raise DecodeError(f"a compressed event is damaged: {e}") from e
    if len(plain) != length:
        raise DecodeError(f"a compressed event holds {len(plain)} bytes instead of {length}")
    return plain
