"""The recorded cases: the same workload on a real server must give the records the reference gave."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*/*/case.toml"))
COMMAND = f"{shlex.quote(str(HERE / 'run-headwater'))} {{config}} {{out}} {{stop}}"


@pytest.fixture
def cc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's package, and Headwater as this Python runs it."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("HEADWATER", f"{shlex.quote(sys.executable)} -m headwater")


def run_case(path: Path) -> list[str]:
    """Runs one case; the differences, empty where there are none."""
    from cc import diff, normalise
    from cc.case import Case
    from cc.runner import Failed, Runner

    case = Case(path)
    runner = Runner(case, COMMAND)
    try:
        got, problems = normalise.normalise(runner.run(), case)
    except Failed as e:
        return [str(e), *runner.log_path.read_text(errors="replace").splitlines()[-20:]]
    return [*problems, *diff.compare(normalise.load(case.golden), got, 12)]


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}")
def test_case(path: Path, cc: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = path.parent.parent.name
    server = request.getfixturevalue(f"{kind}_server")
    for name, value in (("HOST", server.host), ("PORT", server.port), ("USER", server.user), ("PASSWORD", server.password)):
        monkeypatch.setitem(os.environ, f"CC_{kind.upper()}_{name}", str(value))
    differences = run_case(path.parent)
    assert not differences, "\n".join(differences)
