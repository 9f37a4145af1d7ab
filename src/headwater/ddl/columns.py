"""Column definitions -> `model.Column`.

The facts follow the reference's schema history documents: upper-case type words, declared lengths only,
aliases in their own spelling. See `docs/design/ddl.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.ddl.cursor import Cursor
from headwater.ddl.defaults import parse_default
from headwater.ddl.lexer_cy import NUMBER, STRING, WORD
from headwater.ddl.model import Session
from headwater.model import Column

CHAR, VARCHAR, NCHAR, NVARCHAR = 1, 12, -15, -9
_JDBC = {
    "CHAR": CHAR, "CHARACTER": CHAR, "VARCHAR": VARCHAR, "CHARACTER VARYING": VARCHAR, "CHAR VARYING": VARCHAR,
    "VARCHARACTER": VARCHAR, "TINYTEXT": VARCHAR,
    "TEXT": VARCHAR, "MEDIUMTEXT": VARCHAR, "LONGTEXT": VARCHAR, "LONG": VARCHAR, "LONG VARCHAR": VARCHAR,
    "LONG CHAR VARYING": VARCHAR, "LONG CHARACTER VARYING": VARCHAR,
    "NCHAR": NCHAR, "NATIONAL CHAR": NCHAR, "NATIONAL CHARACTER": NCHAR, "NVARCHAR": NVARCHAR,
    "NATIONAL VARCHAR": NVARCHAR, "NATIONAL CHAR VARYING": NVARCHAR, "NATIONAL CHARACTER VARYING": NVARCHAR,
    "NCHAR VARCHAR": NVARCHAR, "NCHAR VARYING": NVARCHAR, "NATIONAL VARCHARACTER": NVARCHAR, "NCHAR VARCHARACTER": NVARCHAR,
    "TINYINT": 5, "SMALLINT": 5, "INT1": 5, "INT2": 5, "MEDIUMINT": 4, "MIDDLEINT": 4, "INT": 4, "INTEGER": 4,
    "INT3": 4, "INT4": 4, "BIGINT": -5, "INT8": -5, "REAL": 7, "DOUBLE": 8, "DOUBLE PRECISION": 8, "FLOAT8": 8,
    "FLOAT": 6, "FLOAT4": 6, "DECIMAL": 3, "DEC": 3, "FIXED": 3, "NUMERIC": 2, "NUMBER": 3, "BIT": -7, "BOOL": 16,
    "BOOLEAN": 16, "DATE": 91, "TIME": 92, "DATETIME": 93, "TIMESTAMP": 2014, "YEAR": 4, "BINARY": -2, "VARBINARY": -3,
    "CHAR BYTE": -2, "VARCHAR2": VARCHAR, "RAW": -3, "CLOB": VARCHAR,
    "TINYBLOB": 2004, "BLOB": 2004, "MEDIUMBLOB": 2004, "LONGBLOB": 2004, "LONG VARBINARY": 2004, "ENUM": 1, "SET": 1,
    "JSON": 1111, "VECTOR": 1111, "GEOMETRY": 1111, "POINT": 1111, "LINESTRING": 1111, "POLYGON": 1111,
    "MULTIPOINT": 1111, "MULTILINESTRING": 1111, "MULTIPOLYGON": 1111, "GEOMETRYCOLLECTION": 1111,
    "GEOMCOLLECTION": 1111, "UUID": 1111, "INET4": 1111, "INET6": 1111, "XMLTYPE": 1111,
}  # fmt: skip
_CHARACTER = frozenset((CHAR, VARCHAR, NCHAR, NVARCHAR))
_DECIMALS = frozenset(("DECIMAL", "DEC", "FIXED", "NUMERIC", "NUMBER"))


@dataclass(slots=True)
class Definition:
    """A column definition: the column, and the keys it declares for itself."""

    column: Column
    primary: bool = False
    unique: bool = False


def column_definition(c: Cursor, session: Session) -> Definition:
    """`name type attributes`, up to the comma, parenthesis, FIRST or AFTER behind it."""
    name = c.column_name()
    return definition(c, session, name)


def definition(c: Cursor, session: Session, name: str) -> Definition:
    """What follows a column's name."""
    d = Definition(_data_type(c, name))
    if d.column.type_name == "SERIAL":
        _serial(d)
    _attributes(c, session, d)
    if d.primary:
        d.column = d.column.with_(optional=False)
    return d


def _serial(d: Definition) -> None:
    d.column = d.column.with_(type_name="BIGINT UNSIGNED", type_expression="BIGINT UNSIGNED", optional=False,
                              auto_incremented=True, generated=True)  # fmt: skip
    d.unique = True


# -- types


def _data_type(c: Cursor, name: str) -> Column:
    word = _type_words(c)
    if word == "SERIAL":
        return Column(name, -5, "SERIAL", "SERIAL")
    if word not in _JDBC:
        c.fail(f"a column type for {name}")
    length: int | None = None
    scale: int | None = None
    values: tuple[str, ...] = ()
    if c.is_symbol("("):
        if word in ("ENUM", "SET"):
            values = _labels(c)
        else:
            length, scale = _arguments(c)
    modifiers, charset = _modifiers(c)
    if "BYTE" in modifiers and word in ("CHAR", "VARCHAR", "TEXT", "CHARACTER"):
        modifiers.remove("BYTE")
    words = [word, *modifiers]
    if "ZEROFILL" in modifiers and "UNSIGNED" not in modifiers:
        words.insert(1, "UNSIGNED")
    typed = " ".join(words)
    length, scale = _implied(word, length, scale, values)
    return Column(name, _JDBC[word], typed, typed, charset=charset, length=length, scale=scale, enum_values=values)


def _type_words(c: Cursor) -> str:
    """The longest run of words that names a type."""
    if c.token.kind != WORD:
        c.fail("a column type")
    word = c.next().upper
    while c.token.kind == WORD and (longer := f"{word} {c.token.upper}") and _starts_type(longer):
        word = longer
        c.next()
    return word


def _starts_type(words: str) -> bool:
    return words != "CHAR BYTE" and any(t == words or t.startswith(words + " ") for t in _JDBC)


def _arguments(c: Cursor) -> tuple[int | None, int | None]:
    c.expect_symbol("(")
    numbers: list[int] = []
    while not c.accept_symbol(")"):
        token = c.next()
        if token.kind == NUMBER and token.text.isdigit():
            numbers.append(int(token.text))
        elif token.text not in (",",) and token.kind != WORD:
            c.fail("a length")
    return (numbers[0] if numbers else None), (numbers[1] if len(numbers) > 1 else None)


def _labels(c: Cursor) -> tuple[str, ...]:
    """The options of ENUM and SET as written, quotes included."""
    c.expect_symbol("(")
    out: list[str] = []
    while not c.accept_symbol(")"):
        token = c.next()
        if token.kind == STRING:
            out.append("'" + token.text + "'")
        elif token.kind == WORD and token.text.startswith("_"):
            continue  # an introducer
        elif token.text != ",":
            out.append("'" + token.text + "'")
    return tuple(out)


def _modifiers(c: Cursor) -> tuple[list[str], str | None]:
    words: list[str] = []
    charset: str | None = None
    while True:
        if c.is_any("UNSIGNED", "SIGNED", "ZEROFILL", "BINARY", "BYTE"):
            words.append(c.next().upper)
        elif c.accept("ASCII"):
            charset = "latin1"
        elif c.accept("UNICODE"):
            charset = "ucs2"
        elif c.accept("CHARACTER", "SET") or c.accept("CHAR", "SET") or c.accept("CHARSET"):
            c.accept_symbol("=")
            charset = c.name()
        else:
            return [w for w in words if w != "SIGNED"], charset


def _implied(word: str, length: int | None, scale: int | None,
             values: tuple[str, ...]) -> tuple[int | None, int | None]:  # fmt: skip
    if word in _DECIMALS:
        return (10 if length is None else length), (0 if scale is None else scale)
    if length is None and word in ("BIT", "NCHAR", "NATIONAL CHAR", "NATIONAL CHARACTER"):
        return 1, scale
    if word == "ENUM":
        return 1, scale
    if word == "SET":
        return max(2 * len(values) - 1, 0), scale
    if word == "VECTOR" and length is None:
        return 2048, scale
    return length, scale


def is_character(column: Column) -> bool:
    """Whether a column has a character set."""
    return column.jdbc_type in _CHARACTER


def with_charset(column: Column, default: str | None) -> Column:
    """The column with its character set filled in; types without one have none."""
    if not is_character(column):
        return column.with_(charset=None) if column.charset else column
    if column.charset:
        return column
    if column.jdbc_type in (NCHAR, NVARCHAR):
        return column.with_(charset="utf8")
    return column.with_(charset=default)


def collation_charset(collation: str) -> str:
    """The character set a collation belongs to: its first word."""
    return "utf8mb4" if collation.lower().startswith("uca1400") else collation.split("_")[0]


# -- attributes


def _attributes(c: Cursor, session: Session, d: Definition) -> None:
    while not (c.at_end or c.is_symbol(",") or c.is_symbol(")") or c.is_any("FIRST", "AFTER")):
        if not (_nullability(c, d) or _keys(c, d) or _value(c, session, d) or _text(c, session, d)):
            _other(c)


def _nullability(c: Cursor, d: Definition) -> bool:
    if c.accept("NOT", "NULL"):
        d.column = d.column.with_(optional=False)
    elif c.accept("NULL"):
        d.column = d.column.with_(optional=True)
    else:
        return False
    return True


def _keys(c: Cursor, d: Definition) -> bool:
    if c.accept("PRIMARY", "KEY") or c.accept("KEY"):
        d.primary = True
    elif c.accept("UNIQUE"):
        c.accept("KEY") or c.accept("INDEX")
        d.unique = True
    else:
        return False
    return True


def _value(c: Cursor, session: Session, d: Definition) -> bool:
    if c.accept("SERIAL", "DEFAULT", "VALUE"):
        d.column = d.column.with_(optional=False, auto_incremented=True, generated=True)
        d.unique = True
    elif c.accept("DEFAULT"):
        has, expression = parse_default(c, d.column, session)
        d.column = d.column.with_(has_default=has, default_expression=expression)
    elif c.accept("ON", "UPDATE"):
        c.next()
        if c.is_symbol("("):
            c.skip_parens()
        d.column = d.column.with_(auto_incremented=True, generated=True)
    elif c.accept("AUTO_INCREMENT"):
        d.column = d.column.with_(auto_incremented=True, generated=True)
    elif c.accept("GENERATED", "ALWAYS", "AS") or c.accept("AS"):
        if c.is_symbol("("):
            c.skip_parens()
        else:
            c.skip_item()  # ROW START, ROW END of system versioning
            c.skip_item()
    else:
        return False
    return True


def _text(c: Cursor, session: Session, d: Definition) -> bool:
    if c.accept("COMMENT"):
        token = c.next()
        if session.include_comments:
            d.column = d.column.with_(comment=token.text.replace("''", "'"))
    elif c.accept("COLLATE"):
        c.accept_symbol("=")
        collation = c.next().text
        if not d.column.charset:
            d.column = d.column.with_(charset=collation_charset(collation))
    elif c.accept("CHARACTER", "SET") or c.accept("CHARSET"):
        c.accept_symbol("=")
        d.column = d.column.with_(charset=c.name())
    else:
        return False
    return True


def _other(c: Cursor) -> None:
    """An attribute that leaves no trace in the model."""
    if c.accept("REFERENCES"):
        c.table_id()
        if c.is_symbol("("):
            c.skip_parens()
        while c.is_any("MATCH", "ON"):
            if c.accept("MATCH"):
                c.next()
                continue
            c.next()
            c.next()
            if not (c.accept("SET", "NULL") or c.accept("SET", "DEFAULT") or c.accept("NO", "ACTION")):
                c.next()
        return
    if c.accept("CONSTRAINT"):
        if not c.is_any("CHECK"):
            c.name()
        return
    c.skip_item()
