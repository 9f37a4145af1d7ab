"""The group of verbs, and how errors end a command."""

from __future__ import annotations

import logging
import sys
import traceback

import click

from headwater import __version__
from headwater.cli.plugins import plugins
from headwater.cli.run import run
from headwater.cli.validate import validate
from headwater.errors import ConfigError, HeadwaterError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="headwater", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show tracebacks and debug logs.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Change data capture from MySQL, MariaDB and PostgreSQL."""
    context.obj = {"debug": debug}


for _verb in (run, validate, plugins):
    cli.add_command(_verb)


def run_group(arguments: list[str]) -> int:
    """Runs a command; every error ends with one message on stderr."""
    debug = "--debug" in arguments
    try:
        result = cli.main(arguments, prog_name="headwater", standalone_mode=False)
    except click.exceptions.Exit as e:
        return e.exit_code
    except click.ClickException as e:
        e.show()
        return 2
    except click.Abort:
        return 130
    except ConfigError as e:
        return _fail(e, 2, debug)
    except HeadwaterError as e:
        return _fail(e, 1, debug)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as e:
        return _unexpected(e, debug)
    return result if isinstance(result, int) else 0


def _fail(error: HeadwaterError, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    click.echo(f"headwater: {error}", err=True)
    return code


def _unexpected(error: Exception, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    else:
        logging.getLogger("headwater").debug("unexpected error", exc_info=True)
    click.echo(
        f"headwater: an unexpected {type(error).__name__}: {error}. This is a defect; --debug shows where it happened",
        err=True,
    )
    return 1
