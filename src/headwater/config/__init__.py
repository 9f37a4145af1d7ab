"""Configuration: declarations, parsing, file forms."""

from __future__ import annotations

from headwater import _plugins
from headwater.config.options import Config, Option, OptionSet
from headwater.errors import ConfigError, ConfigProblem


def option_set(connector: str) -> OptionSet:
    """The declared options of a connector, by any name it answers to. Raises ConfigError for an unknown one."""
    try:
        plugin = _plugins.find("connector", connector)
    except _plugins.UnknownPlugin as e:
        raise ConfigError([ConfigProblem("connector.class", connector, str(e), "mysql")]) from e
    options: OptionSet = plugin.factory().options()
    return options


__all__ = ["Config", "Option", "OptionSet", "option_set"]
