"""`headwater run FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from headwater.errors import ConfigError, ConfigProblem


def overrides(pairs: tuple[str, ...]) -> dict[str, str]:
    """`--set KEY=VALUE` options as a map."""
    out = {}
    for pair in pairs:
        key, sep, value = pair.partition("=")
        if not sep or not key.strip():
            raise ConfigError([ConfigProblem("--set", pair, "KEY=VALUE is expected", "--set snapshot.mode=no_data")])
        out[key.strip()] = value
    return out


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--to", "sinks", multiple=True, metavar="SINK",
              help="stdout (default), null, records:PATH, file:DIR, kafka://host:port[,...]; may be repeated.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a property; may be repeated.")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--debug", is_flag=True, help="Show tracebacks and debug logs.")
@click.pass_context
def run(context: click.Context, file: Path, sinks: tuple[str, ...], settings: tuple[str, ...], log_format: str,
        debug: bool) -> int:  # fmt: skip
    """Run the connector that FILE configures until it ends or is stopped.

    FILE is a Debezium connector configuration: .properties, JSON, TOML or YAML.
    """
    from headwater.cli.logs import set_up
    from headwater.config.load import load
    from headwater.engine.runner import run as run_engine

    debug = debug or context.obj["debug"]
    set_up(log_format, debug=debug)
    return run_engine(load(file, overrides(settings)), list(sinks), debug=debug)
