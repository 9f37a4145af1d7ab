"""Positions: what is passed over after a restart, and what never may be."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.connectors.postgres.offsets import Cursor, Position
from headwater.errors import OffsetError


def restarted(cursor: Cursor) -> Cursor:
    return Cursor(Position.load(cursor.offset()))


@pytest.fixture
def cursor() -> Cursor:
    """After a snapshot at 50, inside transaction 7, whose row at 100 was processed."""
    made = Cursor(Position.load({"lsn": 50, "txId": 3, "ts_usec": 5, "snapshot": "INITIAL", "snapshot_completed": True}))
    made.begin(100, 1000, 7)
    assert not made.passes(100)
    made.processed(100, "INSERT")
    return made


def test_offset_has_the_names_of_the_reference(cursor: Cursor) -> None:
    assert cursor.offset() == {"ts_usec": 1000, "lsn": 100, "txId": 7, "lsn_proc": 100, "messageType": "INSERT"}
    cursor.committed(130)
    assert cursor.offset() == {
        "ts_usec": 1000, "lsn": 130, "txId": 7, "lsn_proc": 130, "lsn_commit": 130, "messageType": "COMMIT",
    }  # fmt: skip


def test_first_begin_after_a_snapshot_counts_its_position_as_processed() -> None:
    made = Cursor(Position(lsn=50))
    made.begin(100, 1000, 7)
    assert made.offset()["lsn_proc"] == 50


def test_the_transaction_sent_again_passes_over_processed_rows_only(cursor: Cursor) -> None:
    again = restarted(cursor)
    again.begin(100, 1000, 7)
    assert again.passes(100)
    assert not again.passes(110)


def test_offset_does_not_move_back_while_rows_are_passed_over(cursor: Cursor) -> None:
    assert not cursor.passes(110)
    cursor.processed(110, "UPDATE")
    again = restarted(cursor)
    again.begin(100, 1000, 7)
    assert again.passes(100)
    assert again.offset() == cursor.offset()


def test_another_transaction_is_not_passed_over(cursor: Cursor) -> None:
    again = restarted(cursor)
    again.begin(90, 1001, 8)
    assert not again.passes(90)


def test_after_begin_nothing_of_the_transaction_is_passed_over() -> None:
    # Transaction 7 wrote at 100, 8 wrote at 110 and committed first at 120: 7 begins behind 8's commit.
    made = Cursor(Position(lsn=50))
    made.begin(110, 1000, 8)
    assert not made.passes(110)
    made.processed(110, "INSERT")
    made.committed(120)
    made.begin(100, 1001, 7)
    again = restarted(made)
    again.begin(100, 1001, 7)
    assert not again.passes(100)


def test_rows_of_one_log_record_are_counted(cursor: Cursor) -> None:
    # COPY writes many rows under one position.
    for _ in range(2):
        assert not cursor.passes(200)
        cursor.processed(200, "INSERT")
    assert cursor.offset()["lsn_row"] == 1
    again = restarted(cursor)
    again.begin(100, 1000, 7)
    assert again.passes(100)
    assert [again.passes(200) for _ in range(4)] == [True, True, False, False]


def test_a_half_delivered_message_comes_again(cursor: Cursor) -> None:
    # The delete of a key change was delivered, its create was not: lsn_proc is still the one before.
    assert not cursor.passes(110)
    cursor.processed(110, "UPDATE")
    again = Cursor(Position.load({**cursor.offset(), "lsn_proc": 100}))
    again.begin(100, 1000, 7)
    assert again.passes(100)
    assert not again.passes(110)


def test_a_message_inside_a_transaction(cursor: Cursor) -> None:
    # Its position is that behind its log record: the next row may have the same one.
    assert not cursor.message_passes(110)
    again = restarted(cursor)
    again.begin(100, 1000, 7)
    assert again.passes(100)
    assert again.message_passes(110)
    assert not again.passes(110)


def test_a_message_outside_of_transactions_commits_its_position(cursor: Cursor) -> None:
    cursor.committed(130)
    cursor.message(140)
    assert cursor.offset() == {"ts_usec": 1000, "lsn": 140, "lsn_proc": 140, "lsn_commit": 140, "messageType": "MESSAGE"}
    assert not Position.load(cursor.offset()).inside_transaction


def test_idle_moves_the_offset_and_never_back(cursor: Cursor) -> None:
    cursor.committed(130)
    assert cursor.idle(500)
    assert not cursor.idle(500)
    assert not cursor.idle(400)
    offset = cursor.offset()
    assert (offset["lsn"], offset["lsn_proc"], offset["lsn_commit"]) == (500, 500, 500)
    assert cursor.commit == 130, "the sequence of events tells of real commits"


def test_idle_after_a_snapshot_keeps_the_form_of_its_offset() -> None:
    made = Cursor(Position(lsn=50, tx_id=3))
    assert made.idle(500)
    assert made.offset() == {"ts_usec": 0, "lsn": 500, "txId": 3}
    assert Position.load(made.offset()).start == 500


@pytest.mark.parametrize(
    ("offset", "inside"),
    [
        ({"lsn": 9, "lsn_proc": 9, "lsn_commit": 5, "txId": 1, "messageType": "DELETE"}, True),
        ({"lsn": 9, "lsn_proc": 9, "lsn_commit": 9, "txId": 1, "messageType": "COMMIT"}, False),
        ({"lsn": 9, "lsn_proc": 5, "lsn_commit": 5, "txId": 1, "messageType": "BEGIN"}, False),
        ({"lsn": 9, "lsn_proc": 5, "lsn_commit": 5, "txId": 1, "messageType": "MESSAGE"}, True),
        ({"lsn": 9, "lsn_proc": 9, "lsn_commit": 5, "txId": 1}, True),  # 1.9
        ({"lsn": 9, "lsn_proc": 9, "lsn_commit": 9, "txId": 1}, False),
        ({"lsn": 9, "txId": 1}, False),
        ({}, False),
    ],
)
def test_inside_transaction(offset: dict[str, Any], inside: bool) -> None:
    assert Position.load(offset).inside_transaction is inside


@pytest.mark.parametrize(
    ("offset", "unfinished"),
    [
        ({"snapshot": "INITIAL", "last_snapshot_record": False, "snapshot_completed": False}, True),
        ({"snapshot": "INITIAL", "last_snapshot_record": True, "snapshot_completed": True}, False),
        ({"snapshot": True, "last_snapshot_record": False}, True),  # 1.9
        ({"snapshot": True, "last_snapshot_record": True}, False),
        ({"lsn": 1}, False),
    ],
)
def test_unfinished_snapshot(offset: dict[str, Any], unfinished: bool) -> None:
    assert Position.load(offset).snapshot_unfinished is unfinished


@pytest.mark.parametrize("value", ["12", 1.5, True, []])
def test_an_offset_that_is_no_number_is_named(value: Any) -> None:
    with pytest.raises(OffsetError, match="'lsn_commit' is not a number"):
        Position.load({"lsn_commit": value})
