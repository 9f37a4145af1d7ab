"""What a connector gives the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from headwater.model import Record


class Source(Protocol):
    """One running capture: snapshot first, then the stream.

    `batches` yields lists of records in order, and empty lists while idle (at least a few times a second), so
    that the engine can commit and stop. It ends by itself where the mode does not stream. It runs in the
    engine's thread. Lists belong to the engine once yielded.
    """

    partition: dict[str, Any]

    def batches(self) -> Iterator[list[Record]]: ...

    def committed(self, offset: dict[str, Any]) -> None:
        """The sink acknowledged and the store holds everything up to `offset`."""

    def stop(self) -> None:
        """Asks `batches` to end soon. Any thread, also a signal handler; returns at once."""

    def close(self) -> None:
        """Closes connections. After `batches` ended."""
