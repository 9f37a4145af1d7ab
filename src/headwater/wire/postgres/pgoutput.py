"""Messages of the pgoutput plug-in, protocol version 1.

Row messages carry their relation's number; the caller has the decoder of each relation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.errors import DecodeError
from headwater.wire.postgres.copyboth import EPOCH_2000
from headwater.wire.postgres.rows_cy import RowDecoder

BEGIN, COMMIT, ORIGIN, RELATION, TYPE, INSERT, UPDATE, DELETE, TRUNCATE, MESSAGE = b"BCORYIUDTM"
OLD_KEY, OLD_ROW, NEW_ROW = b"KON"
_OPS = {INSERT: "c", UPDATE: "u", DELETE: "d"}


@dataclass(frozen=True, slots=True)
class Begin:
    """A transaction: the position of its commit, its commit time (microseconds since the epoch), its number."""

    final_lsn: int
    commit_us: int
    xid: int


@dataclass(frozen=True, slots=True)
class Commit:
    """The end of a transaction: position of the commit record and of its end."""

    lsn: int
    end_lsn: int
    commit_us: int


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column as the log describes it."""

    name: str
    type_oid: int
    type_modifier: int
    key: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as the log describes it. `identity` is d, n, f or i."""

    oid: int
    schema: str
    table: str
    identity: str
    columns: tuple[RelationColumn, ...]


class RowChange(NamedTuple):
    """A changed row. `old_kind` is K (key or identity columns), O (whole row) or empty."""

    op: str
    relation: int
    old: list[Any] | None
    old_kind: str
    new: list[Any] | None


class SkippedRow(NamedTuple):
    """A changed row of a relation that has no decoder: it moves the position, nothing else."""

    op: str


@dataclass(frozen=True, slots=True)
class Truncate:
    """Truncated tables."""

    relations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LogicalMessage:
    """A message of pg_logical_emit_message."""

    transactional: bool
    lsn: int
    prefix: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a replicated transaction came from."""

    lsn: int
    name: str


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 1

    def take(self, n: int) -> bytes:
        if n < 0 or n > len(self.data) - self.pos:
            raise DecodeError("a replication message is cut off")
        self.pos += n
        return self.data[self.pos - n : self.pos]

    def uint(self, n: int) -> int:
        return int.from_bytes(self.take(n), "big")

    def text(self) -> str:
        end = self.data.find(b"\0", self.pos)
        if end < 0:
            raise DecodeError("a replication message with an unfinished text")
        raw = self.data[self.pos : end]
        self.pos = end + 1
        return raw.decode("utf-8", "replace")

    def micros(self) -> int:
        return int.from_bytes(self.take(8), "big", signed=True) + EPOCH_2000


def parse(data: bytes, decoder: Callable[[int], RowDecoder | None]) -> Any:
    """One message; None for one that says nothing here (TYPE). Raises DecodeError.

    `decoder` gives the decoder of a relation, None where its rows are not wanted.
    """
    if not data:
        raise DecodeError("an empty replication message")
    kind = data[0]
    if kind in _OPS:
        return _row(kind, data, decoder)
    r = _Reader(data)
    if kind == BEGIN:
        return Begin(r.uint(8), r.micros(), r.uint(4))
    if kind == COMMIT:
        r.take(1)
        return Commit(r.uint(8), r.uint(8), r.micros())
    if kind == RELATION:
        return _relation(r)
    if kind == TRUNCATE:
        count = r.uint(4)
        r.take(1)
        if count > 1_000_000:
            raise DecodeError(f"a truncation of {count} tables")
        return Truncate(tuple(r.uint(4) for _ in range(count)))
    if kind == MESSAGE:
        transactional = r.uint(1) & 1 == 1
        lsn, prefix = r.uint(8), r.text()
        return LogicalMessage(transactional, lsn, prefix, r.take(r.uint(4)))
    if kind == ORIGIN:
        return Origin(r.uint(8), r.text())
    if kind == TYPE:
        return None
    raise DecodeError(f"a replication message of unknown kind {chr(kind)!r}")


def _relation(r: _Reader) -> Relation:
    oid, schema, table = r.uint(4), r.text() or "pg_catalog", r.text()
    identity = chr(r.uint(1))
    count = r.uint(2)
    columns = []
    for _ in range(count):
        flags, name, type_oid = r.uint(1), r.text(), r.uint(4)
        columns.append(RelationColumn(name, type_oid, int.from_bytes(r.take(4), "big", signed=True), bool(flags & 1)))
    return Relation(oid, schema, table, identity, tuple(columns))


def _row(kind: int, data: bytes, decoder: Callable[[int], RowDecoder | None]) -> RowChange | SkippedRow:
    if len(data) < 6:
        raise DecodeError("a replication message is cut off")
    relation = int.from_bytes(data[1:5], "big")
    rows = decoder(relation)
    op = _OPS[kind]
    if rows is None:
        return SkippedRow(op)
    part, pos = data[5], 6
    old, old_kind, new = None, "", None
    if part in (OLD_KEY, OLD_ROW):
        old_kind = chr(part)
        old, pos = rows.tuple_data(data, pos)
        part = -1
        if kind == UPDATE:
            if pos >= len(data):
                raise DecodeError("a replication message is cut off")
            part, pos = data[pos], pos + 1
    if part == NEW_ROW:
        new, pos = rows.tuple_data(data, pos)
    if (old is None) if kind == DELETE else (new is None):
        raise DecodeError("a row message without its row")
    return RowChange(op, relation, old, old_kind, new)
