"""The server's error packet as an exception."""

from __future__ import annotations

from headwater.errors import DecodeError, SourceError


class ServerError(SourceError):
    """An error packet: number, SQL state, text."""

    def __init__(self, code: int, sqlstate: str, text: str) -> None:
        self.code = code
        self.sqlstate = sqlstate
        self.text = text
        super().__init__(f"{text} (error {code}, SQL state {sqlstate})")


def parse_error(payload: bytes) -> ServerError:
    """Reads an error packet's payload (first byte 0xFF)."""
    if len(payload) < 3:
        raise DecodeError("an error packet of fewer than three bytes")
    code = int.from_bytes(payload[1:3], "little")
    rest = payload[3:]
    state = "HY000"
    if rest[:1] == b"#" and len(rest) >= 6:
        state, rest = rest[1:6].decode("ascii", "replace"), rest[6:]
    return ServerError(code, state, rest.decode("utf-8", "replace"))
