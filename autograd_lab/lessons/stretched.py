"""What was stretched in forward is added up in backward: the run, and the judges, of the tasks of lesson 6 about it."""

from __future__ import annotations

from math import prod
from typing import Any

from autograd_lab.events import OpApplied, TensorCreated
from autograd_lab.lessons.exercise import first_line
from autograd_lab.lessons.moments import program
from autograd_lab.lessons.world import world_of
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace

SPREAD = """\
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
s = torch.tensor(2.0, requires_grad=True)
b = torch.tensor([0.0, 1.0], requires_grad=True)
y = x * s + b
loss = y.sum()
loss.backward()
"""


def spread_out() -> Trace:
    """A run in which a number and a row are stretched over a table."""
    return program(SPREAD)


def wrong_leaves(names: list[str], trace: Trace) -> str:
    """What is wrong with the leaves that somebody says were stretched."""
    made = [event.tensor for event in trace if isinstance(event, TensorCreated)]
    leaves = {tensor.name: tensor.shape for tensor in made if tensor.requires_grad}
    given = {name.partition(".")[0] for name in names}
    if strange := given - leaves.keys():
        return f"{min(strange)} is no leaf of this graph."
    table = max(leaves.values(), key=len)
    wanted = {name for name, shape in leaves.items() if shape != table}
    if spare := given - wanted:
        return f"{min(spare)} has the shape of what arrives: nothing is added up for it."
    return "" if given == wanted else f"{len(wanted - given)} more: compare its shape with that of y."


SHAPES = [((4, 3), (3,)), ((4, 3), (4, 1)), ((4, 3), ()), ((2, 4, 3), (1, 3)), ((4, 3), (4, 3)), ((2, 1, 3), (1, 1))]
"""Shapes of results, and of operands that were stretched to them."""


def wrong_unbroadcast(unbroadcast: Any) -> str:
    """What is wrong with a function that adds a gradient up to a shape."""
    if not callable(unbroadcast):
        return "The answer should be a function of a gradient and a shape."
    torch = world_of(unbroadcast)
    for result, operand in SHAPES:
        weights = torch.arange(float(prod(result))).reshape(result) + 1.0
        stretched = torch.zeros(operand, requires_grad=True)
        (stretched * torch.ones(result) * weights).sum().backward()
        try:
            found = unbroadcast(weights, operand)
        except Exception as error:
            return f"For {result} to {operand} it stops: {type(error).__name__}: {first_line(error)}"
        if not torch.is_tensor(found) or tuple(found.shape) != operand:
            return f"For {result} to {operand} it gives {_described(found)}."
        if not torch.allclose(found, stretched.grad):
            return f"For {result} to {operand} the shape is right, the numbers are not those of backward."
    return ""


def _described(found: Any) -> str:
    shape = getattr(found, "shape", None)
    return f"the shape {tuple(shape)}" if shape is not None else f"a {type(found).__name__}"


PREDICTIONS, TARGETS = [1.0, 2.0, 3.0, 5.0], [1.5, 2.0, 2.0, 4.0]


def wrong_mse(mse: Any) -> str:
    """What is wrong with a mean squared error, in its value, on its way, or in its gradient."""
    if not callable(mse):
        return "The answer should be a function of pred and target."
    torch = world_of(mse)
    pred = torch.tensor([[value] for value in PREDICTIONS], requires_grad=True)
    target, count = torch.tensor(TARGETS), len(TARGETS)
    try:
        with record() as run:
            loss = mse(pred, target)
            loss.backward()
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if (large := _largest(run)) > count:
        return f"On the way there is a tensor of {large} entries, for {count} predictions."
    differences = [p - t for p, t in zip(PREDICTIONS, TARGETS, strict=True)]
    if abs(loss.item() - sum(d * d for d in differences) / count) > 1e-5:
        return "That is not the mean of the squared differences."
    wanted = torch.tensor([[2 * d / count] for d in differences])
    right = pred.grad is not None and torch.allclose(pred.grad, wanted)
    return "" if right else "The value is right, but pred.grad is not what calculus says."


def _largest(run: Trace) -> int:
    """How many entries the largest tensor of a run has."""
    made = [tensor for event in run if isinstance(event, OpApplied) for tensor in event.outputs]
    return max((prod(tensor.shape) for tensor in made), default=0)
