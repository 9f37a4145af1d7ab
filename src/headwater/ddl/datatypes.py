"""Data types: their words, arguments and numbers in the model.

The facts follow the reference's schema history documents: upper-case type words in the spelling of the
statement, declared lengths only. Where the server turns a type into another one (REAL, BOOL, text of the
binary character set, MariaDB's JSON) the model has the server's, as SHOW CREATE TABLE prints it; `exact`
mode keeps the statement's, as the reference does.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.cursor_cy import Cursor
from headwater.ddl.lexer_cy import NUMBER, STRING, WORD
from headwater.ddl.literals import accept_introducer, decode, escape, literal_bytes, string_inside
from headwater.ddl.model import Session
from headwater.model import Column

CHAR, VARCHAR, NCHAR, NVARCHAR, BINARY, VARBINARY, BLOB, OTHER = 1, 12, -15, -9, -2, -3, 2004, 1111
JDBC = {
    "CHAR": CHAR, "CHARACTER": CHAR, "VARCHAR": VARCHAR, "CHARACTER VARYING": VARCHAR, "CHAR VARYING": VARCHAR,
    "VARCHARACTER": VARCHAR, "TINYTEXT": VARCHAR, "TEXT": VARCHAR, "MEDIUMTEXT": VARCHAR, "LONGTEXT": VARCHAR,
    "LONG": VARCHAR, "LONG VARCHAR": VARCHAR, "LONG VARCHARACTER": VARCHAR, "LONG CHAR VARYING": VARCHAR,
    "LONG CHARACTER VARYING": VARCHAR, "VARCHAR2": VARCHAR, "CLOB": VARCHAR,
    "NCHAR": NCHAR, "NATIONAL CHAR": NCHAR, "NATIONAL CHARACTER": NCHAR, "NVARCHAR": NVARCHAR,
    "NATIONAL VARCHAR": NVARCHAR, "NATIONAL CHAR VARYING": NVARCHAR, "NATIONAL CHARACTER VARYING": NVARCHAR,
    "NATIONAL VARCHARACTER": NVARCHAR, "NCHAR VARCHAR": NVARCHAR, "NCHAR VARYING": NVARCHAR,
    "NCHAR VARCHARACTER": NVARCHAR,
    "TINYINT": 5, "SMALLINT": 5, "INT1": 5, "INT2": 5, "MEDIUMINT": 4, "MIDDLEINT": 4, "INT": 4, "INTEGER": 4,
    "INT3": 4, "INT4": 4, "BIGINT": -5, "INT8": -5, "SERIAL": -5, "REAL": 7, "DOUBLE": 8, "DOUBLE PRECISION": 8,
    "FLOAT8": 8, "FLOAT": 6, "FLOAT4": 6, "DECIMAL": 3, "DEC": 3, "FIXED": 3, "NUMERIC": 2, "NUMBER": 3, "BIT": -7,
    "BOOL": 16, "BOOLEAN": 16, "DATE": 91, "TIME": 92, "DATETIME": 93, "TIMESTAMP": 2014, "YEAR": 4,
    "BINARY": BINARY, "VARBINARY": VARBINARY, "RAW": VARBINARY,
    "TINYBLOB": BLOB, "BLOB": BLOB, "MEDIUMBLOB": BLOB, "LONGBLOB": BLOB, "LONG VARBINARY": BLOB,
    "ENUM": CHAR, "SET": CHAR,
    "JSON": OTHER, "VECTOR": OTHER, "GEOMETRY": OTHER, "POINT": OTHER, "LINESTRING": OTHER, "POLYGON": OTHER,
    "MULTIPOINT": OTHER, "MULTILINESTRING": OTHER, "MULTIPOLYGON": OTHER, "GEOMETRYCOLLECTION": OTHER,
    "GEOMCOLLECTION": OTHER, "UUID": OTHER, "INET4": OTHER, "INET6": OTHER, "XMLTYPE": OTHER,
}  # fmt: skip
CHARACTER = frozenset((CHAR, VARCHAR, NCHAR, NVARCHAR))
_DECIMALS = frozenset(("DECIMAL", "DEC", "FIXED", "NUMERIC", "NUMBER"))
_MODIFIERS = frozenset(("UNSIGNED", "SIGNED", "ZEROFILL", "BINARY", "BYTE"))
_QUALIFIERS = frozenset(("MARIADB_SCHEMA", "ORACLE_SCHEMA", "MAXDB_SCHEMA"))
# First word of a type -> what may follow it, longest first.
_LONGER: dict[str, list[tuple[str, ...]]] = {}
for _words in sorted((t.split() for t in JDBC if " " in t), key=len, reverse=True):
    _LONGER.setdefault(_words[0], []).append(tuple(_words[1:]))
_LONGER.setdefault("NATIONAL", [])

# What the server makes of a character type under the binary character set.
_AS_BINARY = {
    "CHAR": "BINARY", "CHARACTER": "BINARY", "VARCHAR": "VARBINARY", "CHARACTER VARYING": "VARBINARY",
    "CHAR VARYING": "VARBINARY", "VARCHARACTER": "VARBINARY", "TINYTEXT": "TINYBLOB", "TEXT": "BLOB",
    "MEDIUMTEXT": "MEDIUMBLOB", "LONGTEXT": "LONGBLOB", "LONG": "MEDIUMBLOB", "LONG VARCHAR": "MEDIUMBLOB",
    "LONG VARCHARACTER": "MEDIUMBLOB", "LONG CHAR VARYING": "MEDIUMBLOB", "LONG CHARACTER VARYING": "MEDIUMBLOB",
}  # fmt: skip


@dataclass(slots=True)
class DataType:
    """A data type as written. `charset` is what it says for itself; `byte` that it says BYTE."""

    word: str
    modifiers: list[str]
    length: int | None = None
    scale: int | None = None
    labels: tuple[str, ...] = ()
    charset: str | None = None
    byte: bool = False

    @property
    def name(self) -> str:
        """The model's type name: the words with their modifiers; ZEROFILL implies UNSIGNED."""
        if not self.modifiers:
            return self.word
        words = [self.word, *self.modifiers]
        if "ZEROFILL" in words and "UNSIGNED" not in words:
            words.insert(1, "UNSIGNED")
        return " ".join(words)


def parse_type(c: Cursor, session: Session, column: str) -> DataType:
    """A data type with its arguments and modifiers. Raises SyntaxProblem."""
    word = _type_words(c)
    if word not in JDBC:
        c.fail(f"a column type for {column}")
    t = DataType(word, [])
    if c.key == "(":
        if word in ("ENUM", "SET"):
            t.labels = _labels(c, session)
        else:
            t.length, t.scale = _arguments(c)
    _modifiers(c, t)
    if not session.exact:
        _as_the_server(t, session)
    _imply(t)
    return t


def _type_words(c: Cursor) -> str:
    """The longest run of words that names a type; nothing is taken where there is none."""
    if c.key in _QUALIFIERS and c.peek() == ".":
        c.next()
        c.next()
    word = c.key
    if c.kind != WORD or (word not in JDBC and word not in _LONGER):
        return ""
    for rest in _LONGER.get(word, ()):
        if all(c.peek(i) == w for i, w in enumerate(rest, 1)):
            for _ in range(len(rest) + 1):
                c.next()
            return " ".join((word, *rest))
    if word in JDBC:
        c.next()
        return word
    return ""


def _arguments(c: Cursor) -> tuple[int | None, int | None]:
    c.expect("(")
    numbers: list[int] = []
    while not c.accept(")"):
        # MariaDB's Oracle mode says VARCHAR2(10 CHAR), its geometry types may name a reference system.
        if c.kind == NUMBER and c.text.isascii() and c.text.isdigit() and len(c.text) <= 10:
            numbers.append(int(c.text))
        elif c.key != "," and c.kind != WORD:
            c.fail("a length")
        c.next()
    return (numbers[0] if numbers else None), (numbers[1] if len(numbers) > 1 else None)


def _labels(c: Cursor, session: Session) -> tuple[str, ...]:
    """The options of ENUM and SET, each in the model's form with its quotes."""
    c.expect("(")
    out: list[str] = []
    while True:
        charset = accept_introducer(c)
        if c.kind == STRING:
            out.append(f"'{string_inside(c, session)}'")
        elif c.text[:2].lower() in ("0x", "0b", "x'", "b'"):
            out.append(f"'{escape(decode(literal_bytes(c.next()), charset))}'")
        else:
            c.fail("an option of ENUM or SET")
        if not c.accept(","):
            break
    c.expect(")")
    return tuple(out)


def _modifiers(c: Cursor, t: DataType) -> None:
    while True:
        if word := c.accept_any(_MODIFIERS):
            if word == "BYTE":
                t.byte = True
            elif word != "SIGNED":
                t.modifiers.append(word)
        elif c.accept("ASCII"):
            t.charset = "latin1"
        elif c.accept("UNICODE"):
            t.charset = "ucs2"
        elif not accept_charset_words(c):
            return
        else:
            c.accept("=")
            t.charset = c.next() if c.kind == STRING else c.name()


def accept_charset_words(c: Cursor) -> bool:
    """Takes CHARACTER SET, CHAR SET or CHARSET."""
    return c.accept("CHARACTER", "SET") or c.accept("CHARSET") or c.accept("CHAR", "SET")


def _as_the_server(t: DataType, session: Session) -> None:
    """Types that are another type to the server."""
    word = t.word
    if word == "REAL":
        t.word = "FLOAT" if session.real_as_float else "DOUBLE"
    elif word in ("BOOL", "BOOLEAN"):
        t.word, t.length = "TINYINT", 1
    elif word == "JSON" and session.mariadb:
        t.word, t.charset = "LONGTEXT", "utf8mb4"
    elif word == "NUMBER":
        t.word = "DOUBLE" if t.length is None else "DECIMAL"
    elif word in ("VARCHAR2", "RAW", "CLOB"):
        t.word = {"VARCHAR2": "VARCHAR", "RAW": "VARBINARY", "CLOB": "LONGTEXT"}[word]
    elif word == "DATE" and session.oracle:
        t.word = "DATETIME"
    if t.byte:
        t.charset = "binary"


def _imply(t: DataType) -> None:
    """Lengths and scales that go without saying."""
    if t.word in _DECIMALS:
        t.length = 10 if t.length is None else t.length
        t.scale = 0 if t.scale is None else t.scale
    elif t.word == "ENUM":
        t.length = 1
    elif t.word == "SET":
        t.length = max(2 * len(t.labels) - 1, 0)
    elif t.length is None and t.word in ("BIT", "NCHAR", "NATIONAL CHAR", "NATIONAL CHARACTER"):
        t.length = 1
    elif t.length is None and t.word == "VECTOR":
        t.length = 2048


def column_charset(jdbc_type: int, declared: str | None, default: str | None) -> str | None:
    """A column's character set; None for types without one."""
    if jdbc_type not in CHARACTER:
        return None
    if declared:
        return declared
    return "utf8" if jdbc_type in (NCHAR, NVARCHAR) else default


def collation_charset(collation: str, context: str | None = None) -> str | None:
    """The character set a collation belongs to: its first word. MariaDB's `uca1400_…` go with any, `context`."""
    name = collation.lower()
    if name == "default" or name.startswith("uca1400"):
        return context
    return name.split("_", 1)[0]


def binary_word(type_name: str, charset: str | None) -> str | None:
    """The binary type that a character type of the binary character set is; None for others."""
    if charset is None or charset.lower() != "binary":
        return None
    return _AS_BINARY.get(type_name.removesuffix(" BINARY"))


def as_binary(column: Column) -> Column:
    """A character column of the binary character set as the binary type it is; others unchanged."""
    word = binary_word(column.type_name, column.charset)
    if word is None:
        return column
    return column.with_(type_name=word, type_expression=word, jdbc_type=JDBC[word], charset=None)
