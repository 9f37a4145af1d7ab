"""`python -m headwater.demo`: starts a server, snapshots a sample, and shows changes until it is stopped."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from typing import Any

from headwater.errors import HeadwaterError


def main() -> int:
    """The command. Ctrl-C ends it cleanly."""
    parser = argparse.ArgumentParser(prog="headwater.demo", description=__doc__)
    parser.add_argument("--seconds", type=float, help="stop after so many seconds (default: Ctrl-C)")
    parser.add_argument("--port", type=int, help="port of the server (default: a free one)")
    parser.add_argument("--keep", action="store_true", help="leave the server running at the end")
    options = parser.parse_args()
    try:
        return run(options.seconds, options.port, keep=options.keep)
    except HeadwaterError as e:
        print(f"headwater: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def run(seconds: float | None, port: int | None, *, keep: bool) -> int:
    """The demonstration."""
    from headwater.demo.server import USER, EmbeddedPostgres

    print("Starting an embedded PostgreSQL ...", flush=True)
    with EmbeddedPostgres(port, keep=keep) as server:
        import psycopg

        def connect() -> Any:
            return psycopg.connect(host="127.0.0.1", port=server.port, user=USER, dbname=USER, autocommit=True)

        from headwater.demo.inventory import Workload, fill

        with connect() as connection:
            fill(connection)
        workload = Workload(connect)
        snapshot, live = show(server.port, USER, workload, seconds)
    print(f"\n{snapshot} rows read, {live} live changes shown.")
    print("Next: point it at your own database, see README.md (headwater run my-connector.properties).")
    return 0


def show(port: int, user: str, workload: Any, seconds: float | None) -> tuple[int, int]:
    """Runs the connector and prints; (rows of the snapshot, live changes)."""
    from headwater import Engine
    from headwater.demo.bar import SnapshotBar
    from headwater.sinks.base import Batch
    from headwater.sinks.pretty import make

    config = {
        "name": "demo", "connector.class": "postgres", "topic.prefix": "demo", "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1", "database.port": port, "database.user": user, "database.dbname": user,
        "schema.include.list": "inventory", "offset.storage": "memory", "slot.name": "headwater_demo",
    }  # fmt: skip
    sink = make("", {})
    rows = live = 0
    with Engine(config) as engine:
        stop_with(engine, seconds)
        bar = SnapshotBar(engine.source)
        for batch in engine.batches(idle=True):
            read = [r for r in batch if r.op == "r"]
            rows += len(read)
            changes = [r for r in batch if r.op != "r"]
            if read:
                bar.sample(read)
            if bar.finished and not workload.ident:
                bar.close()
                print(f"Snapshot done: {rows} rows. Live changes (Ctrl-C ends):", flush=True)
                workload.start()
            sink.write(Batch(changes, [], [], []))
            live += sum(1 for r in changes if r.value is not None)
            engine.commit()
        if workload.ident:
            workload.stop()
    return rows, live


def stop_with(engine: Any, seconds: float | None) -> None:
    """Ends the engine on Ctrl-C, SIGTERM or after some seconds."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: engine.stop())
    if seconds is not None:
        timer = threading.Timer(max(seconds, 0.0), engine.stop)
        timer.daemon = True
        timer.start()


if __name__ == "__main__":
    sys.exit(main())
