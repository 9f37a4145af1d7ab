"""The command line: `headwater VERB ...`. One file a verb; no logic beyond calling the layers below."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """The console script. Returns the exit code: 2 for configuration and usage, 1 for other errors."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments == ["--version"]:
        from headwater import __version__

        print(f"headwater {__version__}")
        return 0
    from headwater.cli.group import run_group

    return run_group(arguments)
