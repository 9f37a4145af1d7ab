"""Every value of the table comes out right, and the same, from the snapshot and from the stream."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from tables.postgres_values import CASES

from headwater import Engine
from headwater.model import Struct
from servers.support import Server, wait_until

pytestmark = pytest.mark.servers


def raw(value: Any) -> Any:
    """Structs as lists."""
    if isinstance(value, Struct):
        return [raw(v) for v in value.values]
    return [raw(v) for v in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def events(postgres_server: Server) -> Iterator[dict[tuple[int, str], Any]]:
    """(number of the case, operation) -> raw value of the column."""
    name = f"hw_{uuid.uuid4().hex[:10]}"
    with postgres_server.connect() as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield read(postgres_server, name)
        finally:
            wait_until(lambda: not admin.execute("SELECT 1 FROM pg_replication_slots WHERE database = %s AND active",
                                                 [name]).fetchone(), "the slot to be free")  # fmt: skip
            admin.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = %s", [name])
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def read(server: Server, name: str) -> dict[tuple[int, str], Any]:
    out: dict[tuple[int, str], Any] = {}
    config = {
        "name": "values", "connector.class": "postgres", "topic.prefix": "srv", "plugin.name": "pgoutput",
        "database.hostname": server.host, "database.port": server.port, "database.user": server.user,
        "database.password": server.password, "database.dbname": name, "slot.name": name, "offset.storage": "memory",
    }  # fmt: skip
    with server.connect(name) as db:
        done = set()
        for statement in itertools.chain.from_iterable(c.setup.split("; ") for c in CASES if c.setup):
            if statement not in done:
                db.execute(statement)
                done.add(statement)
        for n, c in enumerate(CASES):
            db.execute(f"CREATE TABLE t{n} (id int PRIMARY KEY, v {c.type}, w {c.type})")
            db.execute(f"INSERT INTO t{n} (id, v) VALUES (1, {c.literal})")
        inserted = False
        with Engine(config) as engine:
            for batch in engine.batches(idle=True):
                for record in batch:
                    value = record.value_struct
                    assert value is not None
                    assert value["after"].raw("w") is None
                    out[int(value["source"]["table"][1:]), value["op"]] = raw(value["after"].raw("v"))
                if len(out) == len(CASES) and not inserted:
                    inserted = True
                    for n, c in enumerate(CASES):
                        db.execute(f"INSERT INTO t{n} (id, v) VALUES (2, {c.literal})")
                if len(out) == 2 * len(CASES):
                    return out
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("op", ["r", "c"])
@pytest.mark.parametrize("n", range(len(CASES)), ids=lambda n: f"{CASES[n].type} {CASES[n].literal[:30]}")
def test_value(events: dict[tuple[int, str], Any], n: int, op: str) -> None:
    assert events[n, op] == CASES[n].value
    assert type(events[n, op]) is type(CASES[n].value)
