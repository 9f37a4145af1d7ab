"""Offset files written by Java, and the form a new file gets."""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headwater import _plugins
from headwater.errors import HistoryError, OffsetError
from headwater.model import Tables
from headwater.storage import javaser
from headwater.storage.history.documents import document_table, parse_id, table_document
from headwater.storage.history.file import FileHistoryStore
from headwater.storage.history.recovery import recover

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("count", [0, 1, 13])
def test_java_files(count: int) -> None:
    # Entry i: value null for i % 4 == 3, one shared array (a back reference) for i % 4 == 2, else its own.
    data = (DATA / f"java-{count}.dat").read_bytes()
    entries = javaser.read_map(data)
    expected: dict[bytes | None, bytes | None] = {}
    for i in range(count):
        value = {2: b'{"pos":4}', 3: None}.get(i % 4, b'{"pos":%d}' % i)
        expected[b'["c",{"server":"s%d"}]' % i] = value
    assert dict(entries) == expected
    if count < 13:
        assert javaser.write_map(entries) == data
    assert javaser.read_map(javaser.write_map(entries)) == entries


@pytest.mark.parametrize("position", range(145))
def test_no_damaged_byte_escapes_as_another_error(position: int) -> None:
    data = bytearray((DATA / "java-1.dat").read_bytes())
    for value in (0x00, 0x70, 0x71, 0x7F, 0xFF):
        data[position] = value
        try:
            entries = javaser.read_map(bytes(data))
        except OffsetError:
            continue
        assert sum(len(k or b"") + len(v or b"") for k, v in entries) < len(data)


JAVA = "org.apache.kafka.connect.storage.FileOffsetBackingStore"


@pytest.mark.parametrize(
    ("kind", "name", "java"),
    [
        (JAVA, "offsets.dat", True),
        (JAVA, "offsets.json", True),
        (None, "offsets.json", True),
        ("file", "offsets.json", False),
        ("file", "offsets.dat", True),
        ("json", "offsets.dat", False),
    ],
)
def test_form_of_a_new_file(tmp_path: Path, kind: str | None, name: str, java: bool) -> None:
    config = {"offset.storage.file.filename": str(tmp_path / name)}
    if kind is not None:
        config["offset.storage"] = kind
    store = _plugins.find("offsets", kind or JAVA).factory(config, "c")
    store.open()
    store.save([({"server": "s"}, {"pos": 4})])
    data = (tmp_path / name).read_bytes()
    assert data.startswith(b"\xac\xed") is java
    if not java:
        assert json.loads(data)["offsets"] == [{"name": "c", "partition": {"server": "s"}, "offset": {"pos": 4}}]


@contextmanager
def small_files() -> Iterator[None]:
    """Files of at most 64 bytes: what is written beyond them fails, as on a full disk.

    It ends with the test's body: pytest's own report may be a file too.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)


@small_files()
def test_append_to_a_full_disk_leaves_no_part_behind(tmp_path: Path) -> None:
    store = FileHistoryStore(tmp_path / "history.jsonl")
    store.append([{"n": 1}])
    with pytest.raises(HistoryError, match="cannot be written"):
        store.append([{"n": 2}, {"n": "x" * 100}])
    store.append([{"n": 3}])
    assert list(store.read()) == [{"n": 1}, {"n": 3}]


@small_files()
def test_offsets_that_cannot_be_written_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "offsets.json"
    path.write_bytes(b"")
    store = _plugins.find("offsets", "json").factory({"offset.storage": "json", "offset.storage.file.filename": str(path)}, "c")
    store.open()
    with pytest.raises(OffsetError, match="cannot be written"):
        store.save([({"server": "s"}, {"file": "x" * 100})])
    assert path.read_bytes() == b""
    assert store.load({"server": "s"}) is None
    assert [p.name for p in tmp_path.iterdir()] == ["offsets.json"]


def test_offsets_of_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "offsets.dat"
    path.write_bytes((DATA / "reference-offsets.dat").read_bytes())
    store = _plugins.find("offsets", JAVA).factory({"offset.storage.file.filename": str(path)}, "recorded")
    store.open()
    offset = store.load({"server": "srv"})
    assert (offset["file"], offset["pos"], offset["row"], offset["server_id"]) == ("mysql-bin.000001", 4078687, 1, 223344)
    store.save([({"server": "srv"}, offset)])
    assert path.read_bytes() == (DATA / "reference-offsets.dat").read_bytes()


def test_history_of_the_reference() -> None:
    path = DATA / "reference-history.jsonl"
    documents = list(FileHistoryStore(path).read())
    models = [(c, c["table"]) for d in documents for c in d["tableChanges"] if "table" in c]
    assert len(models) >= 3
    for change, model in models:
        # The same text again: keys in the same order, nothing lost. `comment` follows the model in a change.
        again = table_document(document_table(parse_id(change["id"]), {**model, "comment": change["comment"]}))
        assert again.pop("comment") == change["comment"]
        again = {k: v for k, v in again.items() if k in model}
        assert json.dumps(again) == json.dumps({k: v for k, v in model.items() if k != "comment"})


def test_history_of_the_reference_is_replayed() -> None:
    tables = Tables()
    count = recover(
        FileHistoryStore(DATA / "reference-history.jsonl").read(), {"server": "srv"}, lambda position: True, tables,
        lambda sql, database: None,
    )  # fmt: skip
    assert count == 10
    assert {str(t.id): [c.name for c in t.columns] for t in tables} == {"sto_rec.u": ["id", "c", "n", "e", "s", "ts"]}
    # A comment stands beside the model; this history was written with include.schema.comments=false.
    assert [t.comment for t in tables] == [None]
    commented = [c for d in FileHistoryStore(DATA / "reference-history.jsonl").read() for c in d["tableChanges"] if "table" in c]
    document = {"source": {"server": "srv"}, "position": {}, "tableChanges": [{**commented[-1], "comment": "first"}]}
    recover([document], {"server": "srv"}, lambda position: True, tables, lambda sql, database: None)
    assert "first" in [t.comment for t in tables]
