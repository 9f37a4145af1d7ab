"""One JSON-lines file a topic in a folder."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from headwater._plugins import Plugin
from headwater.errors import ConfigError, ConfigProblem, SinkError
from headwater.sinks.base import Batch

MAX_OPEN = 256


class FileSink:
    """Appends `{"key":…,"value":…}` lines, as the configured converters write them (text or JSON)."""

    raw = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: OrderedDict[str, BinaryIO] = OrderedDict()
        self._dirty: set[str] = set()

    def open(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise SinkError(f"the folder {self._folder} cannot be made: {e.strerror}") from e

    def _file(self, topic: str) -> BinaryIO:
        file = self._files.get(topic)
        if file is not None:
            self._files.move_to_end(topic)
            return file
        if len(self._files) >= MAX_OPEN:
            old, oldest = self._files.popitem(last=False)
            self._sync(old, oldest)
            oldest.close()
        name = re.sub(r"[^A-Za-z0-9._-]", "_", topic) or "_"
        file = self._files[topic] = (self._folder / f"{name}.jsonl").open("ab")
        return file

    def write(self, batch: Batch) -> None:
        parts: dict[str, list[bytes]] = {}
        for record, key, value in zip(batch.records, batch.keys, batch.values, strict=True):
            line = b'{"key":' + _json(key) + b',"value":' + _json(value) + b"}\n"
            parts.setdefault(record.topic, []).append(line)
        try:
            for topic, lines in parts.items():
                file = self._file(topic)
                file.write(b"".join(lines))
                file.flush()
                self._dirty.add(topic)
        except OSError as e:
            raise SinkError(f"a file in {self._folder} cannot be written: {e.strerror}") from e

    def _sync(self, topic: str, file: BinaryIO) -> None:
        if topic in self._dirty:
            os.fsync(file.fileno())
            self._dirty.discard(topic)

    def flush(self) -> None:
        try:
            for topic, file in self._files.items():
                self._sync(topic, file)
        except OSError as e:
            raise SinkError(f"a file in {self._folder} cannot be synced: {e.strerror}") from e

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()


def _json(data: bytes | None) -> bytes:
    """Converter output inside a JSON line: JSON as it is, other text as a string."""
    if data is None:
        return b"null"
    if data[:1] in b'{["-0123456789tfn':
        return data
    import orjson

    return orjson.dumps(data.decode("utf-8", "replace"))


def make(target: str, config: Mapping[str, str]) -> FileSink:
    """`file:DIR`."""
    if not target:
        raise ConfigError([ConfigProblem("--to", "file", "A folder is required", "file:events")])
    return FileSink(Path(target))


PLUGIN = Plugin("sink", "file", make, summary="One JSON-lines file a topic in a folder")
