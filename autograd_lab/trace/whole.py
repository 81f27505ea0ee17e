"""A file appears whole or not at all, and stays on the disk."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

LEFT = ".part"
ABANDONED = 3600.0
"""A half-written file that nobody touched for so many seconds was left by a process that was killed."""


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path`; no half-written file is ever seen."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A temporary neighbour of `path`, open for writing, that takes its place when all has been written.

    A link stays, and what it leads to is written; a file that is there keeps its permissions. What is no file, such as
    a pipe, is written to as it is. Raises OSError.
    """
    path = Path(os.path.realpath(path))
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        with path.open("wb") as file:
            yield file
        return
    _sweep(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=LEFT)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _sweep(path: Path) -> None:
    """Remove what a process left that was killed while it wrote to this path."""
    head = f".{path.name}."
    with suppress(OSError):
        for entry in os.scandir(path.parent):
            if entry.name.startswith(head) and entry.name.endswith(LEFT):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED:
                        os.unlink(entry.path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
