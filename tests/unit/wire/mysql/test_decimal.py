"""Sizes of packed decimals; their values are tested through the row decoder."""

from __future__ import annotations

import pytest

from headwater.errors import DecodeError
from headwater.wire.mysql.decimal_cy import packed_size


@pytest.mark.parametrize(
    ("precision", "scale", "size"),
    [(1, 0, 1), (2, 0, 1), (3, 0, 2), (5, 0, 3), (7, 0, 4), (9, 0, 4), (10, 0, 5), (10, 2, 5), (18, 9, 8), (14, 4, 7), (4, 4, 2),
     (65, 30, 30), (65, 0, 29), (30, 30, 14)],
)  # fmt: skip
def test_packed_size(precision: int, scale: int, size: int) -> None:
    # The server's rule: nine digits take four bytes, the rest 1, 1, 2, 2, 3, 3, 4, 4.
    assert packed_size(precision, scale) == size


@pytest.mark.parametrize(("precision", "scale"), [(0, 0), (66, 0), (5, 6), (5, -1)])
def test_no_such_type(precision: int, scale: int) -> None:
    with pytest.raises(DecodeError):
        packed_size(precision, scale)
