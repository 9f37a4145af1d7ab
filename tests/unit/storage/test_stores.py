"""Offset and history stores: forms, crashes, damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headwater import ddl
from headwater.errors import HistoryError, OffsetError
from headwater.model import Column, Table, TableId, Tables
from headwater.storage import javaser
from headwater.storage.history.documents import HistoryRecord, document_table, parse_id, table_document
from headwater.storage.history.file import FileHistoryStore
from headwater.storage.history.memory import MemoryHistoryStore
from headwater.storage.history.recovery import recover
from headwater.storage.offsets.file import FileOffsetStore
from headwater.storage.offsets.memory import MemoryOffsetStore

PARTITION = {"server": "srv"}
OFFSET = {"ts_sec": 1, "file": "mysql-bin.000001", "pos": 4, "snapshot": "INITIAL"}

# What Java writes for a map of one entry: key ["e",{"server":"p"}], value {"pos":4}.
JAVA_ONE = bytes.fromhex(
    "aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d103000246000a6c6f6164466163746f724900097468726573686f6c64"
    "78703f4000000000000c77080000001000000001757200025b42acf317f8060854e00200007870000000145b2265222c7b22736572766572223a2270227d5d"
    "7571007e0002000000097b22706f73223a347d78"
)


def test_java_map_of_one_entry() -> None:
    entries = [(b'["e",{"server":"p"}]', b'{"pos":4}')]
    assert javaser.write_map(entries) == JAVA_ONE
    assert javaser.read_map(JAVA_ONE) == entries


@pytest.mark.parametrize("count", [0, 1, 12, 13, 40])
def test_java_map_round_trip(count: int) -> None:
    entries: list[tuple[bytes | None, bytes | None]] = [(b"k%d" % i, None if i % 5 == 4 else b"v" * i) for i in range(count)]
    assert javaser.read_map(javaser.write_map(entries)) == entries


@pytest.mark.parametrize("cut", range(0, len(JAVA_ONE), 7))
def test_java_map_cut_off(cut: int) -> None:
    with pytest.raises(OffsetError):
        javaser.read_map(JAVA_ONE[:cut])


def test_java_map_of_something_else() -> None:
    with pytest.raises(OffsetError):
        javaser.read_map(JAVA_ONE.replace(b"java.util.HashMap", b"java.util.TreeMap"))
    with pytest.raises(OffsetError, match="goes on behind"):
        javaser.read_map(JAVA_ONE + b"x")


@pytest.mark.parametrize("name", ["offsets.dat", "offsets.json"])
def test_file_store_keeps_offsets(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep" / name
    store = FileOffsetStore(path, "c")
    store.open()
    assert store.load(PARTITION) is None
    store.save([(PARTITION, OFFSET)])
    again = FileOffsetStore(path, "c")
    again.open()
    assert again.load(PARTITION) == OFFSET
    assert (path.read_bytes()[:2] == b"\xac\xed") is (name == "offsets.dat")
    again.save([(PARTITION, None)])
    last = FileOffsetStore(path, "c")
    last.open()
    assert last.load(PARTITION) is None


def test_file_store_keeps_entries_of_others(tmp_path: Path) -> None:
    path = tmp_path / "offsets.dat"
    path.write_bytes(JAVA_ONE)
    store = FileOffsetStore(path, "c")
    store.open()
    store.save([(PARTITION, OFFSET)])
    other = FileOffsetStore(path, "e")
    other.open()
    assert other.load({"server": "p"}) == {"pos": 4}
    assert dict(javaser.read_map(path.read_bytes()))[b'["e",{"server":"p"}]'] == b'{"pos":4}'


def test_key_bytes_are_kept_as_found(tmp_path: Path) -> None:
    path = tmp_path / "offsets.dat"
    key = b'["c",{"database":"d","server":"srv"}]'
    path.write_bytes(javaser.write_map([(key, b'{"pos":4}')]))
    store = FileOffsetStore(path, "c")
    store.open()
    store.save([({"server": "srv", "database": "d"}, {"pos": 5})])
    assert dict(javaser.read_map(path.read_bytes())) == {key: b'{"pos":5}'}


@pytest.mark.parametrize("damage", [b"not an offset file", JAVA_ONE[:-3], b'{"format":"other"}', b"\xac\xed\x00\x05"])
def test_damaged_offset_file_is_named_and_left_alone(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "offsets.dat"
    path.write_bytes(damage)
    with pytest.raises(OffsetError, match="is damaged") as caught:
        FileOffsetStore(path, "c").open()
    assert str(path) in str(caught.value)
    assert path.read_bytes() == damage


def test_memory_store() -> None:
    store = MemoryOffsetStore("c")
    store.save([(PARTITION, OFFSET)])
    assert store.load(PARTITION) == OFFSET
    assert MemoryOffsetStore("c").load(PARTITION) is None


DOCUMENTS: list[dict[str, Any]] = [{"source": PARTITION, "n": 1}, {"source": PARTITION, "ddl": "é\n😀"}]


def test_history_file(tmp_path: Path) -> None:
    store = FileHistoryStore(tmp_path / "x" / "history.jsonl")
    assert not store.exists()
    store.create()
    assert not store.exists()
    store.append(DOCUMENTS)
    store.append([{"n": 3}])
    assert store.exists()
    assert list(store.read()) == [*DOCUMENTS, {"n": 3}]
    assert store.path.read_bytes().count(b"\n") == 3


def test_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'{"n":1}\n{"n":2')
    store = FileHistoryStore(path)
    assert list(store.read()) == [{"n": 1}]
    store.append([{"n": 3}])
    assert path.read_bytes() == b'{"n":1}\n{"n":3}\n'


def test_whole_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'{"n":1}')
    FileHistoryStore(path).append([{"n": 2}])
    assert path.read_bytes() == b'{"n":1}\n{"n":2}\n'


def test_damaged_line_is_named_and_the_file_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'{"n":1}\n{oops}\n{"n":3}\n')
    with pytest.raises(HistoryError, match="line 2"):
        list(FileHistoryStore(path).read())
    assert path.read_bytes() == b'{"n":1}\n{oops}\n{"n":3}\n'


def test_memory_history_gives_copies() -> None:
    store = MemoryHistoryStore()
    store.append(DOCUMENTS)
    next(iter(store.read()))["n"] = 9
    assert list(store.read()) == DOCUMENTS


TABLE = Table(TableId("d", None, 'a"b'), (), ("id",), "utf8mb4").with_(
    columns=(
        Column("id", 4, "INT", "INT", optional=False),
        Column("e", 1, "ENUM", "ENUM", charset="utf8mb4", length=1, has_default=True, default_expression="x", enum_values=("'x'", "'y'")),
        Column("n", 3, "DECIMAL", "DECIMAL", length=8, scale=0, has_default=True),
    )
)


def test_table_documents() -> None:
    document = table_document(TABLE)
    assert list(document) == ["defaultCharsetName", "primaryKeyColumnNames", "columns", "attributes", "comment"]
    assert list(document["columns"][1]) == [
        "name", "jdbcType", "typeName", "typeExpression", "charsetName", "length", "position", "optional", "autoIncremented",
        "generated", "comment", "hasDefaultValue", "defaultValueExpression", "enumValues",
    ]  # fmt: skip
    assert document_table(TABLE.id, json.loads(json.dumps(document))) == TABLE
    assert parse_id(TABLE.id.quoted()) == TABLE.id


def test_recovery_stops_at_the_position() -> None:
    tables = Tables()
    session = ddl.Session()
    documents = []
    for i, sql in enumerate(["CREATE TABLE t (a INT)", "ALTER TABLE t ADD b INT", "RENAME TABLE t TO u", "DROP TABLE u"]):
        session.database = "d"
        for change in ddl.apply(sql, tables, session):
            documents.append(HistoryRecord(PARTITION, {"file": "f", "pos": i}, 1, "d", None, change.ddl, [change]).to_dict())
    documents.append({**documents[0], "source": {"server": "another"}})

    def state(last: int) -> dict[str, list[str]]:
        found = Tables()
        recover(documents, PARTITION, lambda p: p["pos"] <= last, found, lambda sql, db: None)
        return {str(t.id): [c.name for c in t.columns] for t in found}

    assert state(0) == {"d.t": ["a"]}
    assert state(1) == {"d.t": ["a", "b"]}
    assert state(2) == {"d.u": ["a", "b"]}
    assert state(3) == {}
