"""Statements and what they do to the table model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headwater import ddl
from headwater.errors import DdlError
from headwater.model import Table, TableId, Tables

CASES = Path(__file__).resolve().parents[2] / "conformance" / "cases"


def run(*statements: str, **options: Any) -> Tables:
    session = ddl.Session(database="d", **options)
    tables = Tables()
    for sql in statements:
        session.database = "d"
        ddl.apply(sql, tables, session)
    return tables


def table(tables: Tables, name: str = "t") -> Table:
    found = tables.get(TableId("d", None, name))
    assert found is not None
    return found


def shape(t: Table) -> list[str]:
    return [f"{c.name} {c.type_name}{'' if c.optional else ' !'}" for c in t.columns]


BASE = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10), b INT NOT NULL DEFAULT 1)"


@pytest.mark.parametrize(
    ("statement", "columns", "key"),
    [
        ("ALTER TABLE t ADD c DATE FIRST", ["c DATE", "id INT !", "a VARCHAR", "b INT !"], ("id",)),
        ("ALTER TABLE t ADD COLUMN c DATE AFTER id, DROP a", ["id INT !", "c DATE", "b INT !"], ("id",)),
        ("ALTER TABLE t ADD (c INT, d INT, KEY (c))", ["id INT !", "a VARCHAR", "b INT !", "c INT", "d INT"], ("id",)),
        ("ALTER TABLE t CHANGE a x TEXT NOT NULL AFTER b", ["id INT !", "b INT !", "x TEXT !"], ("id",)),
        ("ALTER TABLE t MODIFY COLUMN b BIGINT UNSIGNED FIRST", ["b BIGINT UNSIGNED", "id INT !", "a VARCHAR"], ("id",)),
        ("ALTER TABLE t RENAME COLUMN id TO k", ["k INT !", "a VARCHAR", "b INT !"], ("k",)),
        ("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (b, id)", ["id INT !", "a VARCHAR", "b INT !"], ("b", "id")),
        ("ALTER TABLE t DROP COLUMN id", ["a VARCHAR", "b INT !"], ()),
        ("ALTER TABLE t CHANGE a b INT, CHANGE b a VARCHAR(5)", ["id INT !", "b INT", "a VARCHAR"], ("id",)),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (b > (1+2)), ADD INDEX (a DESC), ALGORITHM=INPLACE, LOCK=NONE",
         ["id INT !", "a VARCHAR", "b INT !"], ("id",)),
        ("ALTER TABLE t PARTITION BY HASH(id) PARTITIONS 4", ["id INT !", "a VARCHAR", "b INT !"], ("id",)),
        ("ALTER TABLE t ADD g INT GENERATED ALWAYS AS (id * 2) VIRTUAL COMMENT 'it''s, ok'",
         ["id INT !", "a VARCHAR", "b INT !", "g INT"], ("id",)),
        ("ALTER TABLE d.t ADD `we``ird, name` INT /* c, d INT */ -- x\n, ADD e INT",
         ["id INT !", "a VARCHAR", "b INT !", "we`ird, name INT", "e INT"], ("id",)),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT, DROP COLUMN IF EXISTS zz", ["id INT !", "a VARCHAR", "b INT !"], ("id",)),
        ("/*!80000 ALTER TABLE t ADD c INT */", ["id INT !", "a VARCHAR", "b INT !", "c INT"], ("id",)),
    ],
)  # fmt: skip
def test_alter(statement: str, columns: list[str], key: tuple[str, ...]) -> None:
    t = table(run(BASE, statement))
    assert shape(t) == columns
    assert t.primary_key == key
    assert [c.position for c in t.columns] == list(range(1, len(columns) + 1))


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("a INT, b INT NOT NULL, UNIQUE KEY (b)", ("b",)),
        ("a INT, b INT NOT NULL, UNIQUE KEY u (a, b)", ()),
        ("a INT UNIQUE, b INT", ()),
        ("a INT NOT NULL UNIQUE, b INT", ("a",)),
        ("a INT, b INT, PRIMARY KEY (b, a)", ("b", "a")),
        ("a INT, b SERIAL", ("b",)),
        ("a INT, b INT NOT NULL, UNIQUE ((a + b))", ()),
        ("a INT, CONSTRAINT pk PRIMARY KEY USING BTREE (a)", ("a",)),
    ],
)
def test_keys(body: str, key: tuple[str, ...]) -> None:
    assert table(run(f"CREATE TABLE t ({body})")).primary_key == key


def test_nullable_unique_is_the_key_in_exact_mode() -> None:
    assert table(run("CREATE TABLE t (a INT UNIQUE, b INT)", exact=True)).primary_key == ("a",)


@pytest.mark.parametrize(
    ("definition", "facts"),
    [
        ("INT(5) UNSIGNED ZEROFILL", {"type_name": "INT UNSIGNED ZEROFILL", "length": 5}),
        ("INT ZEROFILL", {"type_name": "INT UNSIGNED ZEROFILL"}),
        ("DECIMAL", {"length": 10, "scale": 0}),
        ("DOUBLE PRECISION UNSIGNED", {"type_name": "DOUBLE PRECISION UNSIGNED", "jdbc_type": 8}),
        ("CHARACTER VARYING(9)", {"type_name": "CHARACTER VARYING", "jdbc_type": 12, "length": 9}),
        ("NATIONAL VARCHAR(8)", {"jdbc_type": -9, "charset": "utf8"}),
        ("VARCHAR(5) COLLATE latin1_swedish_ci", {"charset": "latin1"}),
        ("TEXT CHARACTER SET gbk", {"charset": "gbk"}),
        ("BIT", {"length": 1}),
        ("ENUM('a','b,c','it''s') DEFAULT 'a'", {"enum_values": ("'a'", "'b,c'", "'it''s'"), "length": 1, "default_expression": "a"}),
        ("SET('x','y')", {"length": 3}),
        ("DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)",
         {"default_expression": "1970-01-01 00:00:00", "auto_incremented": True}),
        ("INT NOT NULL DEFAULT (1 + (2))", {"has_default": False}),
        ("INT DEFAULT NULL", {"has_default": True, "default_expression": None}),
        ("INT DEFAULT -5", {"default_expression": "-5"}),
        ("BIT(4) DEFAULT b'101'", {"default_expression": "101"}),
        ("VARBINARY(4) DEFAULT 0x4142", {"default_expression": "AB"}),
        ("VARCHAR(9) DEFAULT _utf8mb4'abc' COLLATE utf8mb4_bin", {"default_expression": "abc"}),
        ("INT REFERENCES p(id) ON DELETE SET NULL ON UPDATE CASCADE NOT NULL", {"optional": False}),
        ("INT CONSTRAINT c CHECK (x > 0) NOT ENFORCED NOT NULL", {"optional": False}),
        ("INT INVISIBLE COMMENT 'a, b)'", {"comment": None}),
        ("POINT SRID 4326 NOT NULL", {"type_name": "POINT", "optional": False}),
        ("VECTOR(3)", {"length": 3, "jdbc_type": 1111}),
    ],
)  # fmt: skip
def test_column_facts(definition: str, facts: dict[str, Any]) -> None:
    column = table(run(f"CREATE TABLE t (x {definition}, y INT)")).columns[0]
    assert {k: getattr(column, k) for k in facts} == facts


def test_table_statements() -> None:
    tables = run(BASE, "CREATE TABLE u LIKE t", "CREATE TABLE v (LIKE t)", "RENAME TABLE t TO x, u TO t, x TO u", "DROP TABLE v")
    assert sorted(str(t.id) for t in tables) == ["d.t", "d.u"]
    tables = run(BASE, "ALTER TABLE t RENAME TO other.t2, ADD c INT")
    assert [str(t.id) for t in tables] == ["other.t2"]
    assert len(run(BASE, "DROP DATABASE d")) == 0


def test_create_or_replace() -> None:
    statement = "CREATE OR REPLACE TABLE t (z INT)"
    assert shape(table(run(BASE, statement, mariadb=True))) == ["z INT"]
    assert shape(table(run(BASE, statement, mariadb=True, exact=True)))[0] == "id INT !"


def test_changes_of_one_statement() -> None:
    session, tables = ddl.Session(database="d"), Tables()
    ddl.apply(BASE, tables, session)
    dropped = ddl.apply("DROP TABLE IF EXISTS `t`, x", tables, session)
    assert [c.ddl for c in dropped] == ["DROP TABLE IF EXISTS `d`.`t`", "DROP TABLE IF EXISTS `d`.`x`"]
    assert ddl.apply("CREATE INDEX i ON t (a)", tables, session)[0].type is None
    assert ddl.apply("TRUNCATE TABLE `t`", tables, session)[0].kind == "truncate"


@pytest.mark.parametrize(
    "statement",
    [
        "GRANT ALL ON *.* TO u", "CREATE USER u IDENTIFIED BY 'x'", "CREATE VIEW v AS SELECT 1",
        "CREATE DEFINER=`a`@`b` TRIGGER t BEFORE INSERT ON x FOR EACH ROW BEGIN SET @a = 1; END",
        "CREATE PROCEDURE p() BEGIN CREATE TABLE zzz (a INT); END", "ANALYZE TABLE t", "DROP TEMPORARY TABLE IF EXISTS x",
        "CREATE TEMPORARY TABLE x (a INT)", "FLUSH PRIVILEGES",
    ],
)  # fmt: skip
def test_statements_that_leave_no_trace(statement: str) -> None:
    session, tables = ddl.Session(database="d"), Tables()
    assert ddl.apply(statement, tables, session) == []
    assert len(tables) == 0


@pytest.mark.parametrize("statement", ["INSTALL PLUGIN x SONAME 'y'", "SELECT 'unclosed", "FLUSH TABLES", "%$§"])
def test_other_statements_never_raise(statement: str) -> None:
    ddl.apply(statement, Tables(), ddl.Session(database="d"))


def test_what_is_not_understood_names_its_table() -> None:
    tables, session = Tables(), ddl.Session(database="d")
    ddl.apply(BASE, tables, session)
    with pytest.raises(DdlError, match="column type") as caught:
        ddl.apply("ALTER TABLE t ADD x FUTURETYPE(1)", tables, session)
    assert caught.value.table_ids == (TableId("d", None, "t"),)  # type: ignore[attr-defined]
    with pytest.raises(DdlError, match="does not have"):
        ddl.apply("ALTER TABLE t DROP nope", tables, session)


def test_passwords_are_redacted() -> None:
    assert "secret" not in ddl.redact("ALTER USER u IDENTIFIED BY 'secret' REPLACE 'x'")


def test_quoting_modes() -> None:
    session, tables = ddl.Session(database="d", ansi_quotes=True), Tables()
    ddl.apply('CREATE TABLE "t" ("a b" INT, c VARCHAR(9) DEFAULT \'x\')', tables, session)
    assert [c.name for c in table(tables).columns] == ["a b", "c"]
    session, tables = ddl.Session(database="d", no_backslash_escapes=True), Tables()
    ddl.apply("CREATE TABLE t (c VARCHAR(9) DEFAULT '\\', e INT)", tables, session)
    assert [c.name for c in table(tables).columns] == ["c", "e"]


def recorded() -> list[Any]:
    """The schema changes of the recorded cases: statement, and the models the reference gave."""
    out = []
    for golden in sorted(CASES.glob("mysql/*/golden.jsonl")):
        lines = [json.loads(x) for x in golden.read_text().splitlines()]
        rows = [r["v"][1] for r in lines[1 + lines[0]["schemas"] :] if r["v"] and isinstance(r["v"][1], dict)]
        changes = [(r["databaseName"], r["ddl"], r["tableChanges"]) for r in rows if "tableChanges" in r]
        out.append(pytest.param(changes, id=golden.parent.name))
    return out


@pytest.mark.parametrize("changes", recorded())
def test_recorded_models(changes: list[tuple[str, str, list[dict[str, Any]]]]) -> None:
    session, tables = ddl.Session(exact=True, server_version=(9, 7, 4)), Tables()
    for database, sql, expected in changes:
        session.database = database
        got = [c for c in ddl.apply(sql, tables, session) if c.type]
        if "TO a_old" in sql:
            continue  # one of several renames of a statement, whose models are those behind all of them
        assert [(c.type, c.id.quoted()) for c in got] == [(e["type"], e["id"]) for e in expected], sql
        for change, e in zip(got, expected, strict=True):
            assert (change.table is None) == (e["table"] is None)
            if change.table is not None:
                assert columns_of(change.table) == [{k: c[k] for k in KEYS} for c in e["table"]["columns"]], sql
                assert list(change.table.primary_key) == e["table"]["primaryKeyColumnNames"]
                assert change.table.charset == e["table"]["defaultCharsetName"]


KEYS = ("name", "jdbcType", "typeName", "charsetName", "length", "scale", "position", "optional", "autoIncremented", "generated",
        "defaultValueExpression", "enumValues")  # fmt: skip


def columns_of(t: Table) -> list[dict[str, Any]]:
    rows = (
        (c.name, c.jdbc_type, c.type_name, c.charset, c.length, c.scale, c.position, c.optional, c.auto_incremented, c.generated,
         c.default_expression if c.has_default else None, list(c.enum_values) or None)
        for c in t.columns
    )  # fmt: skip
    return [dict(zip(KEYS, row, strict=True)) for row in rows]
