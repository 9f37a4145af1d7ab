"""What every offset store does. A new store: a row in STORES."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from headwater import _plugins
from headwater.storage.base import OffsetStore

# (plug-in, its configuration in a folder, whether it outlives its object)
STORES: dict[str, tuple[str, Callable[[Path], dict[str, str]], bool]] = {
    "memory": ("memory", lambda folder: {}, False),
    "file, Java": (
        "org.apache.kafka.connect.storage.FileOffsetBackingStore",
        lambda folder: {"offset.storage.file.filename": str(folder / "new" / "offsets.dat")},
        True,
    ),
    "file, JSON": (
        "json",
        lambda folder: {"offset.storage": "json", "offset.storage.file.filename": str(folder / "new" / "offsets")},
        True,
    ),
}
OFFSETS = [
    {"file": "mysql-bin.000001", "pos": 4},
    {"pos": 2**63 - 1, "snapshot": True, "gtids": None, "nested": {"a": [1, -2, 0.5]}},
    {"text": 'é "quoted" 😀 \n\\'},
    {},
]


@pytest.fixture(params=STORES)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], OffsetStore]:
    kind, config, _ = STORES[request.param]

    def factory(name: str) -> OffsetStore:
        store: OffsetStore = _plugins.find("offsets", kind).factory(config(tmp_path), name)
        store.open()
        return store

    factory.lasting = STORES[request.param][2]  # type: ignore[attr-defined]
    return factory


def test_nothing_is_stored_at_first(make: Callable[[str], OffsetStore]) -> None:
    assert make("c").load({"server": "s"}) is None


@pytest.mark.parametrize("offset", OFFSETS)
def test_what_is_saved_is_loaded(make: Callable[[str], OffsetStore], offset: dict[str, object]) -> None:
    store = make("c")
    store.save([({"server": "s"}, offset)])
    assert store.load({"server": "s"}) == offset
    store.close()
    if make.lasting:  # type: ignore[attr-defined]
        again = make("c")
        found = again.load({"server": "s"})
        assert found == offset
        assert list(found or {}) == list(offset)


def test_partitions_and_names_are_kept_apart(make: Callable[[str], OffsetStore]) -> None:
    store = make("c")
    store.save([({"server": "s"}, {"n": 1}), ({"server": "t"}, {"n": 2}), ({"server": "s", "database": "d"}, {"n": 3})])
    assert [store.load(p) for p in ({"server": "s"}, {"server": "t"}, {"server": "s", "database": "d"})] == [
        {"n": 1}, {"n": 2}, {"n": 3},
    ]  # fmt: skip
    assert make("d").load({"server": "s"}) is None


def test_the_last_of_a_partition_counts(make: Callable[[str], OffsetStore]) -> None:
    store = make("c")
    store.save([({"server": "s"}, {"n": 1}), ({"server": "s"}, {"n": 2})])
    assert store.load({"server": "s"}) == {"n": 2}


def test_none_removes(make: Callable[[str], OffsetStore]) -> None:
    store = make("c")
    store.save([({"server": "s"}, {"n": 1}), ({"server": "t"}, {"n": 2})])
    store.save([({"server": "s"}, None), ({"server": "never"}, None)])
    assert store.load({"server": "s"}) is None
    assert store.load({"server": "t"}) == {"n": 2}


def test_a_loaded_offset_is_the_callers_own(make: Callable[[str], OffsetStore]) -> None:
    store = make("c")
    mine = {"n": 1}
    store.save([({"server": "s"}, mine)])
    mine["n"] = 2
    found = store.load({"server": "s"})
    assert found == {"n": 1}
    found["n"] = 3
    assert store.load({"server": "s"}) == {"n": 1}
