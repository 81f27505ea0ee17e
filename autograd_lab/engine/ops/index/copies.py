"""The views of `torch` as functions that copy: `torch.select_copy` is `torch.select` in memory of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.apply import apply1, apply_many, apply_view
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.modes.grad_mode import enabled
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.dims import checked_dim
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.ops.shape import arranging, diagonals, joining, slicing, views

View = Callable[..., Any]


def _seen(view: View, x: Array, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Node | None]:
    """What a view shows of an array, and the node that it would have; nobody is told of it."""
    floating = x.dtype.kind in "fV"
    before, carry = enabled.set(True), seams.carry
    seams.carry = None
    try:
        with listening.paused():
            found = view(wrap(x, floating), *given, **named)
    finally:
        enabled.reset(before)
        seams.carry = carry
    parts = tuple([one._array for one in found]) if isinstance(found, tuple) else found._array
    first = found[0] if isinstance(found, tuple) and found else found
    return parts, edge_of(first)[0] if floating and first != () and first._needs else None


@cache
def _copying(cls: Any) -> Any:
    """The node of a view, as that of a copy of what it shows."""

    def forward(self: Any, x: Array, view: View, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        parts, node = _seen(view, x, given, named)
        for name in {slot for base in cls.__mro__ if base not in Node.__mro__ for slot in vars(base)["__slots__"]}:
            setattr(self, name, getattr(node, name))
        return tuple([part.copy() for part in parts]) if isinstance(parts, tuple) else parts.copy()

    name = f"{cls.__name__}_copy"
    return type(cls)(name, (cls,), {"forward": forward, "__doc__": cls.__doc__, "op": f"{cls.op}_copy"})


def copying(name: str, view: View) -> View:
    """The function that gives copies of what a view shows."""

    def call(input: Any, *given: Any, **named: Any) -> Any:
        only_tensors(name, input)
        parts, node = _seen(view, input._array, given, named)
        several = isinstance(parts, tuple)
        if node is None:
            copies = tuple(wrap(part.copy()) for part in (parts if several else (parts,)))
            if listening.active is not None:
                listening.active.op_applied(None, name, (input,), copies)
            return copies if several else copies[0]
        return (apply_many if several else apply1)(
            _copying(type(node)), [input] if several else input, view, given, named
        )

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{view.__doc__}\n\nIn memory of its own."
    return call


def _alias(input: Any) -> Any:
    """All of a tensor."""
    return apply_view(views.AliasBackward0, input)


def _slice(input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """Every `step`-th entry along a dimension, from `start` to before `end`."""
    if not input._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(input, dim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return apply_view(slicing.SliceBackward0, input, dim, start, end, step)


def _permute(input: Any, dims: Any) -> Any:
    """A tensor with its dimensions in another order."""
    return views.permute(input, dims)


def _split(input: Any, split_size: int, dim: int = 0) -> Any:
    """Stretches of one length along a dimension."""
    return joining.split(input, split_size, dim)


def _split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Stretches of given lengths along a dimension."""
    return joining.split(input, tuple(split_sizes), dim)


def _expand(input: Any, size: Any, *, implicit: bool = False) -> Any:
    """A tensor repeated along new or one-element dimensions."""
    return views.expand(input, tuple(size))


def _view(input: Any, size: Any = None, dtype: Any = None) -> Any:
    """The elements in another shape, or dtype."""
    return views.view(input, size if dtype is None else dtype)


VIEWS: dict[str, View] = {
    "alias": _alias, "as_strided": views.as_strided, "diagonal": diagonals.diagonal, "expand": _expand,
    "permute": _permute, "select": slicing.select, "slice": _slice, "split": _split,
    "split_with_sizes": _split_with_sizes, "squeeze": views.squeeze, "t": views.t, "transpose": views.transpose,
    "unbind": joining.unbind, "unfold": arranging.unfold, "unsqueeze": views.unsqueeze, "view": _view,
}  # fmt: skip
COPIES = {f"{name}_copy": copying(f"{name}_copy", view) for name, view in VIEWS.items()}


class DetachCopy(Undifferentiable):
    """All of a tensor, copied, of which PyTorch does not know that it has no gradient."""

    op = "detach_copy"

    def forward(self, x: Array) -> Array:
        return np.array(x)


def detach_copy(input: Any) -> Any:
    """A copy, through which gradients are refused."""
    return apply1(DetachCopy, input)


COPIES["detach_copy"] = detach_copy
