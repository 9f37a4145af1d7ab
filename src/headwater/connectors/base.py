"""What a connector is: it names itself, declares its options, and makes sources."""

from __future__ import annotations

from typing import Protocol

from headwater.config.options import Config, OptionSet
from headwater.source.base import Source
from headwater.storage.base import HistoryStore, Offset


class Stores(Protocol):
    """What the engine lends a source: its stored offset, and its history store where it needs one."""

    def offset(self, partition: dict[str, str]) -> Offset | None: ...
    def history(self) -> HistoryStore: ...


class Connector(Protocol):
    """A connector plug-in's factory result. Stateless; one call of `source` per run."""

    name: str
    needs_history: bool

    def options(self) -> OptionSet: ...

    def source(self, config: Config, stores: Stores) -> Source:
        """A source for a valid configuration. Connects only when its batches are read."""
