"""Character data: strings, enumerations, sets, JSON, XML, UUIDs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headwater.model.schema import STRING, Schema
from headwater.types.base import Steps, ValueType


def string(default: Callable[[str], str] = str) -> ValueType:
    """A plain string. `default` reads the model's default expression."""
    return ValueType(STRING, fallback="", default=default)


def named(name: str, fallback: str = "", parameters: dict[str, str] | None = None,
          default: Callable[[str], str | None] = str, steps: Steps = (),
          snapshot_steps: Steps | None = None) -> ValueType:  # fmt: skip
    """A string with a semantic name, version 1."""
    schema = Schema("string", name=name, version=1, parameters=parameters)
    return ValueType(schema, steps, snapshot_steps, fallback, default)


def json() -> ValueType:
    """A JSON document as text."""
    return named("io.debezium.data.Json", fallback="{}", default=lambda text: None)


def enumeration(labels: Sequence[str], *, is_set: bool = False, default: Callable[[str], str] = str,
                steps: Steps = (), snapshot_steps: Steps | None = None) -> ValueType:  # fmt: skip
    """ENUM, or SET with `is_set`. The parameter `allowed` joins the labels with commas, as they are given."""
    name = "io.debezium.data.EnumSet" if is_set else "io.debezium.data.Enum"
    return named(name, parameters={"allowed": ",".join(labels)}, default=default, steps=steps,
                 snapshot_steps=snapshot_steps)  # fmt: skip


def uuid() -> ValueType:
    """A UUID as text."""
    return named("io.debezium.data.Uuid")


def xml() -> ValueType:
    """An XML document as text."""
    return named("io.debezium.data.Xml")
