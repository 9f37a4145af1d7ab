"""Offsets in a file: the reference's Java form, or our own JSON.

A file keeps the form it has. A new file is in the Java form, so that an unchanged configuration makes a file the
reference can read, unless the store is called `json`, or `file` with a file name that ends in `.json`. Every write replaces the file as a whole.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headwater._plugins import Plugin
from headwater.errors import ConfigError, ConfigProblem, OffsetError
from headwater.storage import javaser
from headwater.storage.atomic import make_folder, replace_file
from headwater.storage.base import Offset, Partition
from headwater.storage.offsets.keys import find_key, key_bytes, parse, value_bytes

log = logging.getLogger(__name__)

MAX_BYTES = 256 * 1024 * 1024
_FORMAT = "headwater-offsets"
_JAVA_NAMES = ("org.apache.kafka.connect.storage.FileOffsetBackingStore", "FileOffsetBackingStore")


class FileOffsetStore:
    """Entries of one or many connectors in one file; those of others are kept as they are."""

    def __init__(self, path: Path, name: str, *, java: bool | None = None) -> None:
        """`java`: the form of a new file; None goes by the file's name."""
        self.path = path
        self._name = name
        self._entries: dict[bytes, bytes | None] = {}
        self._java = path.suffix != ".json" if java is None else java

    def open(self) -> None:
        """Reads the file, and sees that it could be written. Raises OffsetError, with the file untouched."""
        self._entries = self._read()
        try:
            make_folder(self.path.parent)
            with tempfile.TemporaryFile(dir=self.path.parent):
                pass
        except OSError as e:
            raise OffsetError(
                f"the offset file {self.path} could not be written: {e.strerror}. Give write access to its folder, or "
                "name another file (offset.storage.file.filename)"
            ) from e

    def _read(self) -> dict[bytes, bytes | None]:
        try:
            if self.path.is_file() and self.path.stat().st_size > MAX_BYTES:
                raise OffsetError(f"it is larger than {MAX_BYTES} bytes")
            data = self.path.read_bytes()
            if not data:
                log.warning("the offset file %s is empty: the connector starts as if for the first time", self.path)
                return {}
            self._java = data[:2] == javaser.MAGIC
            return self._java_entries(data) if self._java else self._json_entries(data)
        except FileNotFoundError:
            return {}
        except OSError as e:
            raise OffsetError(f"the offset file {self.path} cannot be read: {e.strerror}") from e
        except OffsetError as e:
            raise OffsetError(
                f"the offset file {self.path} is damaged: {e}. Restore it from a backup; or move it away, and the "
                "connector starts anew with a snapshot"
            ) from e

    @staticmethod
    def _java_entries(data: bytes) -> dict[bytes, bytes | None]:
        return {k: v for k, v in javaser.read_map(data) if k is not None}

    @staticmethod
    def _json_entries(data: bytes) -> dict[bytes, bytes | None]:
        parsed = parse(data, "file")
        if not isinstance(parsed, dict) or parsed.get("format") != _FORMAT or not isinstance(parsed.get("offsets"), list):
            raise OffsetError(f"it is JSON, but not of the form {_FORMAT}")
        out: dict[bytes, bytes | None] = {}
        for entry in parsed["offsets"]:
            try:
                key = key_bytes(entry["name"], entry["partition"])
                out[key] = value_bytes(entry["offset"])
            except (KeyError, TypeError, ValueError) as e:
                raise OffsetError(f"an entry is malformed: {str(entry)[:100]}") from e
        return out

    def load(self, partition: Partition) -> Offset | None:
        """The stored offset of a partition."""
        key = find_key(list(self._entries), self._name, partition)
        data = self._entries.get(key) if key is not None else None
        if data is None:
            return None
        offset = parse(data, "value")
        if not isinstance(offset, dict):
            raise OffsetError(f"the offset file {self.path} is damaged: an offset is not a map: {data[:100]!r}")
        return offset

    def save(self, offsets: Iterable[tuple[Partition, Offset | None]]) -> None:
        """Puts entries in and replaces the file; on an error the file and the entries stay as they were."""
        entries = dict(self._entries)
        for partition, offset in offsets:
            key = find_key(list(entries), self._name, partition) or key_bytes(self._name, partition)
            if offset is None:
                entries.pop(key, None)
            else:
                entries[key] = value_bytes(offset)
        try:
            replace_file(self.path, self._render(entries))
        except OSError as e:
            raise OffsetError(
                f"the offset file {self.path} cannot be written: {e.strerror}. The position is not stored; "
                "make room or give access, and start again"
            ) from e
        self._entries = entries

    def _render(self, entries: dict[bytes, bytes | None]) -> bytes:
        if self._java:
            return javaser.write_map(list(entries.items()))
        rows: list[dict[str, Any]] = []
        for key, value in entries.items():
            name, partition = json.loads(key)
            if value is not None:
                rows.append({"name": name, "partition": partition, "offset": json.loads(value)})
        return json.dumps({"format": _FORMAT, "version": 1, "offsets": rows}, ensure_ascii=False, indent=1).encode() + b"\n"

    def close(self) -> None:
        """Nothing is held open."""


def make(config: Mapping[str, str], name: str) -> FileOffsetStore:
    """The store of `offset.storage.file.filename`."""
    path = config.get("offset.storage.file.filename")
    if not path:
        raise ConfigError([ConfigProblem("offset.storage.file.filename", None, "A value is required", "offsets.dat")])
    kind = config.get("offset.storage") or _JAVA_NAMES[0]
    java = True if kind in _JAVA_NAMES else False if kind == "json" else None
    return FileOffsetStore(Path(path), name, java=java)


PLUGIN = Plugin(
    "offsets",
    "file",
    make,
    aliases=("json", *_JAVA_NAMES),
    summary="A local file, in the reference's form or JSON",
)
