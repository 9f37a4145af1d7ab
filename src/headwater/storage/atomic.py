"""Files that outlive a crash: replaced as a whole, or appended to after what a crash tore is cut off.

Knows bytes and folders only; what a file holds is its user's business.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

_BLOCK = 64 * 1024


def replace_file(path: Path, data: bytes) -> None:
    """Writes a new file beside the old one, syncs it, and renames it into place.

    A crash leaves the old or the new content, never a mixture. The file's mode is kept; a symbolic link stays one
    and the file it points to is replaced.
    """
    path = Path(os.path.realpath(path))
    make_folder(path.parent)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    sync_folder(path.parent)


def open_lines(path: Path) -> BinaryIO:
    """Opens a file of lines to append to, without a buffer, and makes it and its folder if they are missing.

    Whatever stands behind the last line feed was torn by a crash before it was acknowledged, and is cut off: the
    first new line would otherwise be glued to it, and lost. Pipes and devices are taken as they are.
    """
    make_folder(path.parent)
    new = not path.exists()
    file = path.open("ab", buffering=0)
    try:
        if new:
            sync_folder(path.parent)
        elif stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            _cut_torn_line(path)
    except BaseException:
        file.close()
        raise
    return file


def write_all(file: BinaryIO, data: bytes) -> None:
    """Writes to an unbuffered file until everything is handed to the operating system."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _cut_torn_line(path: Path) -> None:
    with path.open("rb+") as f:
        end = size = f.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - _BLOCK)
            f.seek(start)
            found = f.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            f.truncate(end)


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents, durably."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        sync_folder(each.parent)


def sync_folder(folder: Path) -> None:
    """Makes renames and new files in a folder durable."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
