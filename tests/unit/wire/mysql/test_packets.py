"""Commands of the replication protocol as bytes."""

from __future__ import annotations

import pytest

from headwater.wire.mysql import packets
from headwater.wire.mysql.gtid import GtidSet


def test_register() -> None:
    # Command, server id, host, user, password (each with a length), port, rank, source id.
    assert packets.register_replica(0x01020304, "host", 3306) == (
        b"\x15\x04\x03\x02\x01\x04host\x00\x00\xea\x0c\x00\x00\x00\x00\x00\x00\x00\x00"
    )
    assert packets.register_replica(1, "h" * 100)[5:66] == b"\x3c" + b"h" * 60


def test_dump_from_a_position() -> None:
    # Command, position, flags, server id, file.
    assert packets.dump(5, "bin.01", 0x0A0B, 2) == b"\x12\x0b\x0a\x00\x00\x02\x00\x05\x00\x00\x00bin.01"
    assert packets.dump(5, "", 0xFFFFFFFF)[1:5] == b"\xff\xff\xff\xff"


@pytest.mark.parametrize("position", [-1, 1 << 32])
def test_a_position_that_cannot_be_asked_for(position: int) -> None:
    with pytest.raises(ValueError, match="32 bits"):
        packets.dump(5, "bin.01", position)


def test_dump_from_a_gtid_set() -> None:
    # Command, flags (4: from GTIDs), server id, file's length, position 4 (8 bytes), the set's length, the set.
    assert packets.dump_gtid(5, GtidSet()) == b"\x1e\x04\0\x05\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x08\0\0\0" + bytes(8)


def test_frames() -> None:
    assert packets.frame(b"abc", 7) == b"\x03\0\0\x07abc"
    with pytest.raises(ValueError, match="16 MiB"):
        packets.frame(bytes(0xFFFFFF))
