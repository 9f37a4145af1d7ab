"""Heartbeat records, and when one is due."""

from __future__ import annotations

import time
from typing import Any

from headwater.events.debezium import schemas
from headwater.model import Record


class Heartbeat:
    """Says when `heartbeat.interval.ms` has passed, and makes the record. An interval of 0 switches it off."""

    def __init__(self, topic: str, server: str, interval_ms: int) -> None:
        self.topic = topic
        self.server = server
        self.interval = interval_ms / 1000
        self._due = time.monotonic() + self.interval

    def due(self, *, force: bool = False) -> bool:
        """Whether to beat now. Asking and getting True starts the next interval."""
        if self.interval <= 0:
            return False
        now = time.monotonic()
        if not force and now < self._due:
            return False
        self._due = now + self.interval
        return True

    def record(self, partition: dict[str, Any], offset: Any) -> Record:
        """The heartbeat record, for Kafka partition 0."""
        value = [time.time_ns() // 1_000_000]
        return Record(self.topic, schemas.HEARTBEAT_KEY, [self.server], schemas.HEARTBEAT_VALUE, value,
                      partition, offset, kafka_partition=0)  # fmt: skip
