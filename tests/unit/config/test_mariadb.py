"""Where MariaDB's options differ from MySQL's."""

from __future__ import annotations

import pytest

from headwater.connectors.mariadb.config import OPTIONS

MARIADB = {
    "connector.class": "mariadb", "topic.prefix": "srv", "database.hostname": "h", "database.user": "u",
    "database.password": "pw", "database.server.id": "1",
}  # fmt: skip


def test_defaults() -> None:
    config = OPTIONS.parse(MARIADB)
    assert config["database.ssl.mode"] == "disable"
    assert config["snapshot.locking.mode"] == "minimal"
    assert config["topic.naming.strategy"] == "io.debezium.schema.DefaultTopicNamingStrategy"


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("database.ssl.mode", "verify_ca", "Value must be one of disable, trust, verify-ca, verify-full"),
        ("snapshot.locking.mode", "minimal_percona", "Value must be one of minimal, extended, none, custom"),
    ],
)
def test_values_of_mysql_are_refused(key: str, value: str, rule: str) -> None:
    assert [(p.key, p.rule) for p in OPTIONS.problems({**MARIADB, key: value})] == [(key, rule)]


@pytest.mark.parametrize("key", ["ddl.parser.type", "database.jdbc.driver", "database.protocol"])
def test_options_of_mysql_alone_are_not_declared(key: str) -> None:
    assert OPTIONS.find(key) is None
