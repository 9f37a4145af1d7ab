"""Column order, names and keys through ALTER TABLE: as the server has it, and as the reference does (`exact`)."""

from __future__ import annotations

import pytest

from headwater.errors import DdlError

from .support import Model

T = "CREATE TABLE t (a INT, b INT, c INT, d INT)"


@pytest.mark.parametrize(
    ("clauses", "names"),
    [
        ("ADD x INT FIRST, ADD y INT FIRST", "y x a b c d"),
        ("ADD x INT AFTER b, ADD y INT AFTER x", "a b x y c d"),
        ("ADD COLUMN (x INT, y INT, INDEX (x), CONSTRAINT q CHECK (x > 0))", "a b c d x y"),
        ("MODIFY d BIGINT FIRST, ADD x INT AFTER d", "d x a b c"),
        ("CHANGE COLUMN b bb INT AFTER d", "a c d bb"),
        ("ADD x INT AFTER bb, CHANGE b bb INT", "a bb x c d"),  # a place names columns as they are behind the statement
        ("DROP a, ADD a TEXT", "b c d a"),
        ("DROP COLUMN a RESTRICT, DROP `b` CASCADE", "c d"),
        ("CHANGE a b INT, CHANGE b a INT", "b a c d"),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO c, RENAME COLUMN c TO a", "b c a d"),
        ("RENAME COLUMN a TO x, DROP COLUMN b, ADD b INT AFTER x", "x b c d"),
        ("ENGINE=InnoDB ROW_FORMAT=DYNAMIC, FORCE, ALGORITHM=COPY, LOCK=SHARED, WITHOUT VALIDATION", "a b c d"),
        ("ORDER BY a, comment DESC, b ASC, ADD x INT", "a b c d x"),
        ("ADD x INT PARTITION BY KEY (a) PARTITIONS 3", "a b c d x"),
        ("ADD x INT REMOVE PARTITIONING", "a b c d x"),
        ("PARTITION BY RANGE (a) (PARTITION p VALUES LESS THAN (1) COMMENT = 'ADD y INT')", "a b c d"),
        ("DROP PARTITION p1, p2", "a b c d"),
        ("REORGANIZE PARTITION p1, p2 INTO (PARTITION p3 VALUES IN (1, 2))", "a b c d"),
        ("EXCHANGE PARTITION p WITH TABLE u WITHOUT VALIDATION", "a b c d"),
        ("ADD FOREIGN KEY (a) REFERENCES u (a) ON DELETE SET NULL, ADD x INT", "a b c d x"),
        ("DROP FOREIGN KEY f, DROP CHECK c, DROP CONSTRAINT k, ADD x INT", "a b c d x"),
        ("ADD period INT, ADD system INT, ADD vector INT, ADD vector VECTOR(3)", "a b c d period system vector vector"),
        ("ADD VECTOR INDEX v (a), ADD VECTOR KEY (b), ADD VECTOR w (c), ADD FULLTEXT (a), ADD SPATIAL INDEX s (b)", "a b c d"),
        ("DISABLE KEYS", "a b c d"),
        ("DISCARD TABLESPACE", "a b c d"),
        ("UNION = (u, v), COMMENT = 'ADD x INT', ADD y INT", "a b c d y"),
    ],
)  # fmt: skip
def test_columns_as_the_server_has_them(clauses: str, names: str) -> None:
    model = Model(T, f"ALTER TABLE t {clauses}")
    assert " ".join(model.names()) == names
    assert [c.position for c in model.table().columns] == list(range(1, len(model.names()) + 1))


@pytest.mark.parametrize(
    ("clauses", "names"),
    [
        ("ADD x INT FIRST, ADD y INT AFTER x", "x y a b c d"),
        ("CHANGE a b INT, CHANGE b a INT", "a b c d"),  # the second finds the first one's result
        ("RENAME COLUMN a TO x, RENAME COLUMN x TO y", "y b c d"),
        ("ADD COLUMN IF NOT EXISTS a BIGINT", "a b c d"),
    ],
)
def test_columns_in_exact_mode(clauses: str, names: str) -> None:
    assert " ".join(Model(T, f"ALTER TABLE t {clauses}", exact=True).names()) == names


@pytest.mark.parametrize(
    "clauses",
    ["DROP nope", "CHANGE nope x INT", "MODIFY nope INT", "RENAME COLUMN nope TO x", "ALTER nope SET DEFAULT 1", "ADD x INT AFTER nope",
     "MODIFY a INT AFTER nope"],
)  # fmt: skip
@pytest.mark.parametrize("exact", [False, True])
def test_what_does_not_fit_changes_nothing(clauses: str, exact: bool) -> None:
    model = Model(T, exact=exact)
    before = model.table()
    with pytest.raises(DdlError, match=r"which d\.t does not have"):
        model.run(f"ALTER TABLE t ADD y INT, {clauses}")
    assert model.table() is before


@pytest.mark.parametrize(
    ("statements", "key", "exact_key"),
    [
        (["CREATE TABLE t (a INT UNIQUE, b INT NOT NULL UNIQUE)"], "b", "a"),  # a nullable unique key is no key
        (["CREATE TABLE t (a INT, b INT, UNIQUE (a, b))"], "", ""),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE u (a), PRIMARY KEY (b))"], "b", "b"),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE u (a), PRIMARY KEY (b))", "ALTER TABLE t DROP PRIMARY KEY"], "a", ""),
        (["CREATE TABLE t (a INT NOT NULL UNIQUE, b INT NOT NULL)", "ALTER TABLE t DROP INDEX a"], "", "a"),
        (["CREATE TABLE t (a INT NOT NULL UNIQUE, b INT NOT NULL)", "DROP INDEX a ON t"], "", "a"),
        (["CREATE TABLE t (a INT NOT NULL UNIQUE, b INT NOT NULL)", "ALTER TABLE t DROP CONSTRAINT a"], "", "a"),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE x (a), UNIQUE y (b))", "ALTER TABLE t RENAME KEY x TO z", "ALTER TABLE t DROP KEY z"], "b", "a"),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, KEY (a), UNIQUE (a), UNIQUE (b))", "ALTER TABLE t DROP KEY a_2"], "b", "a"),
        (["CREATE TABLE t (a INT NOT NULL UNIQUE, b INT)", "ALTER TABLE t MODIFY a INT"], "", "a"),
        (["CREATE TABLE t (a INT NOT NULL UNIQUE, b INT)", "ALTER TABLE t CHANGE a k INT NOT NULL"], "k", "k"),
        (["CREATE TABLE t (a INT UNIQUE, b INT)", "ALTER TABLE t MODIFY a INT NOT NULL"], "a", "a"),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE (a, b))", "ALTER TABLE t DROP b"], "a", "a"),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL)", "ALTER TABLE t ADD UNIQUE (b, a)"], "b a", "b a"),
        (["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL)", "CREATE UNIQUE INDEX u ON t (b DESC)"], "b", "b"),
        (["CREATE TABLE t (a INT NOT NULL, b INT)", "CREATE UNIQUE INDEX u ON t ((a + 1))"], "", ""),
        (["CREATE TABLE t (a CHAR(99) NOT NULL, b INT NOT NULL, UNIQUE (a(9)), UNIQUE (b))"], "b", "a"),
        # drops come before additions, whatever the order in the text
        (["CREATE TABLE t (a INT, b INT, PRIMARY KEY (a))", "ALTER TABLE t ADD PRIMARY KEY (b), DROP PRIMARY KEY"], "b", ""),
        (["CREATE TABLE t (a INT PRIMARY KEY, b INT)", "ALTER TABLE t DROP KEY `PRIMARY`"], "", ""),
        (["CREATE TABLE t (a INT PRIMARY KEY, b INT)", "DROP INDEX `PRIMARY` ON t"], "", "a"),
        (["CREATE TABLE t (ID INT, PRIMARY KEY (id))", "ALTER TABLE t MODIFY id BIGINT"], "id", "id"),
        (["CREATE TABLE t (a SERIAL, b INT)"], "a", "a"),
        (["CREATE TABLE t (a BIGINT SERIAL DEFAULT VALUE, b INT)"], "a", "a"),
        (["CREATE TABLE t (a INT KEY, b INT)"], "a", "a"),
        (["CREATE TABLE t (a INT NOT NULL UNIQUE)", "CREATE TABLE x LIKE t", "RENAME TABLE x TO y, t TO x, y TO t", "ALTER TABLE t DROP KEY a"], "", "a"),
    ],
)  # fmt: skip
def test_keys(statements: list[str], key: str, exact_key: str) -> None:
    assert " ".join(Model(*statements).table().primary_key) == key
    assert " ".join(Model(*statements, exact=True).table().primary_key) == exact_key


def test_key_columns_are_required_only_by_a_primary_key() -> None:
    # MODIFY without NOT NULL leaves a primary key column required, a unique key's column not
    model = Model("CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL UNIQUE)", "ALTER TABLE t MODIFY a BIGINT, MODIFY b BIGINT")
    assert [c.optional for c in model.table().columns] == [False, True]
    assert not model.column("a").has_default


def test_unique_keys_survive_in_the_attributes_only() -> None:
    model = Model("CREATE TABLE t (a INT NOT NULL, b INT, UNIQUE u (a), UNIQUE v (b, a))")
    assert dict(model.table().attributes) == {
        "headwater.keys": '{"primary":false,"unique":[{"name":"u","columns":["a"]},{"name":"v","columns":["b","a"]}]}'
    }
    assert Model("CREATE TABLE t (a INT NOT NULL UNIQUE)", exact=True).table().attributes == ()
    assert Model("CREATE TABLE t (a INT PRIMARY KEY)").table().attributes == ()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"unique":[{"name":1,"columns":[]}]}', '{"unique":[{"columns":["a"]}]}', '{"unique":3}'])
def test_malformed_attribute(text: str) -> None:
    model = Model("CREATE TABLE t (a INT)")
    model.tables.put(model.table().with_(attributes=(("headwater.keys", text),)))
    with pytest.raises(DdlError, match=r"headwater\.keys is malformed"):
        model.run("ALTER TABLE t ADD b INT")


def test_foreign_attributes_are_kept() -> None:
    model = Model("CREATE TABLE t (a INT)")
    model.tables.put(model.table().with_(attributes=(("owner", "x"),)))
    model.run("ALTER TABLE t ADD b INT NOT NULL UNIQUE")
    assert model.table().attributes[0] == ("owner", "x")
