"""B: write code whose graph has the shape of a target, whatever its ids and names. D: mend code, in stages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from autograd_lab.lessons.differences import disagreement
from autograd_lab.lessons.exercise import Exercise, Judge, told
from autograd_lab.lessons.graphs import Shape, difference, shape_of
from autograd_lab.lessons.registry import declare
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.world import world_of

Function = Callable[..., Any]


def build(
    id: str, text: str, target: Function, *, inputs: Sequence[float], hints: Sequence[str], after: str = ""
) -> None:
    """Declare an exercise whose answer is a function of as many tensors as there are `inputs`.

    Its graph must be like that of `target(torch, *tensors)`, and its value the same.
    """

    def judge(answer: Any) -> str:
        if not callable(answer):
            return worded("The answer should be a function.")
        torch = world_of(answer)
        mine, lost = _watched(answer, leaves(torch, inputs))
        wanted = target(torch, *leaves(torch, inputs))
        if mine is None:
            return worded("Your function returns nothing: is there a `return`?")
        if not torch.is_tensor(mine):
            return lost or worded("Your function should return a tensor, not {kind}.", kind=type(mine).__name__)
        if wrong := difference(shape_of(mine), shape_of(wanted)):
            return lost or wrong
        if torch.allclose(mine, wanted):
            return ""
        return worded("The shape is right, the value is not. Look again which input goes where.")

    declare(Exercise(id, text, judge, tuple(hints), after))


def _watched(answer: Function, inputs: Sequence[Any]) -> tuple[Any, str]:
    """What a function gives, and what is said where a tensor became a plain number in it, as PyTorch warns."""
    with warnings.catch_warnings(record=True) as told_of:
        warnings.simplefilter("always")
        mine = answer(*inputs)
    if not any("Converting a tensor with requires_grad=True to a scalar" in str(each.message) for each in told_of):
        return mine, ""
    says = (
        "On the way a tensor became a plain number, and of that nothing is recorded: `math.sin` does so, `torch.sin` "
        "not."
    )
    return mine, worded(says)


def debug(id: str, text: str, *stages: Judge, hints: Sequence[str], after: str = "") -> None:
    """Declare an exercise whose answer passes one stage after the other; the first that fails says why."""

    def judge(answer: Any) -> str:
        return next((wrong for stage in stages if (wrong := stage(answer))), "")

    declare(Exercise(id, text, judge, tuple(hints), after))


def leaves(torch: Any, inputs: Sequence[float]) -> list[Any]:
    """Leaves of a world that want a gradient."""
    return [torch.tensor(float(value), requires_grad=True) for value in inputs]


def runs(*inputs: float) -> Judge:
    """A stage: the answer is a function that gives a tensor of one number for these inputs."""

    def judge(answer: Any) -> str:
        if not callable(answer):
            return worded("The answer should be a function.")
        torch = world_of(answer)
        try:
            found = answer(*leaves(torch, inputs))
        except Exception as error:
            return worded("It does not run: {error}", error=told(error))
        if not torch.is_tensor(found) or found.numel() != 1:
            return worded("It should return a tensor of one number.")
        return ""

    return judge


def agrees_with_differences(*inputs: float, of: Function | None = None) -> Judge:
    """A stage: the gradients that `backward` gives agree with finite differences of the answer, or of `of(*floats)`."""

    def judge(answer: Any) -> str:
        torch = world_of(answer)
        tensors = leaves(torch, inputs)
        answer(*tensors).backward()
        if missing := [n for n, each in enumerate(tensors, 1) if each.grad is None]:
            says = "After backward input {number} has no .grad: no path leads from the result to it."
            return worded(says, number=missing[0])

        def value(*floats: float) -> float:
            return float(answer(*leaves(torch, floats)).detach())

        return disagreement([float(each.grad) for each in tensors], of or value, inputs)

    return judge


def graph_holds(says: str, holds: Callable[[Shape], bool], *inputs: float) -> Judge:
    """A stage: the graph behind the result has a property; `says` is the complaint if it has not."""

    def judge(answer: Any) -> str:
        return "" if holds(shape_of(answer(*leaves(world_of(answer), inputs)))) else says

    return judge
