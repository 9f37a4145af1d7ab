"""Offset entries as the reference stores them: compact JSON bytes for key and value."""

from __future__ import annotations

import json
from typing import Any

from headwater.errors import OffsetError
from headwater.storage.base import Offset, Partition


def key_bytes(name: str, partition: Partition) -> bytes:
    """`["<connector name>",{"server":"<prefix>"}]`."""
    return _compact([name, dict(partition)])


def value_bytes(offset: Offset) -> bytes:
    """The offset map."""
    return _compact(offset)


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def parse(data: bytes, what: str) -> Any:
    """JSON from an entry. Raises OffsetError."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as e:
        raise OffsetError(f"an offset {what} is not JSON: {data[:100]!r}") from e


def find_key(keys: list[bytes], name: str, partition: Partition) -> bytes | None:
    """The stored key for a partition: equal bytes, else equal JSON (written in another order)."""
    wanted = key_bytes(name, partition)
    if wanted in keys:
        return wanted
    goal = [name, dict(partition)]
    return next((k for k in keys if _parses_to(k, goal)), None)


def _parses_to(data: bytes, goal: Any) -> bool:
    try:
        return bool(json.loads(data) == goal)
    except (ValueError, RecursionError):
        return False
