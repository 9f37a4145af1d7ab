"""Data types the server turns into others, and character sets. `exact` keeps the statement's words."""

from __future__ import annotations

import pytest

from headwater.errors import DdlError

from .support import Model, column


@pytest.mark.parametrize(
    ("definition", "corrected", "exact"),  # type name, jdbc type, length
    [
        ("REAL", ("DOUBLE", 8, None), ("REAL", 7, None)),
        ("REAL(7,2) UNSIGNED", ("DOUBLE UNSIGNED", 8, 7), ("REAL UNSIGNED", 7, 7)),
        ("BOOL", ("TINYINT", 5, 1), ("BOOL", 16, None)),
        ("BOOLEAN", ("TINYINT", 5, 1), ("BOOLEAN", 16, None)),
        ("CHAR(3) BYTE", ("BINARY", -2, 3), ("CHAR", 1, 3)),
        ("VARCHAR(9) CHARACTER SET binary", ("VARBINARY", -3, 9), ("VARCHAR", 12, 9)),
        ("VARCHAR(9) COLLATE binary", ("VARBINARY", -3, 9), ("VARCHAR", 12, 9)),
        ("TEXT CHARSET binary", ("BLOB", 2004, None), ("TEXT", 12, None)),
        ("LONG VARCHAR CHARACTER SET binary", ("MEDIUMBLOB", 2004, None), ("LONG VARCHAR", 12, None)),
        ("VARCHAR(9) BINARY", ("VARCHAR BINARY", 12, 9), ("VARCHAR BINARY", 12, 9)),
        ("ENUM('a') CHARACTER SET binary", ("ENUM", 1, 1), ("ENUM", 1, 1)),
        ("LONG CHARACTER SET latin1", ("LONG", 12, None), ("LONG", 12, None)),
        ("LONG CHAR VARYING", ("LONG CHAR VARYING", 12, None), ("LONG CHAR VARYING", 12, None)),
        ("CHAR CHAR SET latin1", ("CHAR", 1, None), ("CHAR", 1, None)),
        ("NATIONAL CHARACTER VARYING(4)", ("NATIONAL CHARACTER VARYING", -9, 4), ("NATIONAL CHARACTER VARYING", -9, 4)),
        ("INT SIGNED", ("INT", 4, None), ("INT", 4, None)),
        ("INT4 ZEROFILL", ("INT4 UNSIGNED ZEROFILL", 4, None), ("INT4 UNSIGNED ZEROFILL", 4, None)),
        ("VECTOR", ("VECTOR", 1111, 2048), ("VECTOR", 1111, 2048)),
        ("YEAR(4)", ("YEAR", 4, 4), ("YEAR", 4, 4)),
        ("TEXT(500)", ("TEXT", 12, 500), ("TEXT", 12, 500)),
        ("JSON", ("JSON", 1111, None), ("JSON", 1111, None)),
    ],
)  # fmt: skip
def test_types(definition: str, corrected: tuple[str, int, int | None], exact: tuple[str, int, int | None]) -> None:
    for wanted, mode in ((corrected, False), (exact, True)):
        c = column(definition, exact=mode)
        assert (c.type_name, c.jdbc_type, c.length) == wanted
        assert c.type_expression == c.type_name


@pytest.mark.parametrize(
    ("definition", "type_name", "length"),
    [("JSON", "LONGTEXT", None), ("UUID", "UUID", None), ("INET4", "INET4", None), ("INET6", "INET6", None), ("VARCHAR2(10 CHAR)", "VARCHAR", 10),
     ("RAW(9)", "VARBINARY", 9), ("CLOB", "LONGTEXT", None), ("NUMBER", "DOUBLE", None), ("NUMBER(9)", "DECIMAL", 9), ("mariadb_schema.date", "DATE", None),
     ("VARCHAR(9) COMPRESSED", "VARCHAR", 9), ("BLOB COMPRESSED=zlib", "BLOB", None), ("POINT REF_SYSTEM_ID=101 NOT NULL", "POINT", None)],
)  # fmt: skip
def test_mariadb_types(definition: str, type_name: str, length: int | None) -> None:
    c = column(definition, mariadb=True)
    assert (c.type_name, c.length) == (type_name, length)


def test_mariadb_json_is_text_of_its_own_character_set() -> None:
    assert Model("CREATE TABLE t (j JSON) CHARSET latin1", mariadb=True).column("j").charset == "utf8mb4"


def test_sql_mode_shapes_types() -> None:
    model = Model()
    model.session.set_sql_mode(0x1)  # REAL_AS_FLOAT
    model.run("CREATE TABLE t (a REAL, b DATE)")
    assert [c.type_name for c in model.table().columns] == ["FLOAT", "DATE"]
    model = Model(mariadb=True)
    model.session.set_sql_mode(0x200)  # ORACLE
    model.run("CREATE TABLE t (b DATE)")
    assert model.column("b").type_name == "DATETIME"


@pytest.mark.parametrize("definition", ["FUTURETYPE(1)", "", "(3)", "INT(x'01')", "ENUM(1)", "ENUM('a'", "NATIONAL INT", "VARCHAR('9')", "'INT'"])
def test_unknown_types(definition: str) -> None:
    with pytest.raises(DdlError, match="is expected at"):
        column(definition)


def test_huge_numbers_are_no_lengths() -> None:
    with pytest.raises(DdlError, match="a length is expected"):
        column(f"VARCHAR({'9' * 5000})")


def test_labels() -> None:
    assert column("ENUM('a', 'it''s', _latin1'b', x'63', \"d\")").enum_values == ("'a'", "'it''s'", "'b'", "'c'", "'d'")
    assert column("SET('a', 'b', 'c')").length == 5


@pytest.mark.parametrize(
    ("statements", "charsets", "table"),
    [
        (["CREATE TABLE t (a TEXT, b INT, c NCHAR(3), d ENUM('x')) CHARSET=latin1"], ["latin1", None, "utf8", "latin1"], "latin1"),
        (["CREATE TABLE t (a TEXT) DEFAULT CHARACTER SET = gbk COLLATE = gbk_bin"], ["gbk"], "gbk"),
        (["CREATE TABLE t (a TEXT) COLLATE latin2_bin"], ["latin2"], "latin2"),
        (["CREATE TABLE t (a TEXT) ENGINE=InnoDB CHAR SET 'gbk' COMMENT 'CHARSET=latin1'"], ["gbk"], "gbk"),
        (["CREATE TABLE t (a TEXT COLLATE latin2_bin, b TEXT CHARACTER SET gbk, c TEXT ASCII, d TEXT UNICODE)"], ["latin2", "gbk", "latin1", "ucs2"], "utf8mb4"),
        (["CREATE TABLE t (a TEXT)", "ALTER TABLE t CONVERT TO CHARACTER SET latin1, ADD b TEXT"], ["latin1", "latin1"], "latin1"),
        (["CREATE TABLE t (a TEXT)", "ALTER TABLE t CHARSET latin1, ADD b TEXT"], ["utf8mb4", "latin1"], "latin1"),
        (["CREATE TABLE t (a TEXT)", "ALTER TABLE t COLLATE gbk_bin", "ALTER TABLE t ADD b TEXT"], ["utf8mb4", "gbk"], "gbk"),
        (["CREATE TABLE t (a TEXT)", "ALTER TABLE t ADD b TEXT CHARACTER SET latin1 COLLATE latin1_bin FIRST"], ["latin1", "utf8mb4"], "utf8mb4"),
        (["ALTER DATABASE d CHARACTER SET latin1", "CREATE TABLE t (a TEXT)"], ["latin1"], "latin1"),
        (["ALTER DATABASE COLLATE gbk_bin", "CREATE TABLE d.t (a TEXT)"], ["gbk"], "gbk"),
        (["CREATE DATABASE IF NOT EXISTS x CHARSET = gbk", "CREATE TABLE t (a TEXT)"], ["utf8mb4"], "utf8mb4"),
        (["SET character_set_server=latin1, collation_server=latin1_bin", "CREATE TABLE t (a TEXT)"], ["latin1"], "latin1"),
        (["SET @@global.character_set_database := gbk", "CREATE TABLE t (a TEXT)"], ["gbk"], "gbk"),
        (["ALTER SCHEMA d CHARSET latin1", "DROP DATABASE d", "CREATE TABLE t (a TEXT)"], ["utf8mb4"], "utf8mb4"),
        (["CREATE TABLE t (a TEXT) CHARSET latin1", "ALTER DATABASE d CHARSET gbk", "ALTER TABLE t CONVERT TO CHARSET DEFAULT"], ["gbk"], "gbk"),
        (["CREATE TABLE t (a TEXT COLLATE uca1400_ai_ci) CHARSET latin1"], ["latin1"], "latin1"),
    ],
)  # fmt: skip
def test_character_sets(statements: list[str], charsets: list[str | None], table: str) -> None:
    model = Model(*statements)
    assert [c.charset for c in model.table().columns] == charsets
    assert model.table().charset == table


def test_exact_mode_overlooks_a_tables_new_default() -> None:
    model = Model("CREATE TABLE t (a TEXT)", "ALTER TABLE t CHARSET latin1", "ALTER TABLE t ADD b TEXT", exact=True)
    assert [c.charset for c in model.table().columns] == ["utf8mb4", "utf8mb4"]


def test_conversion_to_binary_makes_binary_types() -> None:
    model = Model("CREATE TABLE t (a VARCHAR(3), b TEXT, c ENUM('x'))", "ALTER TABLE t CONVERT TO CHARACTER SET binary, ADD d CHAR(2)")
    assert [c.type_name for c in model.table().columns] == ["VARBINARY", "BLOB", "ENUM", "BINARY"]


def test_comments_are_kept_on_demand() -> None:
    sql = "CREATE TABLE t (a INT COMMENT 'it''s \\n', b INT COMMENT \"x\") COMMENT = 'the \\'table\\''"
    model = Model(sql, include_comments=True)
    assert [c.comment for c in model.table().columns] == ["it's \n", "x"]
    assert model.table().comment == "the 'table'"
    model.run("ALTER TABLE t COMMENT 'new'")
    assert model.table().comment == "new"
    assert Model(sql, include_comments=True, exact=True).column("a").comment == "it's \\n"
    assert Model(sql).table().comment is None


@pytest.mark.parametrize(
    ("definition", "automatic", "optional"),
    [
        ("INT AUTO_INCREMENT PRIMARY KEY", True, False),
        ("TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP", True, True),
        ("DATETIME(3) DEFAULT NOW(3) ON UPDATE NOW(3) NOT NULL", True, False),
        ("INT GENERATED ALWAYS AS (1 + (2)) VIRTUAL NOT NULL COMMENT 'x'", False, False),
        ("INT AS (1) PERSISTENT UNIQUE", False, True),
        ("INT NOT NULL NULL", False, True),
        ("INT NOT SECONDARY NOT NULL", False, False),
        ("INT COLUMN_FORMAT DEFAULT STORAGE DEFAULT NOT NULL", False, False),
        ("INT CHECK (x > 0) NOT ENFORCED NOT NULL", False, False),
        ("INT CONSTRAINT CHECK (x > 0) NOT NULL", False, False),
        ("INT REFERENCES p (a, b) MATCH FULL ON DELETE NO ACTION ON UPDATE SET DEFAULT NOT NULL", False, False),
        ("JSON ENGINE_ATTRIBUTE = '{\"NOT\": 1}' SECONDARY_ENGINE_ATTRIBUTE '{}' INVISIBLE NOT NULL", False, False),
    ],
)
def test_attributes_in_any_order(definition: str, automatic: bool, optional: bool) -> None:
    c = column(definition)
    assert (c.auto_incremented, c.generated, c.optional) == (automatic, automatic, optional)


def test_timestamps_without_explicit_defaults() -> None:
    # explicit_defaults_for_timestamp=OFF: NOT NULL, the first one follows the clock, the others are zero
    sql = "CREATE TABLE t (n TIMESTAMP NULL, a TIMESTAMP, b TIMESTAMP, c TIMESTAMP DEFAULT '2020-01-01')"
    model = Model(sql, explicit_timestamps=False)
    facts = [(c.name, c.optional, c.auto_incremented, c.default_expression) for c in model.table().columns]
    assert facts == [
        ("n", True, False, None),
        ("a", False, False, "0000-00-00 00:00:00"),
        ("b", False, False, "0000-00-00 00:00:00"),
        ("c", False, False, "2020-01-01"),
    ]
    model = Model("CREATE TABLE t (a TIMESTAMP)", explicit_timestamps=False)
    assert model.column("a").default_expression == "1970-01-01 00:00:00"
    assert all(c.optional for c in Model(sql).table().columns)
