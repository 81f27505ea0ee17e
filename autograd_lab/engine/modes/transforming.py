"""Which functions run that `torch.func` transforms: some ways to change the graph by hand are refused inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

INSTEAD = (
    "inside of a function being transformed by a functorch transform. This is unsupported, please attempt to use the "
    "functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call {}() outside of a function being "
    "transformed instead."
)
REQUIRES_GRAD = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
    + INSTEAD.format("requires_grad_")
)
RETAIN_GRAD = "You are attempting to call Tensor.retain_grad() " + INSTEAD.format("retain_grad")
BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)
SETUP_CONTEXT = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
SAVED_TENSORS_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)

_inside: ContextVar[str] = ContextVar("inside_a_transform", default="")
inside_a_transform: Callable[[], str] = _inside.get
"""By what a function that runs is being transformed, or nothing."""


@contextmanager
def transformed(by: str = "a derivative") -> Iterator[None]:
    """Inside, a transform calls the user's function."""
    token = _inside.set(by)
    try:
        yield
    finally:
        _inside.reset(token)


_mapping: ContextVar[bool] = ContextVar("inside_of_vmap", default=False)
inside_vmap: Callable[[], bool] = _mapping.get
"""Whether a function runs for one example of many, or for one tangent."""


@contextmanager
def by_vmap() -> Iterator[None]:
    """Inside, `vmap` calls the user's function, or what PyTorch computes by it does."""
    token = _mapping.set(True)
    try:
        yield
    finally:
        _mapping.reset(token)


def left_alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, in which nothing is refused, whatever transforms it."""

    @wraps(function)
    def alone(*args: Any) -> Any:
        token = _inside.set("")
        try:
            return function(*args)
        finally:
            _inside.reset(token)

    return alone


def refuse(message: str) -> None:
    """Raise RuntimeError inside of a function that is being transformed."""
    if _inside.get():
        raise RuntimeError(message)
