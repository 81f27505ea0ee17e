"""Nodes that stand where there is no history: one raises when a gradient comes to it, one sends none on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.core.node import Node


class Error(Node):
    """Raises RuntimeError when it is asked for a gradient."""

    many = True
    __slots__ = ("_message",)

    def name(self) -> str:
        """The name that PyTorch gives it, with its namespace."""
        return "torch::autograd::Error"

    def forward(self, *arrays: Any) -> Any:
        *given, self._message = arrays
        return tuple([one.view() for one in given if one is not None])

    def backward(self, g: Any) -> Any:
        raise RuntimeError(self._message)


class UndefinedGradBackward(Node):
    """Sends no gradient on."""

    many = True

    def name(self) -> str:
        """The name that PyTorch gives it, with its namespace."""
        return "torch::autograd::UndefinedGradBackward"

    def forward(self, *arrays: Any) -> Any:
        return tuple([one.view() for one in arrays])

    def backward(self, g: Any) -> Any:
        return (None,) * len(self.next_functions)


def refused(message: str, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """The tensors, of which each that is not None raises RuntimeError when backward comes to it."""
    made = iter(apply_many(Error, tensors, message))
    return tuple([None if one is None else next(made) for one in tensors])


class DelayedError:
    """`DelayedError(message, count)(*tensors)` gives tensors whose backward raises RuntimeError."""

    def __init__(self, message: str, num_inputs: int) -> None:
        self.message, self.count = message, num_inputs

    def __call__(self, *tensors: Any) -> Any:
        made = refused(self.message, tensors)
        return made[0] if len(made) == 1 else made


class UndefinedGrad:
    """`UndefinedGrad()(*tensors)` gives tensors whose gradients get lost."""

    def __call__(self, *tensors: Any) -> Any:
        made = apply_many(UndefinedGradBackward, tensors)
        return made[0] if len(made) == 1 else made
