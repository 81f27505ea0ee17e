"""Lessons that slides take from their own lines: each number in them stands in the picture."""

from __future__ import annotations

import re
from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab.view.kit.headline import plain
from autograd_lab.view.still import stills_of
from tests.saying import Program, leaf, traced


@pytest.fixture(params=["lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return lab if request.param == "lab" else pytest.importorskip("torch")


def recurrent(turns: int) -> Program:
    def program(torch: Any) -> Any:
        w = leaf(torch, [[0.3, -0.2], [0.1, 0.4]])
        h = torch.ones(2)
        for _ in range(turns):
            h = torch.tanh(w @ h)
        loss = h.sum()
        loss.backward()
        return loss

    return program


def skipping(torch: Any) -> Any:
    x = leaf(torch, [[1.0, -2.0]])
    w = leaf(torch, [[0.1, 0.2], [0.3, -0.1]])
    y = x + torch.tanh(x @ w)
    loss = y.square().sum()
    loss.backward()
    return loss


def tied(torch: Any) -> Any:
    w = leaf(torch, [[0.1, 0.2], [0.3, -0.1]])
    h = torch.tanh(torch.ones(1, 2) @ w)
    out = h @ w
    loss = out.square().sum()
    loss.backward()
    return loss


@pytest.mark.parametrize(
    ("program", "lesson"),
    [
        (recurrent(12), r"h's gradient fades on its way back: ‖\S+‖ → ‖\S+‖"),
        (recurrent(200), r"h's gradient vanishes on its way back: ‖1.4‖ → ‖0‖"),
        (skipping, r"Over the skip comes a gradient of ‖\S+‖, through \S.* ‖\S+‖"),
        (tied, r"w gets ‖\S+‖ through \S.* and ‖\S+‖ through \S.*"),
    ],
    ids=["recurrent", "very recurrent", "skipping", "tied"],
)
def test_a_lesson_of_lines_tells_numbers_that_stand_on_them(program: Program, lesson: str, torch: Any) -> None:
    stills = stills_of(traced(program, torch))
    headline = stills.headline(stills.steps)
    assert re.fullmatch(lesson, headline)
    for number in re.findall(r"‖[^‖]+‖", headline):
        assert number in stills.svg(stills.steps)


def test_a_gradient_of_exactly_0_is_told_from_a_small_one_and_explained(torch: Any) -> None:
    stills = stills_of(traced(recurrent(200), torch))
    found = stills._headlines.at(stills._state(stills.steps))
    assert re.fullmatch(
        r"‖1.4‖ → .*‖0‖: exactly 0, since float32 has no number between 0 and 1.4e−45", plain(found.sub)
    )
    for number in re.findall(r"‖[^‖]+‖", plain(found.sub)):
        assert number in stills.svg(stills.steps)
