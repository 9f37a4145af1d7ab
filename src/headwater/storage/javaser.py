"""The Java serialisation of a `HashMap<byte[], byte[]>`, which the reference's offset file is.

Layout: `docs/reference/offsets.md`. Strict: any other object, or bytes left over, is an error.
"""

from __future__ import annotations

from headwater.errors import OffsetError

_HEAD = bytes.fromhex("aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d1030002")
_FIELDS = b"F\x00\nloadFactorI\x00\tthresholdxp"
_ARRAY = bytes.fromhex("75720002") + b"[B" + bytes.fromhex("acf317f8060854e00200007870")
_AGAIN = bytes.fromhex("7571007e0002")
_FIRST_HANDLE = 0x7E0003
MAGIC = b"\xac\xed"

Entries = list[tuple[bytes | None, bytes | None]]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0

    def take(self, n: int) -> bytes:
        if n < 0 or n > len(self.data) - self.pos:
            raise OffsetError("it ends too early")
        self.pos += n
        return self.data[self.pos - n : self.pos]

    def expect(self, what: bytes) -> None:
        if self.take(len(what)) != what:
            raise OffsetError("it holds another object than a map of byte arrays")

    def int32(self) -> int:
        return int.from_bytes(self.take(4), "big")


def read_map(data: bytes) -> Entries:
    """The entries in file order. Raises OffsetError saying what is wrong (without the file's name)."""
    r = _Reader(data)
    r.expect(_HEAD)
    r.expect(_FIELDS)
    r.take(8)  # load factor and threshold
    r.expect(b"\x77\x08")
    r.take(4)  # capacity
    count = r.int32()
    if count > len(data) // 2:
        raise OffsetError(f"it claims {count} entries")
    arrays: list[bytes] = []
    out = [(_value(r, arrays), _value(r, arrays)) for _ in range(count)]
    r.expect(b"\x78")
    if r.pos != len(data):
        raise OffsetError("it goes on behind its map")
    return out


def _value(r: _Reader, arrays: list[bytes]) -> bytes | None:
    tag = r.take(1)
    if tag == b"\x70":
        return None
    if tag == b"\x71":
        index = r.int32() - _FIRST_HANDLE
        if not 0 <= index < len(arrays):
            raise OffsetError("it refers to an object it does not hold")
        return arrays[index]
    r.pos -= 1
    start = r.data[r.pos : r.pos + 2]
    r.expect(_ARRAY if start == b"\x75\x72" else _AGAIN)
    array = r.take(r.int32())
    arrays.append(array)
    return array


def write_map(entries: Entries) -> bytes:
    """The bytes Java reads back as the same map."""
    capacity = 16
    while len(entries) > capacity * 3 // 4:
        capacity *= 2
    out = bytearray(_HEAD + _FIELDS)
    threshold = capacity * 3 // 4 if entries else 0
    out += bytes.fromhex("3f400000") + threshold.to_bytes(4, "big")
    out += b"\x77\x08" + capacity.to_bytes(4, "big") + len(entries).to_bytes(4, "big")
    first = True
    for entry in entries:
        for value in entry:
            if value is None:
                out += b"\x70"
                continue
            out += _ARRAY if first else _AGAIN
            first = False
            out += len(value).to_bytes(4, "big") + value
    return bytes(out + b"\x78")
