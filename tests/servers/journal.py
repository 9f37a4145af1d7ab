"""A writer that keeps a journal of what it committed, and the comparison of delivered changes with that journal."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import pymysql

from servers.support import Server

LAST_KEY = 987_654_321
"""The key of the row that a test writes last, to know when everything before it has arrived."""

Event = tuple[str, int]
"""("set", version) for an insert or an update; ("gone", version it had) for a delete."""


class Writer(threading.Thread):
    """Changes one table in transactions of several rows; keeps a journal of what was committed per key.

    Every write to a key carries the next number, so each event of a key is there once, and its place is known.
    A transaction also inserts its number into `done`: after a lost connection that tells whether it was committed.
    """

    def __init__(self, server: Server, database: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.journal: dict[int, list[Event]] = {}
        self.failures: list[Exception] = []
        self._server = server
        self._database = database
        self._rng = random.Random(seed)
        self._stopped = threading.Event()
        self._last: dict[int, int] = {}
        self._live: dict[int, int] = {}
        self._number = 0
        self._open: list[tuple[int, Event]] = []

    def run(self) -> None:
        while not (self._stopped.is_set() and not self._open):
            try:
                with self._server.connect(self._database) as connection, connection.cursor() as cursor:
                    self._settle(cursor)
                    while not self._stopped.is_set():
                        self._transaction(cursor)
                        self._stopped.wait(0.002)
            except pymysql.Error as e:
                self.failures.append(e)
                self._stopped.wait(0.2)

    def _settle(self, cursor: Any) -> None:
        """Decides what became of the transaction that a lost connection left open."""
        if self._open:
            cursor.execute("SELECT COUNT(*) FROM done WHERE id = %s", (self._number,))
            if cursor.fetchone()[0]:
                self._committed()
            self._open = []
        cursor.execute("SELECT id, version FROM t")
        self._live = dict(cursor.fetchall())

    def _transaction(self, cursor: Any) -> None:
        self._number += 1
        self._open = []
        cursor.execute("BEGIN")
        cursor.execute("INSERT INTO done VALUES (%s)", (self._number,))
        for _ in range(self._rng.randint(1, 6)):
            self._open.append(self._change(cursor))
        cursor.execute("COMMIT")
        self._committed()
        self._open = []

    def _committed(self) -> None:
        for key, event in self._open:
            self.journal.setdefault(key, []).append(event)

    def _change(self, cursor: Any) -> tuple[int, Event]:
        key = self._rng.randint(1, 60)
        if key in self._live and self._rng.random() < 0.15:
            cursor.execute("DELETE FROM t WHERE id = %s", (key,))
            return key, ("gone", self._live.pop(key))
        version = self._last[key] = self._last.get(key, 0) + 1
        if key in self._live:
            cursor.execute("UPDATE t SET version = %s, filler = %s WHERE id = %s", (version, "u" * (version % 200), key))
        else:
            cursor.execute("INSERT INTO t VALUES (%s, %s, %s)", (key, version, "i" * (version % 200)))
        self._live[key] = version
        return key, ("set", version)

    def stop(self) -> None:
        self._stopped.set()
        self.join(60)
        assert not self.is_alive(), "the writer does not end"


class Change(NamedTuple):
    """One record of the table, reduced to what is checked."""

    key: int
    event: Event
    snapshot: str | None


def changes(records: Iterable[dict[str, Any]]) -> list[Change]:
    """The records of table t, without tombstones and the closing row."""
    out = []
    for r in records:
        if not r["topic"].endswith(".t") or r["value"] is None or r["key"]["payload"]["id"] == LAST_KEY:
            continue
        payload = r["value"]["payload"]
        row = payload["after"]
        event = ("set", row["version"]) if row is not None else ("gone", payload["before"]["version"])
        out.append(Change(r["key"]["payload"]["id"], event, payload["source"]["snapshot"] if payload["op"] == "r" else None))
    return out


def check(
    runs: list[list[Change]], journal: dict[int, list[Event]], table: dict[int, int], *, repeats: bool = False
) -> None:
    """Compares what each run of Headwater delivered with what was written.

    Within a run the events of a key must follow each other as they were written, one by one. The first of a run may lie
    at or before the place after the last one delivered, never behind it: a repeat, not a gap. A snapshot row starts
    anew at the version it shows. At the end every key's last event must have been delivered. `repeats`: a run may
    itself go back (it reconnected, or it is several lives in one topic), but then too without leaving anything out.
    """
    places = {key: {event: i for i, event in enumerate(events)} for key, events in journal.items()}
    assert all(len(places[key]) == len(events) for key, events in journal.items())
    reached: dict[int, int] = {}
    state: dict[int, int] = {}
    for number, run in enumerate(runs):
        streaming = False
        at: dict[int, int] = {}
        for change in run:
            key, event = change.key, change.event
            assert event in places.get(key, {}), f"run {number}: key {key}: {event} was never committed"
            place = places[key][event]
            if change.snapshot is None:
                streaming = True
                if key in at:
                    follows = place <= at[key] + 1 if repeats else place == at[key] + 1
                    assert follows, f"run {number}: key {key}: {event} at {place} follows {at[key]}"
                elif key in reached:
                    assert place <= reached[key] + 1, f"run {number}: key {key}: gap from {reached[key]} to {place}"
                else:
                    before = journal[key][place - 1] if place else None
                    assert before is None or before[0] == "gone", f"run {number}: key {key}: {before} was not delivered"
            else:
                assert not streaming, f"run {number}: key {key}: a snapshot row after streaming had begun"
            at[key] = place
            if event[0] == "set":
                state[key] = event[1]
            else:
                state.pop(key, None)
        if any(c.snapshot in ("first", "first_in_data_collection") for c in run):
            # This run took the snapshot from its start: what runs before it delivered no longer counts.
            reached = at
            state = {key: journal[key][i][1] for key, i in at.items() if journal[key][i][0] == "set"}
        else:
            reached |= {key: max(place, reached.get(key, -1)) for key, place in at.items()}
    assert state == table, f"the folded records differ from the table: {sorted(set(state.items()) ^ set(table.items()))}"
    behind = {key: (reached[key], len(events) - 1) for key, events in journal.items()
              if key in reached and reached[key] != len(events) - 1}  # fmt: skip
    assert not behind, f"the last changes of these keys did not arrive (key: delivered, written): {behind}"
