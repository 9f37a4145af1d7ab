"""`headwater validate FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from headwater.cli.run import overrides
from headwater.errors import ConfigError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a property; may be repeated.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def validate(file: Path, settings: tuple[str, ...], debug: bool) -> int:
    """Check the configuration in FILE without connecting: all errors and warnings at once."""
    from headwater.config import option_set
    from headwater.config.load import load
    from headwater.engine.build import connector_for

    raw = load(file, overrides(settings))
    connector_for(raw)
    options = option_set(raw["connector.class"])
    for warning in options.warnings(raw):
        click.echo(f"warning: {warning}")
    problems = options.problems(raw)
    if problems:
        raise ConfigError(problems)
    click.echo(f"{file}: valid")
    return 0
