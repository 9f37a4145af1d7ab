"""`headwater plugins`."""

from __future__ import annotations

import click


@click.command()
def plugins() -> int:
    """List the plug-ins of each kind with the names they answer to."""
    from headwater import _plugins

    for kind in _plugins.KINDS:
        found = _plugins.available(kind)
        if found:
            click.echo(f"{kind}:")
        for plugin in found:
            click.echo(f"  {plugin.name:<14} {plugin.summary}")
            for alias in plugin.aliases:
                click.echo(f"  {'':<14} = {alias}")
    return 0
