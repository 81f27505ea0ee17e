"""No trace ends in a traceback: whatever a program does, it can be drawn at every step, played, saved and compared."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab
from autograd_lab.view.kit import unknown
from tests.any_program import lines
from tests.any_program.author import AnyProgram, any_program, is_python
from tests.any_program.showing import compare, recorded, show
from tests.any_program.trial import tried

QUICK = 8


def test_a_mistake_in_a_view_is_an_error_here() -> None:
    assert unknown.STRICT


@settings(max_examples=QUICK, derandomize=True, database=None, deadline=None)
@given(st.integers(0, 10**9))
def test_any_program_can_be_drawn_played_saved_and_compared(seed: int) -> None:
    _, mistakes = tried(seed)
    for mistake in mistakes:
        pytest.fail(f"{mistake.kind}, {mistake.where}\n\n{mistake.text}", pytrace=False)


KEPT = {
    "a vector times a matrix, in no_grad": """
w = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    z = torch.ones(2) @ w
""",
    "a linear layer of a vector, in no_grad": """
with torch.no_grad():
    torch.nn.Linear(2, 1, bias=False)(torch.ones(2))
""",
    "equal heads in a list": f"""
{lines.DEFINITIONS["Head"]}
{lines.DEFINITIONS["Heads"]}
Heads(4)(torch.ones(1, 3, 4)).sum().backward()
""",
    "numbers near the largest": """
(torch.linspace(-1e308, 1e308, 80, dtype=torch.float64, requires_grad=True) * 1).sum().backward()
""",
    "no elements": """
(torch.ones(2, 0, requires_grad=True) * 2).sum().backward()
""",
    "an infinite number among the attributes of a node": """
torch.ones(3, requires_grad=True).norm(float("inf")).backward()
""",
    "what was detached is saved": """
w = torch.ones(2, requires_grad=True)
(w * torch.ones(2).detach()).sum().backward()
""",
    "a pass that is refused, of a leaf that was never used": """
a = torch.ones(2, 3, requires_grad=True)
try:
    a.backward(torch.tensor(1.0))
except RuntimeError:
    pass
b = torch.ones(3, requires_grad=True) * 2
""",
    "nothing": "",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=list(KEPT))
def test_programs_that_once_ended_in_a_traceback_are_shown(text: str) -> None:
    import torch

    program = AnyProgram("", "", text)
    (ours, _), (theirs, _) = recorded(program, autograd_lab), recorded(program, torch)
    for turn in range(8):  # the two are the same story: every other way to show it is tried with each
        show((ours, theirs)[turn % 2], Random(turn))
    compare(ours, theirs, Random(0))
    compare(theirs, recorded(AnyProgram("", "", KEPT["no elements"]), torch)[0], Random(0))


def test_a_program_is_the_same_each_time_and_can_be_read() -> None:
    texts = [str(any_program(seed)) for seed in range(30)]
    assert texts == [str(any_program(seed)) for seed in range(30)]
    assert all(map(is_python, texts))
    assert len(set(texts)) > 20
