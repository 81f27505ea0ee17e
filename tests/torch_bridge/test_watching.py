"""Watching changes nothing: programs return, print, warn and raise inside a recording what they do without it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from random import Random
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402 - wants torch
from hypothesis import strategies as st  # noqa: E402 - wants torch

from autograd_lab import record  # noqa: E402 - wants torch
from tests.differential.compare import Difference, differences  # noqa: E402 - wants torch
from tests.differential.grammar import program_of  # noqa: E402 - wants torch
from tests.differential.observe import Facts, Numbers  # noqa: E402 - wants torch
from tests.differential.program import seen  # noqa: E402 - wants torch
from tests.differential.world import World  # noqa: E402 - wants torch
from tests.models import MODELS  # noqa: E402 - wants torch
from tests.programs import PROGRAMS  # noqa: E402 - wants torch
from tests.snippets import printed, programs  # noqa: E402 - wants torch
from tests.stories import PROGRAMS as STORIES  # noqa: E402 - wants torch
from tests.torch_bridge.watching import assert_unchanged, strictly  # noqa: E402 - wants torch

torch.set_num_threads(1)
SEEN = {
    "nodes_take_notes": "a node's metadata shows the recorder's mark while a recording lasts",
    "metadata": "a node's metadata shows the recorder's mark while a recording lasts",
    "batched_products_take_the_steps_of_pytorch": "torch takes another view of two equal ones while a mode is on",
}
"""The programs that can tell that they are recorded, and how. Each of them must: else it goes from here."""
SNIPPETS = programs("semantics.md") | programs("facts.md") | programs("autograd.md") | programs("errors.md")


def unless_seen(name: str, program: Callable[[], Any]) -> None:
    if name not in SEEN:
        assert_unchanged(program)
        return
    with pytest.raises(AssertionError):
        assert_unchanged(program)


@pytest.mark.parametrize("name", STORIES)
def test_a_story_ends_the_same_when_it_is_recorded(name: str) -> None:
    assert_unchanged(lambda: STORIES[name](torch))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_tells_the_same_when_it_is_recorded(program: Callable[[Any], Any]) -> None:
    unless_seen(program.__name__, lambda: program(torch))


@pytest.mark.parametrize("title", SNIPPETS)
def test_a_snippet_prints_the_same_when_it_is_recorded(title: str) -> None:
    unless_seen(title, lambda: printed(torch, SNIPPETS[title]))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_trains_to_the_same_bits_when_it_is_recorded(name: str) -> None:
    def two_steps() -> Any:
        step = MODELS[name](torch)
        return step(), step(), [(one, one.grad, one._version) for one in step.model.parameters()]

    assert_unchanged(two_steps)


# --- random programs, all that can be seen of them after each line --------------------------------------------------

OTHER_WAYS = {"version", "grad.version", "rank"}
"""What torch itself does otherwise where it asks whether a mode is on; see the limits in docs/internals/bridge.md."""
REARRANGED = ("reshape", "flatten(", "kron(", "tensordot(", "einsum(", "prod(")
INSIDE_OF_TORCH = ("inner(", "linear(", "one_hot(", "max_pool1d(", *REARRANGED)
"""Functions inside of which torch asks that."""
ALIAS = "ReshapeAliasBackward0"
"""What `reshape` inside of other functions, such as a product of matrices in batches, records as a view then."""


class Bits:
    """Numbers agree if they are the same to the last bit."""

    same_bits, out_of_hand, slack = True, False, 0.0

    def agree(self, one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
        return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()


def facts_of(lines: tuple[str, ...], watched: bool) -> list[Facts]:
    torch.manual_seed(0)
    world = World(torch)
    with record() if watched else nullcontext():
        return [seen(world, line, True) for line in lines]


def changes(lines: tuple[str, ...]) -> list[Difference]:
    """What is to be seen after the first line after which it is not the same in a recording."""
    with strictly():
        without, within = facts_of(lines, False), facts_of(lines, True)
    for number, (one, other) in enumerate(zip(without, within, strict=True), 1):
        found = differences(lines[:number], other, one, Bits())  # type: ignore[arg-type]
        found = [each for each in found if each.aspect not in OTHER_WAYS]
        if found:
            return found if not any(ALIAS in str(each) for each in found) else []
    return []


@settings(max_examples=200, derandomize=True, database=None, deadline=None)
@given(st.integers(0, 10**9))
def test_random_programs_are_the_same_line_by_line_when_they_are_recorded(seed: int) -> None:
    lines = program_of(Random(seed)).lines
    if not any(way in line for line in lines for way in INSIDE_OF_TORCH):
        found = changes(lines)
        assert not found, "\n".join([*lines, *map(str, found[:4])])


def test_a_change_would_be_found() -> None:
    lines = ("a = torch.ones(2)", "b = len([1 for _ in range(torch._C._len_torch_function_stack())])")
    assert [one.subject for one in changes(lines)] == ["b"]
    assert not Bits().agree(np.zeros(1), -np.zeros(1)) and isinstance(Numbers(np.zeros(1)), Numbers)


# --- memory ---------------------------------------------------------------------------------------------------------


def deaths(watched: bool) -> list[Any]:
    """Who is gone after each line of a program: tensors, a node, the graph."""
    found: list[Any] = []
    refs: dict[str, weakref.ref[Any]] = {}

    def note(line: str) -> None:
        found.append([line, *[name for name, ref in refs.items() if ref() is None]])

    with record() if watched else nullcontext():
        x = torch.ones(1000, requires_grad=True)
        middle = x * 2
        refs["middle"], refs["its node's slot"] = weakref.ref(middle), weakref.ref(middle)
        late = middle.exp()
        refs["late"] = weakref.ref(late)
        loss = late.sum()
        refs["loss"] = weakref.ref(loss)
        note("forward")
        del middle, late
        note("names dropped")
        loss.backward()
        note("backward")
        gradient = x.grad
        refs["gradient"] = weakref.ref(gradient)
        del loss
        note("loss dropped")
        x.grad = None
        del gradient
        note("gradient dropped")
        refs["x"] = weakref.ref(x)
        del x
        note("leaf dropped")
    return found


def test_tensors_die_at_the_same_lines_when_they_are_recorded() -> None:
    gc.disable()
    try:
        with strictly():
            assert deaths(True) == deaths(False)
    finally:
        gc.enable()


def living() -> int:
    """The bytes of all storages that tensors known to Python lie in."""
    plain = (torch.Tensor, torch.nn.Parameter)  # a compiler keeps others, which have no memory
    tensors = [one for one in gc.get_objects() if type(one) in plain and not one.is_sparse and one.device.type == "cpu"]
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}.values())


def test_a_loop_of_training_holds_no_more_memory_at_each_step_when_it_is_recorded() -> None:
    def sizes(watched: bool, steps: int = 2) -> list[int]:  # the second step shows what grows with each
        step = MODELS["resnet18"](torch) if "resnet18" in MODELS else next(iter(MODELS.values()))(torch)
        found = []
        gc.collect()
        before = living()
        with record() if watched else nullcontext():
            for _ in range(steps):
                step()
                found.append(living() - before)
        return found

    with strictly():
        sizes(False, 1)  # what torch keeps from the first time on
        assert sizes(True) == sizes(False)


def test_nothing_of_ours_lies_on_nodes_and_tensors_after_a_recording() -> None:
    with strictly(), record():
        x = torch.ones(3, requires_grad=True)
        y = (x * 2).sin()
    assert not y.__dict__ and not x.__dict__ and not y.grad_fn.metadata
    assert not y.grad_fn.next_functions[0][0].metadata


def test_what_is_saved_is_the_very_tensor_when_it_is_recorded() -> None:
    with strictly(), record():
        x = torch.ones(3, requires_grad=True)
        y = x.sin()
        assert y.grad_fn._saved_self is x
        y.sum().backward()
        first = x.grad
        x.sin().sum().backward()
        assert x.grad is first


# --- errors ---------------------------------------------------------------------------------------------------------


def test_after_an_error_no_mode_and_no_hook_is_left() -> None:
    def stale() -> Any:
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        y.add_(1)
        y.sum().backward()

    def twice() -> Any:
        y = torch.ones(3, requires_grad=True).exp().sum()
        y.backward()
        y.backward()

    def inside_a_hook() -> Any:
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: 1 / 0)
        y.sum().backward()

    for wrong, word in ((stale, "inplace"), (twice, "second time"), (inside_a_hook, "ZeroDivision")):
        assert word in assert_unchanged(wrong)["raised"]


def test_recordings_inside_each_other_change_nothing() -> None:
    def nested() -> Any:
        x = torch.ones(3, requires_grad=True)
        with record():
            y = x * 2
            with record():
                y.sum().backward()
        return x.grad, x.grad._version

    assert_unchanged(nested)


def test_a_recording_inside_of_another_sees_clipping_and_steps_as_one_alone_does() -> None:
    def train() -> None:
        w = torch.tensor([3.0, 4.0], requires_grad=True)
        step = torch.optim.SGD([w], 0.1, momentum=0.9)
        for _ in range(2):
            step.zero_grad()
            (w * w).sum().backward()
            torch.nn.utils.clip_grad_norm_([w], 1.0)
            step.step()

    with record() as alone:
        train()
    with record() as outer, record() as inner:
        train()
    told = [[(event.kind, getattr(event, "op", "")) for event in trace.events] for trace in (alone, outer, inner)]
    assert told[0] == told[1] == told[2]
    assert ("tensor_modified", "mul_") in told[0]
