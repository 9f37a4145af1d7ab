"""DEFAULT clauses and the text the model keeps of them, in both modes."""

from __future__ import annotations

import pytest

from headwater.connectors.mysql.types import value_type
from headwater.ddl import escape, unescape
from headwater.types.base import TypeOptions

from .support import Model, column

EPOCH = "1970-01-01 00:00:00"


@pytest.mark.parametrize(
    ("definition", "corrected", "exact"),
    [
        # numbers: quotes go, words and other notations become numbers
        ("INT DEFAULT 5", "5", "5"),
        ("INT DEFAULT ' 8 '", " 8 ", " 8 "),
        ("INT DEFAULT -5", "-5", "-5"),
        ("INT DEFAULT - 5", "-5", "-5"),
        ("DECIMAL(5) DEFAULT +7", "+7", "+7"),
        ("DECIMAL(5,2) DEFAULT .5", ".5", ".5"),
        ("DOUBLE DEFAULT -2.5e10", "-2.5e10", "-2.5e10"),
        ("INT DEFAULT TRUE", "1", "TRUE"),
        ("BOOL DEFAULT false", "0", "FALSE"),
        ("INT DEFAULT 0x1F", "31", "1"),
        ("INT DEFAULT b'101'", "5", "101"),
        # bits
        ("BIT(4) DEFAULT 5", "101", "5"),
        ("BIT(10) DEFAULT 10", "1010", "10"),
        ("BIT(8) DEFAULT x'0f'", "1111", "0f"),
        ("BIT(8) DEFAULT 0b11", "11", "1"),
        ("BIT DEFAULT TRUE", "1", "TRUE"),
        ("BIT DEFAULT '1'", "1", "1"),
        ("BIT(16) DEFAULT 'A'", "1000001", "A"),
        # strings: the inside as written between single quotes
        ("VARCHAR(9) DEFAULT 'it''s'", "it''s", "it''s"),
        (r"VARCHAR(9) DEFAULT 'a\\b\n'", r"a\\b\n", r"a\\b\n"),
        ("VARCHAR(9) DEFAULT ''", "", ""),
        ("VARCHAR(9) DEFAULT 'a' 'b'", "ab", "ab"),
        ('VARCHAR(9) DEFAULT "it\'s ""x"""', "it''s \"x\"", "it's \"\"x\"\""),
        ('VARCHAR(9) DEFAULT "a\\"b\\\'c"', "a\\\"b\\'c", "a\\\"b\\'c"),
        ("VARCHAR(9) DEFAULT _utf8mb4'abc' COLLATE utf8mb4_bin", "abc", "abc"),
        ("VARCHAR(9) DEFAULT N'abc'", "abc", "abc"),
        ("VARCHAR(9) DEFAULT x'4142'", "AB", "4142"),
        ("VARCHAR(9) DEFAULT 0x4142", "AB", "414"),
        ("VARCHAR(9) DEFAULT b'01000001'", "A", "01000001"),
        ("VARCHAR(9) DEFAULT x'275c00'", r"''\\\0", "275c00"),
        ("VARCHAR(9) DEFAULT _latin1 x'E9'", "é", "E9"),
        ("VARCHAR(9) CHARACTER SET latin1 DEFAULT x'E980'", "é€", "E980"),
        ("VARCHAR(9) CHARACTER SET nosuch DEFAULT x'41'", "A", "41"),
        ("VARCHAR(9) DEFAULT 5", "5", "5"),
        ("VARCHAR(9) DEFAULT TRUE", "1", "TRUE"),
        ("ENUM('a','b') DEFAULT 'b'", "b", "b"),
        # bytes: one character each
        ("BINARY(3) DEFAULT 'a'", "a", "a"),
        ("VARBINARY(4) DEFAULT 0x00ff27", r"\0ÿ''", "00ff2"),
        ("VARBINARY(4) DEFAULT x''", "", ""),
        ("VARBINARY(4) DEFAULT 'é'", "Ã©", "é"),
        ("VARBINARY(4) DEFAULT 12", "12", "12"),
        ("CHAR(4) BYTE DEFAULT x'ff'", "ÿ", "ff"),
        # time
        ("DATE DEFAULT '2001-2-3'", "2001-2-3", "2001-2-3"),
        ("DATE DEFAULT 20010203", "20010203", "20010203"),
        ("DATE DEFAULT DATE '2001-02-03'", "2001-02-03", "2001-02-03"),
        ("DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)", EPOCH, EPOCH),
        ("DATETIME DEFAULT NOW()", EPOCH, EPOCH),
        ("TIMESTAMP NULL DEFAULT localtime", EPOCH, EPOCH),
        ("TIMESTAMP NULL DEFAULT LOCALTIMESTAMP()", EPOCH, EPOCH),
        # what is no literal
        ("INT", None, None),
        ("INT DEFAULT NULL", None, None),
        ("INT DEFAULT (5)", None, None),
        ("VARCHAR(40) DEFAULT (concat('a', ')')) NOT NULL", None, None),
        ("VARCHAR(40) DEFAULT uuid()", None, None),
        ("DATE DEFAULT curdate()", None, None),
        ("INT DEFAULT NEXT VALUE FOR d.s", None, None),
        ("INT DEFAULT CASE WHEN 1 THEN CASE 2 WHEN 2 THEN 3 END ELSE 4 END NOT NULL", None, None),
        ("INT DEFAULT d.f(1, (2))", None, None),
        ("INT GENERATED ALWAYS AS (1 + 2) STORED", None, None),
    ],
)  # fmt: skip
def test_default_expression(definition: str, corrected: str | None, exact: str | None) -> None:
    assert column(definition).default_expression == corrected
    assert column(definition, exact=True).default_expression == exact


@pytest.mark.parametrize(
    ("definition", "has"),
    [
        ("INT", True),  # a nullable column without DEFAULT has DEFAULT NULL
        ("INT NULL DEFAULT NULL", True),
        ("INT NOT NULL", False),
        ("INT NOT NULL DEFAULT (1)", False),
        ("INT DEFAULT NULL PRIMARY KEY", False),
        ("INT NOT NULL DEFAULT 0", True),
    ],
)
def test_has_default(definition: str, has: bool) -> None:
    assert column(definition).has_default is has
    assert column(definition, exact=True).has_default is has


def test_backslashes_without_escapes_are_kept() -> None:
    # NO_BACKSLASH_ESCAPES: 'a\n' is three characters; the model's form doubles the backslash
    assert column(r"VARCHAR(9) DEFAULT 'a\n'", no_backslash_escapes=True).default_expression == r"a\\n"
    assert column(r"ENUM('\') DEFAULT '\'", no_backslash_escapes=True).enum_values == (r"'\\'",)


@pytest.mark.parametrize(
    ("clause", "corrected", "exact"),
    [
        ("ALTER a SET DEFAULT 'x'", "x", "x"),
        ("ALTER COLUMN a DROP DEFAULT", None, None),
        ("ALTER a SET DEFAULT NULL", None, None),
        ("ALTER a SET DEFAULT x'41'", "A", "41"),
        ("ALTER a SET DEFAULT ('x')", "x", None),  # in ALTER the server takes this for a literal
        ("ALTER a SET DEFAULT (-5)", "-5", None),
        ("ALTER a SET DEFAULT (concat('x','y'))", None, None),
        ("ALTER a SET DEFAULT (5 + 1)", None, None),
        ("ALTER a SET VISIBLE", "q", "q"),
        ("ALTER INDEX a INVISIBLE, ALTER CHECK a NOT ENFORCED", "q", "q"),
    ],
)  # fmt: skip
def test_altered_default(clause: str, corrected: str | None, exact: str | None) -> None:
    create = "CREATE TABLE t (a VARCHAR(9) DEFAULT 'q')"
    assert Model(create, f"ALTER TABLE t {clause}").column("a").default_expression == corrected
    assert Model(create, f"ALTER TABLE t {clause}", exact=True).column("a").default_expression == exact


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("INT DEFAULT 0x1F", 31),
        ("BOOL DEFAULT TRUE", 1),
        ("BIT DEFAULT 1", True),
        ("BIT(10) DEFAULT 10", b"\x0a\x00"),
        ("BIT(8) DEFAULT x'0f'", b"\x0f"),
        (r"VARCHAR(20) DEFAULT 'a\\b''c\n'", "a\\b'c\n"),
        ('VARCHAR(20) DEFAULT "say ""hi"" it\'s"', 'say "hi" it\'s'),
        ("VARCHAR(9) DEFAULT x'4142'", "AB"),
        ("BINARY(3) DEFAULT 0x00ff", b"\x00\xff\x00"),
        ("VARBINARY(9) DEFAULT 'é'", "é".encode()),
        ("CHAR(3) CHARACTER SET binary DEFAULT 'a'", b"a\0\0"),
        ("REAL DEFAULT 0.1", 0.1),
    ],
)
def test_defaults_reach_their_value(definition: str, value: object) -> None:
    """The form is the one the types read: the statement's literal gives the value the server stores."""
    c = column(definition)
    assert c.default_expression is not None
    assert value_type(c, TypeOptions()).default(c.default_expression) == value


@pytest.mark.parametrize("value", ["", "a", "it's", "a\\b", "\0", "'\\'", "é€", "\\n", "''", '"', "a\nb", "\\%"])
def test_escaping_is_undone(value: str) -> None:
    assert unescape(escape(value)) == (value if value != "\\%" else "\\%")


@pytest.mark.parametrize(
    ("inside", "value"),
    [(r"\n\t\r\b\0\Z", "\n\t\r\b\0\x1a"), (r"\%\_", r"\%\_"), (r"\a\'\"", "a'\""), ("''''", "''"), ("\\", "\\")],
)
def test_unescape(inside: str, value: str) -> None:
    assert unescape(inside) == value
