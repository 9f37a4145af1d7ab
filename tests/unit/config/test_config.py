"""Option declarations, file forms, references to secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.config import option_set
from headwater.config.load import from_mapping, load
from headwater.config.patterns import PatternError, RegexList, split_regexes
from headwater.config.properties import parse_properties
from headwater.errors import ConfigError
from headwater.model import TableId
from headwater.source.filters import ColumnFilter, KeyColumns, TableFilter

MYSQL = {
    "connector.class": "mysql", "topic.prefix": "srv", "database.hostname": "h", "database.user": "u",
    "database.password": "s3cret", "database.server.id": "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("a : b", {"a": "b"}),
        ("a b c", {"a": "b c"}),
        ("  a\t=  b ", {"a": "b "}),
        ("# no\n! no\n\na=1", {"a": "1"}),
        ("a=one\\\n   two", {"a": "onetwo"}),
        ("a=x\\\\\nb=2", {"a": "x\\", "b": "2"}),
        ("k\\:e\\=y=v", {"k:e=y": "v"}),
        ("a=\\u00e9\\t\\n", {"a": "é\t\n"}),
        ("a=\\uD83D\\uDE00", {"a": "😀"}),
        ("a=1\na=2", {"a": "2"}),
        ("a", {"a": ""}),
        ("a=\\", {"a": ""}),
        ("\\\n#a=1", {"#a": "1"}),
        ("a=1,\\\n  \nb=2", {"a": "1,", "b": "2"}),
        ("# no\\\na=1", {"a": "1"}),
    ],
)
def test_properties(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_bad_escape_names_the_line() -> None:
    with pytest.raises(ValueError, match="line 2"):
        parse_properties("a=1\nb=\\u12")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.properties", "name=n\na.b=1\nc=true\n"),
        ("c.json", json.dumps({"name": "n", "config": {"a.b": 1, "c": True}})),
        ("d.json", json.dumps({"name": "n", "a": {"b": 1}, "c": True})),
        ("c.toml", 'name = "n"\nc = true\n[a]\nb = 1\n'),
        ("c.yaml", "name: n\na:\n  b: 1\nc: true\n"),
        ("application.properties", "debezium.source.name=n\ndebezium.source.a.b=1\ndebezium.source.c=true\n"),
    ],
)
def test_every_form_reads_the_same(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert load(path) == {"name": "n", "a.b": "1", "c": "true"}


def test_debezium_server_formats(tmp_path: Path) -> None:
    path = tmp_path / "application.properties"
    path.write_text("debezium.source.a=1\ndebezium.format.value=json\ndebezium.format.value.schemas.enable=false\n")
    assert load(path) == {
        "a": "1", "name": "debezium-server", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("c.json", '{"a": ', "line 1"),
        ("c.json", '{"a": 1, "a": 2}', "given twice"),
        ("c.json", "[1]", "not an object"),
        ("c.toml", "a = ", "not valid TOML"),
        ("c.properties", "a=\\uXYZ1", "line 1"),
        ("c.properties", "a\0b", "not a text file"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, text: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ConfigError, match=words) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file"):
        load(tmp_path / "no")
    with pytest.raises(ConfigError, match="is a folder"):
        load(tmp_path)


def test_secrets_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s.properties").write_text("pw=one\n")
    (tmp_path / "pw2").write_text("two\n")
    monkeypatch.setenv("PW3", "three")
    raw = from_mapping({"a": f"${{file:{tmp_path}/s.properties:pw}}", "b": f"${{dir:{tmp_path}:pw2}}", "c": "${env:PW3}"})
    assert raw == {"a": "one", "b": "two", "c": "three"}


@pytest.mark.parametrize("reference", ["${env:NOT_SET_ANYWHERE}", "${file:/nonexistent:k}", "${dir:/tmp:../etc/passwd}"])
def test_references_that_lead_nowhere(reference: str) -> None:
    with pytest.raises(ConfigError, match="password"):
        from_mapping({"database.password": reference})


@pytest.mark.parametrize(
    ("changes", "key", "rule"),
    [
        ({"topic.prefix": None}, "topic.prefix", "A value is required"),
        ({"database.port": "1_000"}, "database.port", "An integer is expected"),
        ({"database.port": "9" * 5000}, "database.port", "An integer is expected"),
        ({"message.key.columns": "a(b:c"}, "message.key.columns", "A valid regular expression is expected"),
        ({"time.precision.mode": "adaptive"}, "time.precision.mode", "time.precision.mode is no longer supported"),
        ({"signal.data.collection": "a.b,c.d"}, "signal.data.collection", "only one signal data collection"),
        ({"topic.prefix": "a b"}, "topic.prefix", "has invalid format"),
        ({"database.port": "x"}, "database.port", "An integer is expected"),
        ({"max.batch.size": "0"}, "max.batch.size", "A positive, non-zero integer value is expected"),
        ({"database.server.id": "-1"}, "database.server.id", "A positive, non-zero long value is expected"),
        ({"tombstones.on.delete": "yes"}, "tombstones.on.delete", "Either 'true' or 'false' is expected"),
        ({"snapshot.mode": "sometimes"}, "snapshot.mode", "Value must be one of always, initial"),
        ({"table.include.list": "a(b"}, "table.include.list", "valid regular expressions"),
        ({"table.include.list": "a", "table.exclude.list": "b"}, "table.exclude.list", '"table.include.list" is already specified'),
        ({"skipped.operations": "c,x"}, "skipped.operations", "Invalid operation"),
        ({"skipped.operations": "none,c"}, "skipped.operations", "'none' cannot be specified"),
        ({"message.key.columns": "t"}, "message.key.columns", "has an invalid format"),
        ({"max.queue.size": "100"}, "max.queue.size", "Must be larger than the maximum batch size"),
        ({"snapshot.mode": "custom"}, "snapshot.mode", "cannot be empty when snapshot.mode 'custom' is defined"),
    ],
)
def test_problems(changes: dict[str, Any], key: str, rule: str) -> None:
    raw = {k: v for k, v in {**MYSQL, **changes}.items() if v is not None}
    found = {p.key: p.rule for p in option_set("mysql").problems(raw)}
    assert key in found
    assert rule in found[key]


def test_all_problems_at_once_and_no_secret() -> None:
    raw = {**MYSQL, "database.port": "x", "snapshot.mode": "y", "database.password": "s3cret", "max.batch.size": "-1"}
    with pytest.raises(ConfigError) as caught:
        option_set("mysql").parse(raw)
    assert len(caught.value.problems) == 3
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in repr(option_set("mysql").parse(MYSQL))


def test_typed_values() -> None:
    config = option_set("mysql").parse({**MYSQL, "snapshot.mode": "NO_DATA", "heartbeat.interval.ms": "5"})
    assert config["snapshot.mode"] == "no_data"
    assert config["heartbeat.interval.ms"] == 5
    assert config["tombstones.on.delete"] is True
    assert config["skipped.operations"] == ["t"]
    assert option_set("mysql").parse({**MYSQL, "skipped.operations": "C, u"})["skipped.operations"] == ["c", "u"]
    assert option_set("mysql").parse({**MYSQL, "time.precision.mode": "ADAPTIVE"})["time.precision.mode"] == "adaptive"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("tombstone.on.delete", "true", "did you mean tombstones.on.delete"),
        ("database.inclued.list", "shop", "did you mean database.include.list"),
        ("database.server.name", "x", "use topic.prefix"),
        ("table.whitelist", "x", "use table.include.list"),
        ("database.history.kafka.topic", "x", "use schema.history.internal.kafka.topic"),
        ("snapshot.mode", "schema_only", "use no_data"),
        ("snapshot.max.threads", "4", "has no effect yet"),
        ("heartbeat.topics.prefix", "x", "use topic.heartbeat.prefix"),
    ],
)
def test_warnings(key: str, value: str, words: str) -> None:
    raw = {**MYSQL, key: value}
    if key == "database.server.name":
        del raw["topic.prefix"]
    notes = "\n".join(option_set("mysql").warnings(raw))
    assert words in notes
    assert option_set("mysql").problems(raw) == []


@pytest.mark.parametrize("key", ["producer.acks", "driver.connectionTimeZone", "database.allowPublicKeyRetrieval",
                                 "key.converter.schemas.enable", "transforms.unwrap.type"])  # fmt: skip
def test_settings_of_others_are_accepted(key: str) -> None:
    assert option_set("mysql").warnings({**MYSQL, key: "x"}) == []


@pytest.mark.parametrize("name", ["mysql", "postgres"])
def test_every_option_is_described(name: str) -> None:
    for row in option_set(name).describe():
        assert row["doc"] or row["deprecated"], row["key"]


def test_regex_lists() -> None:
    assert split_regexes(r"a\.b, c\,d ,,e{1\,2}") == [r"a\.b", "c,d", "e{1,2}"]
    found = RegexList(r"db\.t.*,DB2\.x")
    assert found.matches("DB.table")
    assert found.matches("db2.X")
    assert not found.matches("xdb.t")
    assert found.index("db2.x") == 1
    with pytest.raises(PatternError):
        RegexList("a[")


def config_of(**changes: str) -> Any:
    return option_set("mysql").parse({**MYSQL, **{k.replace("_", "."): v for k, v in changes.items()}})


@pytest.mark.parametrize(
    ("options", "table", "included"),
    [
        ({}, "inv.orders", True),
        ({}, "mysql.user", False),
        ({"table_ignore_builtin": "false"}, "mysql.user", True),
        ({"database_include_list": "inv"}, "other.orders", False),
        ({"database_exclude_list": "inv"}, "inv.orders", False),
        ({"table_include_list": "inv.orders"}, "INV.ORDERS", True),
        ({"table_include_list": "inv.orders"}, "inv.orders2", False),
        ({"table_exclude_list": "inv.o.*"}, "inv.orders", False),
        ({"database_include_list": "inv", "table_include_list": "other.t"}, "other.t", False),
    ],
)
def test_table_filter(options: dict[str, str], table: str, included: bool) -> None:
    database, name = table.split(".")
    assert TableFilter(config_of(**options), "mysql").includes(TableId(database, None, name)) is included


def test_column_filter_and_keys() -> None:
    config = config_of(column_exclude_list="inv.orders.secret", message_key_columns="inv.(orders|o2):b,a;inv.orders:c")
    table = TableId("inv", None, "orders")
    assert not ColumnFilter(config, "mysql").includes(table, "SECRET")
    assert ColumnFilter(config, "mysql").includes(table, "id")
    assert KeyColumns(config).columns(table) == ["b", "a", "c"]
    assert KeyColumns(config).columns(TableId("inv", None, "x")) is None
