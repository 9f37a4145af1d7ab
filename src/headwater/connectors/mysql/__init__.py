"""The MySQL connector."""

from headwater._plugins import Plugin


def _connector() -> object:
    from headwater.connectors.mysql.connector import MySqlConnector

    return MySqlConnector()


PLUGIN = Plugin(
    "connector",
    "mysql",
    _connector,
    aliases=("io.debezium.connector.mysql.MySqlConnector", "MySqlConnector", "MySql"),
    summary="Follows the binary log of MySQL",
)
