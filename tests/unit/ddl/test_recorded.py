"""Recorded truth: the models the reference published for statements of MySQL and MariaDB.

Each line of `data/recorded.jsonl` is a case: its statements in order, with type and id of each change and the
table's character set, key and columns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headwater import ddl
from headwater.model import Table, Tables

DATA = Path(__file__).parent / "data" / "recorded.jsonl"
CASES = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def document(change: ddl.Change) -> list[Any]:
    t = change.table
    return [change.type, change.id.quoted(), None if t is None else [t.charset, list(t.primary_key), columns(t)]]


def columns(t: Table) -> list[list[Any]]:
    return [
        [c.name, c.jdbc_type, c.type_name, c.type_expression, c.charset, c.length, c.scale, c.position, c.optional, c.auto_incremented,
         c.generated, c.comment, c.default_expression if c.has_default else None, list(c.enum_values) or None]
        for c in t.columns
    ]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['connector']}-{c['case']}")
def test_models_are_the_recorded_ones(case: dict[str, Any]) -> None:
    session, tables = ddl.Session(exact=True, mariadb=case["connector"] == "mariadb"), Tables()
    for database, sql, expected in case["statements"]:
        session.database = database
        changes = ddl.apply(sql, tables, session)
        assert [c.ddl for c in changes] == [sql]
        # Of several renames in one statement the first leads to a name that is gone at its end; alone it is not.
        if not (sql.startswith("RENAME") and not expected):
            assert [document(c) for c in changes if c.type] == expected, sql


def test_the_data_is_there() -> None:
    assert sum(len(c["statements"]) for c in CASES) > 150
    assert {c["connector"] for c in CASES} == {"mysql", "mariadb"}


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['connector']}-{c['case']}")
def test_the_corrected_mode_reads_them_too(case: dict[str, Any]) -> None:
    session, tables = ddl.Session(mariadb=case["connector"] == "mariadb"), Tables()
    for database, sql, expected in case["statements"]:
        session.database = database
        got = [c for c in ddl.apply(sql, tables, session) if c.type and c.table]
        for change, (_, _, table) in zip(got, [e for e in expected if e[2]], strict=False):
            assert change.table is not None
            assert [c.name for c in change.table.columns] == [c[0] for c in table[2]], sql
