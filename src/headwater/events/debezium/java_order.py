"""The order in which a Java hash map or set of strings iterates.

Only for `compatibility.mode=exact`: the reference lists tables in this order in a few places.
"""

from __future__ import annotations

from collections.abc import Iterable


def java_hash(text: str) -> int:
    """String.hashCode, as an unsigned 32-bit number."""
    value = 0
    data = text.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(data), 2):
        value = (value * 31 + (data[i] << 8 | data[i + 1])) & 0xFFFFFFFF
    return value


def java_order(names: Iterable[str]) -> list[str]:
    """Iteration order of a HashMap that grew from its default size to hold `names`."""
    items = list(dict.fromkeys(names))
    buckets = 16
    while len(items) > buckets * 3 // 4:
        buckets *= 2

    def bucket(name: str) -> int:
        h = java_hash(name)
        return (h ^ h >> 16) & (buckets - 1)

    return sorted(items, key=bucket)
