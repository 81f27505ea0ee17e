"""Parts of a tensor, in the same memory: one entry along a dimension, or some of them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_view
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.dims import checked_dim, real_dim
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["narrow", "select"]

LAST = 2**63 - 1
"""How PyTorch writes the end of a slice that has none."""


class Indexed(Linear):
    """A part of the input: the gradient is put where the part was, among zeros."""

    __slots__ = ("self_sym_sizes",)

    def where(self) -> Any:
        """The part, as an index."""
        raise NotImplementedError

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return apply1(self.placed, g, self.where(), self.self_sym_sizes, self.facts())
        whole = np.zeros(self.self_sym_sizes, g.dtype)
        whole[self.where()] = g
        return whole

    def facts(self) -> dict[str, Any]:
        """What says in the graph of a gradient which part it is."""
        return {name: value for name, value in self.attributes().items() if name != "self_sym_sizes"}


class Placed(Linear):
    """Zeros, but for a part, inside the graph of a gradient: the gradient is that part."""

    __slots__ = ("_facts", "_where")

    def forward(self, g: Array, where: Any, shape: tuple[int, ...], facts: dict[str, Any]) -> Array:
        self._where, self._facts = where, facts
        whole = np.zeros(shape, g.dtype)
        np.add.at(whole, where, g)
        return whole

    def backward(self, h: Any) -> Any:
        return h[self._where]

    def attributes(self) -> dict[str, Any]:
        """What says which part it is."""
        return self._facts


class SelectBackwardBackward0(Placed):
    """Zeros, but for one entry along a dimension."""


class SliceBackwardBackward0(Placed):
    """Zeros, but for some entries along a dimension."""


class SelectBackward0(Indexed):
    """One entry along a dimension, which is thereby gone."""

    __slots__ = ("dim", "index")
    placed = SelectBackwardBackward0

    def forward(self, x: Array, dim: int, index: int) -> Array:
        self.dim, self.index, self.self_sym_sizes = dim, index, x.shape
        return x[(*self.where(), ...)]

    def where(self) -> tuple[Any, ...]:
        return (*(slice(None),) * (self.dim % len(self.self_sym_sizes)), self.index)


class SliceBackward0(Indexed):
    """Every `step`-th entry along a dimension, from `start` to before `end`."""

    __slots__ = ("dim", "end", "start", "step")
    placed = SliceBackwardBackward0

    def forward(self, x: Array, dim: int, start: int, end: int, step: int) -> Array:
        self.dim, self.start, self.end, self.step, self.self_sym_sizes = dim, start, end, step, x.shape
        return x[self.where()]

    def where(self) -> tuple[Any, ...]:
        return (*(slice(None),) * (self.dim % len(self.self_sym_sizes)), slice(self.start, self.end, self.step))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One entry along a dimension, which is thereby gone."""
    if not input._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(input, dim)
    size = input._array.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._array.shape)} at dimension "
            f"{real_dim(input, dim)}"
        )
    return apply_view(SelectBackward0, input, dim, operator.index(index))


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` entries along a dimension, from `start` on."""
    if not input._array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(input, dim)
    size = input._array.shape[dim]
    if isinstance(start, Variable):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start %= size + (start == size)
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return apply_view(SliceBackward0, input, dim, start, start + length, 1)


class NarrowCopyBackward0(Indexed):
    """`length` entries along a dimension, from `start` on, in new memory."""

    __slots__ = ("dim", "length", "start")
    placed = SliceBackwardBackward0

    def forward(self, x: Array, dim: int, start: int, length: int) -> Array:
        self.dim, self.start, self.length, self.self_sym_sizes = dim, start, length, x.shape
        return x[self.where()].copy()

    def where(self) -> tuple[Any, ...]:
        return (*(slice(None),) * (self.dim % len(self.self_sym_sizes)), slice(self.start, self.start + self.length))

    def facts(self) -> dict[str, Any]:
        return {"dim": self.dim, "start": self.start, "end": self.start + self.length, "step": 1}


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`length` entries along a dimension, from `start` on, in new memory."""
    if input._array.ndim and dim >= input._array.ndim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0 and input._array.ndim:
        size = input._array.shape[checked_dim(input, dim)]
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    narrow(input.detach(), dim, start, length)  # which says what is wrong with them
    return apply1(NarrowCopyBackward0, input, dim, start, length)


def narrow_slice(input: Tensor, dim: int, start: int, end: int) -> Tensor:
    """The entries along a dimension from `start` to before `end`."""
    return apply_view(SliceBackward0, input, dim, start, end, 1)
