"""The engine does not slow down unnoticed: what it executes is counted."""

from __future__ import annotations

import sys

import pytest

from autograd_lab import whose
from autograd_lab.engine.core import seams
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.modes import handles
from tests.bench.bytecodes import PYTHON, SLACK, TODAY, counted


@pytest.mark.skipif(sys.version_info[:2] != PYTHON, reason="each version of Python has bytecodes of its own")
@pytest.mark.parametrize(("name", "unit"), TODAY)
def test_no_more_bytecodes_are_executed_than_were(name: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handles, "ever_used", False)  # as in a program without hooks
    monkeypatch.setattr(handles, "asked", False)
    monkeypatch.setattr(autocast, "used", False)
    monkeypatch.setattr(whose, "_begins", {})
    monkeypatch.setattr(seams, "guarded", None)  # as if nothing that was saved had been detached in place
    monkeypatch.setattr(seams, "carry", None)  # nor anything of device meta were alive
    found, known = counted(name, unit), TODAY[name, unit]
    assert found <= known * SLACK, (
        f"{unit} of {name} takes {found} bytecodes, {found / known - 1:+.1%}: make it shorter, or say why it must be, "
        "and renew the table with `python -m tests.bench bytecodes`"
    )
