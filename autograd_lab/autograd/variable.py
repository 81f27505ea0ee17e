"""`Variable`, as tensors that require gradients were once called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.engine.core.variable import Variable as State
from autograd_lab.engine.exact.callbacks import queue_callback
from autograd_lab.engine.tensor.former import NO_EFFECT, warn

__all__ = ["Variable"]


class VariableMeta(type):
    """Takes every tensor for a `Variable`."""

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, State)


class ImperativeEngine:
    """What programs ask of the engine itself."""

    def queue_callback(self, callback: Callable[[], Any]) -> None:
        """Have a function called at the end of the backward pass that runs. Raises RuntimeError if none does."""
        queue_callback(callback)


class Variable(metaclass=VariableMeta):
    """`Variable(tensor, requires_grad)` is a tensor on the same memory, a leaf."""

    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            warn(NO_EFFECT)
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        return data.detach().requires_grad_(bool(requires_grad))
