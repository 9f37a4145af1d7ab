"""Measures the MySQL connector: rows a second and CPU time a row, of the snapshot and of the stream.

    .venv/bin/python bench/mysql.py [--rows 500000] [--url mysql://user:password@127.0.0.1:23306]

Makes a database, writes ROWS narrow rows, reads them as a snapshot, writes as many again, reads those from the log
(both to the null sink, which converts every record to JSON), and drops the database. The server must let the user do so.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import pymysql

from headwater.storage.javaser import read_map

DATABASE = "headwater_bench"
CHUNK = 1000


def fill(connection: pymysql.Connection, first: int, rows: int) -> None:
    """Rows `first` to `first + rows - 1`, CHUNK to a statement."""
    with connection.cursor() as cursor:
        for at in range(first, first + rows, CHUNK):
            values = ",".join(f"({i},'name {i}',{i % 97}.25,'2026-01-01 00:00:00')" for i in range(at, min(at + CHUNK, first + rows)))
            cursor.execute(f"INSERT INTO {DATABASE}.t VALUES {values}")


def position(path: Path) -> tuple[str, int] | None:
    """File and position of the stored offset."""
    try:
        entries = read_map(path.read_bytes())
    except FileNotFoundError:
        return None
    for _, value in entries:
        if value:
            offset = json.loads(value)
            return offset["file"], offset["pos"]
    return None


def headwater(config: Path, *arguments: str) -> subprocess.Popen[str]:
    """`headwater run` to the null sink."""
    return subprocess.Popen([sys.executable, "-m", "headwater", "run", str(config), "--to", "null", *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip


def report(what: str, process: subprocess.Popen[str]) -> None:
    """Prints what the null sink counted."""
    output, _ = process.communicate(timeout=600)
    counted = [line for line in output.splitlines() if "events" in line and "CPU" in line]
    print(f"{what}: {counted[-1] if counted else output[-2000:]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--url", default="mysql://debezium:dbz@127.0.0.1:23306")
    arguments = parser.parse_args()
    url = urlsplit(arguments.url)
    connection = pymysql.connect(host=url.hostname, port=url.port, user=url.username, password=url.password or "", autocommit=True)
    with connection, connection.cursor() as cursor, tempfile.TemporaryDirectory() as folder:
        cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        cursor.execute(f"CREATE DATABASE {DATABASE}")
        cursor.execute(f"CREATE TABLE {DATABASE}.t (id INT PRIMARY KEY, name VARCHAR(40), price DECIMAL(10,2), at DATETIME)")
        offsets = Path(folder, "offsets.dat")
        config = Path(folder, "bench.json")
        config.write_text(json.dumps({
            "name": "bench", "connector.class": "mysql", "topic.prefix": "bench", "database.hostname": url.hostname,
            "database.port": url.port, "database.user": url.username, "database.password": url.password or "",
            "database.server.id": 987_654, "database.include.list": DATABASE, "offset.flush.interval.ms": 200,
            "offset.storage.file.filename": str(offsets), "key.converter.schemas.enable": False,
            "value.converter.schemas.enable": False,
            "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
            "schema.history.internal.file.filename": str(Path(folder, "history.jsonl")),
        }))  # fmt: skip
        try:
            fill(connection, 0, arguments.rows)
            report("snapshot", headwater(config, "--set", "snapshot.mode=initial_only"))
            fill(connection, arguments.rows, arguments.rows)
            cursor.execute("SHOW BINARY LOG STATUS")
            end = cursor.fetchone()[:2]
            process = headwater(config)
            while process.poll() is None and (position(offsets) or ("", 0)) < end:
                time.sleep(0.1)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            report("stream", process)
        finally:
            cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")


if __name__ == "__main__":
    main()
