"""What a connector gives the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from headwater.model import Record

OffsetMap = dict[str, Any]


class SourceBatch(NamedTuple):
    """Records in order, and the offset that holds once they (and all before) are acknowledged.

    `records` may be empty: then only the position moved (filtered traffic, heartbeats of the server) or
    the source is idle. `offset` is a map or a function that makes it (called at most once, at a commit);
    None leaves the stored offset alone.
    """

    records: list[Record]
    offset: OffsetMap | Callable[[], OffsetMap] | None = None


class Source(Protocol):
    """One running capture: snapshot first, then the stream.

    `batches` yields in order, and yields empty batches while idle (at least a few times a second), so
    that the engine can commit and stop. It ends by itself where the mode does not stream. It runs in the
    engine's thread. The lists belong to the engine once yielded.
    """

    partition: dict[str, Any]

    def batches(self) -> Iterator[SourceBatch]: ...

    def committed(self, offset: OffsetMap) -> None:
        """The sink acknowledged, and the store holds, everything up to `offset`."""

    def stop(self) -> None:
        """Asks `batches` to end soon. Any thread, also a signal handler; returns at once."""

    def close(self) -> None:
        """Closes connections. Called after `batches` ended, also after an error; never raises."""
