"""References to secrets in configuration values: `${file:path:key}`, `${env:NAME}`, `${dir:folder:file}`.

The resolved text is never shown; errors name the reference, not the value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from headwater.config.options import Resolved
from headwater.config.properties import parse_properties
from headwater.errors import ConfigError, ConfigProblem

_REFERENCE = re.compile(r"\$\{(file|env|dir):([^:}]+)(?::([^}]+))?\}")
MAX_BYTES = 1024 * 1024


def resolve(key: str, value: str) -> str:
    """A value with its references replaced, then a `Resolved`. Raises ConfigError for one that leads nowhere."""
    if _REFERENCE.search(value) is None:
        return value
    return Resolved(_REFERENCE.sub(lambda m: _look_up(key, m), value))


def resolve_all(raw: Mapping[str, str]) -> dict[str, str]:
    """All values with their references replaced. Raises one ConfigError with every reference that leads nowhere."""
    out: dict[str, str] = {}
    problems: list[ConfigProblem] = []
    for key, value in raw.items():
        try:
            out[key] = resolve(key, value)
        except ConfigError as e:
            problems.extend(e.problems)
    if problems:
        raise ConfigError(problems)
    return out


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
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise _problem(key, m[0], f"{path} is too large for a file of secrets")
        text = data.decode("utf-8")
        found = text.rstrip("\r\n") if kind == "dir" else parse_properties(text).get(second)
    except OSError as e:
        raise _problem(key, m[0], f"{first} cannot be read: {e.strerror or e}") from None
    except ValueError:
        # The cause may quote the file, and so a secret.
        raise _problem(key, m[0], f"{first} is not a properties file in UTF-8") from None
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
