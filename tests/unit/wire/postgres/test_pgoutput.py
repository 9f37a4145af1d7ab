"""Messages of pgoutput, protocol 1, byte by byte (PostgreSQL documentation, 55.9)."""

from __future__ import annotations

import struct

import pytest

from headwater.errors import DecodeError
from headwater.wire.postgres import pgoutput
from headwater.wire.postgres.rows_cy import UNCHANGED, RowDecoder, ValueFormat

DECODER = RowDecoder([ValueFormat("int"), ValueFormat("text")])
Y2K = 946_684_800_000_000


def tuple_data(*values: bytes | str | None) -> bytes:
    """A tuple; None is null, the text `u` an unchanged TOASTed value."""
    out = struct.pack(">H", len(values))
    for v in values:
        if v is None:
            out += b"n"
        elif isinstance(v, str):
            out += v.encode()
        else:
            out += b"t" + struct.pack(">I", len(v)) + v
    return out


def parse(data: bytes) -> object:
    return pgoutput.parse(data, {16: DECODER, 17: None}.__getitem__)


MESSAGES = [
    (b"B" + struct.pack(">QqI", 100, 5, 7), pgoutput.Begin(100, Y2K + 5, 7)),
    (b"C\0" + struct.pack(">QQq", 100, 120, 5), pgoutput.Commit(100, 120, Y2K + 5)),
    (b"O" + struct.pack(">Q", 3) + b"node_a\0", pgoutput.Origin(3, "node_a")),
    (
        b"R" + struct.pack(">I", 16) + b"public\0t\0d" + struct.pack(">H", 2)
        + b"\1id\0" + struct.pack(">Ii", 23, -1) + b"\0v\0" + struct.pack(">Ii", 1043, 14),
        pgoutput.Relation(16, "public", "t", "d", (
            pgoutput.RelationColumn("id", 23, -1, True), pgoutput.RelationColumn("v", 1043, 14, False))),
    ),
    (
        b"R" + struct.pack(">I", 1) + b"\0pg_class\0n" + struct.pack(">H", 0),
        pgoutput.Relation(1, "pg_catalog", "pg_class", "n", ()),  # an empty schema name is pg_catalog
    ),
    (b"Y" + struct.pack(">I", 99) + b"public\0mood\0", None),
    (b"I" + struct.pack(">I", 16) + b"N" + tuple_data(b"1", b"x"), pgoutput.RowChange("c", 16, None, "", [1, "x"])),
    (b"I" + struct.pack(">I", 17) + b"N" + tuple_data(b"1"), pgoutput.SkippedRow("c")),
    (
        b"U" + struct.pack(">I", 16) + b"N" + tuple_data(b"1", "u"),
        pgoutput.RowChange("u", 16, None, "", [1, UNCHANGED]),
    ),
    (
        b"U" + struct.pack(">I", 16) + b"K" + tuple_data(b"1", None) + b"N" + tuple_data(b"2", b"y"),
        pgoutput.RowChange("u", 16, [1, None], "K", [2, "y"]),
    ),
    (
        b"U" + struct.pack(">I", 16) + b"O" + tuple_data(b"1", b"x") + b"N" + tuple_data(b"1", b"y"),
        pgoutput.RowChange("u", 16, [1, "x"], "O", [1, "y"]),
    ),
    (b"D" + struct.pack(">I", 16) + b"K" + tuple_data(b"1", None), pgoutput.RowChange("d", 16, [1, None], "K", None)),
    (b"D" + struct.pack(">I", 16) + b"O" + tuple_data(b"1", b"x"), pgoutput.RowChange("d", 16, [1, "x"], "O", None)),
    (b"T" + struct.pack(">IBII", 2, 3, 16, 17), pgoutput.Truncate((16, 17))),
    (
        b"M\1" + struct.pack(">Q", 8) + b"pre\0" + struct.pack(">I", 3) + b"\0ab",
        pgoutput.LogicalMessage(True, 8, "pre", b"\0ab"),
    ),
    (b"M\0" + struct.pack(">Q", 8) + b"\0" + struct.pack(">I", 0), pgoutput.LogicalMessage(False, 8, "", b"")),
]  # fmt: skip


@pytest.mark.parametrize(("data", "message"), MESSAGES, ids=lambda v: v[:1].decode() if isinstance(v, bytes) else "")
def test_message(data: bytes, message: object) -> None:
    assert parse(data) == message


@pytest.mark.parametrize("data", [d for d, m in MESSAGES if not isinstance(m, pgoutput.SkippedRow) and m is not None],
                         ids=lambda v: v[:1].decode())  # fmt: skip
def test_every_cut_is_noticed(data: bytes) -> None:
    for size in range(len(data)):
        with pytest.raises(DecodeError):
            parse(data[:size])


@pytest.mark.parametrize(
    "data",
    [
        b"Z",  # unknown message
        b"I" + struct.pack(">I", 16) + b"K" + tuple_data(b"1", b"x"),  # an insert without its new row
        b"D" + struct.pack(">I", 16) + b"N" + tuple_data(b"1", b"x"),  # a delete without its old row
        b"U" + struct.pack(">I", 16) + b"K" + tuple_data(b"1", b"x") + b"X",
        b"I" + struct.pack(">I", 16) + b"N" + tuple_data(b"1"),  # one column of two
        b"I" + struct.pack(">I", 16) + b"N" + struct.pack(">H", 2) + b"t" + struct.pack(">I", 2**32 - 1) + b"1",
        b"I" + struct.pack(">I", 16) + b"N" + struct.pack(">H", 2) + b"zz",  # unknown kind of value
        b"T" + struct.pack(">IB", 2**32 - 1, 0),  # a count that no message can hold
    ],
)
def test_lies_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        parse(data)
