"""The Python program of the README, run as it stands there."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from servers.support import ROOT, Server, wait_until

CONFIG = 'config = {"connector.class": "mysql", "topic.prefix": "shop", ...}'


def program(config: dict[str, str]) -> str:
    """The first Python block, with a configuration of the test's own."""
    lines = (ROOT / "README.md").read_text().split("## In Python")[1].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("    from headwater"))
    end = next(i for i in range(start, len(lines)) if lines[i] and not lines[i].startswith("    "))
    code = "\n".join(line[4:] for line in lines[start:end])
    assert CONFIG in code
    return code.replace(CONFIG, f"config = {config!r}")


def test_program(mysql_server: Server, mysql_database: str, mysql_config: dict[str, str], tmp_path: Path) -> None:
    """A snapshot row, an insert, an update and a delete with its tombstone, among schema changes."""
    with mysql_server.connect(mysql_database) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
        cursor.execute("INSERT INTO t VALUES (1, 1)")
        errors = tmp_path / "errors.txt"
        out = tmp_path / "out.txt"
        with out.open("w") as stdout, errors.open("w") as stderr:
            process = subprocess.Popen([sys.executable, "-u", "-c", program(mysql_config)], stdout=stdout, stderr=stderr, cwd=tmp_path)

        def has(op: str) -> bool:
            assert process.poll() is None, errors.read_text()
            return f".t {op} " in out.read_text()

        try:
            wait_until(lambda: has("r"), "the snapshot", 60)
            for statement in ("INSERT INTO t VALUES (2, 2)", "UPDATE t SET v = 3 WHERE id = 2", "DELETE FROM t WHERE id = 2",
                              "ALTER TABLE t ADD w INT", "INSERT INTO t VALUES (3, 3, 3)"):  # fmt: skip
                cursor.execute(statement)
            wait_until(lambda: has("d") and out.read_text().count(".t c ") == 2, "the changes", 60)
            ops = [line.split()[1] for line in out.read_text().splitlines()]
            assert ops == ["r", "c", "u", "d", "c"]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
