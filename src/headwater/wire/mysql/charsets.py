"""MySQL character sets: by name and by collation id, and how their bytes become text.

The mapping is the server's own, so that a value read from the log equals the one a query returns. Python's codecs
are used where they agree with it; the rest is in `charset_tables`, generated from a server. As in the reference, a
missing or unknown character set is read as UTF-8. Must not know columns or rows.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cache, partial

from headwater.errors import DecodeError
from headwater.wire.mysql.charset_tables import OVERLAYS, SINGLE_BYTE

Decode = Callable[[bytes], str]
# Takes the bytes and Python's name of an error policy, "strict" or "replace".
_Codec = Callable[[bytes, str], str]

# Sets that a codec of Python decodes exactly as the server does. `binary` shows bytes as Latin-1.
CODECS = {
    "ascii": "ascii", "binary": "latin-1", "cp932": "cp932", "euckr": "cp949", "gb2312": "gb2312", "gbk": "gbk",
    "ucs2": "utf-16-be", "utf16": "utf-16-be", "utf16le": "utf-16-le", "utf32": "utf-32-be",
    "utf8": "utf-8", "utf8mb3": "utf-8", "utf8mb4": "utf-8",
}  # fmt: skip
# Sets that a codec decodes as the server does but for the codes in OVERLAYS, and the shape of their codes.
_OVERLAID = {
    "big5": ("big5", rb"[\x81-\xfe].|."),
    "sjis": ("shift_jis", rb"[\x81-\x9f\xe0-\xfc].|."),
    "ujis": ("euc_jp", rb"\x8f..|[\x8e\xa1-\xfe].|."),
    "eucjpms": ("euc_jp", rb"\x8f..|[\x8e\xa1-\xfe].|."),
}
# The one character that the 2005 edition of the standard moved out of the private use area.
_GB18030_2005 = {0xE7C7: 0x1E3F, 0x1E3F: 0xE7C7}
_NOT_ASCII = frozenset(("ucs2", "utf16", "utf16le", "utf32", "swe7"))
_POLICIES = frozenset(("replace", "hex", "fail"))

# Collation id ranges and single ids -> character set, MySQL 5.6-9.7 and MariaDB 10-11.
_RANGES = (
    (101, 124, "utf16"), (128, 151, "ucs2"), (159, 159, "ucs2"), (160, 183, "utf32"), (192, 215, "utf8mb3"),
    (223, 223, "utf8mb3"), (224, 247, "utf8mb4"), (248, 250, "gb18030"), (255, 323, "utf8mb4"),
)  # fmt: skip
_IDS = {
    "armscii8": (32, 64), "ascii": (11, 65), "big5": (1, 84), "binary": (63,), "cp1250": (26, 34, 44, 66, 99),
    "cp1251": (14, 23, 50, 51, 52), "cp1256": (57, 67), "cp1257": (29, 58, 59), "cp850": (4, 80), "cp852": (40, 81),
    "cp866": (36, 68), "cp932": (95, 96), "dec8": (3, 69), "eucjpms": (97, 98), "euckr": (19, 85), "gb2312": (24, 86),
    "gbk": (28, 87), "geostd8": (92, 93), "greek": (25, 70), "hebrew": (16, 71), "hp8": (6, 72), "keybcs2": (37, 73),
    "koi8r": (7, 74), "koi8u": (22, 75), "latin1": (5, 8, 15, 31, 47, 48, 49, 94), "latin2": (2, 9, 21, 27, 77),
    "latin5": (30, 78), "latin7": (20, 41, 42, 79), "macce": (38, 43), "macroman": (39, 53), "sjis": (13, 88),
    "swe7": (10, 82), "tis620": (18, 89), "ucs2": (35, 90), "ujis": (12, 91), "utf16": (54, 55), "utf16le": (56, 62),
    "utf32": (60, 61), "utf8mb3": (33, 76, 83), "utf8mb4": (45, 46),
}  # fmt: skip
_BY_ID = {number: charset for charset, numbers in _IDS.items() for number in numbers}
# MariaDB's no-pad collations have bit 10 set; its UCA 14.0.0 ones count from 2048, 256 ids a character set.
_NO_PAD = 1024
_UCA_1400 = 2048
_UCA_1400_SETS = ("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32")


def charset_of(collation_id: int) -> str:
    """Character set of a collation id; `utf8mb4` for one not known here."""
    name = _BY_ID.get(collation_id)
    if name is not None:
        return name
    for low, high, charset in _RANGES:
        if low <= collation_id <= high:
            return charset
    if _NO_PAD < collation_id < _UCA_1400:
        return charset_of(collation_id - _NO_PAD)
    if _UCA_1400 <= collation_id < _UCA_1400 + 256 * len(_UCA_1400_SETS):
        return _UCA_1400_SETS[(collation_id - _UCA_1400) // 256]
    return "utf8mb4"


def is_known(charset: str) -> bool:
    """Whether this is a character set of the server; others are read as UTF-8."""
    name = charset.lower()
    return name in CODECS or name in SINGLE_BYTE or name in _OVERLAID or name == "gb18030"


def is_utf8(charset: str | None) -> bool:
    """Whether UTF-8 decodes every valid text of this character set: UTF-8 itself, ASCII, and what is not known."""
    if charset is None or not is_known(charset):
        return True
    return CODECS.get(charset.lower()) in ("utf-8", "ascii")


def is_ascii_compatible(charset: str | None) -> bool:
    """Whether a text of bytes below 0x80 is the same in ASCII."""
    return (charset or "").lower() not in _NOT_ASCII


@cache
def decoder(charset: str | None, undecodable: str = "replace") -> Decode:
    """A function bytes -> str for a character set (None: utf8mb4).

    `undecodable` says what becomes of bytes that are no text in it: `replace` puts U+FFFD in their place, `hex`
    gives the whole value in hexadecimal digits, `fail` raises DecodeError.
    """
    if undecodable not in _POLICIES:
        raise ValueError(f"undecodable must be one of {sorted(_POLICIES)}, not {undecodable!r}")
    name = (charset or "utf8mb4").lower()
    codec = _codec(name)

    def decode(data: bytes) -> str:
        try:
            return codec(data, "strict")
        except UnicodeDecodeError as e:
            if undecodable == "hex":
                return data.hex()
            if undecodable == "fail":
                raise DecodeError(f"a text of {len(data)} bytes is not valid {name} at byte {e.start}") from None
            return codec(data, "replace")

    return decode


@cache
def _codec(name: str) -> _Codec:
    if name in SINGLE_BYTE:
        return partial(_single_byte, SINGLE_BYTE[name])
    if name in _OVERLAID:
        return _Overlaid(name).decode
    if name == "gb18030":
        return _gb18030
    codec = CODECS.get(name, "utf-8")
    return lambda data, errors: data.decode(codec, errors)


def _single_byte(table: str, data: bytes, errors: str) -> str:
    return codecs.charmap_decode(data, errors, table)[0]


def _gb18030(data: bytes, errors: str) -> str:
    return data.decode("gb18030", errors).translate(_GB18030_2005)


class _Overlaid:
    """A codec of Python with some codes mapped otherwise: text is taken apart into its codes."""

    def __init__(self, name: str) -> None:
        self._codec, shape = _OVERLAID[name]
        self._codes = re.compile(shape, re.DOTALL)
        # Filled with the codes met; there are not more of them than the character set has.
        self._chars = dict(OVERLAYS[name])
        if self._codec == "euc_jp":
            self._chars.update(_user_defined())

    def decode(self, data: bytes, errors: str) -> str:
        if data.isascii():
            return data.decode("ascii")
        chars = self._chars
        out = []
        for code in self._codes.findall(data):
            char = chars.get(code)
            if char is None:
                char = code.decode(self._codec, errors)
                if errors == "strict":
                    chars[code] = char
            out.append(char)
        return "".join(out)


def _user_defined() -> dict[bytes, str]:
    # Rows 85-94 of both Japanese planes: the first 1880 characters of the private use area, in order.
    cells = [bytes((row, cell)) for row in range(0xF5, 0xFF) for cell in range(0xA1, 0xFF)]
    codes = cells + [b"\x8f" + c for c in cells]
    return {code: chr(0xE000 + i) for i, code in enumerate(codes)}
