"""Pauses between attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Backoff:
    """Growing pauses: 0.5 s, doubling to `longest`; at most `attempts` in a row (None: without end)."""

    FIRST = 0.5

    def __init__(self, longest: float, attempts: int | None) -> None:
        self._longest = longest
        self._attempts = attempts
        self._tried = 0
        self.delay = min(self.FIRST, longest)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Backoff:
        """From `retriable.restart.connector.wait.ms` and `errors.max.retries` (-1: without end)."""
        retries = int(config["errors.max.retries"])
        return cls(int(config["retriable.restart.connector.wait.ms"]) / 1000, None if retries < 0 else retries)

    def more(self) -> bool:
        """Whether another attempt is allowed."""
        return self._attempts is None or self._tried < self._attempts

    def next(self) -> float:
        """Counts an attempt and gives the pause before it, in seconds."""
        self._tried += 1
        delay = self.delay
        self.delay = min(self.delay * 2, self._longest)
        return delay

    def reset(self) -> None:
        """An attempt succeeded."""
        self._tried = 0
        self.delay = min(self.FIRST, self._longest)
