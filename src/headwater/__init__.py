"""Headwater: change data capture in Python.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.engine.engine import Engine
    from headwater.errors import ConfigError, HeadwaterError
    from headwater.model import Column, Field, Header, Record, Schema, Struct, Table, TableId

__version__ = "0.1.0"

__all__ = [
    "Column",
    "ConfigError",
    "Engine",
    "Field",
    "Header",
    "HeadwaterError",
    "Record",
    "Schema",
    "Struct",
    "Table",
    "TableId",
    "__version__",
]

_HOME = {
    "Engine": "headwater.engine.engine",
    "ConfigError": "headwater.errors",
    "HeadwaterError": "headwater.errors",
    **dict.fromkeys(
        ("Column", "Field", "Header", "Record", "Schema", "Struct", "Table", "TableId"), "headwater.model"
    ),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'headwater' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
