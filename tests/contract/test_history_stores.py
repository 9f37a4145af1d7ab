"""What every schema history store does. A new store: a row in STORES."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater import _plugins
from headwater.storage.base import HistoryStore

STORES: dict[str, tuple[str, Callable[[Path], dict[str, str]]]] = {
    "memory": ("memory", lambda folder: {}),
    "file": ("file", lambda folder: {"schema.history.internal.file.filename": str(folder / "new" / "history.jsonl")}),
}
DOCUMENTS: list[dict[str, Any]] = [
    {"source": {"server": "s"}, "position": {"pos": 4}, "ddl": "CREATE TABLE t (a INT COMMENT 'é\n\t😀\\\"')"},
    {"source": {"server": "s"}, "position": {"pos": 5, "row": None}, "tableChanges": [{"type": "DROP", "id": '"d"."t"'}]},
]


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> HistoryStore:
    kind, config = STORES[request.param]
    made: HistoryStore = _plugins.find("history", kind).factory(config(tmp_path))
    return made


def test_a_new_history_is_empty(store: HistoryStore) -> None:
    assert not store.exists()
    store.create()
    assert not store.exists()
    assert list(store.read()) == []


def test_documents_come_back_in_order(store: HistoryStore) -> None:
    store.create()
    store.append(DOCUMENTS)
    store.append([])
    store.append(iter([{"n": 3}]))
    assert store.exists()
    assert list(store.read()) == [*DOCUMENTS, {"n": 3}]
    assert [list(d) for d in store.read()] == [[*d] for d in [*DOCUMENTS, {"n": 3}]]


def test_append_makes_the_storage(store: HistoryStore) -> None:
    store.append(DOCUMENTS)
    assert list(store.read()) == DOCUMENTS


def test_create_keeps_what_is_there(store: HistoryStore) -> None:
    store.append(DOCUMENTS)
    store.create()
    assert list(store.read()) == DOCUMENTS


def test_documents_read_are_the_callers_own(store: HistoryStore) -> None:
    store.append(DOCUMENTS)
    next(iter(store.read()))["source"]["server"] = "changed"
    assert list(store.read()) == DOCUMENTS
