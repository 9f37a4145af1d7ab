"""MySQL character sets: by name and by collation id, and how their bytes become text.

Python's codecs are used where they agree with the server; the server's latin1 is cp1252 with the five
undefined bytes mapped to C1 controls. An unknown character set is read as UTF-8, as the reference does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

Decode = Callable[[bytes], str]

# Python codec of each character set whose mapping agrees well enough to decode with it.
CODECS = {
    "ascii": "ascii", "big5": "big5hkscs", "binary": "latin-1", "cp1250": "cp1250", "cp1251": "cp1251",
    "cp1256": "cp1256", "cp1257": "cp1257", "cp850": "cp850", "cp852": "cp852", "cp866": "cp866",
    "cp932": "cp932", "eucjpms": "euc_jp", "euckr": "cp949", "gb18030": "gb18030", "gb2312": "gb2312",
    "gbk": "gbk", "greek": "iso8859-7", "hebrew": "iso8859-8", "hp8": "hp-roman8", "koi8r": "koi8-r",
    "koi8u": "koi8-u", "latin1": "cp1252", "latin2": "iso8859-2", "latin5": "iso8859-9", "latin7": "iso8859-13",
    "macce": "mac-latin2", "macroman": "mac-roman", "sjis": "cp932", "tis620": "tis-620", "ucs2": "utf-16-be",
    "ujis": "euc_jp", "utf16": "utf-16-be", "utf16le": "utf-16-le", "utf32": "utf-32-be", "utf8": "utf-8",
    "utf8mb3": "utf-8", "utf8mb4": "utf-8",
    "dec8": "cp1252", "swe7": "cp1252", "armscii8": "cp1252", "geostd8": "cp1252", "keybcs2": "cp852",
}  # fmt: skip

# Collation id ranges and single ids -> character set, MySQL 5.6-9.7 and MariaDB 10-11.
_RANGES = (
    (128, 151, "ucs2"), (159, 159, "ucs2"), (160, 183, "utf32"), (192, 215, "utf8mb3"), (223, 223, "utf8mb3"),
    (224, 247, "utf8mb4"), (101, 124, "utf16"), (248, 250, "gb18030"), (255, 323, "utf8mb4"),
)  # fmt: skip
_SINGLE = {
    1: "big5", 84: "big5", 2: "latin2", 9: "latin2", 21: "latin2", 27: "latin2", 77: "latin2", 3: "dec8", 69: "dec8",
    4: "cp850", 80: "cp850", 5: "latin1", 8: "latin1", 15: "latin1", 31: "latin1", 47: "latin1", 48: "latin1",
    49: "latin1", 94: "latin1", 6: "hp8", 72: "hp8", 7: "koi8r", 74: "koi8r", 10: "swe7", 82: "swe7", 11: "ascii",
    65: "ascii", 12: "ujis", 91: "ujis", 13: "sjis", 88: "sjis", 14: "cp1251", 23: "cp1251", 50: "cp1251",
    51: "cp1251", 52: "cp1251", 16: "hebrew", 71: "hebrew", 18: "tis620", 89: "tis620", 19: "euckr", 85: "euckr",
    20: "latin7", 41: "latin7", 42: "latin7", 79: "latin7", 22: "koi8u", 75: "koi8u", 24: "gb2312", 86: "gb2312",
    25: "greek", 70: "greek", 26: "cp1250", 34: "cp1250", 44: "cp1250", 66: "cp1250", 99: "cp1250", 28: "gbk",
    87: "gbk", 29: "cp1257", 58: "cp1257", 59: "cp1257", 30: "latin5", 78: "latin5", 32: "armscii8", 64: "armscii8",
    33: "utf8mb3", 76: "utf8mb3", 83: "utf8mb3", 35: "ucs2", 90: "ucs2", 36: "cp866", 68: "cp866", 37: "keybcs2",
    73: "keybcs2", 38: "macce", 43: "macce", 39: "macroman", 53: "macroman", 40: "cp852", 81: "cp852",
    45: "utf8mb4", 46: "utf8mb4", 54: "utf16", 55: "utf16", 56: "utf16le", 62: "utf16le", 57: "cp1256",
    67: "cp1256", 60: "utf32", 61: "utf32", 63: "binary", 92: "geostd8", 93: "geostd8", 95: "cp932", 96: "cp932",
    97: "eucjpms", 98: "eucjpms",
}  # fmt: skip


def charset_of(collation_id: int) -> str:
    """Character set of a collation id; `utf8mb4` for one not known here."""
    name = _SINGLE.get(collation_id)
    if name is not None:
        return name
    for low, high, charset in _RANGES:
        if low <= collation_id <= high:
            return charset
    # MariaDB numbers its no-pad and UCA-14.0.0 collations from 1024 and 2048 on.
    if 1024 < collation_id < 2048:
        return charset_of(collation_id - 1024)
    if 2048 <= collation_id < 2048 + 256 * 5:
        return ("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32")[(collation_id - 2048) // 256]
    return "utf8mb4"


def is_utf8(charset: str | None) -> bool:
    """Whether bytes of this character set are UTF-8 (or ASCII)."""
    return charset is None or CODECS.get(charset.lower(), "utf-8") in ("utf-8", "ascii")


@cache
def _latin1_table() -> str:
    return "".join(bytes((b,)).decode("cp1252", "ignore") or chr(b) for b in range(256))


@cache
def decoder(charset: str | None, undecodable: str = "replace") -> Decode:
    """A function bytes -> str. `undecodable`: `replace`, `hex` (the whole value in hex) or `fail`."""
    name = (charset or "utf8mb4").lower()
    codec = CODECS.get(name, "utf-8")
    if codec == "cp1252":
        table = _latin1_table()
        return lambda data: data.decode("latin-1").translate(_as_map(table))

    def decode(data: bytes) -> str:
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            if undecodable == "hex":
                return data.hex()
            if undecodable == "fail":
                raise
            return data.decode(codec, "replace")

    return decode


@cache
def _as_map(table: str) -> dict[int, str]:
    return {i: ch for i, ch in enumerate(table) if ord(ch) != i}
