"""The command line: exit codes, one message an error, nothing secret shown."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from headwater import __version__
from headwater.cli import main
from headwater.cli.logs import JsonFormatter
from headwater.cli.run import overrides
from headwater.errors import ConfigError

MYSQL = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector", "topic.prefix": "srv", "database.hostname": "h",
    "database.user": "u", "database.password": "s3cret", "database.server.id": "1",
}  # fmt: skip


def written(folder: Path, **changes: str) -> str:
    """The path of a configuration file: the valid one with changes (`__` in a name is a dot)."""
    path = folder / "c.json"
    path.write_text(json.dumps({"name": "n", "config": MYSQL | {k.replace("__", "."): v for k, v in changes.items()}}))
    return str(path)


@pytest.mark.parametrize("arguments", [["--version"], ["--debug", "--version"]])
def test_version(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"headwater {__version__}\n"


def test_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", written(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert captured.out.endswith("c.json: valid\n")
    assert captured.err == ""


def test_a_typing_error_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", written(tmp_path, table__include__lst="a")]) == 0
    assert "did you mean table.include.list?" in capsys.readouterr().out


def test_all_errors_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, database__port="x", snapshot__mode="sometimes")
    assert main(["validate", path, "--set", "tombstones.on.delete=yes"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("headwater: the configuration has 3 errors:\n")
    assert "database.port = 'x': An integer is expected (for example 3306)" in err
    assert "snapshot.mode = 'sometimes': Value must be one of always, initial" in err
    assert "tombstones.on.delete = 'yes': Either 'true' or 'false' is expected" in err
    assert "s3cret" not in err


def test_set_overrides_the_file(tmp_path: Path) -> None:
    assert main(["validate", written(tmp_path, database__port="x"), "--set", "database.port=3306"]) == 0


@pytest.mark.parametrize("verb", ["run", "validate"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no file"),
        ('{"connector.class": ', "line 1, column 21: not valid JSON"),
        ("{}", "connector.class is not set: A value is required"),
        ('{"connector.class": "mysqll"}', "connector.class = 'mysqll': there is no connector called 'mysqll'"),
    ],
)
def test_files_that_are_none(
    verb: str, content: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.json"
    if content is not None:
        path.write_text(content)
    assert main([verb, str(path)]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


def test_debug_shows_the_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(tmp_path / "no"), "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["nonsense"], ["run"], ["run", "f", "--log-format", "xml"], ["validate", "f", "--x"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "Error: " in capsys.readouterr().err


def test_plugins_are_listed_with_their_java_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins"]) == 0
    out = capsys.readouterr().out
    assert "connector:\n" in out
    assert "= io.debezium.connector.mysql.MySqlConnector\n" in out


@pytest.mark.parametrize("pair", ["a", "=b", "  =b"])
def test_pairs_that_are_none(pair: str) -> None:
    with pytest.raises(ConfigError, match="KEY=VALUE is expected"):
        overrides((pair,))


def test_pairs_keep_the_value_as_it_is() -> None:
    assert overrides(("a.b=c=d ", "e=")) == {"a.b": "c=d ", "e": ""}


def test_a_log_line_of_json() -> None:
    record = logging.LogRecord("headwater.x", logging.WARNING, "f", 1, "%s é\n", ("a",), None)
    record.created, record.msecs = 0.25, 250.0
    assert json.loads(JsonFormatter().format(record)) == {
        "timestamp": "1970-01-01T00:00:00.250Z", "level": "WARNING", "logger": "headwater.x", "message": "a é\n",
    }  # fmt: skip
