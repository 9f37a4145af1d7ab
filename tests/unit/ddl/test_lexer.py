"""SQL text -> tokens: quoting modes, comments, literals, names."""

from __future__ import annotations

import pytest

from headwater.ddl.lexer_cy import (
    BITS,
    END,
    HEX,
    MAX_LENGTH,
    NAME,
    NUMBER,
    STRING,
    SYMBOL,
    VARIABLE,
    WORD,
    LexError,
    tokenize,
)
from headwater.errors import DdlError

KINDS = {WORD: "w", NAME: "n", STRING: "s", NUMBER: "#", HEX: "x", BITS: "b", SYMBOL: "", VARIABLE: "@", END: "end"}


def shown(sql: str, **options: object) -> str:
    """Tokens as `kind:text`, symbols bare, without the END."""
    t = tokenize(sql, **options)  # type: ignore[arg-type]
    assert t.kinds[-1] == END
    parts = [f"{KINDS[k]}:{x}" if KINDS[k] else x for k, x in zip(t.kinds[:-1], t.texts[:-1], strict=True)]
    return " ".join(parts)


@pytest.mark.parametrize(
    ("sql", "tokens"),
    [
        ("a _b $c d1 é \u00a0x", "w:a w:_b w:$c w:d1 w:é w:\u00a0x"),  # everything beyond ASCII is a letter
        ("a\tb\r\nc\fd\ve", "w:a w:b w:c w:d w:e"),
        ("1 12.5 .5 1. 1e3 1.5E-3 2e+4", "#:1 #:12.5 #:.5 #:1. #:1e3 #:1.5E-3 #:2e+4"),
        ("1a 1e 1e5x 0x 0b 0xZ 0b2", "w:1a w:1e w:1e5x w:0x w:0b w:0xZ w:0b2"),  # names may begin with digits
        ("0x1F 0b101 x'1f' X'1F' b'01' B'1' x'' b''", "x:0x1F b:0b101 x:x'1f' x:X'1F' b:b'01' b:B'1' x:x'' b:b''"),
        ("0X1F x'1g' b'2'", "w:0X1F w:x s:1g w:b s:2"),  # a capital X is no prefix, other digits no literal
        ("db.1t db.5 `d`.5e1 t .5 t. 5", "w:db . w:1t w:db . w:5 n:d . w:5e1 w:t #:.5 w:t . #:5"),
        ("'it''s' 'a\\'b' 'x\\\\' \"q\"\"r\"", "s:it''s s:a\\'b s:x\\\\ s:q\"\"r"),
        ("`a``b` `'` N'x' n'y' _utf8mb4'z'", "n:a`b n:' s:x s:y w:_utf8mb4 s:z"),
        ("@a @@b @@global.c @'x'", "@:@a @:@@b @:@@global . w:c @:@ s:x"),
        ("a-- x\nb --c\nd # y ' \ne --", "w:a w:b - - w:c w:d w:e"),  # two dashes need a blank behind them
        ("a/* ' */b/**/c/***/d", "w:a w:b w:c w:d"),
        ("2*/* it's */3 a*/b", "#:2 * #:3 w:a * / w:b"),  # */ outside a comment is two symbols
        ("", ""),
        (" \n ", ""),
    ],
)
def test_tokens(sql: str, tokens: str) -> None:
    assert shown(sql) == tokens


@pytest.mark.parametrize(
    ("sql", "options", "tokens"),
    [
        # "..." is a name under ANSI_QUOTES, and a backslash stands for itself in it
        ('"a""b" "c\\" \'d\'', {"ansi_quotes": True}, 'n:a"b n:c\\ s:d'),
        (r"'a\' 'b''c'", {"no_backslash_escapes": True}, r"s:a\ s:b''c"),
        # executable comments: for this version or an older one, with five or six digits
        ("a /*! b */ c", {}, "w:a w:b w:c"),
        ("a /*!80000 b */ c", {}, "w:a w:b w:c"),
        ("a /*!80000 b*/c", {"version": 80036}, "w:a w:b w:c"),
        ("a /*!80037 b */ c", {"version": 80036}, "w:a w:c"),
        ("a /*!080036 b */ c", {"version": 80036}, "w:a w:b w:c"),
        ("a /*!99999 b /* it's */ d */ c", {"version": 80036}, "w:a w:c"),  # a skipped one may hold a plain one
        ("a /*!50100 b /* x */ d */ c", {"version": 80036}, "w:a w:b w:d w:c"),
        ("a /*!50100 b /*!50200 d */ e */ c", {"version": 80036}, "w:a w:b w:d w:e w:c"),
        ("a /*!123 b */ c", {"version": 80036}, "w:a #:123 w:b w:c"),
        ("a /*M! b */ c", {"version": 80036}, "w:a w:c"),
        ("a /*M!100100 b */ c", {"version": 80036}, "w:a w:c"),
        # MariaDB: its own marker, and MySQL's 5.7 to 9.x are not for it
        ("a /*M! b */ c", {"mariadb": True}, "w:a w:b w:c"),
        ("a /*M!100100 b */ c", {"mariadb": True, "version": 101106}, "w:a w:b w:c"),
        ("a /*!100100 b */ c", {"mariadb": True, "version": 101106}, "w:a w:b w:c"),
        ("a /*!110000 b */ c", {"mariadb": True, "version": 101106}, "w:a w:c"),
        ("a /*!50700 b */ c", {"mariadb": True, "version": 101106}, "w:a w:c"),
        ("a /*!50699 b */ c", {"mariadb": True, "version": 101106}, "w:a w:b w:c"),
        ("a /*!80000 b */ c", {"mariadb": True}, "w:a w:c"),
    ],
)  # fmt: skip
def test_modes(sql: str, options: dict[str, object], tokens: str) -> None:
    assert shown(sql, **options) == tokens


@pytest.mark.parametrize(
    ("sql", "offset"),
    [("a 'b", 2), ('a "b\'', 2), ("a `b", 2), ("a 'b\\'", 2), ("a 'b''", 2), ("a /* b", 2), ("/*", 0), ("/*/", 0), ("a N'b", 3),
     ("a /*!99999 b", 2), ("a /*!99999 b /* c */", 2)],
)  # fmt: skip
def test_what_does_not_end(sql: str, offset: int) -> None:
    with pytest.raises(LexError, match="has no end") as caught:
        tokenize(sql, version=80000)
    assert caught.value.offset == offset
    partial = tokenize(sql, version=80000, partial=True)
    assert partial.kinds[-1] == END
    assert all(e <= max(offset, 1) for e in partial.ends[:-1])


def test_spans_give_the_text_back() -> None:
    sql = "ALTER TABLE `t` ADD c VARCHAR(9) DEFAULT 'x''y' /* no */, ADD d INT -- end"
    t = tokenize(sql)
    assert [sql[s:e] for s, e in zip(t.starts, t.ends, strict=True)] == [
        "ALTER", "TABLE", "`t`", "ADD", "c", "VARCHAR", "(", "9", ")", "DEFAULT", "'x''y'", ",", "ADD", "d", "INT", "",
    ]  # fmt: skip
    assert t.keys[:3] == ["ALTER", "TABLE", ""]


def test_length_is_bounded() -> None:
    with pytest.raises(DdlError, match="longer than"):
        tokenize(" " * (MAX_LENGTH + 1))
