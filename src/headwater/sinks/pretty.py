"""Records for people: one line a change, colours on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from headwater._plugins import Plugin
from headwater.model import Record, Schema, Struct
from headwater.sinks.base import Batch
from headwater.types.convert_cy import iso_datetime

_COLOURS = {"r": "36", "c": "32", "u": "33", "d": "31", "t": "35", "m": "34"}
_NAMES = {"r": "read", "c": "insert", "u": "update", "d": "delete", "t": "truncate", "m": "message"}
_LONGEST = 40


class PrettySink:
    """Prints what happened: operation, table, key, and the values (of an update: what changed)."""

    raw = True

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def open(self) -> None:
        """Nothing to open."""

    def write(self, batch: Batch) -> None:
        lines = [line for r in batch.records if (line := self.line(r)) is not None]
        if lines:
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()

    def line(self, record: Record) -> str | None:
        """One line; None for records that say nothing to a person (tombstones)."""
        value = record.value_struct
        if value is None:
            return None
        op = value.get("op")
        if op is None or "source" not in value:
            return f"{self._paint('2', record.topic)} {value.to_dict()}"
        table = record.topic.split(".", 1)[-1]
        key = record.key_struct
        shown = ",".join(_short(v) for _, v in key.items()) if key is not None else "-"
        name = self._paint(_COLOURS.get(op, "0"), f"{_NAMES.get(op, op):<8}")
        return f"{name} {self._paint('1', table)} [{shown}] {self._values(value.get('before'), value.get('after'))}"

    def _values(self, before: Any, after: Any) -> str:
        if isinstance(after, Struct) and isinstance(before, Struct):
            changed = [f for f in after.schema.fields if before[f.name] != after[f.name]]
            shown = (
                f"{f.name}: {_short(_readable(f.schema, before[f.name]))} -> {_short(_readable(f.schema, after[f.name]))}"
                for f in changed
            )
            return ", ".join(shown) or "(no value changed)"
        row = after if isinstance(after, Struct) else before
        if not isinstance(row, Struct):
            return ""
        return ", ".join(f"{f.name}={_short(_readable(f.schema, row[f.name]))}" for f in row.schema.fields)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def flush(self) -> None:
        """Every write is flushed."""

    def close(self) -> None:
        """Standard output stays open."""


_PER_DAY = 86_400_000_000
_TIMES = {"Date": _PER_DAY, "Timestamp": 1000, "MicroTimestamp": 1, "Time": 1000, "MicroTime": 1}


def _readable(schema: Schema, value: Any) -> Any:
    """Dates and times as text."""
    kind = (schema.name or "").rpartition(".")[2]
    if kind not in _TIMES or not isinstance(value, int):
        return value
    micros = value * _TIMES[kind]
    if kind.endswith("Time"):
        return f"{micros // 3_600_000_000:02d}:{micros // 60_000_000 % 60:02d}:{micros // 1_000_000 % 60:02d}"
    text = iso_datetime(micros)
    return text[:10] if kind == "Date" else text


def _short(value: Any) -> str:
    if value is None:
        return "null"
    text = str(value.to_dict() if isinstance(value, Struct) else value)
    if not text.isprintable():
        # A value from a table must not steer the terminal, nor begin a new line.
        text = "".join(ch if ch.isprintable() else repr(ch)[1:-1] for ch in text[:_LONGEST])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def make(target: str, config: Mapping[str, str]) -> PrettySink:
    """A sink without options; colours only on a terminal."""
    return PrettySink(sys.stdout.isatty())


PLUGIN = Plugin("sink", "pretty", make, summary="One line a change for people, coloured on a terminal")
