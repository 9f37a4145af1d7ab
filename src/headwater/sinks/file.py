"""One JSON-lines file a topic in a folder."""

from __future__ import annotations

import hashlib
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from headwater._plugins import Plugin
from headwater.errors import ConfigError, ConfigProblem, SinkError
from headwater.sinks.base import Batch
from headwater.storage.atomic import make_folder, open_lines, write_all

MAX_OPEN = 256
_LONGEST_NAME = 200
_OTHER = re.compile(r"[^A-Za-z0-9._-]")


class FileSink:
    """Appends `{"key":…,"value":…}` lines, as the configured converters write them (text or JSON)."""

    raw = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: OrderedDict[str, BinaryIO] = OrderedDict()
        self._dirty: set[str] = set()

    def open(self) -> None:
        try:
            make_folder(self._folder)
        except OSError as e:
            raise SinkError(f"the folder {self._folder} cannot be made: {e.strerror}") from e

    def _file(self, topic: str) -> BinaryIO:
        file = self._files.get(topic)
        if file is not None:
            self._files.move_to_end(topic)
            return file
        if len(self._files) >= MAX_OPEN:
            old, oldest = next(iter(self._files.items()))
            self._sync(old, oldest)
            del self._files[old]
            oldest.close()
        file = self._files[topic] = open_lines(self._folder / file_name(topic))
        return file

    def write(self, batch: Batch) -> None:
        parts: dict[str, list[bytes]] = {}
        for record, key, value in zip(batch.records, batch.keys, batch.values, strict=True):
            line = b'{"key":' + _json(record.topic, key) + b',"value":' + _json(record.topic, value) + b"}\n"
            parts.setdefault(record.topic, []).append(line)
        try:
            for topic, lines in parts.items():
                file = self._file(topic)
                self._dirty.add(topic)
                write_all(file, b"".join(lines))
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


def file_name(topic: str) -> str:
    """A file's name for a topic. Where it cannot be the topic's own, a digest keeps two topics in two files."""
    name = _OTHER.sub("_", topic)
    if name != topic or not topic or len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}-{hashlib.sha256(topic.encode()).hexdigest()[:12]}"
    return f"{name}.jsonl"


def _json(topic: str, data: bytes | None) -> bytes:
    """Converter output inside a JSON line: JSON as it is, other text as a string. Raises SinkError for binary."""
    import orjson

    if data is None:
        return b"null"
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return orjson.dumps(data.decode())
        except UnicodeDecodeError:
            raise SinkError(
                f"a record of topic {topic} is neither JSON nor text, and the file sink writes lines of JSON; "
                "configure a JSON converter, or another sink"
            ) from None
    # In JSON a line feed can only be space between values.
    return data.replace(b"\n", b" ")


def make(target: str, config: Mapping[str, str]) -> FileSink:
    """`file:DIR`."""
    if not target:
        raise ConfigError([ConfigProblem("--to", "file", "A folder is required", "file:events")])
    return FileSink(Path(target))


PLUGIN = Plugin("sink", "file", make, summary="One JSON-lines file a topic in a folder")
