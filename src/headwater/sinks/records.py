"""Whole records in a file: schemas, headers, partitions and offsets included. What conformance runs read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from headwater._plugins import Plugin
from headwater.errors import ConfigError, ConfigProblem, SinkError
from headwater.sinks.base import Batch
from headwater.storage.atomic import open_lines, write_all


class RecordsSink:
    """One JSON object a line, flushed after each batch and synced at each commit."""

    raw = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def open(self) -> None:
        try:
            self._file = open_lines(self._path)
        except OSError as e:
            raise SinkError(f"{self._path} cannot be opened: {e.strerror}") from e

    def write(self, batch: Batch) -> None:
        from headwater.converters.text import json_line

        try:
            if self._file is not None:
                write_all(self._file, b"".join(json_line(r) for r in batch.records))
        except OSError as e:
            raise SinkError(f"{self._path} cannot be written: {e.strerror}") from e

    def flush(self) -> None:
        if self._file is not None:
            try:
                os.fsync(self._file.fileno())
            except OSError as e:
                if self._path.is_file():
                    raise SinkError(f"{self._path} cannot be synced: {e.strerror}") from e

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def make(target: str, config: Mapping[str, str]) -> RecordsSink:
    """`records:PATH`."""
    if not target:
        raise ConfigError([ConfigProblem("--to", "records", "A path is required", "records:out.jsonl")])
    return RecordsSink(Path(target))


PLUGIN = Plugin("sink", "records", make, summary="Whole records with schemas and offsets in a file")
