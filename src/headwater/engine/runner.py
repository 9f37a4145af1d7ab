"""Runs one connector from the command line: signals, start line, clean end."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from types import FrameType

from headwater import sinks as sink_registry
from headwater.config import option_set
from headwater.engine.build import build, connector_for
from headwater.engine.malloc import keep_freed_memory

log = logging.getLogger("headwater")


def run(raw: Mapping[str, str], sinks: Sequence[str], *, debug: bool = False) -> int:
    """Runs until the source ends or a signal comes; the exit code.

    SIGINT and SIGTERM end it cleanly: what was delivered is acknowledged and offsets are written. A second
    signal ends the process at once.
    """
    connector_for(raw)
    for warning in option_set(raw["connector.class"]).warnings(raw):
        log.warning("%s", warning)
    targets = [sink_registry.create(text, raw) for text in (sinks or ["stdout"])]
    made = build(raw, targets)
    keep_freed_memory()
    pump = made.pump
    stopped = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        if stopped:
            os._exit(128 + number)
        stopped = True
        log.info("stopping (%s)", signal.Signals(number).name)
        pump.stop()

    previous = {s: signal.signal(s, on_signal) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        log.info("%s: %s -> %s; %s", made.name, raw["connector.class"].rpartition(".")[2],
                 ", ".join(sinks or ["stdout"]), made.state)  # fmt: skip
        pump.run()
    finally:
        pump.close()
        for number, handler in previous.items():
            signal.signal(number, handler)
    log.info("stopped after %d records", pump.records)
    sys.stdout.flush()
    return 0
