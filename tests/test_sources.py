"""The sources are as CONTRIBUTING.md wants them: linted, formatted, with sound types."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = {"__main__.py", "examples", "scripts", "source"}
"""What runs when it is imported."""


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check", "mypy"])
def test_nothing_is_left_to_complain_of(command: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_each_module_can_be_imported() -> None:
    """Or what is missing is from outside."""
    for path in sorted((ROOT / "autograd_lab").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if PROGRAMS.isdisjoint({*parts, path.name}):
            try:
                importlib.import_module(".".join(parts).removesuffix(".__init__"))
            except ImportError as missing:
                assert not (missing.name or "").startswith("autograd_lab"), path
