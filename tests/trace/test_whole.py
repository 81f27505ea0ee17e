"""A file is written whole or not at all, and what stood in its place keeps its nature."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from pathlib import Path

import pytest

from autograd_lab.trace import whole_file, write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and permissions of POSIX")


@posix
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


@posix
def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_fails_halfway_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as file:
        file.write(b"ne")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_is_removed_by_the_next_that_writes(tmp_path: Path) -> None:
    left, new, other = (tmp_path / name for name in (".file.abc.part", ".file.def.part", ".other.abc.part"))
    for path in (left, new, other):
        path.touch()
    long_ago = time.time() - 7200
    os.utime(left, (long_ago, long_ago))
    write_whole(tmp_path / "file", b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".file.def.part", ".other.abc.part", "file"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        write_whole(tmp_path, b"new")
    assert list(tmp_path.iterdir()) == []
