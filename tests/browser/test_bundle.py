"""The committed bundles are what their sources make; the sources are typed, and do what their own tests say."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from autograd_lab.view.page import CARDS, PLAYER, PLAYER_ALONE, PLAYER_OF_BOTH, PLAYER_OF_RUNS, PRESENTER

WIDGETS = Path(__file__).parents[2] / "widgets"
NODE = shutil.which("node")
READY = NODE is not None and (WIDGETS / "node_modules" / "esbuild").exists()

if os.environ.get("AUTOGRAD_LAB_BROWSER"):
    assert READY, "AUTOGRAD_LAB_BROWSER is set, but widgets/ is not ready: npm ci"
pytestmark = pytest.mark.skipif(not READY, reason="Node and `npm ci` in widgets rebuild the player")


def node(*words: str) -> None:
    done = subprocess.run([str(NODE), *words], cwd=WIDGETS, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_bundles_are_what_their_sources_make(tmp_path: Path) -> None:
    node("build.mjs", str(tmp_path))
    for built in (PLAYER, PLAYER_ALONE, PLAYER_OF_BOTH, PLAYER_OF_RUNS, CARDS, PRESENTER):
        made = (tmp_path / built.name).read_bytes()
        assert made == built.read_bytes(), "run `npm run build` in widgets and commit it"


def test_the_sources_are_strictly_typed() -> None:
    node("node_modules/typescript/bin/tsc", "--noEmit")


def test_the_sources_do_what_their_own_tests_say() -> None:
    node("node_modules/vitest/vitest.mjs", "run")
