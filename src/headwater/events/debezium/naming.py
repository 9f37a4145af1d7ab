"""Topic names, and the adjustment of schema and field names.

Facts: characters other than letters, digits, `_`, `.` and `-` become `_` in topics; names are cut at 249.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from headwater.model import TableId

_MAX_TOPIC = 249
_TOPIC_BAD = re.compile(r"[^A-Za-z0-9._-]")
_TOPIC_BAD_UNICODE = re.compile(r"[^A-Za-z0-9.-]")


def _utf16_units(text: str) -> list[int]:
    data = text.encode("utf-16-be", "surrogatepass")
    return [data[i] << 8 | data[i + 1] for i in range(0, len(data), 2)]


def _escape(text: str) -> str:
    """`_u` and the hex of each UTF-16 unit; two digits or fewer are padded by two zeros in front."""
    return "".join("_u" + (("00" if u < 0x100 else "") + f"{u:x}") for u in _utf16_units(text))


def _underscores(text: str) -> str:
    return "_" * len(_utf16_units(text))


def sanitize_topic(name: str, *, unicode: bool = False) -> str:
    """A legal Kafka topic name."""
    bad = _TOPIC_BAD_UNICODE if unicode else _TOPIC_BAD
    text = bad.sub(lambda m: _escape(m[0]) if unicode else _underscores(m[0]), name)[:_MAX_TOPIC]
    return {".": "_", "..": "__"}.get(text, text)


@dataclass(frozen=True)
class TopicNaming:
    """Names topics. `unicode` escapes illegal characters; `regex`, `replacement` rewrite data topics."""

    prefix: str
    delimiter: str = "."
    transaction: str = "transaction"
    heartbeat_prefix: str = "__debezium-heartbeat"
    heartbeat_name: str | None = None
    unicode: bool = False
    regex: re.Pattern[str] | None = None
    replacement: str | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, object]) -> TopicNaming:
        strategy = str(config.get("topic.naming.strategy") or "")
        return cls(
            prefix=str(config["topic.prefix"]),
            delimiter=str(config.get("topic.delimiter") or "."),
            transaction=str(config.get("topic.transaction") or "transaction"),
            heartbeat_prefix=str(config.get("topic.heartbeat.prefix") or "__debezium-heartbeat"),
            heartbeat_name=str(config["topic.heartbeat.name"]) if config.get("topic.heartbeat.name") else None,
            unicode="Unicode" in strategy,
        )

    def data(self, table: TableId) -> str:
        """`prefix.database.table` or `prefix.schema.table`; blank parts are left out."""
        namespace = table.catalog if table.schema is None else table.schema
        parts = [p for p in (self.prefix, namespace, table.table) if p and p.strip()]
        name = sanitize_topic(self.delimiter.join(parts), unicode=self.unicode)
        if self.regex is not None and (m := self.regex.fullmatch(name)):
            return m.expand(self.replacement or "")
        return name

    @property
    def schema_change(self) -> str:
        return sanitize_topic(self.prefix, unicode=self.unicode)

    @property
    def transactions(self) -> str:
        return sanitize_topic(self.delimiter.join((self.prefix, self.transaction)), unicode=self.unicode)

    @property
    def heartbeat(self) -> str:
        if self.heartbeat_name:
            return self.heartbeat_name
        return sanitize_topic(self.delimiter.join((self.heartbeat_prefix, self.prefix)), unicode=self.unicode)


NameAdjuster = Callable[[str], str]


def adjuster(mode: str, *, fields: bool) -> NameAdjuster:
    """The name adjustment of a mode: `none`, `avro` or `avro_unicode`. Field names may not hold dots."""
    if mode == "none":
        return str
    unicode = mode == "avro_unicode"

    @lru_cache(maxsize=10000)
    def adjust(name: str) -> str:
        return _adjust(name, unicode, fields)

    return adjust


def _adjust(name: str, unicode: bool, fields: bool) -> str:
    replace = _escape if unicode else _underscores
    rest = "A-Za-z0-9" + ("" if unicode else "_") + ("" if fields else ".")
    first = "A-Za-z" + ("" if unicode else "_")
    out = []
    for i, ch in enumerate(name):
        if i == 0 and not re.match(f"[{first}]", ch):
            out.append(replace(ch) if unicode or not ch.isdigit() or not ch.isascii() else "_" + ch)
        elif i and not re.match(f"[{rest}]", ch):
            out.append(replace(ch))
        else:
            out.append(ch)
    return "".join(out)
