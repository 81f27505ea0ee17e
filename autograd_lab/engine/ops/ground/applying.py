"""Two more ways to apply an op: as a function of one tensor, and with arrays that are made for backward alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.apply import apply1, link
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.exact.elementless import beside
from autograd_lab.engine.numbers.quiet import QUIET, quieten

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

_new: Any = object.__new__


def function(cls: type[Node]) -> Callable[[Tensor], Tensor]:
    """The function of one tensor that applies an op."""

    def apply(input: Tensor) -> Tensor:
        return apply1(cls, input)

    apply.__name__ = apply.__qualname__ = cls.op
    apply.__doc__ = cls.__doc__
    apply.__module__ = cls.__module__  # where it is found, for pickles
    return apply


def apply_keeping(cls: type[Node], tensors: Sequence[Any], *args: Any) -> Tensor:
    """The result of an op whose forward also gives arrays that are only saved, as if they were its last inputs."""
    return apply_with_kept(cls, tensors, *args)[0]


def apply_with_kept(cls: type[Node], tensors: Sequence[Any], *args: Any) -> tuple[Any, ...]:
    """The same, and what is only saved."""
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    node = _new(cls)
    made, *kept = node.forward(*[None if tensor is None else tensor._array for tensor in tensors], *args)
    out = wrap(made)
    saved = tuple(map(wrap, kept))
    operands = (*tensors, *saved)
    recorded = link(node, operands, (out,))
    if listening.active is not None:
        listening.told(node, recorded, tuple(tensors), (out,))
    if seams.carry is not None:
        count = len(tensors)
        operands = (*tensors, *(beside(array, *(one for one in tensors if one is not None)) for array in kept))
        seams.carry(node, operands, (out,), lambda operands: (apply_keeping(cls, operands[:count], *args),))
    return out, *saved
