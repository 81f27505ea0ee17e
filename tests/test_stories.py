"""One story: the same program, recorded here and in real PyTorch, makes the same events in the same order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import autograd_lab
from tests.stories import PROGRAMS
from tests.story import first_difference, recorded, story

torch = pytest.importorskip("torch")

PARTING = {
    "hooks.a_hook_on_a_node": "nobody can see hooks being hung on PyTorch's nodes",
    "hooks.a_hook_before_a_node": "nobody can see hooks being hung on PyTorch's nodes",
    "hooks.a_hook_of_many_gradients": "nobody can see hooks being hung on PyTorch's nodes",
    "mistakes.classes_that_are_not_there": "a name that an op never comes to have is kept here by the step before it",
}
"""The stories that part, and why. Each of them must: when one does not any more, it goes from here."""


@pytest.fixture(autouse=True, scope="module")
def mistakes_in_recording_are_errors() -> Iterator[None]:
    from autograd_lab.torch_bridge import recorder

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
