"""Each mistake is found at the line that is marked with an arrow; in both worlds the same is said of it."""

from __future__ import annotations

import ast
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from autograd_lab.display.script import run_script
from autograd_lab.findings.diagnosis import diagnose, unchecked
from autograd_lab.findings.finding import Finding, told
from autograd_lab.recording.iterations.wanted import LAST, Choice

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
ARROW, REMEDY, ALSO = "# <-- here", "# remedy: ", "# also: "
"""At the end of the line that is to blame; before words of the remedy; before kinds that the mistake brings along."""


def found_in(program: Path, torch: bool = False) -> list[Finding]:
    return diagnose(run_script(program, torch=torch).trace)


def expected(program: Path) -> tuple[str, str, int | None, str]:
    """Severity, kind, the number of the line, and some words of the remedy."""
    text = program.read_text("utf-8")
    severity, kind = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0].split(": ")
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines, 1) if line.endswith(ARROW)), None)
    return severity, kind, at, next((line.removeprefix(REMEDY) for line in lines if line.startswith(REMEDY)), "")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_mistake_is_found_with_its_line_and_remedy_and_alike_in_both_worlds(program: Path) -> None:
    own = found_in(program)
    assert_as_expected(program, own)
    if sys.modules.get("torch", ...) is not None and find_spec("torch") is not None:
        theirs = found_in(program, torch=True)
        assert_as_expected(program, theirs)
        assert [numberless(told(each)) for each in own] == [numberless(told(each)) for each in theirs]


def assert_as_expected(program: Path, found: list[Finding]) -> None:
    severity, kind, line, remedy = expected(program)
    mine = [each for each in found if each.kind == kind]
    assert mine, "\n".join(map(told, found))
    first = mine[0]
    assert first.severity == severity
    assert line is None or (first.where is not None and first.where.line == line), told(first)
    assert remedy in first.remedy, told(first)
    expectable = {kind, *also(program)}
    assert not [each for each in found if each.kind not in expectable and each.severity != "note"], told(found[0])


TRAINING = [
    "gradients_cleared_before_step", "step_before_backward", "layer_not_registered", "parameter_not_optimized",
]  # fmt: skip


@pytest.mark.parametrize("name", TRAINING)
def test_mistakes_of_a_loop_are_found_in_the_beginning_of_a_run(name: str, tmp_path: Path) -> None:
    text = Path(__file__).with_name("programs").joinpath(f"{name}.py").read_text("utf-8")
    program = tmp_path / f"{name}.py"
    program.write_text(re.sub(r"range\(\d+\)", "range(30)", text), "utf-8")
    trace = run_script(program, choice=Choice(most=250)).trace
    assert any("only the first" in note for note in trace.notes)
    assert "whether every parameter has an optimizer" not in unchecked(trace)
    assert_as_expected(program, diagnose(trace))


OF_MANY_TURNS = [
    "dead_relu", "exploding_gradients", "graph_grows", "graph_kept_alive_within_an_epoch", "layer_not_registered",
    "loss_diverges", "saved_value_overwritten_of_a_hidden_state", "step_before_backward", "training_in_eval_mode",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_MANY_TURNS)
def test_what_is_wrong_with_all_turns_is_said_where_the_last_alone_is_shown_and_at_a_line_of_it(name: str) -> None:
    program = Path(__file__).with_name("programs") / f"{name}.py"
    (last,) = run_script(program, choice=LAST).trace.iterations()
    found = diagnose(last)
    assert_as_expected(program, found)
    assert [told(each) for each in found] == [told(each) for each in found_in(program)]
    assert all(1 <= step <= len(last) for each in found for step in each.steps)


def also(program: Path) -> list[str]:
    lines = program.read_text("utf-8").splitlines()
    return [kind for line in lines if line.startswith(ALSO) for kind in line.removeprefix(ALSO).split(", ")]


def numberless(text: str) -> str:
    """The worlds' random numbers differ."""
    return re.sub(r"\d[\d.,]*", "#", text)
