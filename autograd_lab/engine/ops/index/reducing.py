"""`index_reduce`: slices that are made one with those at given positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.writing import change, may_write
from autograd_lab.engine.ops.index.scattering import ScatterReduceBackward0
from autograd_lab.engine.ops.index.slices import check_add

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

BETA = "index_reduce() is in beta and the API may change at any time."
REDUCTIONS = ("prod", "mean", "amax", "amin")


class IndexReduceBackward0(ScatterReduceBackward0):
    """z is x with slices of `source` at positions: their product or mean, the greatest or the least of each element."""

    inputs = ("self", "source", "index")
    saves = ("index", "result", "self", "source")
    op = "index_reduce"

    def forward(self, x: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Array:
        return super().forward(x, src, _wide(index, src, dim), dim, reduce, include_self)

    def backward(self, g: Any, index: Any, z: Any, x: Any, src: Any) -> Any:
        return super().backward(g, _wide(index, src, self.dim), z, x, src)

    def _again(self, x: Any, src: Any, index: Any) -> Any:
        return ScatterReduceBackward0._again(_scattering(self), x, src, index)


def _scattering(node: IndexReduceBackward0) -> ScatterReduceBackward0:
    """The same reduction with a position for each element."""
    other = ScatterReduceBackward0()
    other.dim, other.reduce, other.include_self = node.dim, node.reduce, node.include_self
    return other


def _wide(index: Any, src: Any, dim: int) -> Any:
    """A position for each element of the source."""
    if not src.ndim:
        return index.reshape(())
    shape = [1] * src.ndim
    shape[dim] = -1
    flat = index.reshape(tuple(shape))
    if isinstance(index, Variable):
        return flat.expand(src.shape)
    return np.broadcast_to(flat, src.shape)


def _checked(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, written: bool = False) -> int:
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = check_add(input, dim, index, source, written, op="index_reduce_")
    if input._array.dtype.kind == "b":
        raise NotImplementedError("\"index_func_\" not implemented for 'Bool'")
    warn_once(BETA)
    return dim % max(input._array.ndim, 1)


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """The slices of `source` that are put to each position along `dim` (and what was there), made one."""
    dim = _checked(input, dim, index, source, reduce)
    return applyn(IndexReduceBackward0, (input, source, index), dim, reduce, include_self)


def index_reduce_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """The tensor becomes what `index_reduce` makes of it."""
    may_write(input, source)
    dim = _checked(input, dim, index, source, reduce, written=True)
    return change("index_reduce_", IndexReduceBackward0, input, (source, index), dim, reduce, include_self)
