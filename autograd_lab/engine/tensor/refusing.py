"""Methods that tell of wrong arguments as PyTorch does: those that take tensors beside their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograd_lab.engine.errors.signatures import refusal, signatures_of


def give_errors(cls: type) -> None:
    """Have the methods of a class that take tensors tell of what is none. The others cost what they did."""
    for name in dir(cls):
        method = getattr(cls, name)
        if name[0] != "_" and isinstance(method, FunctionType) and _takes_tensors(f"Tensor.{name}"):
            setattr(cls, name, _checked(method, f"Tensor.{name}"))


def _takes_tensors(name: str) -> bool:
    parameters = [one for signature in signatures_of(name) for one in signature.parameters]
    return any("Tensor" in one.kind and one.name != "out" for one in parameters)


def _checked(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **named: Any) -> Any:
        try:
            if (made := method(*args, **named)) is not NotImplemented:
                return made
        except Exception:
            if (told := refusal(name, args[1:], named)) is None:
                raise
            raise told from None
        raise refusal(name, args[1:], named) or TypeError(f"{method.__name__}(): no such arguments")

    return call
