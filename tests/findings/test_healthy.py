"""Of healthy programs nothing is said above a note: a false alarm is worse than silence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograd_lab.display.script import run_script
from autograd_lab.findings.diagnosis import diagnose
from autograd_lab.findings.finding import NOTE, told
from autograd_lab.recording.iterations.wanted import Choice

HERE = Path(__file__).with_name("healthy")
MISTAKEN = {"inplace.py", "residual.py"}
"""Examples of a mistake."""
EXAMPLES = [path for path in (Path(__file__).parents[2] / "autograd_lab/examples").glob("*.py") if path.stem[0] != "_"]
PROGRAMS = sorted([*HERE.glob("*.py"), *(path for path in EXAMPLES if path.name not in MISTAKEN)])


def worlds(program: Path) -> list[str]:
    """In which a program runs: not all examples are written for both, and some programs for PyTorch alone."""
    if program.parent != HERE:
        return ["own"]
    return ["torch"] if re.search("^import torch$", program.read_text("utf-8"), re.M) else ["own", "torch"]


IN_WORLDS = [pytest.param(path, each, id=f"{path.stem}-{each}") for path in PROGRAMS for each in worlds(path)]


@pytest.mark.parametrize(("program", "world"), IN_WORLDS)
def test_nothing_is_said_above_a_note(program: Path, world: str) -> None:
    if world == "torch":
        pytest.importorskip("torch")
    run = run_script(program, torch=world == "torch")
    assert not run.complaint, run.complaint
    alarms = [told(each) for each in diagnose(run.trace) if each.severity != NOTE]
    assert not alarms, "\n".join(alarms)


IN_PARTS = [path for path in sorted(HERE.glob("*.py")) if "own" in worlds(path)]


@pytest.mark.parametrize("choice", [Choice(), Choice(every=2), Choice(most=200)], ids=["last", "every 2", "beginning"])
@pytest.mark.parametrize("program", IN_PARTS, ids=lambda path: path.stem)
def test_nothing_is_said_above_a_note_of_a_part_of_a_run(program: Path, choice: Choice) -> None:
    alarms = [told(each) for each in diagnose(run_script(program, choice=choice).trace) if each.severity != NOTE]
    assert not alarms, "\n".join(alarms)
