"""Options of the MariaDB connector: MySQL's, with other TLS modes and locks and without the Java driver's own."""

from __future__ import annotations

from headwater.config.engine import ENGINE, HISTORY
from headwater.connectors.mysql.config import binlog_options
from headwater.source.options import common

OPTIONS = (
    common(time_mode="adaptive_time_microseconds", naming="io.debezium.schema.DefaultTopicNamingStrategy")
    + binlog_options(
        ssl_modes=("disable", "trust", "verify-ca", "verify-full"),
        ssl_default="disable",
        locking=("minimal", "extended", "none", "custom"),
    )
    + HISTORY
    + ENGINE
)
