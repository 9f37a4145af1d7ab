"""The table model against a real server: after each statement it must be the server's own table.

A statement is run on the server and applied to the model. The model is then compared with the catalog, and
with the model made from SHOW CREATE TABLE, which is what a snapshot would have: column order, nullability,
character sets, decoders, schemas, defaults and the record key must be the same whichever way the table came in.
"""

from __future__ import annotations

from typing import Any

import pytest

from headwater import ddl
from headwater.connectors.mysql.types import column_format, value_type
from headwater.model import Column, Table, TableId, Tables
from headwater.types.base import TypeOptions
from tests.servers.support import Server

TYPES = """
    i1 TINYINT, i2 SMALLINT UNSIGNED, i3 MEDIUMINT, i4 INT(5) ZEROFILL, i5 BIGINT UNSIGNED NOT NULL, a1 INT1, a2 INT2, a3 INT3, a4 INT4,
    a8 INT8, m MIDDLEINT, n1 INTEGER SIGNED, b BOOL, bb BOOLEAN NOT NULL, d1 DECIMAL, d2 DEC(8), d3 NUMERIC(12,3) UNSIGNED, d4 FIXED(5,2),
    f1 FLOAT, f2 FLOAT(7,3), f3 FLOAT(30), f4 FLOAT4, f8 FLOAT8, do1 DOUBLE, do2 DOUBLE PRECISION(9,2), re REAL, bt BIT, bt9 BIT(9),
    dt DATE, ti TIME(3), dtt DATETIME(6), ts TIMESTAMP NULL, y YEAR, y4 YEAR(4), c CHAR, c5 CHARACTER(5), v VARCHAR(9), v2 CHARACTER VARYING(9),
    v3 CHAR VARYING(9), v4 VARCHARACTER(9), n NCHAR(3), nc NATIONAL CHAR(4), nv NVARCHAR(5), nv2 NATIONAL VARCHAR(6), nv3 NCHAR VARCHAR(7),
    nv4 NATIONAL CHARACTER VARYING(8), nv5 NCHAR VARYING(3), t1 TINYTEXT, t2 TEXT, t3 MEDIUMTEXT, t4 LONGTEXT, t5 LONG, t6 LONG VARCHAR,
    t7 LONG CHAR VARYING, t8 TEXT(300), t9 LONG CHARACTER SET latin1, bi BINARY, b3 BINARY(3), vb VARBINARY(9), l1 TINYBLOB, l2 BLOB,
    l3 MEDIUMBLOB, l4 LONGBLOB, l5 LONG VARBINARY, l6 BLOB(99), e ENUM('a','b,c','it''s','q"','\\\\') , s SET('x','y') NOT NULL, j JSON,
    ve VECTOR, v7 VECTOR(7), g GEOMETRY, p POINT, ls LINESTRING, po POLYGON, mp MULTIPOINT, ml MULTILINESTRING, mpo MULTIPOLYGON,
    gc GEOMETRYCOLLECTION, gc2 GEOMCOLLECTION
"""
CHARSETS = """
    a VARCHAR(5) CHARACTER SET latin1, b VARCHAR(5) COLLATE latin2_general_ci, c CHAR(3) ASCII, d CHAR(3) UNICODE, e CHAR(4) BYTE, f TEXT BYTE,
    g VARCHAR(9) CHARACTER SET binary, h TEXT CHARSET binary, i TINYTEXT CHARACTER SET binary, j VARCHAR(9) BINARY, k VARCHAR(9) BINARY CHARACTER SET ucs2,
    l VARCHAR(9) CHARACTER SET gbk COLLATE gbk_bin, m ENUM('a') CHARACTER SET binary, n CHAR(7) CHARACTER SET binary DEFAULT 'abc', o LONGTEXT, p CHAR(3) CHAR SET gbk
"""
DEFAULTS = """
    i INT DEFAULT 5, i2 INT DEFAULT '  8 ', i3 INT DEFAULT -7, i4 INT DEFAULT +7, i5 INT DEFAULT TRUE, i6 INT DEFAULT 0x1F, i7 INT DEFAULT b'101',
    i8 INT DEFAULT 1e2, bu BIGINT UNSIGNED DEFAULT 18446744073709551615, bo BOOL DEFAULT FALSE, d DECIMAL(8,3) DEFAULT 3.14, d2 DECIMAL(8,3) DEFAULT .5,
    d3 DECIMAL(5) NOT NULL DEFAULT '7', f FLOAT DEFAULT 1.5, dd DOUBLE DEFAULT -2.5e10, bt BIT DEFAULT 1, bt2 BIT(4) DEFAULT 5, bt3 BIT(10) DEFAULT 10,
    bt4 BIT(10) DEFAULT b'1010', bt5 BIT(8) DEFAULT x'0f', bt6 BIT(4) DEFAULT TRUE, c CHAR(9) DEFAULT 'ab', v VARCHAR(20) NOT NULL DEFAULT '',
    v1 VARCHAR(40) DEFAULT 'it''s "q" \\\\ \\n \\'x\\' \\% \\0', v2 VARCHAR(20) DEFAULT "say ""hi"" it's", v3 VARCHAR(20) DEFAULT x'4142', v4 VARCHAR(20) DEFAULT 0x414243,
    v5 VARCHAR(20) DEFAULT b'01000001', v6 VARCHAR(20) DEFAULT 5, v7 VARCHAR(20) DEFAULT TRUE, v8 VARCHAR(20) DEFAULT 'a' 'b' "c", v9 VARCHAR(20) DEFAULT _utf8mb4'xyz' COLLATE utf8mb4_bin,
    va VARCHAR(20) DEFAULT N'n', vb VARCHAR(9) DEFAULT _latin1 x'E9', vc VARCHAR(9) DEFAULT 'NULL', vd VARCHAR(9) CHARACTER SET latin1 DEFAULT x'E9', ve VARCHAR(9) DEFAULT 'é€',
    bi BINARY(3) DEFAULT 'a', bi2 BINARY(3) DEFAULT 0x00ff, bi3 BINARY(3) DEFAULT x'414243', vb1 VARBINARY(9) DEFAULT x'00ff27', vb2 VARBINARY(9) DEFAULT 'it''s', vb3 VARBINARY(9) DEFAULT 'é',
    vb4 VARBINARY(9) DEFAULT 5, da DATE DEFAULT '2001-2-3', da2 DATE DEFAULT '20010203', da4 DATE DEFAULT 20010203, ti TIME DEFAULT '1:2:3',
    ti2 TIME DEFAULT '-01:02:03', ti3 TIME(3) DEFAULT '01:02:03.456', ti4 TIME DEFAULT 10203, dt DATETIME DEFAULT '2001-02-03 4:5:6', dt1 DATETIME(6) DEFAULT '2001-02-03 04:05:06.5',
    dt3 DATETIME DEFAULT 20010203040506, dtc DATETIME DEFAULT NOW() ON UPDATE NOW(), dt6 DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
    ts TIMESTAMP NOT NULL DEFAULT LOCALTIMESTAMP, ts2 TIMESTAMP NULL DEFAULT LOCALTIME(), y YEAR DEFAULT 12, y2 YEAR DEFAULT '75', y3 YEAR DEFAULT 2024, e ENUM('s','m') DEFAULT 'm', e2 ENUM('it''s') DEFAULT 'it''s',
    s SET('a','b') DEFAULT 'a,b', x1 INT DEFAULT (1+1), x2 VARCHAR(40) DEFAULT (concat('a',')')), x3 DATE DEFAULT (CURRENT_DATE), x4 JSON DEFAULT (JSON_ARRAY()), nn INT NOT NULL, nu INT NULL, dn INT DEFAULT NULL
"""
ATTRIBUTES = """
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'the, (key)', a INT INVISIBLE DEFAULT 3, b INT GENERATED ALWAYS AS (a * 2) VIRTUAL COMMENT 'x',
    c INT AS (a + (3)) STORED NOT NULL, d POINT NOT NULL SRID 4326, e INT CONSTRAINT ck CHECK (e > 0) NOT ENFORCED, f INT CHECK (f <> 1), g INT COLUMN_FORMAT DEFAULT STORAGE DEFAULT NOT NULL,
    h VARCHAR(9) COLLATE utf8mb4_bin NOT NULL DEFAULT 'x', i VARCHAR(9) NOT NULL DEFAULT 'x' COLLATE utf8mb4_bin COMMENT 'y', j JSON, k VARCHAR(9) GENERATED ALWAYS AS (JSON_UNQUOTE(j->'$.a')) STORED,
    l BIGINT UNSIGNED NULL UNIQUE KEY, `select` INT, `we``ird "n" a,b` INT, n INT VISIBLE, KEY (a), INDEX ix (a, id DESC), FULLTEXT KEY ft (h), SPATIAL INDEX sp (d),
    UNIQUE INDEX u ((a + b)), CONSTRAINT c2 CHECK (a > 0 AND (b < 3)), FOREIGN KEY (l) REFERENCES attributes (id) ON DELETE SET NULL ON UPDATE CASCADE
"""

# name of the case -> statements; the tables they leave are compared after each one
CASES: dict[str, list[str]] = {
    "types": [f"CREATE TABLE t ({TYPES})"],
    "charsets": [f"CREATE TABLE t ({CHARSETS})", "ALTER TABLE t CONVERT TO CHARACTER SET latin1", "ALTER TABLE t DEFAULT CHARSET gbk, ADD z TEXT",
                 "ALTER TABLE t COLLATE latin2_general_ci", "ALTER TABLE t ADD z2 CHAR(3)", "ALTER TABLE t MODIFY z2 CHAR(4) CHARACTER SET binary"],
    "binary table": ["CREATE TABLE t (a VARCHAR(3), b CHAR(4) CHARACTER SET latin1, c TEXT, d NCHAR(3)) CHARSET=binary", "ALTER TABLE t ADD e CHAR(9)"],
    "convert to binary": ["CREATE TABLE t (a VARCHAR(3), b TEXT, c ENUM('x'))", "ALTER TABLE t CONVERT TO CHARACTER SET binary"],
    "table options": ["CREATE TABLE t (a TEXT) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET=latin1 COMMENT='x' COLLATE=latin1_bin",
                      "ALTER TABLE t ENGINE=InnoDB CHARSET=utf8mb4, COMMENT 'a, b'", "ALTER TABLE t ADD b TEXT, CHARACTER SET latin1 COLLATE latin1_bin, ADD c TEXT",
                      "CREATE TABLE t2 (a TEXT) COLLATE=latin2_general_ci"],
    "defaults": [f"CREATE TABLE t ({DEFAULTS})", "ALTER TABLE t ALTER i SET DEFAULT 6, ALTER COLUMN v DROP DEFAULT, ALTER c SET DEFAULT ('zz'), ALTER bi SET DEFAULT x'01', ALTER bt2 SET DEFAULT 7",
                 "ALTER TABLE t ALTER v3 SET DEFAULT 0x44, ALTER i2 SET DEFAULT NULL"],
    "attributes": [f"CREATE TABLE attributes ({ATTRIBUTES})", "ALTER TABLE attributes ALTER a SET VISIBLE, ALTER INDEX ix INVISIBLE, ALTER CHECK c2 NOT ENFORCED"],
    "serial": ["CREATE TABLE t (a SERIAL, b INT)", "CREATE TABLE u (a BIGINT SERIAL DEFAULT VALUE)"],
    "add": ["CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)", "ALTER TABLE t ADD c INT FIRST, ADD COLUMN d INT AFTER a, ADD (e INT, f TEXT, KEY (e)), ADD g DATE FIRST",
            "ALTER TABLE t ADD COLUMN h INT NOT NULL DEFAULT 4 COMMENT 'FIRST, AFTER' AFTER id, ALGORITHM=INSTANT", "ALTER TABLE t ADD i INT AS (a+1), ADD CONSTRAINT x CHECK (a > 1), ADD INDEX (a), LOCK=SHARED"],
    "places": ["CREATE TABLE t (a INT, b INT, c INT, d INT)", "ALTER TABLE t MODIFY d BIGINT FIRST, ADD x INT AFTER d, CHANGE b bb INT AFTER x", "ALTER TABLE t ADD y INT AFTER cc, CHANGE c cc BIGINT",
               "ALTER TABLE t ADD q INT FIRST, ADD r INT FIRST, MODIFY a INT AFTER q"],
    "swap": ["CREATE TABLE t (a INT, b VARCHAR(5), c INT)", "ALTER TABLE t CHANGE a b INT, CHANGE b a VARCHAR(5)", "ALTER TABLE t RENAME COLUMN a TO c, RENAME COLUMN c TO a",
             "ALTER TABLE t DROP a, ADD a TEXT AFTER b", "ALTER TABLE t RENAME COLUMN b TO z, DROP COLUMN c, ADD c DATE FIRST"],
    "keys": ["CREATE TABLE t (a INT, b INT NOT NULL, c INT NOT NULL, UNIQUE (a), UNIQUE KEY ub (b), UNIQUE KEY uc (c))", "ALTER TABLE t DROP INDEX ub", "ALTER TABLE t MODIFY c INT",
             "ALTER TABLE t ADD PRIMARY KEY (b, c)", "ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t RENAME COLUMN c TO k, RENAME INDEX uc TO uk", "ALTER TABLE t MODIFY a BIGINT NOT NULL",
             "DROP INDEX uk ON t", "DROP INDEX a ON t", "CREATE UNIQUE INDEX n1 ON t (b, k)", "ALTER TABLE t DROP COLUMN k", "CREATE UNIQUE INDEX n2 USING BTREE ON t (a) COMMENT 'x'"],
    "key order": ["CREATE TABLE t (a VARCHAR(50) NOT NULL, b INT NOT NULL, UNIQUE p (a(10)), UNIQUE (b))", "CREATE TABLE u (a INT NOT NULL UNIQUE, b INT NOT NULL PRIMARY KEY)",
                  "ALTER TABLE u DROP PRIMARY KEY", "ALTER TABLE u ADD PRIMARY KEY (b), ADD UNIQUE (b, a)", "ALTER TABLE u DROP PRIMARY KEY, ADD PRIMARY KEY (a)", "ALTER TABLE u DROP KEY `PRIMARY`"],
    "unnamed keys": ["CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, KEY (a), UNIQUE (a), UNIQUE (b))", "ALTER TABLE t DROP INDEX a_2", "ALTER TABLE t DROP INDEX b"],
    "primary key columns": ["CREATE TABLE t (ID INT, b INT DEFAULT NULL, PRIMARY KEY (id))", "ALTER TABLE t MODIFY id BIGINT", "ALTER TABLE t CHANGE id k VARCHAR(9) CHARACTER SET latin1",
                            "ALTER TABLE t DROP COLUMN k"],
    "partitions": ["CREATE TABLE t (id INT NOT NULL, y INT NOT NULL, PRIMARY KEY (id, y)) PARTITION BY RANGE (y) (PARTITION p0 VALUES LESS THAN (2000) COMMENT = 'a, b', PARTITION p1 VALUES LESS THAN (2010))",
                   "ALTER TABLE t ADD PARTITION (PARTITION p2 VALUES LESS THAN (2020))", "ALTER TABLE t TRUNCATE PARTITION p0, p1", "ALTER TABLE t DROP PARTITION p0, p1", "ALTER TABLE t REMOVE PARTITIONING",
                   "ALTER TABLE t ADD v INT PARTITION BY KEY (id, y) PARTITIONS 3", "ALTER TABLE t ORDER BY y DESC, id"],
    "like": ["CREATE TABLE t (a INT NOT NULL UNIQUE, b TEXT CHARACTER SET latin1) CHARSET gbk", "CREATE TABLE u LIKE t", "CREATE TABLE v (LIKE t)", "ALTER TABLE u DROP KEY a"],
    "renames": ["CREATE TABLE t (a INT)", "CREATE TABLE u (b INT)", "RENAME TABLE t TO x, u TO t, x TO u", "ALTER TABLE t RENAME TO w, ADD c INT", "ALTER TABLE w RENAME AS t", "RENAME TABLE t TO y, y TO z", "DROP TABLE IF EXISTS u, nope",
                "CREATE TABLE IF NOT EXISTS z (q INT)", "TRUNCATE TABLE z"],
    "comments": ["/*!80000 CREATE */ TABLE /* no */ t ( -- x ' y\n a INT, # z \" \n /*!99999 zzz INT, /* x */ */ b INT /*!50100 NOT NULL */)", "ALTER TABLE t /*! ADD c INT */ /*!150000 , ADD d INT */, ADD e INT DEFAULT 3-- \n"],
}  # fmt: skip
MODES: dict[str, list[str]] = {
    "ANSI_QUOTES": ['CREATE TABLE "t" ("a ""b" INT NOT NULL, c VARCHAR(9) DEFAULT \'it\'\'s "x"\', PRIMARY KEY ("a ""b"))'],
    "NO_BACKSLASH_ESCAPES": [r"CREATE TABLE t (a VARCHAR(9) DEFAULT '\', b VARCHAR(9) DEFAULT 'a\''b', c ENUM('\n', 'x'), d VARBINARY(5) DEFAULT 'x\y')"],
    "REAL_AS_FLOAT": ["CREATE TABLE t (a REAL, b REAL(7,2))"],
}
OPTIONS = TypeOptions(temporal="adaptive_time_microseconds")


class Pair:
    """A server's database and the model of it."""

    def __init__(self, connection: Any, database: str) -> None:
        self.cursor = connection.cursor()
        self.database = database
        self.tables = Tables()
        self.session = ddl.Session(database=database, server_version=(9, 7, 0))
        self.cursor.execute(f"USE {database}")

    def run(self, sql: str) -> None:
        self.cursor.execute(sql)
        ddl.apply(sql, self.tables, self.session)

    def check(self, after: str) -> None:
        self.cursor.execute("SHOW TABLES")
        names = {r[0] for r in self.cursor.fetchall()}
        assert {t.id.table for t in self.tables} == names, after
        for name in names:
            table = self.tables.get(TableId(self.database, None, name))
            assert table is not None
            assert summary(table) == summary(self.snapshot(name)), after
            assert [(c.name, c.optional, charset(c)) for c in table.columns] == self.catalog(name), after

    def snapshot(self, name: str) -> Table:
        """The model a snapshot would make."""
        self.cursor.execute("SET SESSION sql_mode = ''")
        self.cursor.execute(f"SHOW CREATE TABLE {ddl.quote(name)}")
        sql = self.cursor.fetchone()[1]
        tables = Tables()
        ddl.apply(sql, tables, ddl.Session(database=self.database, server_version=(9, 7, 0)))
        (table,) = tables
        return table

    def catalog(self, name: str) -> list[tuple[str, bool, str | None]]:
        self.cursor.execute(
            "SELECT column_name, is_nullable = 'YES', character_set_name FROM information_schema.columns"
            " WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
            (self.database, name),
        )
        return [(n, bool(nullable), cs) for n, nullable, cs in self.cursor.fetchall()]


def charset(c: Column) -> str | None:
    """As the catalog writes it."""
    return {"utf8": "utf8mb3", "binary": None}.get(c.charset or "", c.charset)


def summary(table: Table) -> dict[str, Any]:
    """What consumers of the model see of it."""
    columns = []
    for c in table.columns:
        kind = value_type(c, OPTIONS)
        default = kind.default(c.default_expression) if c.default_expression is not None else None
        form = column_format(c)._replace(charset=charset(c))
        columns.append((c.name, c.position, c.optional, c.auto_incremented, form, kind.schema, c.has_default, default))
    return {"columns": columns, "key": table.primary_key, "charset": table.charset}


@pytest.mark.parametrize("case", CASES)
def test_model_is_the_servers_table(case: str, mysql_server: Server, mysql_database: str) -> None:
    with mysql_server.connect(mysql_database) as connection:
        pair = Pair(connection, mysql_database)
        for sql in CASES[case]:
            pair.cursor.execute("SET SESSION sql_mode = 'STRICT_TRANS_TABLES'")
            pair.run(sql)
            pair.check(sql)


@pytest.mark.parametrize("mode", MODES)
def test_sql_modes_shape_statements(mode: str, mysql_server: Server, mysql_database: str) -> None:
    bits = {"REAL_AS_FLOAT": 1, "ANSI_QUOTES": 4, "NO_BACKSLASH_ESCAPES": 0x100000}[mode]
    with mysql_server.connect(mysql_database) as connection:
        pair = Pair(connection, mysql_database)
        pair.session.set_sql_mode(bits)
        for sql in MODES[mode]:
            pair.cursor.execute("SET SESSION sql_mode = %s", (mode,))
            pair.cursor.execute(sql)
            ddl.apply(sql, pair.tables, pair.session)
            pair.check(sql)


def test_databases_give_their_character_set(mysql_server: Server, mysql_database: str) -> None:
    with mysql_server.connect(mysql_database) as connection:
        pair = Pair(connection, mysql_database)
        for sql in (
            f"ALTER DATABASE {mysql_database} CHARACTER SET latin1",
            "CREATE TABLE a (x VARCHAR(5), y TEXT CHARACTER SET gbk)",
            f"ALTER DATABASE {mysql_database} COLLATE gbk_bin",
            f"CREATE TABLE {mysql_database}.b (x VARCHAR(5))",
            "ALTER TABLE a ADD z CHAR(3), CONVERT TO CHARACTER SET DEFAULT",
        ):
            pair.run(sql)
            pair.check(sql)
