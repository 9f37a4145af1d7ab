"""Character sets. The expected texts are the server's: SELECT CONVERT(CONVERT(X'..' USING set) USING utf8mb4)."""

from __future__ import annotations

import pytest

from headwater.errors import DecodeError
from headwater.wire.mysql import charsets
from headwater.wire.mysql.charset_tables import OVERLAYS, SINGLE_BYTE


@pytest.mark.parametrize(
    ("charset", "raw", "text"),
    [
        ("utf8mb4", "c3a9f09f9880", "é😀"),
        ("utf8mb3", "c3a9", "é"),
        ("utf8", "c3a9", "é"),
        (None, "c3a9", "é"),
        ("UTF8MB4", "c3a9", "é"),
        ("ascii", "41", "A"),
        ("latin1", "80e98d", "€é\x8d"),  # a hole of cp1252 is a C1 control
        ("latin1", "818d8f909d", "\x81\x8d\x8f\x90\x9d"),
        ("latin2", "b1", "ą"),
        ("latin5", "fd", "ı"),
        ("latin7", "e0", "ą"),
        ("cp1250", "9a", "š"),
        ("cp1251", "cff0e8", "При"),
        ("cp1256", "c7", "ا"),
        ("cp1257", "e0", "ą"),
        ("cp850", "82", "é"),
        ("cp852", "a5", "ą"),
        ("cp866", "8fe0", "Пр"),
        ("dec8", "a8d7", "¤Œ"),
        ("greek", "e1", "α"),
        ("hebrew", "e0", "א"),
        ("hp8", "c5", "é"),
        ("keybcs2", "a8", "š"),
        ("koi8r", "f0d2", "Пр"),
        ("koi8u", "a4", "є"),
        ("macce", "8e", "é"),
        ("macroman", "8e", "é"),
        ("swe7", "5b5c5d", "ÄÖÅ"),
        ("tis620", "a1", "ก"),
        ("armscii8", "b2", "Ա"),
        ("geostd8", "c0", "ა"),
        ("binary", "00ff", "\0ÿ"),
        ("big5", "a4a4", "中"),
        ("big5", "f9d6a440", "碁一"),  # a code Python's codec lacks
        ("cp932", "8740", "①"),
        ("cp932", "8160", "～"),
        ("sjis", "8160", "〜"),  # the other wave than cp932
        ("sjis", "815f41", "\\A"),
        ("sjis", "b1", "ｱ"),
        ("eucjpms", "ada1", "①"),
        ("eucjpms", "a1c1", "～"),
        ("ujis", "a1c1", "〜"),
        ("ujis", "a1c0", "\\"),
        ("ujis", "f5a1fefe8ff5a1", "\ue000\ue3ab\ue3ac"),  # the user-defined area
        ("ujis", "8eb1", "ｱ"),
        ("euckr", "b0a18141", "가갂"),
        ("gb2312", "d6d0", "中"),
        ("gbk", "8140", "丂"),
        ("gb18030", "a8bc8135f437", "ḿ\ue7c7"),  # swapped in the 2005 edition
        ("ucs2", "00e96f22", "é漢"),
        ("utf16", "d83dde00", "😀"),
        ("utf16le", "3dd800de", "😀"),
        ("utf32", "0001f600", "😀"),
        ("no such set", "c3a9", "é"),
    ],
)
def test_text(charset: str | None, raw: str, text: str) -> None:
    assert charsets.decoder(charset)(bytes.fromhex(raw)) == text


@pytest.mark.parametrize("charset", sorted(SINGLE_BYTE))
def test_single_byte_tables_are_whole(charset: str) -> None:
    table = SINGLE_BYTE[charset]
    assert len(table) == 256
    text = charsets.decoder(charset)(bytes(range(256)))
    assert text == table.replace("\ufffe", "\ufffd")


@pytest.mark.parametrize("charset", sorted(OVERLAYS))
def test_overlay_codes_between_other_codes(charset: str) -> None:
    decode = charsets.decoder(charset, "fail")
    for code, char in OVERLAYS[charset].items():
        assert decode(b"a" + code + code + b"z") == f"a{char}{char}z"


@pytest.mark.parametrize(
    ("charset", "raw"), [("utf8mb4", b"a\xff"), ("cp1257", b"a\xa1"), ("big5", b"a\xff\xff"), ("ucs2", b"\0a\0"), ("ujis", b"a\x8f")]
)
def test_undecodable(charset: str, raw: bytes) -> None:
    assert "\ufffd" in charsets.decoder(charset)(raw)
    assert charsets.decoder(charset, "hex")(raw) == raw.hex()
    with pytest.raises(DecodeError, match=charset):
        charsets.decoder(charset, "fail")(raw)


def test_an_error_shows_no_data() -> None:
    with pytest.raises(DecodeError) as caught:
        charsets.decoder("utf8mb4", "fail")(b"secret\xff")
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_policy_is_checked() -> None:
    with pytest.raises(ValueError, match="ignore"):
        charsets.decoder("latin1", "ignore")


@pytest.mark.parametrize(
    ("collation", "charset"),
    [
        (8, "latin1"), (33, "utf8mb3"), (45, "utf8mb4"), (63, "binary"), (83, "utf8mb3"), (98, "eucjpms"), (101, "utf16"),
        (128, "ucs2"), (160, "utf32"), (192, "utf8mb3"), (224, "utf8mb4"), (248, "gb18030"), (255, "utf8mb4"),
        (305, "utf8mb4"), (323, "utf8mb4"),
        (1025, "big5"), (1032, "latin1"), (1069, "utf8mb4"), (1057, "utf8mb3"), (1216, "utf8mb3"),  # MariaDB, no pad
        (2048, "utf8mb3"), (2304, "utf8mb4"), (2560, "ucs2"), (2816, "utf16"), (3072, "utf32"),  # MariaDB, UCA 14.0.0
        (9999, "utf8mb4"),
    ],
)  # fmt: skip
def test_collation_ids(collation: int, charset: str) -> None:
    assert charsets.charset_of(collation) == charset


def test_what_is_utf8_and_ascii() -> None:
    assert [c for c in ("utf8mb4", "ascii", "nonsense", "latin1", "gbk") if charsets.is_utf8(c)] == ["utf8mb4", "ascii", "nonsense"]
    assert charsets.is_utf8(None)
    for charset in (*charsets.CODECS, *SINGLE_BYTE, *OVERLAYS, "gb18030"):
        assert charsets.is_known(charset)
        same = charsets.decoder(charset)(b"[Az~]") == "[Az~]"
        assert same or not charsets.is_ascii_compatible(charset), charset
    assert not charsets.is_known("nonsense")
