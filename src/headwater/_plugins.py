"""Finds plug-ins by any name a user may write: a short name, an entry point, or Debezium's Java class.

A plug-in module ends in `PLUGIN = Plugin(...)`, which declares the names it answers to and its factory.
Modules import their client libraries inside the factory, so looking one up is cheap. Third parties
publish the same object under the entry point group `headwater.<kind>`, or are named `module:attribute`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

KINDS = {
    "connector": "headwater.connectors",
    "sink": "headwater.sinks",
    "converter": "headwater.converters",
    "transform": "headwater.transforms",
    "offsets": "headwater.storage.offsets",
    "history": "headwater.storage.history",
}


@dataclass(frozen=True)
class Plugin:
    """One plug-in: its kind, its first (short) name, its other names, its factory and one line about it."""

    kind: str
    name: str
    factory: Callable[..., Any]
    aliases: tuple[str, ...] = ()
    summary: str = ""

    def answers_to(self, name: str) -> bool:
        return name == self.name or name in self.aliases


class UnknownPlugin(LookupError):
    """No plug-in of that kind answers to the name."""


def find(kind: str, name: str) -> Plugin:
    """The plug-in of `kind` that answers to `name`. Raises UnknownPlugin with the names there are."""
    for plugin in available(kind):
        if plugin.answers_to(name):
            return plugin
    if ":" in name:
        return _by_path(kind, name)
    known = ", ".join(sorted(p.name for p in available(kind)))
    raise UnknownPlugin(f"there is no {kind} called {name!r}; there are: {known}")


@cache
def available(kind: str) -> tuple[Plugin, ...]:
    """All plug-ins of a kind: built in, then those of installed entry points."""
    return (*_built_in(KINDS[kind]), *(e.load() for e in entry_points(group=f"headwater.{kind}")))


def _built_in(package: str) -> Iterator[Plugin]:
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if info.name.startswith("_") or info.name.endswith("_cy"):
            continue
        plugins = getattr(importlib.import_module(f"{package}.{info.name}"), "PLUGIN", None)
        if plugins is not None:
            yield from plugins if isinstance(plugins, tuple) else (plugins,)


def _by_path(kind: str, path: str) -> Plugin:
    module, _, attribute = path.partition(":")
    try:
        target = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as e:
        raise UnknownPlugin(f"cannot load {kind} {path!r}: {e}") from e
    return target if isinstance(target, Plugin) else Plugin(kind, path, target)
