"""What the table model tells a decoder about a column, beyond the log's own types."""

from __future__ import annotations

from typing import Final, NamedTuple


class ColumnFormat(NamedTuple):
    """How one column is decoded.

    `family` is one of int float double decimal bit string bytes enum set json year date time datetime
    timestamp geometry vector. `length` pads BINARY; `options` are ENUM and SET labels without quotes;
    `include` False leaves the column out of the rows.
    """

    family: str
    unsigned: bool = False
    charset: str | None = None
    length: int = 0
    fsp: int = 0
    scale: int = 0
    options: tuple[str, ...] = ()
    include: bool = True


class _Absent:
    """The value of a column that is not in the row image (MINIMAL and NOBLOB)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()
