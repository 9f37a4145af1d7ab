"""Files that survive crashes: what is cut off, what is kept, what is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headwater.storage.atomic import open_lines, replace_file


def test_replace_keeps_the_mode_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x"
    replace_file(path, b"1")
    path.chmod(0o600)
    replace_file(path, b"2")
    assert path.read_bytes() == b"2"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["x"]


def test_replace_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real" / "x")
    replace_file(link, b"1")
    replace_file(link, b"2")
    assert link.is_symlink()
    assert (tmp_path / "real" / "x").read_bytes() == b"2"


def test_replace_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    # A folder cannot be replaced by a file: the rename fails after the new content was written.
    (tmp_path / "x").mkdir()
    with pytest.raises(OSError):
        replace_file(tmp_path / "x", b"1")
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        (b"", b""),
        (b"a\n", b"a\n"),
        (b"a\nb", b"a\n"),
        (b"torn", b""),
        # The tail is looked for in blocks of 64 KiB: over a border, and exactly at one.
        (b"a\n" + b"x" * 200_000, b"a\n"),
        (b"a\n" + b"x" * 65_536, b"a\n"),
        (b"x" * 65_535 + b"\n" + b"y" * 65_536, b"x" * 65_535 + b"\n"),
    ],
)
def test_torn_tail(tmp_path: Path, found: bytes, kept: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(found)
    with open_lines(path) as f:
        f.write(b"new\n")
    assert path.read_bytes() == kept + b"new\n"


def test_a_pipe_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with open_lines(path) as f:
            f.write(b"1\n")
        assert os.read(reader, 10) == b"1\n"
    finally:
        os.close(reader)
