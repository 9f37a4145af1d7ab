"""Streaming, as far as it goes without a server."""

from __future__ import annotations

import socket

import pytest

from headwater.config import option_set
from headwater.connectors.mysql.connector import MySqlSource
from headwater.connectors.mysql.offsets import Position
from headwater.connectors.mysql.server import ServerFacts
from headwater.errors import ConnectionFailed
from headwater.source.base import SourceBatch
from headwater.storage.history.memory import MemoryHistoryStore


class Fresh:
    """The stores of a first start."""

    def offset(self, partition: dict[str, str]) -> None:
        return None

    def history(self) -> MemoryHistoryStore:
        return MemoryHistoryStore()


@pytest.fixture
def closed_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def test_a_server_that_is_away_before_the_first_event_is_tried_again(closed_port: int) -> None:
    # The server may go away between the snapshot and the stream: then there is no position but the snapshot's.
    config = option_set("mysql").parse({
        "connector.class": "mysql", "topic.prefix": "srv", "database.hostname": "127.0.0.1",
        "database.port": str(closed_port), "database.user": "u", "database.server.id": "7",
        "retriable.restart.connector.wait.ms": "1", "errors.max.retries": "3", "database.ssl.mode": "disabled",
    })  # fmt: skip
    server = ServerFacts((9, 7, 0), mariadb=False)
    source = MySqlSource(config, Fresh())
    source._build(server, None)
    batches = source._streaming(server, Position("mysql-bin.000001", 4))
    idle: list[SourceBatch] = []
    with pytest.raises(ConnectionFailed, match=f"127.0.0.1:{closed_port}"):
        idle.extend(batches)
    assert [b.records for b in idle] == [[], [], []]
