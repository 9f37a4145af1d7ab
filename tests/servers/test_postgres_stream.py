"""The PostgreSQL connector on a real server: no gap, no loss, no repeat where none is due."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater import Engine
from headwater.connectors.postgres.connector import PostgresSource
from headwater.errors import AuthenticationError, ConnectionFailed, PositionLost, PreflightError, SourceError
from headwater.model import Record
from servers.support import Server, wait_until

pytestmark = pytest.mark.servers


@pytest.fixture
def database(postgres_server: Server) -> Iterator[str]:
    """A fresh database; its slots and itself are gone at the end."""
    name = f"hw_{uuid.uuid4().hex[:10]}"
    with postgres_server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield name
    with postgres_server.connect() as connection:
        wait_until(lambda: not connection.execute(
            "SELECT 1 FROM pg_replication_slots WHERE database = %s AND active", [name]).fetchone(), "the slots to be free")
        connection.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = %s", [name])
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def config(postgres_server: Server, database: str, tmp_path: Path) -> dict[str, str]:
    return {
        "name": "test", "connector.class": "postgres", "topic.prefix": "srv", "plugin.name": "pgoutput",
        "database.hostname": postgres_server.host, "database.port": str(postgres_server.port),
        "database.user": postgres_server.user, "database.password": postgres_server.password,
        "database.dbname": database, "slot.name": database, "publication.name": "pub",
        "offset.storage.file.filename": str(tmp_path / "offsets.json"), "tombstones.on.delete": "false",
    }  # fmt: skip


@pytest.fixture
def db(postgres_server: Server, database: str) -> Iterator[Any]:
    with postgres_server.connect(database) as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, v text)")
        yield connection


class Reading:
    """An engine that is being read, batch by batch."""

    def __init__(self, config: dict[str, str]) -> None:
        self.engine = Engine(config)
        self.batches = self.engine.batches(idle=True)

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *exc: object) -> None:
        self.engine.close()

    def take(self, done: Callable[[list[Record]], Any], seconds: float = 30.0) -> list[Record]:
        """Reads until `done` says yes to the records of this call, and commits them."""
        out: list[Record] = []
        end = time.monotonic() + seconds
        while not done(out):
            assert time.monotonic() < end, f"gave up with {len(out)} records: {shown(out)}"
            out += next(self.batches)
        # A batch counts as delivered once the next one is asked for.
        out += next(self.batches)
        self.engine.commit()
        return out

    def start(self) -> list[Record]:
        """Reads until the stream has started."""
        return self.take(lambda _: source(self.engine)._stream is not None and source(self.engine)._stream.streaming)

    def first(self) -> list[Record]:
        """The next records that come."""
        return self.take(lambda out: len(out) > 0)


def source(engine: Engine) -> PostgresSource:
    assert isinstance(engine.source, PostgresSource)
    return engine.source


def shown(records: list[Record]) -> list[tuple[str, Any]]:
    """(operation, id) of each record."""
    out = []
    for r in records:
        value = r.value_struct
        row = (value["after"] or value["before"]) if value is not None and r.op != "m" else None
        out.append((r.op or "-", row["id"] if row is not None else None))
    return out


def slot(db: Any, name: str) -> Any:
    return db.execute("SELECT confirmed_flush_lsn, restart_lsn, active FROM pg_replication_slots WHERE slot_name = %s",
                      [name]).fetchone()  # fmt: skip


def test_snapshot_and_stream_meet_without_gap(config: dict[str, str], db: Any, postgres_server: Server, database: str) -> None:
    stopped = threading.Event()
    written: list[int] = []

    def write() -> None:
        with postgres_server.connect(database) as connection:
            while not stopped.is_set():
                key = len(written) + 1
                connection.execute("INSERT INTO t VALUES (%s, 'x')", [key])
                written.append(key)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_until(lambda: len(written) > 50, "rows")
        with Reading(config) as reading:
            records = reading.take(lambda out: sum(r.op == "c" for r in out) > 50)
            stopped.set()
            writer.join()
            records += reading.take(lambda out: any(i == len(written) for _, i in shown([*records, *out])))
    finally:
        stopped.set()
        writer.join()
    keys = [i for _, i in shown(records)]
    assert sorted(keys) == written
    assert {r.op for r in records} == {"r", "c"}


# One transaction; the events it gives. COPY writes its rows into one log record, under one position.
STEPS = [
    ("INSERT INTO t VALUES (1, 'a')", [("c", 1)]),
    ("COPY t FROM STDIN", [("c", n) for n in range(10, 15)]),
    ("UPDATE t SET id = 2 WHERE id = 1", [("d", 1), ("c", 2)]),
    ("SELECT pg_logical_emit_message(true, 'p', 'x')", [("m", None)]),
    ("DELETE FROM t WHERE id = 2", [("d", 2)]),
    ("INSERT INTO other VALUES (1)", []),
    ("INSERT INTO t VALUES (3, 'b')", [("c", 3)]),
]
EVENTS = [e for _, events in STEPS for e in events]


def run_steps(db: Any) -> None:
    with db.transaction(), db.cursor() as cursor:
        for sql, _ in STEPS:
            if sql.startswith("COPY"):
                with cursor.copy(sql) as copy:
                    for n in range(10, 15):
                        copy.write_row((n, "copied"))
            else:
                cursor.execute(sql)


@pytest.mark.parametrize("count", range(1, len(EVENTS)))
def test_restart_inside_a_transaction(config: dict[str, str], db: Any, count: int) -> None:
    config["table.exclude.list"] = "public.other"
    db.execute("CREATE TABLE other (id int PRIMARY KEY)")
    with Reading(config) as reading:
        reading.start()
    run_steps(db)
    with Engine(config) as engine:
        first = []
        for record in engine:
            first.append(record)
            if len(first) == count:
                engine.commit()
                break
    with Reading(config) as reading:
        second = reading.take(lambda out: shown(out)[-1:] == [("c", 3)])
    # A key change is one message of two records: after the first of them the message comes again.
    repeated = 1 if EVENTS[count - 1] == ("d", 1) else 0
    assert shown(first) == EVENTS[:count]
    assert shown(second) == EVENTS[count - repeated :]


def test_a_broken_stream_goes_on_where_it_was(config: dict[str, str], db: Any, database: str) -> None:
    with Reading(config) as reading:
        reading.start()
        for n in range(5):
            db.execute("INSERT INTO t VALUES (%s, 'x')", [n])
            assert shown(reading.first()) == [("c", n)]
            db.execute("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = %s", [database])


def test_a_broken_query_connection_is_opened_again(config: dict[str, str], db: Any, database: str) -> None:
    with Reading(config) as reading:
        reading.start()
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend' "
                   "AND pid <> pg_backend_pid()", [database])  # fmt: skip
        db.execute("CREATE TABLE later (id int PRIMARY KEY); INSERT INTO later VALUES (7)")
        assert shown(reading.first()) == [("c", 7)]


def test_idle_tables_do_not_hold_the_log(config: dict[str, str], db: Any, postgres_server: Server, database: str) -> None:
    with Reading(config) as reading:
        reading.start()
        with postgres_server.connect() as elsewhere:
            elsewhere.execute("SELECT pg_logical_emit_message(false, 'hw', repeat('x', 100000))")
            target = elsewhere.execute("SELECT pg_current_wal_lsn()").fetchone()[0]
        reading.take(lambda _: reading.engine.commit() or db.execute(
            "SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s", [target, database]
        ).fetchone()[0])  # fmt: skip
    # What was confirmed was stored before: the next start finds its position.
    db.execute("CHECKPOINT")
    db.execute("INSERT INTO t VALUES (1, 'x')")
    with Reading(config) as reading:
        assert shown(reading.first()) == [("c", 1)]


def test_keepalives_are_answered_while_the_sink_blocks(config: dict[str, str], db: Any, database: str) -> None:
    config["status.update.interval.ms"] = "100"

    def reply() -> Any:
        return db.execute("SELECT r.pid, r.reply_time FROM pg_stat_replication r JOIN pg_replication_slots s "
                          "ON s.active_pid = r.pid WHERE s.slot_name = %s", [database]).fetchone()  # fmt: skip

    with Reading(config) as reading:
        reading.start()
        first = reply()
        # Nobody reads the engine now.
        wait_until(lambda: (now := reply())[0] == first[0] and now[1] > first[1], "a status of the blocked reader")


def test_a_slot_moved_by_somebody_else_is_noticed(config: dict[str, str], db: Any, database: str) -> None:
    with Reading(config) as reading:
        reading.start()
        db.execute("INSERT INTO t VALUES (1, 'x')")
        reading.first()
    db.execute("INSERT INTO t VALUES (2, 'x')")
    wait_until(lambda: not slot(db, database)[2], "the slot to be free")
    db.execute("SELECT pg_replication_slot_advance(%s, pg_current_wal_lsn())", [database])
    with Reading(config) as reading, pytest.raises(PositionLost, match="confirmed by somebody else"):
        reading.start()
    with Reading({**config, "snapshot.mode": "when_needed"}) as reading:
        assert shown(reading.take(lambda out: len(out) >= 2)) == [("r", 1), ("r", 2)]


def test_a_missing_slot_is_noticed(config: dict[str, str], db: Any, database: str) -> None:
    with Reading(config) as reading:
        reading.start()
    wait_until(lambda: not slot(db, database)[2], "the slot to be free")
    db.execute("SELECT pg_drop_replication_slot(%s)", [database])
    with Reading(config) as reading, pytest.raises(PositionLost, match="slot does not exist"):
        reading.start()


def test_initial_only_leaves_no_slot(config: dict[str, str], db: Any, database: str) -> None:
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    with Reading({**config, "snapshot.mode": "initial_only"}) as reading:
        assert shown([r for batch in reading.batches for r in batch]) == [("r", 1), ("r", 2)]
    assert slot(db, database) is None


def test_a_snapshot_beside_a_slot_leaves_no_second_one(config: dict[str, str], db: Any, database: str) -> None:
    with Reading(config) as reading:
        reading.start()
    db.execute("INSERT INTO t VALUES (1, 'x')")
    with Reading({**config, "snapshot.mode": "always"}) as reading:
        records = reading.start()
        db.execute("INSERT INTO t VALUES (2, 'x')")
        records += reading.first()
        names = db.execute("SELECT slot_name FROM pg_replication_slots WHERE database = %s", [database]).fetchall()
    assert shown(records) == [("r", 1), ("c", 2)]
    assert names == [(database,)]


def test_a_table_dropped_before_its_rows_are_read(config: dict[str, str], db: Any) -> None:
    with Reading(config) as reading:
        reading.start()
    db.execute("CREATE TABLE gone (id int PRIMARY KEY, v text); INSERT INTO gone VALUES (5, 'x'); DROP TABLE gone")
    with Reading(config) as reading:
        records = reading.first()
    assert shown(records) == [("c", 5)]
    value = records[0].value_struct
    assert value is not None
    assert value["after"].to_dict() == {"id": 5, "v": "x"}


def test_slot_drop_on_stop(config: dict[str, str], db: Any, database: str) -> None:
    with Reading({**config, "slot.drop.on.stop": "true"}) as reading:
        reading.start()
        assert slot(db, database) is not None
    assert slot(db, database) is None


def test_replica_identities_are_set(config: dict[str, str], db: Any) -> None:
    db.execute("INSERT INTO t VALUES (1, 'x')")
    with Reading({**config, "replica.identity.autoset.values": "public.t:FULL"}) as reading:
        reading.start()
        db.execute("UPDATE t SET v = 'y'")
        value = reading.first()[0].value_struct
    assert value is not None
    assert value["before"].to_dict() == {"id": 1, "v": "x"}


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({"database.user": "nobody_here", "database.password": "secret"}, AuthenticationError, "nobody_here"),
        ({"database.port": "1"}, ConnectionFailed, "127.0.0.1:1"),
        ({"database.dbname": "no_such_database"}, PreflightError, "no such database"),
        ({"publication.autocreate.mode": "disabled"}, PreflightError, "CREATE PUBLICATION pub"),
        ({"publication.autocreate.mode": "filtered", "table.include.list": "public.none"}, PreflightError, "no table"),
        ({"plugin.name": "decoderbufs"}, PreflightError, "plugin.name=pgoutput"),
    ],
)
def test_errors_say_what_to_do(config: dict[str, str], db: Any, changed: dict[str, str], error: type[SourceError],
                               text: str) -> None:  # fmt: skip
    with Reading({**config, **changed}) as reading, pytest.raises(error, match=text) as caught:
        reading.start()
    assert "secret" not in str(caught.value)


def test_another_plugin_s_slot_is_refused(config: dict[str, str], db: Any, database: str) -> None:
    db.execute("SELECT pg_create_logical_replication_slot(%s, 'test_decoding')", [database])
    with Reading(config) as reading, pytest.raises(PreflightError, match="test_decoding"):
        reading.start()


def test_rows_of_a_table_dropped_meanwhile_keep_their_key(config: dict[str, str], db: Any) -> None:
    with Reading(config) as reading:
        reading.start()
        # Nothing is read until the table is gone from the catalogs.
        db.execute("INSERT INTO t VALUES (1, 'a')")
        db.execute("DELETE FROM t")
        db.execute("DROP TABLE t")
        records = reading.take(lambda out: len(out) >= 2)
    assert [(r.op, r.key) for r in records] == [("c", [1]), ("d", [1])]
