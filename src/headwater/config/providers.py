"""References to secrets in configuration values: `${file:path:key}`, `${env:NAME}`, `${dir:folder:file}`.

The resolved text is never shown; errors name the reference, not the value.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from headwater.config.properties import parse_properties
from headwater.errors import ConfigError, ConfigProblem

_REFERENCE = re.compile(r"\$\{(file|env|dir):([^:}]+)(?::([^}]+))?\}")
MAX_BYTES = 1024 * 1024


def resolve(key: str, value: str) -> str:
    """A value with its references replaced. Raises ConfigError for one that leads nowhere."""
    if "${" not in value:
        return value
    return _REFERENCE.sub(lambda m: _look_up(key, m), value)


def _look_up(key: str, m: re.Match[str]) -> str:
    kind, first, second = m[1], m[2], m[3]
    if kind == "env":
        found = os.environ.get(second or first)
        if found is None:
            raise _problem(key, m[0], f"the environment variable {second or first} is not set")
        return found
    if second is None:
        raise _problem(key, m[0], f"a {kind} reference needs a path and a key: ${{{kind}:path:key}}")
    try:
        path = Path(first) if kind == "file" else _inside(Path(first), second)
        if path.stat().st_size > MAX_BYTES:
            raise _problem(key, m[0], f"{path} is too large for a file of secrets")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise _problem(key, m[0], f"{first} cannot be read: {e}") from e
    if kind == "dir":
        return text.rstrip("\n")
    found = parse_properties(text).get(second)
    if found is None:
        raise _problem(key, m[0], f"{first} has no key {second}")
    return found


def _inside(folder: Path, name: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise OSError(f"{name} lies outside {folder}")
    return path


def _problem(key: str, reference: str, rule: str) -> ConfigError:
    return ConfigError([ConfigProblem(key, reference, rule, "${env:DB_PASSWORD}")])
