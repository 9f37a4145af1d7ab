"""Table maps: the bytes a server wrote, and bytes that lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import DecodeError
from headwater.wire.mysql.tablemap import DefaultCharset, Reader, TableMap

# binlog_row_metadata=FULL; CREATE TABLE f (id INT UNSIGNED, y YEAR, b BIGINT, d DECIMAL(5,2) UNSIGNED,
#   n VARCHAR(20) CHARACTER SET latin1, t TEXT CHARACTER SET utf8mb4, e ENUM('x','y') CHARACTER SET latin1,
#   s SET('p','q') CHARACTER SET utf8mb4, g POINT NOT NULL, v VECTOR(4), h INT INVISIBLE DEFAULT 1, j JSON,
#   PRIMARY KEY (n(5), id))
FULL = bytes.fromhex(
    "ce08000000000100066877726f7773000166000c030d08f60ffcfefefff203f50c0502140002f701f801040404ee0e0101d0030508fcff00"
    "3f0701010d01040419026964017901620164016e017401650173016701760168016a0b0408fcff0005050201700171060502017801790904"
    "040500000c02ffd0"
)
# binlog_row_metadata=MINIMAL; CREATE TABLE a (id INT PRIMARY KEY, j JSON)
MINIMAL = bytes.fromhex("d008000000000100066877726f7773000161000203f5010402010100")


def test_full_metadata() -> None:
    t = TableMap.parse(FULL, 0, len(FULL))
    assert (t.table_id, t.database, t.table, t.name) == (0x8CE, "hwrows", "f", "hwrows.f")
    assert t.types == bytes((3, 13, 8, 246, 15, 252, 254, 254, 255, 242, 3, 245))
    assert t.metadata == (0, 0, 0, 0x0502, 20, 2, 0xF701, 0xF801, 4, 4, 0, 4)
    assert t.nullable == bytes.fromhex("ee0e")
    assert t.signedness == (True, True, False, True, False)  # id, y, b, d, h
    assert t.default_charset is None
    assert t.column_charsets == (8, 255, 63)  # n, t and the vector
    assert t.column_names == ("id", "y", "b", "d", "n", "t", "e", "s", "g", "v", "h", "j")
    assert t.set_values == ((b"p", b"q"),)
    assert t.enum_values == ((b"x", b"y"),)
    assert t.geometry_types == (1,)
    assert t.primary_key == (4, 0)
    assert t.primary_key_prefixes == (5, 0)
    assert t.enum_charsets == (8, 255)
    assert t.visibility == (True,) * 10 + (False, True)
    assert t.vector_dimensions == (4,)


def test_minimal_metadata() -> None:
    t = TableMap.parse(b"xx" + MINIMAL + b"yyyy", 2, 2 + len(MINIMAL))
    assert t.types == b"\x03\xf5"
    assert t.metadata == (0, 4)
    assert t.signedness == (False,)
    assert t.column_names is None
    assert t.primary_key is None
    assert t.visibility is None


def made(types: bytes, metadata: bytes = b"", optional: bytes = b"") -> bytes:
    """A table map of the table d.t."""
    nulls = bytes((len(types) + 7) // 8)
    return (b"\x01\0\0\0\0\0\x01\0" + b"\x01d\0" + b"\x01t\0" + bytes((len(types),)) + types
            + bytes((len(metadata),)) + metadata + nulls + optional)  # fmt: skip


def parse(data: bytes) -> TableMap:
    return TableMap.parse(data, 0, len(data))


@pytest.mark.parametrize(
    ("optional", "field", "value"),
    [
        # Kind, length, content.
        ("02 03 2d 01 08", "default_charset", DefaultCharset(45, {1: 8})),
        ("02 01 2d", "default_charset", DefaultCharset(45, {})),
        ("0a 01 08", "enum_default_charset", DefaultCharset(8, {})),
        ("08 02 00 01", "primary_key", (0, 1)),
        ("08 02 00 01", "primary_key_prefixes", (0, 0)),
        ("0c 01 40", "visibility", (False, True)),
        ("0d 04 03 fc 00 10", "vector_dimensions", (3, 4096)),
        ("7f 02 aa bb 08 01 01", "primary_key", (1,)),  # an unknown kind is passed over
    ],
)
def test_optional_metadata(optional: str, field: str, value: object) -> None:
    assert getattr(parse(made(b"\x03\x03", optional=bytes.fromhex(optional))), field) == value


def test_unknown_type_keeps_the_rest_readable() -> None:
    t = parse(made(b"\x03\xa0\x0f", b"\x01\x02\x03\x04\x05"))
    assert t.types == b"\x03\xa0\x0f"
    assert t.metadata == (0, 0, 0)


def test_array_metadata_is_as_long_as_its_element_says() -> None:
    # TYPED_ARRAY of VARCHAR: the element's type and three bytes of length; then a VARCHAR(20).
    assert parse(made(b"\x14\x0f", b"\x0f\x50\0\0\x14\0")).metadata == (0x0000500F, 20)
    # TYPED_ARRAY of LONGLONG has no more than the type.
    assert parse(made(b"\x14\x0f", b"\x08\x14\0")).metadata == (8, 20)


@pytest.mark.parametrize(
    "data",
    [
        made(b"\x0f", b"\x14"),  # one byte of metadata instead of two
        made(b"\x03", b"\x14"),  # metadata of no column
        made(b"\x14", b""),  # an array without its element's type
        made(b"\x03", optional=b"\x01\x05\x80"),  # optional metadata longer than the event
        made(b"\x03", optional=b"\x09\x03\x00\x01\x02"),  # a pair without its second half
        made(b"\x03", optional=b"\x06\x03\xfd\xff\xff"),  # a length cut off
        made(b"\x03", optional=b"\x06\x02\x09\x00"),  # nine labels in one byte
        made(b"\x03", optional=b"\x08\x01\xff"),  # no length starts with 0xFF
        made(b"\x03").replace(b"\x01d\0", b"\x01dx"),  # a name without its end
        b"",
    ],
)
def test_lies_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        parse(data)


def test_too_many_columns_are_refused_before_they_are_read() -> None:
    with pytest.raises(DecodeError, match="65536 columns"):
        parse(b"\x01\0\0\0\0\0\x01\0\x01d\0\x01t\0\xfd\x00\x00\x01")


@pytest.mark.parametrize(("pos", "end"), [(-1, 4), (5, 4), (0, 1000)])
def test_bounds_outside_the_buffer(pos: int, end: int) -> None:
    with pytest.raises(DecodeError):
        TableMap.parse(MINIMAL, pos, end)


@pytest.mark.parametrize("size", range(len(FULL)))
def test_every_truncation_is_refused_or_shorter(size: int) -> None:
    # Optional metadata may be missing as a whole; nothing else may.
    try:
        t = TableMap.parse(FULL, 0, size)
    except DecodeError:
        return
    assert size >= 47
    assert t.vector_dimensions is None or t.visibility is None


@given(st.integers(0, len(FULL) - 1), st.integers(1, 255))
def test_damage_raises_nothing_else(at: int, flip: int) -> None:
    data = bytearray(FULL)
    data[at] ^= flip
    try:
        TableMap.parse(bytes(data), 0, len(data))
    except DecodeError:
        pass


def test_length_encoded_integers() -> None:
    data = b"\xfa\xfc\xfb\x00\xfd\x00\x00\x01\xfe\x01\0\0\0\0\0\0\x80"
    assert Reader(data, 0, len(data)).lenencs() == (250, 251, 65536, 0x8000000000000001)
