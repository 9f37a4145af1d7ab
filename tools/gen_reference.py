"""Writes docs/reference/<connector>.md from the option declarations."""

from __future__ import annotations

import sys
from pathlib import Path

from headwater.config import option_set
from headwater.config.patterns import RegexList

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
CONNECTORS = {"mysql": "MySQL connector", "postgres": "PostgreSQL connector"}


def page(name: str) -> str:
    """The page of one connector."""
    lines = [f"# Options: {CONNECTORS[name]}", "", "Made from the declarations by `make reference`; do not edit.", "",
             "| property | type | default | meaning |", "|---|---|---|---|"]  # fmt: skip
    for row in option_set(name).describe():
        meaning = row["doc"] or ""
        if row["allowed"] and row["type"] == "enum":
            meaning += " One of " + ", ".join(f"`{a}`" for a in row["allowed"]) + "."
        if row["required"]:
            meaning += " Required."
        if row["deprecated"]:
            meaning += f" Deprecated: {row['deprecated']}."
        if not row["built"]:
            meaning += " *No effect yet.*"
        lines.append(f"| `{row['key']}` | {row['type']} | {shown(row['default'])} | {meaning.strip()} |".replace("  ", " "))
    return "\n".join(lines) + "\n"


def shown(value: object) -> str:
    """A default as text."""
    if value is None or isinstance(value, RegexList):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, list):
        return f"`{','.join(map(str, value))}`"
    return f"`{value}`"


def main() -> int:
    """Writes the pages; with --check only compares."""
    stale = 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in CONNECTORS:
        path = FOLDER / f"{name}.md"
        if "--check" in sys.argv:
            stale += not path.exists() or path.read_text() != page(name)
        else:
            path.write_text(page(name))
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
