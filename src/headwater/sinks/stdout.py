"""Records on standard output, one JSON line each."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from headwater._plugins import Plugin
from headwater.errors import SinkError
from headwater.sinks.base import Batch


class StdoutSink:
    """`{"topic","key","value"}` a line; payloads only."""

    raw = True

    def open(self) -> None:
        """Nothing to open."""

    def write(self, batch: Batch) -> None:
        from headwater.converters.text import plain_line

        try:
            sys.stdout.buffer.write(b"".join(plain_line(r) for r in batch.records))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as e:
            raise SinkError(f"standard output cannot be written: {e.strerror}") from e

    def flush(self) -> None:
        """Every write is flushed."""

    def close(self) -> None:
        """Standard output stays open."""


def make(target: str, config: Mapping[str, str]) -> StdoutSink:
    """A sink without options."""
    return StdoutSink()


PLUGIN = Plugin("sink", "stdout", make, summary="Standard output, one JSON line a record")
