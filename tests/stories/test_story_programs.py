"""The stories end alike in the engine and in real PyTorch: what they return, print, warn of and raise."""

from __future__ import annotations

import inspect
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab
from tests.snippets import first_line
from tests.stories import PROGRAMS, TOPICS, Story, stories_of
from tests.worlds import is_alike, said

torch = pytest.importorskip("torch")
pytest.importorskip("torch.utils.checkpoint")

from tests.stories.random_programs import random_program  # noqa: E402 - wants PyTorch

NUMPYS = "RuntimeWarning: "
"""Begins numpy's warnings of infinities, which PyTorch does not give."""


@pytest.fixture(autouse=True)
def warnings_each_time() -> Iterator[None]:
    """PyTorch gives some warnings only once in a process, unless asked."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


def told(module: Any, story: Story) -> Any:
    """What a story returns or raises, what it warns of, and what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        found, warned = said(module, story)
    own = [first_line(text) for text in warned if not text.startswith(NUMPYS)]
    return found, own, printed.getvalue()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_story_ends_alike_in_both_worlds(name: str) -> None:
    ours, theirs = told(autograd_lab, PROGRAMS[name]), told(torch, PROGRAMS[name])
    assert is_alike(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_story_is_the_same_when_told_again(name: str) -> None:
    assert told(autograd_lab, PROGRAMS[name]) == told(autograd_lab, PROGRAMS[name])


def test_there_are_many_stories_of_every_topic_and_each_is_short() -> None:
    assert len(PROGRAMS) >= 180
    assert all(len(stories_of(topic)) >= 8 for topic in TOPICS)
    assert all(len(inspect.getsource(story).splitlines()) <= 36 for story in PROGRAMS.values())


def test_stories_take_the_module_that_they_call_torch() -> None:
    assert all(list(inspect.signature(story).parameters) == ["torch"] for story in PROGRAMS.values())


def ran(module: Any, text: str) -> list[Any]:
    """What a program made, which mistakes it caught, and which one ended it."""
    names: dict[str, Any] = {"torch": module}
    printed = io.StringIO()
    ended = ""
    with warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, "<story>", "exec"), names)
        except Exception as error:
            ended = type(error).__name__
    shapes = [(name, thing.shape) for name, thing in names.items() if isinstance(thing, module.Tensor)]
    return [printed.getvalue(), ended, shapes]


@settings(max_examples=100, derandomize=True, database=None, deadline=None)
@given(st.integers(0, 10**9))
def test_a_random_story_ends_alike_in_both_worlds(seed: int) -> None:
    text = random_program(Random(seed))
    assert text == random_program(Random(seed))
    assert ran(autograd_lab, text) == ran(torch, text), text


def test_gradients_flow_in_most_random_stories_and_something_else_happens_in_many() -> None:
    texts = [random_program(Random(seed)) for seed in range(200)]
    goes_back = re.compile(r"^(?! ).*(backward|autograd\.grad)\(", re.MULTILINE)
    assert sum(goes_back.search(text) is not None for text in texts) > 170
    for sign in ("try:", "no_grad", "retain_graph", "_hook(", "_(", "[0]"):
        assert sum(sign in text for text in texts) > 20, sign
