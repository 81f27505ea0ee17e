"""The engine does not slow down unnoticed: what it executes is counted."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.bench.bytecodes import PYTHON, SLACK, TODAY


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], int]:
    """What is counted in a process of its own, as in a program without hooks, subclasses and the like."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.bench", "bytecodes"], capture_output=True, text=True, check=True
    )
    counts: dict[tuple[str, str], int] = ast.literal_eval(f"{{{told.stdout}}}")
    return counts


@pytest.mark.skipif(sys.version_info[:2] != PYTHON, reason="each version of Python has bytecodes of its own")
@pytest.mark.parametrize(("name", "unit"), TODAY)
def test_no_more_bytecodes_are_executed_than_were(found: dict[tuple[str, str], int], name: str, unit: str) -> None:
    now, known = found[name, unit], TODAY[name, unit]
    assert now <= known * SLACK, (
        f"{unit} of {name} takes {now} bytecodes, {now / known - 1:+.1%}: make it shorter, or say why it must be, "
        "and renew the table with `python -m tests.bench bytecodes`"
    )
