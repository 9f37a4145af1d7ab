"""Byte strings in every `binary.handling.mode`."""

from __future__ import annotations

from collections.abc import Callable

from headwater.model.schema import BYTES, STRING
from headwater.types.base import TypeOptions, ValueType, convert
from headwater.types.convert_cy import BASE64, BASE64_URL, HEX, Step

_MODES = {"base64": BASE64, "base64-url-safe": BASE64_URL, "hex": HEX}


def binary(options: TypeOptions, parse_default: Callable[[str], bytes] = str.encode) -> ValueType:
    """Bytes, or text in the configured encoding. `parse_default` reads the model's default expression."""
    if options.binary == "bytes":
        return ValueType(BYTES, fallback=b"", default=parse_default)
    steps = (Step(_MODES[options.binary]),)

    def default(text: str) -> object:
        return convert(steps, parse_default(text))

    return ValueType(STRING, steps, fallback="", default=default)
