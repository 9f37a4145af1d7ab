"""Statements that are not understood: what is raised, what never is, and what a message must not hold."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater import ddl
from headwater.ddl.redact import shorten
from headwater.errors import DdlError
from headwater.model import Tables

from .support import Model

T = "CREATE TABLE t (a INT)"


@pytest.mark.parametrize(
    ("sql", "message", "ids"),
    [
        ("ALTER TABLE t ADD x FUTURE(1)", "a column type for x is expected at 20, found 'FUTURE'", ["d.t"]),
        ("ALTER TABLE x.`y z` ADD", None, []),  # not in the model: passed over
        ("CREATE TABLE x.u (a INT, b)", "a column type for b is expected at 26, found '\\)'", ["x.u"]),
        ("CREATE TABLE u (a INT", "'\\)' is expected at 21, found the end", ["d.u"]),
        ("CREATE TABLE u (a INT DEFAULT (1", "'\\)' is expected", ["d.u"]),
        ("CREATE TABLE u (a INT, PRIMARY KEY)", "'\\(' is expected", ["d.u"]),
        ("CREATE TABLE u (CONSTRAINT x y (a))", "a constraint is expected", ["d.u"]),
        ("CREATE TABLE u (a INT COMMENT 5)", "a comment's text is expected at 30, found a literal", ["d.u"]),
        ("CREATE TABLE u (a INT DEFAULT)", "a default value is expected", ["d.u"]),
        ("RENAME TABLE t u", "'TO' is expected", ["d.t"]),
        ("RENAME TABLE t TO x.u, v TO", "a name is expected", ["d.t", "x.u", "d.v"]),
        ("DROP TABLE IF EXISTS t,", "a name is expected", ["d.t"]),
        ("TRUNCATE 5", "a name is expected", []),
        ("ALTER TABLE t ADD x VARCHAR(9) DEFAULT 'open", "a quote that starts at 39 has no end", ["d.t"]),
        ("ALTER TABLE `t` /* open", "a comment that starts at 16 has no end", ["d.t"]),
        ("SET STATEMENT a=1 FOR ALTER TABLE t ADD x FUTURE", "a column type for x", ["d.t"]),
        ("CREATE UNIQUE INDEX i ON t a", "'\\(' is expected", ["d.t"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("exact", [False, True])
def test_messages_name_place_and_tables(sql: str, message: str | None, ids: list[str], exact: bool) -> None:
    model = Model(T, exact=exact)
    before = model.table()
    if message is None:
        model.run(sql)
        return
    with pytest.raises(ddl.StatementError, match=message) as caught:
        model.run(sql)
    assert [str(i) for i in caught.value.table_ids] == ids
    assert model.table() is before
    assert model.ids() == ["d.t"]


@pytest.mark.parametrize(
    "sql",
    ["SELECT 'open", "INSTALL PLUGIN x SONAME 'y'", "CREATE INDEX", "DROP INDEX", "CREATE", "ALTER", "DROP", "SET", "SET x", "USE", "USE 5", "CREATE DATABASE",
     "ALTER DATABASE 5", "DROP DATABASE", "SET STATEMENT", "%$§", "\0", "'", "(((((", "RENAME", "CREATE UNIQUE", "CREATE OR", "CREATE SERVER 'open",
     "CREATE FUNCTION f RETURNS INT 'open", "LOCK TABLES t READ"],
)  # fmt: skip
def test_other_statements_never_raise(sql: str) -> None:
    model = Model(T)
    model.run(sql)
    assert model.ids() == ["d.t"]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE USER u IDENTIFIED BY 'hunter2'", "ALTER USER u IDENTIFIED WITH sha2 BY 'hunter2' REPLACE 'hunter2'", "ALTER USER u IDENTIFIED BY 'a''hunter2'",
        "CREATE USER u IDENTIFIED BY 'a\\'hunter2'", 'GRANT ALL ON *.* TO u IDENTIFIED BY "x""hunter2"', "CREATE USER u IDENTIFIED WITH p AS 'hunter2'",
        "CREATE USER u IDENTIFIED BY PASSWORD 'hunter2'", "SET PASSWORD = 'hunter2'", "SET PASSWORD FOR 'u'@'h' = PASSWORD('hunter2')", "CHANGE MASTER TO MASTER_USER='u', MASTER_PASSWORD='hunter2'",
        "CREATE TABLE t (a INT) CONNECTION='mysql://u:hunter2@h/d/t'", "CREATE SERVER s OPTIONS (PASSWORD 'hunter2')", "ALTER USER u IDENTIFIED BY 'hunter2",
        "CREATE USER u IDENTIFIED AS 0x68756e74657232hunter2", "CREATE USER u IDENTIFIED WITH x AS x'00' , v IDENTIFIED BY 'hunter2'", "CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD('hunter2')",
    ],
)  # fmt: skip
def test_passwords_are_redacted(sql: str) -> None:
    assert "hunter2" not in ddl.redact(sql).replace("0x68756e74657232hunter2", "")
    for limit in (20, 400):
        assert "hunter2" not in shorten(sql, 30, limit).replace("0x68756e74657232hunter2", "")


def test_what_is_no_secret_stays() -> None:
    sql = "ALTER TABLE t ADD b ENUM('p','q') DEFAULT 'q'"
    assert ddl.redact(sql) == sql
    # a column of that name hides literals near it, and nothing further on
    far = "ALTER TABLE t ADD password INT, " + ", ".join(f"ADD c{i} INT" for i in range(9)) + ", ADD z ENUM('p')"
    assert ddl.redact(far) == far


def test_a_secret_does_not_reach_the_error() -> None:
    with pytest.raises(ddl.StatementError) as caught:
        Model().run("CREATE TABLE t (a FUTURE) CONNECTION='mysql://u:hunter2@h/d/t'")
    assert "hunter2" not in str(caught.value)
    assert "********" in caught.value.statement
    with pytest.raises(ddl.StatementError) as caught:
        Model().run("CREATE TABLE t (a INT) CONNECTION='mysql://u:hunter2@h/d/t")
    assert "hunter2" not in str(caught.value)


def test_long_statements_are_cut_around_the_place() -> None:
    columns = ", ".join(f"c{i} INT" for i in range(5000))
    with pytest.raises(ddl.StatementError) as caught:
        Model().run(f"CREATE TABLE t ({columns}, x FUTURE, {columns})")
    assert len(str(caught.value)) < 600
    assert "x FUTURE" in caught.value.statement


def test_deep_nesting_is_no_recursion() -> None:
    deep = "(" * 100_000 + "1" + ")" * 100_000
    assert Model(f"CREATE TABLE t (a INT DEFAULT {deep}, b INT)").names() == ["a", "b"]
    with pytest.raises(DdlError):
        Model().run("CREATE TABLE t (a INT DEFAULT " + "(" * 100_000)


WORDS = st.sampled_from([
    "CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE", "TABLE", "TABLES", "OR", "REPLACE", "IF", "NOT", "EXISTS",
    "t", "u", "d", ".", "(", ")", ",", ";", "ADD", "COLUMN", "CHANGE", "MODIFY", "INT", "VARCHAR", "(", "9", ")",
    "DEFAULT", "NULL", "'x'", "`y`", "PRIMARY", "KEY", "UNIQUE", "INDEX", "CONSTRAINT", "CHECK", "FIRST",
    "AFTER", "TO", "LIKE", "SELECT", "CONVERT", "CHARACTER", "SET", "utf8", "COLLATE", "COMMENT", "=", "ENUM",
    "SERIAL", "VALUE", "GENERATED", "ALWAYS", "AS", "ROW", "START", "REFERENCES", "ON", "UPDATE", "DELETE",
    "PARTITION", "BY", "WITH", "SYSTEM", "VERSIONING", "DATABASE", "USE", "SET", "STATEMENT", "FOR", "PERIOD",
    "VECTOR", "ORDER", "0x41", "b'1'", "_latin1", "-", "1.5", "@a", "/*!80000", "*/", "/*",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=40), st.booleans(), st.booleans())
def test_shuffled_words_raise_nothing_else(words: list[str], exact: bool, mariadb: bool) -> None:
    tables, session = Tables(), ddl.Session(database="d", exact=exact, mariadb=mariadb)
    ddl.apply("CREATE TABLE t (a INT NOT NULL, b VARCHAR(9) UNIQUE, PRIMARY KEY (a))", tables, session)
    sql = " ".join(words)
    for statement in (sql, f"ALTER TABLE t {sql}", f"CREATE TABLE u ({sql}"):
        with contextlib.suppress(ddl.StatementError):
            ddl.apply(statement, tables, session)
    for table in tables:
        assert [c.position for c in table.columns] == list(range(1, len(table.columns) + 1))
        assert set(table.primary_key) <= {c.name for c in table.columns}


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.booleans())
def test_any_text_raises_nothing_else(text: str, ansi: bool) -> None:
    for sql in (text, f"ALTER TABLE t ADD x INT {text}", f"CREATE TABLE `{text}` (a INT)"):
        tables = Tables()
        with contextlib.suppress(ddl.StatementError):
            ddl.apply(sql, tables, ddl.Session(database="d", ansi_quotes=ansi))
        assert isinstance(ddl.redact(sql), str)
