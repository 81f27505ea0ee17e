"""`torch.library`: operators of a program's own, made of Python functions, and how gradients go back through them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from autograd_lab.autograd.function import Function

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake", "register_kernel"]

Python = Callable[..., Any]
KNOWN: dict[str, CustomOpDef] = {}
"""All such operators of the program, by their names."""


class CustomOpDef:
    """An operator that is a Python function: to autograd one node, whatever the function does inside."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, qualname: str, function: Python) -> None:
        self._qualname, self._function = qualname, function
        self._namespace, _, self._name = qualname.partition("::")
        self._signature = inspect.signature(function)
        self._backward: Python | None = None
        self._setup_context: Python | None = None
        name = f"GeneratedBackwardFor_{self._namespace}_{self._name}_default"
        methods = {"forward": staticmethod(self._forward), "backward": self._pulled_back()}
        self._node: Any = type(name, (Function,), methods)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        given = self._signature.bind(*args, **named)
        given.apply_defaults()
        return self._node.apply(*given.args, *given.kwargs.values())

    def _forward(self, ctx: Any, *args: Any) -> Any:
        made = self._function(*args)
        if self._setup_context is not None:
            self._setup_context(ctx, args, made)
        return made

    def _pulled_back(self) -> Any:
        def backward(ctx: Any, *gradients: Any) -> Any:
            if self._backward is None:
                raise RuntimeError(
                    f"Trying to backward through {self._namespace}.{self._name}.default but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )
            return self._backward(ctx, *gradients)

        return staticmethod(backward)

    def register_autograd(self, backward: Python, /, *, setup_context: Python | None = None) -> None:
        """Say how gradients go back through it, and what `setup_context` keeps for that."""
        self._backward, self._setup_context = backward, setup_context

    def register_fake(self, fn: Python, /) -> Python:
        """What a compiler would ask of the shapes of its results. It is not needed here."""
        return fn

    def register_kernel(self, device_types: Any, fn: Python | None = None, /) -> Any:
        """The function for some kinds of device: it takes the place of the first one where that is the CPU."""
        if fn is None:
            return lambda fn: self.register_kernel(device_types, fn)
        if device_types is None or "cpu" in ([device_types] if isinstance(device_types, str) else device_types):
            self._function = fn
        return fn


def custom_op(
    name: str, fn: Python | None = None, /, *, mutates_args: Any, device_types: Any = None, schema: str | None = None,
    tags: Any = None,
) -> Any:  # fmt: skip
    """The function as an operator, which is at `torch.ops`, too; without a function, a decorator.

    >>> import autograd_lab as torch
    >>> @torch.library.custom_op("mine::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 2
    >>> twice(torch.ones(2)), torch.ops.mine.twice(torch.ones(1))
    (tensor([2., 2.]), tensor([2.]))
    """
    if fn is None:
        return lambda fn: custom_op(name, fn, mutates_args=mutates_args, device_types=device_types, schema=schema)
    made = KNOWN[name] = CustomOpDef(name, fn)
    return made


def _called(op: Any) -> CustomOpDef:
    """The operator of a name. Raises RuntimeError if the program has made none of that name."""
    if isinstance(op, CustomOpDef):
        return op
    if op not in KNOWN:
        raise RuntimeError(f"operator {op} does not exist")
    return KNOWN[op]


def register_autograd(op: Any, backward: Python, /, *, setup_context: Python | None = None, lib: Any = None) -> None:
    """Say how gradients go back through an operator. Raises RuntimeError unless it is the program's own."""
    _called(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Python | None = None, /, **named: Any) -> Any:
    """What a compiler would ask of an operator. It is not needed here. Raises RuntimeError as `register_autograd`."""
    return _called(op).register_fake if func is None else _called(op).register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Python | None = None, /, *, lib: Any = None) -> Any:
    """The function of an operator for some kinds of device. Raises RuntimeError as `register_autograd`."""
    return _called(op).register_kernel(device_types, func)
