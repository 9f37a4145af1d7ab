"""GTID sets: parsing, printing, arithmetic, and the dump command's bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import DecodeError
from headwater.wire.mysql.gtid import GtidSet

A = "0a000000-0000-0000-0000-00000000000a"
B = "0b000000-0000-0000-0000-00000000000b"


@pytest.mark.parametrize(
    "text, canonical",
    [
        ("", ""),
        (f"{A}:1", f"{A}:1"),
        (f"{A}:1-1", f"{A}:1"),
        (f"{A}:7-9:1-3", f"{A}:1-3:7-9"),
        (f"{A}:1-3:4", f"{A}:1-4"),
        (f"{A}:5-9:1-6", f"{A}:1-9"),
        (f"{B}:1,\n{A}:2", f"{A}:2,{B}:1"),
        (f"{A}:1,{A}:3", f"{A}:1:3"),
        (A.upper() + ":1", f"{A}:1"),
        (A.replace("-", "") + ":1", f"{A}:1"),
        # MySQL 8.3 and later: SELECT @@gtid_executed prints a source's untagged intervals, then its tags.
        (f"{A}:tag:1-2:1-3:4", f"{A}:tag:1-4"),
        (f"{A}:1-3:tag:1-2", f"{A}:1-3:tag:1-2"),
        (f"{A}:zz:2,{A}:5,{A}:Aa:1", f"{A}:5:aa:1:zz:2"),
        ("0-1-5", "0-1-5"),
        ("10-1-5, 2-3-4", "2-3-4,10-1-5"),
        ("0-1-5,0-2-6", "0-2-6"),  # MariaDB: one position a domain
    ],
)
def test_text(text: str, canonical: str) -> None:
    assert str(GtidSet.parse(text)) == canonical
    assert GtidSet.parse(canonical) == GtidSet.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "x", A, f"{A}:", f"{A}:0", f"{A}:3-2", f"{A}:1-", f"{A}:-1", f"{A}:9223372036854775808", f"{A}:1:9x", f"{A[:-1]}:1",
        f"{A}g:1", f"{A}:{'t' * 33}:1", f"{A}:٣", "1-2", "1-2-3,x", f"1-2-3,{A}:1", "1-2-3-4", f"{A}:1;{B}:2",
    ],
)  # fmt: skip
def test_text_that_is_no_set(text: str) -> None:
    with pytest.raises(DecodeError):
        GtidSet.parse(text)


@pytest.mark.parametrize("gtid", ["", A, f"{A}:", f"{A}:x", f"{A}:0", f"{A}:1-2", f"{A}:²", f"{A}:T!:1", "1-2"])
def test_gtids_that_are_none(gtid: str) -> None:
    with pytest.raises(DecodeError):
        GtidSet().add(gtid)


def test_adding() -> None:
    s = GtidSet()
    for n in (5, 1, 2, 4, 9, 3):
        s.add(f"{A}:{n}")
    s.add(f"{A}:Tag:7")
    assert str(s) == f"{A}:1-5:9:tag:7"
    m = GtidSet.parse("0-1-5")
    m.add("0-2-6")
    m.add("1-1-1")
    assert str(m) == "0-2-6,1-1-1"


@pytest.mark.parametrize(
    "left, right, union, difference",
    [
        (f"{A}:1-5", f"{A}:4-8", f"{A}:1-8", f"{A}:1-3"),
        (f"{A}:1-9", f"{A}:3:5-6", f"{A}:1-9", f"{A}:1-2:4:7-9"),
        (f"{A}:1-2:5-6:9", f"{A}:2-5", f"{A}:1-6:9", f"{A}:1:6:9"),
        (f"{A}:1-5", f"{B}:1-5", f"{A}:1-5,{B}:1-5", f"{A}:1-5"),
        (f"{A}:1-5", f"{A}:tag:1-5", f"{A}:1-5:tag:1-5", f"{A}:1-5"),
        (f"{A}:1-5", f"{A}:1-5", f"{A}:1-5", ""),
        ("", f"{A}:1", f"{A}:1", ""),
        ("0-1-5,1-1-1", "0-2-6", "0-2-6,1-1-1", "0-1-5,1-1-1"),
        ("0-1-5", "0-2-4,3-1-1", "0-1-5,3-1-1", "0-1-5"),
    ],
)
def test_union_and_difference(left: str, right: str, union: str, difference: str) -> None:
    a, b = GtidSet.parse(left), GtidSet.parse(right)
    assert str(a.union(b)) == union
    assert str(a.subtract(b)) == difference
    assert (str(a), str(b)) == (left, right)


_NUMBERS = st.sets(st.integers(1, 40))


@given(_NUMBERS, _NUMBERS)
def test_arithmetic_is_that_of_sets(left: set[int], right: set[int]) -> None:
    def made(numbers: set[int]) -> GtidSet:
        s = GtidSet()
        for n in numbers:
            s.add(f"{A}:{n}")
        return s

    a, b = made(left), made(right)
    assert a.union(b) == made(left | right)
    assert a.subtract(b) == made(left - right)
    assert a.contains(b) == (right <= left)
    assert bool(a) == bool(left)


@pytest.mark.parametrize(
    "left, right, contains",
    [
        (f"{A}:1-5", f"{A}:2-3", True),
        (f"{A}:1-5", f"{A}:2-6", False),
        (f"{A}:1-5", f"{A}:t:2", False),
        (f"{A}:1-5", "", True),
        ("0-1-5", "0-2-5", True),
        ("0-1-5", "0-1-6", False),
        ("0-1-5", "1-1-1", False),
    ],
)
def test_contains(left: str, right: str, contains: bool) -> None:
    assert GtidSet.parse(left).contains(GtidSet.parse(right)) is contains


def test_selecting_sources() -> None:
    s, known = GtidSet.parse(f"{A}:1:t:2,{B}:3"), GtidSet.parse(f"{A}:t:9")
    assert str(s.filtered(lambda uuid: uuid == B)) == f"{B}:3"
    assert str(s.of_sources(known)) == f"{A}:t:2"
    assert str(s.without_sources(known)) == f"{A}:1,{B}:3"
    assert list(s.sources()) == [(A, "", [(1, 1)]), (A, "t", [(2, 2)]), (B, "", [(3, 3)])]


def test_many_gaps_take_no_quadratic_time() -> None:
    odd = GtidSet.parse(f"{A}:" + ":".join(str(n) for n in range(1, 200_000, 2)))
    assert odd.contains(odd)
    assert not odd.contains(GtidSet.parse(f"{A}:1-2"))


def test_bytes_of_the_dump_command() -> None:
    # Number of sources; of each: UUID, number of intervals, start and end (exclusive) of each.
    expected = (
        (2).to_bytes(8, "little")
        + bytes.fromhex(A.replace("-", "")) + (2).to_bytes(8, "little")
        + b"".join(n.to_bytes(8, "little") for n in (1, 4, 7, 8))
        + bytes.fromhex(B.replace("-", "")) + (1).to_bytes(8, "little") + b"".join(n.to_bytes(8, "little") for n in (2, 3))
    )  # fmt: skip
    assert GtidSet.parse(f"{A}:1-3:7,{B}:2").encode() == expected
    assert GtidSet().encode() == bytes(8)


def test_bytes_of_a_tagged_set() -> None:
    # The format number 1 in the first and the last byte, the number of (UUID, tag) pairs between; after each UUID
    # the tag's length shifted by one, and the tag.
    uuid, one_interval = bytes.fromhex(A.replace("-", "")), (1).to_bytes(8, "little")
    expected = (
        b"\x01\x02\0\0\0\0\0\x01"
        + uuid + b"\x00" + one_interval + (1).to_bytes(8, "little") + (6).to_bytes(8, "little")
        + uuid + b"\x06tag" + one_interval + (2).to_bytes(8, "little") + (3).to_bytes(8, "little")
    )  # fmt: skip
    assert GtidSet.parse(f"{A}:1-5:tag:2").encode() == expected
