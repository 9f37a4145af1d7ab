"""What came out of a file or a variable of secrets is used and never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.config import option_set
from headwater.config.load import from_mapping, load
from headwater.errors import ConfigError

MYSQL = {
    "connector.class": "mysql", "topic.prefix": "srv", "database.hostname": "h", "database.user": "u",
    "database.password": "pw", "database.server.id": "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("database.port", "hushhush"),
        ("topic.prefix", "hush hush"),
        ("table.include.list", r"hush\.hush["),
        ("message.key.columns", r"hush\.hush[:a"),
        ("snapshot.mode", "hush"),
    ],
)
def test_a_resolved_value_is_in_no_error(key: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDEN", value)
    problems = option_set("mysql").problems(from_mapping({**MYSQL, key: "${env:HIDDEN}"}))
    assert [p.key for p in problems] == [key]
    assert problems[0].value == "********"
    assert "hush" not in str(problems[0])


def test_a_resolved_value_is_used_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDEN", "hush")
    config = option_set("mysql").parse(from_mapping({**MYSQL, "topic.prefix": "a-${env:HIDDEN}"}))
    assert config["topic.prefix"] == "a-hush"
    assert type(config["topic.prefix"]) is str
    assert "hush" not in repr(config)


def test_every_reference_that_leads_nowhere_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        from_mapping({"a": "${env:NO_SUCH_ONE}", "b": "x", "c": "${file:/nonexistent:k}"})
    assert [p.key for p in caught.value.problems] == ["a", "c"]


def test_text_that_is_no_reference_stays() -> None:
    assert from_mapping({"a": "${b}", "c": "$d {e}"}) == {"a": "${b}", "c": "$d {e}"}


@pytest.mark.parametrize("content", [b"k=\\uhush", b"k=\xff\xfehush"])
def test_a_broken_file_of_secrets_is_not_quoted(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s").write_bytes(content)
    with pytest.raises(ConfigError, match="not a properties file") as caught:
        from_mapping({"a": f"${{file:{tmp_path}/s:k}}"})
    assert "hush" not in str(caught.value)


def test_a_large_file_of_secrets_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"k" * (1024 * 1024 + 1))
    with pytest.raises(ConfigError, match="too large"):
        from_mapping({"a": f"${{dir:{tmp_path}:s}}"})


def test_broken_yaml_names_the_place_and_quotes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text('a: 1\nb: "hush" hush\n')
    with pytest.raises(ConfigError, match="line 2, column 11: not valid YAML") as caught:
        load(path)
    assert "hush" not in str(caught.value)


def test_aliases_do_not_multiply_without_bound(tmp_path: Path) -> None:
    lines = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(10)) + "}"]
    lines += [f"a{n}: &a{n} {{" + ", ".join(f"k{i}: *a{n - 1}" for i in range(10)) + "}" for n in range(1, 12)]
    (tmp_path / "c.yaml").write_text("\n".join(lines))
    with pytest.raises(ConfigError, match="more than 100000 properties"):
        load(tmp_path / "c.yaml")


def test_a_list_of_maps_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"a": [{"b": 1}]}')
    with pytest.raises(ConfigError, match="a list may hold only"):
        load(tmp_path / "c.json")
