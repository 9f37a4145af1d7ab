"""Schema history in a file: one compact JSON document a line, appended and synced."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from headwater._plugins import Plugin
from headwater.errors import ConfigError, ConfigProblem, HistoryError
from headwater.storage.atomic import make_folder, sync_folder, write_all

log = logging.getLogger(__name__)

MAX_LINE = 64 * 1024 * 1024


class FileHistoryStore:
    """A history file. A last line torn by a crash is cut off before the next append."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._checked = False

    def exists(self) -> bool:
        """Whether the file is there and not empty."""
        return self.path.is_file() and self.path.stat().st_size > 0

    def create(self) -> None:
        """Makes the file and its folders."""
        try:
            self._make()
        except OSError as e:
            raise HistoryError(f"the schema history {self.path} cannot be made: {e.strerror}") from e

    def _make(self) -> None:
        make_folder(self.path.parent)
        if not self.path.exists():
            self.path.touch()
            sync_folder(self.path.parent)

    def append(self, documents: Iterable[dict[str, Any]]) -> None:
        """Appends lines; they are on disk when this returns, and none of them is there when it raises."""
        data = b"".join(
            json.dumps(d, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n" for d in documents
        )
        if not data:
            return
        try:
            self._make()
            if not self._checked:
                self._cut_torn_line()
                self._checked = True
            with self.path.open("ab", buffering=0) as f:
                end = f.tell()
                try:
                    write_all(f, data)
                    os.fsync(f.fileno())
                except OSError:
                    # A full disk takes a part of the lines; the rest of a torn one must not end up behind a good one.
                    self._checked = False
                    with contextlib.suppress(OSError):
                        f.truncate(end)
                    raise
        except OSError as e:
            raise HistoryError(f"the schema history {self.path} cannot be written: {e.strerror}") from e

    def _cut_torn_line(self) -> None:
        """A file that does not end in a line feed was cut by a crash: that line was never acknowledged."""
        if not self.exists():
            return
        with self.path.open("rb+") as f:
            f.seek(-1, os.SEEK_END)
            if f.read(1) == b"\n":
                return
            f.seek(0)
            data = f.read()
            keep = data.rfind(b"\n") + 1
            if _parses(data[keep:]):
                f.write(b"\n")
            else:
                log.warning("the last line of the schema history %s was torn by a crash; it is cut off", self.path)
                f.truncate(keep)
            f.flush()
            os.fsync(f.fileno())

    def read(self) -> Iterator[dict[str, Any]]:
        """The documents. Raises HistoryError naming the line; the file stays as it is."""
        try:
            with self.path.open("rb") as f:
                for number, line in enumerate(iter(lambda: f.readline(MAX_LINE + 1), b""), 1):
                    if line.strip():
                        document = self._parse(line, number, torn=not line.endswith(b"\n"))
                        if document is not None:
                            yield document
        except OSError as e:
            raise HistoryError(f"the schema history {self.path} cannot be read: {e.strerror}") from e

    def _parse(self, line: bytes, number: int, *, torn: bool) -> dict[str, Any] | None:
        try:
            if len(line) > MAX_LINE:
                raise HistoryError(
                    f"line {number} of the schema history {self.path} is longer than {MAX_LINE} bytes; no history is"
                )
            document = json.loads(line, strict=False)
            if not isinstance(document, dict):
                raise ValueError("not an object")
            return document
        except (ValueError, RecursionError) as e:
            if torn:
                log.warning("the last line of the schema history %s was torn by a crash; it is left out", self.path)
                return None
            raise HistoryError(
                f"line {number} of the schema history {self.path} is damaged: {e}. Restore the file from a backup, or "
                "set snapshot.mode=recovery once to rebuild it from the server"
            ) from e

    def close(self) -> None:
        """Nothing is held open."""


def _parses(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def make(config: Mapping[str, str]) -> FileHistoryStore:
    """The store of `schema.history.internal.file.filename`."""
    key = "schema.history.internal.file.filename"
    path = config.get(key)
    if not path:
        raise ConfigError([ConfigProblem(key, None, "A value is required", "schema-history.jsonl")])
    return FileHistoryStore(Path(path))


PLUGIN = Plugin(
    "history",
    "file",
    make,
    aliases=("io.debezium.storage.file.history.FileSchemaHistory", "io.debezium.relational.history.FileDatabaseHistory",
             "io.debezium.relational.history.FileSchemaHistory"),
    summary="A local file, one JSON document a line",
)  # fmt: skip
