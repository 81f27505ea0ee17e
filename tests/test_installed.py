"""A program of the tests that lacks something says what, and how to get it, and no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("program", ["tests.databases", "tests.coverage_of_torch"])
def test_a_bare_python_is_told_what_is_missing_and_where_it_is(program: str) -> None:
    bare = [sys.executable, "-S", "-m", program]  # without what is installed
    done = subprocess.run(bare, cwd=ROOT, capture_output=True, encoding="utf-8")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1 and line.startswith(f"{program}: not installed here: torch, ")
    assert line.endswith(f"First run python3 start.py test, which installs it, then .venv/bin/python -m {program}")
