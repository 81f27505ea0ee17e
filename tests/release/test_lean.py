"""What users install is enough for what they do: nothing is imported that the package did not ask for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
COMMANDS = [
    "draw expression", "play expression", "demo arriving-at-b", "diagnose expression", "flow expression",
    "progress", "memory --help", "review", "doctor", "--help",
]  # fmt: skip
BEHIND = [
    ("lab", "autograd_lab.display.widget"),
    ("lab", "autograd_lab.lessons.live"),
    ("export", "autograd_lab.view.movie.video"),
    ("classroom", "autograd_lab.classroom.vote.room"),
    ("classroom", "autograd_lab.classroom.vote.serve"),
    ("classroom", "autograd_lab.lessons.notebooks"),
    ("trainers", "autograd_lab.trainers.watch"),
    ("docs", "autograd_lab.sphinxext.directive"),
]


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.release.lean", *words], cwd=folder, text=True, capture_output=True, timeout=100,
        env={**os.environ, "PYTHONPATH": str(HOUSE), "HOME": str(folder)},
    )  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
def test_the_bare_package_is_enough_for_the_command(words: str, tmp_path: Path) -> None:
    done = run(tmp_path, "", "autograd_lab", *words.split())
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("extra", "module"), BEHIND)
def test_an_extra_brings_all_that_its_rooms_import(extra: str, module: str, tmp_path: Path) -> None:
    done = run(tmp_path, extra, module)
    assert done.returncode == 0, done.stderr
