"""Rules of the code base that a review would otherwise have to watch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import headwater
from headwater import _compiled, _plugins

SOURCE = Path(__file__).resolve().parents[2] / "src"
GENERATED = {"charset_tables.py"}


def modules() -> list[Path]:
    return sorted((SOURCE / "headwater").rglob("*.py"))


def test_compiled_list_is_what_is_on_disk() -> None:
    on_disk = {".".join(p.relative_to(SOURCE).with_suffix("").parts) for p in modules() if p.stem.endswith("_cy")}
    assert on_disk == set(_compiled.MODULES)


def test_modules_are_short() -> None:
    long = {p.name: n for p in modules() if (n := len(p.read_text().splitlines())) > 600 and p.name not in GENERATED}
    assert long == {}


def test_modules_say_what_they_are_for() -> None:
    bare = [p.name for p in modules() if p.read_text().strip() and '"""' not in p.read_text()[:300]]
    assert bare == []


def test_importing_the_package_loads_no_client() -> None:
    code = "import headwater, sys; print([m for m in ('pymysql', 'psycopg', 'rich', 'click', 'confluent_kafka', 'orjson') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_public_names_exist() -> None:
    for name in headwater.__all__:
        assert getattr(headwater, name) is not None


@pytest.mark.parametrize("kind", ["connector", "sink", "converter", "offsets", "history"])
def test_plugins_have_names_and_a_summary(kind: str) -> None:
    plugins = _plugins.available(kind)
    names = [n for p in plugins for n in (p.name, *p.aliases)]
    assert plugins
    assert len(names) == len(set(names))
    assert all(p.kind == kind and p.summary for p in plugins)


@pytest.mark.parametrize(
    ("kind", "name", "found"),
    [
        ("connector", "io.debezium.connector.mysql.MySqlConnector", "mysql"),
        ("connector", "postgresql", "postgres"),
        ("converter", "org.apache.kafka.connect.json.JsonConverter", "json"),
        ("offsets", "org.apache.kafka.connect.storage.FileOffsetBackingStore", "file"),
        ("history", "io.debezium.storage.file.history.FileSchemaHistory", "file"),
    ],
)
def test_java_names_are_answered(kind: str, name: str, found: str) -> None:
    assert _plugins.find(kind, name).name == found


def test_unknown_plugin_names_the_known_ones() -> None:
    with pytest.raises(_plugins.UnknownPlugin, match=r"no sink called 'kafkaa'.*kafka"):
        _plugins.find("sink", "kafkaa")


def test_reference_pages_are_up_to_date() -> None:
    tool = SOURCE.parent / "tools" / "gen_reference.py"
    assert subprocess.run([sys.executable, str(tool), "--check"], check=False).returncode == 0, "run: make reference"
