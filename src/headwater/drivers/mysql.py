"""The MySQL and MariaDB driver as its users see it: settings, connections for queries, and the log's stream."""

from __future__ import annotations

from headwater.drivers.mysql_connection import Connection, MySqlSettings, connect, map_server_error, split_statements
from headwater.drivers.mysql_dump import DumpStream, open_dump
from headwater.drivers.mysql_tls import TlsSettings

__all__ = [
    "Connection",
    "DumpStream",
    "MySqlSettings",
    "TlsSettings",
    "connect",
    "map_server_error",
    "open_dump",
    "split_statements",
]
