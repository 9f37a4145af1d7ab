"""The modules that are compiled where a compiler is, and whether they are.

One list, read by the build and by a test that compares it with the files.
"""

from __future__ import annotations

from importlib import import_module

MODULES = (
    "headwater._buffer_cy",
    "headwater.connectors.mysql.handler_cy",
    "headwater.converters.json_cy",
    "headwater.ddl.cursor_cy",
    "headwater.ddl.lexer_cy",
    "headwater.types.convert_cy",
    "headwater.wire.mysql.calendar_cy",
    "headwater.wire.mysql.decimal_cy",
    "headwater.wire.mysql.events_cy",
    "headwater.wire.mysql.json_cy",
    "headwater.wire.mysql.logevent_cy",
    "headwater.wire.mysql.rows_cy",
    "headwater.wire.mysql.text_cy",
    "headwater.wire.postgres.rows_cy",
)


def status() -> dict[str, bool]:
    """Module name -> whether it runs compiled."""
    return {name: bool(import_module(name)._is_compiled()) for name in MODULES}
