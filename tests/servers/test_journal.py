"""The comparison of the kill tests must itself find what it is there for."""

from __future__ import annotations

import pytest

from servers.journal import Change, Event, check

JOURNAL: dict[int, list[Event]] = {1: [("set", 1), ("set", 2), ("gone", 2), ("set", 3), ("set", 4)]}
TABLE = {1: 4}


def run(*events: Event, snapshot: int = 0) -> list[Change]:
    """A run's changes of key 1; the first `snapshot` of them are snapshot rows."""
    return [Change(1, e, "first" if i < snapshot else None) for i, e in enumerate(events)]


E1, E2, GONE, E3, E4 = JOURNAL[1]


@pytest.mark.parametrize(
    ("runs", "repeats"),
    [
        ([run(E1, E2, GONE, E3, E4)], False),
        ([run(E2, GONE, E3, E4, snapshot=1)], False),  # the snapshot saw version 2
        ([run(E1, E2, GONE), run(E2, GONE, E3, E4)], False),  # a suffix again after a restart
        ([run(E1, E2), run(), run(GONE, E3, E4)], False),  # a run that delivered nothing
        ([run(E1, E2, snapshot=1), run(E3, E4, snapshot=1)], False),  # the snapshot was taken anew
        ([run(E1, E2, GONE, E2, GONE, E3, E4)], True),  # one run that reconnected
    ],
)
def test_accepts(runs: list[list[Change]], repeats: bool) -> None:
    check(runs, JOURNAL, TABLE, repeats=repeats)


@pytest.mark.parametrize(
    ("runs", "repeats", "message"),
    [
        ([run(E1, E2, E3, E4)], False, "follows"),  # a delete is missing
        ([run(E1, E2, E3, E4)], True, "follows"),
        ([run(E1, GONE, E2, E3, E4)], False, "follows"),  # two are swapped
        ([run(E1, E2, E2, GONE, E3, E4)], False, "follows"),  # a repeat without a restart
        ([run(E1, E2), run(E3, E4)], False, "gap"),  # lost at the restart
        ([run(E2, GONE, E3, E4)], False, "was not delivered"),  # the first one is missing
        ([run(E1, E2, GONE, E3)], False, "differ from the table"),  # the last one is missing
        ([run(E1, E2, GONE, E3, ("set", 5))], False, "never committed"),
        ([[*run(E1, E2), *run(E2, GONE, E3, E4, snapshot=1)]], False, "after streaming had begun"),
    ],
)
def test_refuses(runs: list[list[Change]], repeats: bool, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check(runs, JOURNAL, TABLE, repeats=repeats)


def test_refuses_a_last_delete_that_did_not_arrive() -> None:
    with pytest.raises(AssertionError, match="differ from the table"):
        check([run(E1, E2)], {1: [E1, E2, GONE]}, {})
