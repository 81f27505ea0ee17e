"""One story: the same program, recorded here and in real PyTorch, makes the same events in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import autograd_lab
from tests.stories import PROGRAMS
from tests.story import first_difference, recorded, story

torch = pytest.importorskip("torch")
from tests.stories.random_programs import random_program  # noqa: E402  # it needs torch itself

PARTING = {
    "hooks.a_hook_on_a_node": "nobody can see hooks being hung on PyTorch's nodes",
    "hooks.a_hook_before_a_node": "nobody can see hooks being hung on PyTorch's nodes",
    "hooks.a_hook_of_many_gradients": "nobody can see hooks being hung on PyTorch's nodes",
    "mistakes.classes_that_are_not_there": "a name that an op never comes to have is kept here by the step before it",
    "doubles.a_hessian_row_by_row": "what stack gives is a view of a new tensor in PyTorch, and one of its own here",
}
"""The stories that part, and why. Each of them must: when one does not any more, it goes from here."""

CORNERS = {
    7, 9, 41, 51, 65, 68, 75, 86, 92, 94, 99, 112, 115, 120, 121, 123, 129, 130, 172, 186, 194, 208, 209, 210, 211,
    220, 240, 249, 250, 262, 272, 286,
}  # fmt: skip
"""Random programs that part: what fails on the way of a write (told in one world, or after what it lets go), writes by
truth values, gradients that are the very tensor that was given, views that come to a new node at another moment."""


@pytest.fixture(autouse=True, scope="module")
def mistakes_in_recording_are_errors() -> Iterator[None]:
    from autograd_lab.recording import recorder

    before, recorder.STRICT = recorder.STRICT, True
    yield
    recorder.STRICT = before


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_both_worlds_are_recorded_alike(name: str) -> None:
    ours, theirs = (story(recorded(PROGRAMS[name], world)) for world in (autograd_lab, torch))
    difference = first_difference(ours, theirs)
    if name in PARTING:
        assert difference is not None
    else:
        assert difference is None, difference


@pytest.mark.parametrize("tens", range(30))
@pytest.mark.filterwarnings("ignore")
def test_random_programs_are_recorded_alike(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        text = random_program(Random(seed))
        code = compile(text, "program.py", "exec")

        def run(world: Any, code: Any = code) -> dict[str, Any]:
            names = {"torch": world}
            exec(code, names)
            return names

        ours, theirs = (story(recorded(run, world)) for world in (autograd_lab, torch))
        difference = first_difference(ours, theirs)
        assert seed in CORNERS or difference is None, f"{text}\n\n{difference}"
