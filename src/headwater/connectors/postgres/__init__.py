"""The PostgreSQL connector."""

from headwater._plugins import Plugin


def _connector() -> object:
    from headwater.connectors.postgres.connector import PostgresConnector

    return PostgresConnector()


PLUGIN = Plugin(
    "connector",
    "postgres",
    _connector,
    aliases=("postgresql", "io.debezium.connector.postgresql.PostgresConnector", "PostgresConnector", "Postgres"),
    summary="Follows the log of PostgreSQL by logical decoding",
)
