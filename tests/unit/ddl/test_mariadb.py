"""MariaDB's own: system versioning, and what its ON UPDATE and IF clauses do."""

from __future__ import annotations

import pytest

from .support import Model

HIDDEN = ["id", "n", "row_start", "row_end"]
BODY = "id INT PRIMARY KEY, n INT"


def versioned(*more: str, exact: bool = False) -> Model:
    return Model(f"CREATE TABLE t ({BODY}) ENGINE=InnoDB WITH SYSTEM VERSIONING", *more, mariadb=True, exact=exact)


def test_hidden_columns_stand_last_in_every_row() -> None:
    model = versioned()
    assert model.names() == HIDDEN
    assert model.table().primary_key == ("id", "row_end")
    end = model.column("row_end")
    assert (end.type_name, end.length, end.optional, end.position) == ("TIMESTAMP", 6, False, 4)
    model.run("ALTER TABLE t ADD x INT, ADD y INT FIRST")
    assert model.names() == ["y", "id", "n", "x", "row_start", "row_end"]
    assert [c.position for c in model.table().columns] == [1, 2, 3, 4, 5, 6]
    assert model.table().primary_key == ("id", "row_end")


def test_copies_are_versioned_too() -> None:
    model = versioned("CREATE TABLE u LIKE t", "ALTER TABLE u DROP n", "RENAME TABLE u TO v", "ALTER TABLE v ADD z INT")
    assert model.names("v") == ["id", "z", "row_start", "row_end"]


@pytest.mark.parametrize(
    ("statement", "names", "key"),
    [
        ("ALTER TABLE t DROP SYSTEM VERSIONING", ["id", "n"], ("id",)),
        ("ALTER TABLE t DROP SYSTEM VERSIONING, ADD x INT", ["id", "n", "x"], ("id",)),
        ("ALTER TABLE t DROP PRIMARY KEY", HIDDEN, ()),
        ("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (n)", HIDDEN, ("n", "row_end")),
    ],
)
def test_altered(statement: str, names: list[str], key: tuple[str, ...]) -> None:
    model = versioned(statement)
    assert model.names() == names
    assert model.table().primary_key == key


def test_added_later() -> None:
    model = Model(f"CREATE TABLE t ({BODY})", "ALTER TABLE t ADD SYSTEM VERSIONING", mariadb=True)
    assert model.names() == HIDDEN
    model = Model("CREATE TABLE t (id INT, n INT WITH SYSTEM VERSIONING)", mariadb=True)
    assert model.names() == HIDDEN
    model = Model("CREATE TABLE t (id INT, n INT WITHOUT SYSTEM VERSIONING) WITH SYSTEM VERSIONING PARTITION BY SYSTEM_TIME (PARTITION p HISTORY, PARTITION q CURRENT)", mariadb=True)
    assert model.names() == HIDDEN


PERIOD = (
    "CREATE TABLE t (id INT PRIMARY KEY, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) AS ROW END INVISIBLE,"
    " PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING"
)


def test_period_columns_of_ones_own() -> None:
    model = Model(PERIOD, mariadb=True)
    assert model.names() == ["id", "s", "e"]
    assert model.table().primary_key == ("id", "e")
    assert [c.optional for c in model.table().columns] == [False, False, False]
    model.run("ALTER TABLE t ADD x INT")
    assert model.names() == ["id", "s", "e", "x"]
    # the log spells the dropped period columns out, or not
    for statement in ("ALTER TABLE t DROP SYSTEM VERSIONING, DROP COLUMN s, DROP COLUMN e", "ALTER TABLE t DROP SYSTEM VERSIONING"):
        again = Model(PERIOD, statement, mariadb=True)
        assert again.names() == ["id"]
        assert again.table().primary_key == ("id",)
        assert again.table().attributes == ()


def test_the_reference_knows_no_versioning() -> None:
    model = versioned("ALTER TABLE t ADD SYSTEM VERSIONING, ADD x INT", "ALTER TABLE t DROP SYSTEM VERSIONING", exact=True)
    assert model.names() == ["id", "n", "x"]
    assert model.table().primary_key == ("id",)
    assert model.table().attributes == ()


def test_on_update_marks_no_column() -> None:
    sql = "CREATE TABLE t (a TIMESTAMP NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), b INT AUTO_INCREMENT KEY)"
    assert [c.auto_incremented for c in Model(sql, mariadb=True).table().columns] == [False, True]
    assert [c.auto_incremented for c in Model(sql).table().columns] == [True, True]


def test_if_clauses() -> None:
    model = Model(
        "CREATE TABLE t (a INT, b INT)",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS (a TEXT, c INT), DROP COLUMN IF EXISTS x, MODIFY COLUMN IF EXISTS y INT,"
        " CHANGE COLUMN IF EXISTS z zz INT, RENAME COLUMN IF EXISTS q TO r, ALTER COLUMN IF EXISTS w SET DEFAULT 1,"
        " RENAME INDEX IF EXISTS i TO j, DROP INDEX IF EXISTS k, DROP FOREIGN KEY IF EXISTS f, DROP CONSTRAINT IF EXISTS n,"
        " ADD INDEX IF NOT EXISTS ix (a), ADD UNIQUE INDEX IF NOT EXISTS ux (b), ADD CONSTRAINT IF NOT EXISTS ck CHECK (a > 0)",
        mariadb=True,
    )
    assert [(c.name, c.type_name) for c in model.table().columns] == [("a", "INT"), ("b", "INT"), ("c", "INT")]
