"""Ops that take elements from given places: gather, take, index_select, masked_select; and the places themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import mismatch, refuse, type_name
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.exact.elementless import refuse_mask
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.answers import answered
from autograd_lab.engine.ops.ground.dims import checked_dim, real_dim
from autograd_lab.engine.ops.ground.grids import check_fits, grid, placed, refusing
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.joining import unbind
from autograd_lab.engine.ops.shape.views import broadcast_to, reshape

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["argwhere", "gather", "index_select", "masked_select", "nonzero", "nonzero_static", "take", "take_along_dim"]


class GatherBackward0(Linear):
    """z holds the x_i at given positions along a dimension; the gradients add up there."""

    inputs = ("self", "index")
    saves = ("self", "index")
    differentiable = 1
    __slots__ = ("dim", "sparse_grad")

    def forward(self, x: Array, index: Array, dim: int, sparse_grad: bool) -> Array:
        self.dim, self.sparse_grad = dim, sparse_grad
        at = index.astype(np.int64, copy=False)
        if not at.size:  # then it may have any shape
            return np.zeros(at.shape, x.dtype)
        return np.asarray(x[grid(x, dim, at)]) if x.ndim else np.full(index.shape, x)

    def backward(self, g: Any, x: Any, index: Any) -> Any:
        if 0 in index.shape and not isinstance(g, Variable):  # then it may have any shape
            return formulas.zeros_like(x)
        return placed(g, self.dim, index, x.shape)


def check_kind(op: str, index: Array) -> None:
    """Raise RuntimeError unless the index holds integers."""
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError(f"{op}(): Expected dtype int32/int64 for index")


def check_rank(name: str, input: Tensor, index: Array) -> None:
    """Raise RuntimeError unless the index has as many dimensions as the tensor."""
    if max(index.ndim, 1) != max(input._array.ndim, 1):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {name} tensor")


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """The elements at the positions `index` along `dim`."""
    dim, place = checked_dim(input, dim), real_dim(input, dim)
    x, at = input._array, index._array
    if at.size:
        check_kind("gather", at)
        check_rank("input", input, at)
    for d, n in enumerate(at.shape if x.ndim and at.size else ()):
        if d != place and n > x.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(at.shape)} to be no larger than self "
                f"{list(x.shape)} apart from dimension {place}"
            )
    check_fits(x, place, at)
    return applyn(GatherBackward0, (input, index), dim, sparse_grad)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As `gather`, with input and indices broadcast against each other; in the flattened tensor without `dim`."""
    if dim is None:
        return gather(reshape(input, (-1,)), 0, reshape(indices, (-1,)))
    x, at = input._array.shape, indices._array.shape
    if len(x) != len(at):
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got {len(x)} "
            f"dimensions for input, and {len(at)} dimensions for indices"
        )
    if indices._array.dtype != np.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.title}")
    dim = checked_dim(input, dim)
    if not x:
        raise IndexError(f"Dimension specified as {dim % 1} but tensor has no dimensions")
    dim %= len(x)
    shape = np.broadcast_shapes((*x[:dim], 1, *x[dim + 1 :]), (*at[:dim], 1, *at[dim + 1 :]))
    wide = broadcast_to(input, (*shape[:dim], x[dim], *shape[dim + 1 :]))
    counted = _from_the_front(indices, x[dim])
    return gather(wide, dim, broadcast_to(counted, (*shape[:dim], at[dim], *shape[dim + 1 :])))


def _from_the_front(indices: Tensor, size: int) -> Tensor:
    """The positions, those that count from the end counted from the front."""
    at = indices._array
    return wrap(np.where(at < 0, at + size, at)) if (at < 0).any() else indices


class IndexSelectBackward0(Linear):
    """z holds the slices at given positions along a dimension; their gradients add up there."""

    inputs = ("self", "index")
    saves = ("index",)
    differentiable = 1
    mixes = False
    __slots__ = ("dim", "self_sym_sizes")

    def forward(self, x: Array, index: Array, dim: int) -> Array:
        self.dim, self.self_sym_sizes = dim, x.shape
        return np.take(x, index.reshape(-1), dim) if x.ndim else x.copy()

    def backward(self, g: Any, index: Any) -> Any:
        if not self.self_sym_sizes and not isinstance(g, Variable):
            return g
        if isinstance(g, Variable):
            return formulas.blank(self.self_sym_sizes, g).index_add(self.dim, index, g)
        whole = np.zeros(self.self_sym_sizes, g.dtype)
        flat = np.reshape(index, (-1,))
        with refusing(whole, self.dim, flat):
            np.add.at(np.moveaxis(whole, self.dim, 0), flat, np.moveaxis(g, self.dim, 0))
        return whole


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices at the positions `index` along `dim`."""
    dim = checked_dim(input, dim)
    x, at = input._array, index._array
    if at.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not x.ndim and at.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {at.size} value(s)")
    if at.dtype.kind != "i" or at.dtype.itemsize < 4:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = x.shape[dim] if x.ndim else 1
    if x.ndim > 1 and not size and at.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    bad = at[(at < 0) | (at >= size)]
    if bad.size and x.ndim > 1 and (dim % x.ndim == 1 or not x.size):  # PyTorch has a kernel for these
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad[0]} axis_dim={size}")
    if bad.size:
        raise IndexError("index out of range in self")
    return applyn(IndexSelectBackward0, (input, index), dim)


class MaskedSelectBackward0(Linear):
    """z holds the x_i where a mask holds, one after another; each gets its own gradient, the others 0."""

    inputs = ("self", "mask")
    saves = ("mask", "self")
    differentiable = 1
    mixes = False

    def forward(self, x: Array, mask: Array) -> Array:
        shape = np.broadcast_shapes(x.shape, mask.shape)
        return np.atleast_1d(np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)])

    def backward(self, g: Any, mask: Any, x: Any) -> Any:
        shape = np.broadcast_shapes(x.shape, mask.shape)
        if isinstance(g, Variable):
            return formulas.blank(shape, g).masked_scatter(mask, g)
        whole = np.zeros(shape, g.dtype)
        places = np.broadcast_to(mask, shape)
        whole[places] = g[: np.count_nonzero(places)]  # fewer than there were, if the mask's `.data` was exchanged
        return whole


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, in one dimension."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    refuse_mask(mask._array)
    refuse(mismatch(mask._array.shape, input._array.shape))
    return applyn(MaskedSelectBackward0, (input, mask))


class TakeBackward0(Linear):
    """z holds the x_i at given positions in the flattened tensor; the gradients add up there."""

    inputs = ("self", "index")
    saves = ("self", "index")
    differentiable = 1
    mixes = False

    def forward(self, x: Array, index: Array) -> Array:
        return np.asarray(x.reshape(-1)[index])

    def backward(self, g: Any, x: Any, index: Any) -> Any:
        if isinstance(g, Variable):
            return formulas.blank(x.shape, g).put(index, g, accumulate=True)
        whole = np.zeros(x.shape, g.dtype)
        np.add.at(whole.reshape(-1), index, g)
        return whole


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at the positions `index` of the flattened tensor, in the shape of `index`."""
    at, size = index._array, input._array.size
    if at.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {BY_NUMPY[at.dtype].title}")
    check_flat(at, size)
    return applyn(TakeBackward0, (input, index))


def check_flat(index: Array, size: int, empty: str = "take(): tried to take from an empty tensor") -> None:
    """Raise IndexError for a position that is not among the flattened elements."""
    bad = index[(index < -size) | (index >= size)]
    if bad.size and not size:
        raise IndexError(empty)
    if bad.size:
        raise IndexError(f"out of range: tried to access index {bad[0]} on a tensor of {size} elements.")


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of what is not zero: one row each, or a tensor for each dimension."""
    x = input._array
    if not isinstance(as_tuple, bool):
        raise TypeError(f"nonzero(): argument 'as_tuple' must be bool, not {type_name(as_tuple)}")
    mapping.refuse(mapping.DYNAMIC.format("nonzero"), input)
    whole = np.atleast_1d(x) if as_tuple else x
    found = np.array(np.nonzero(whole) if whole.ndim else np.zeros((0, int(bool(x)))), np.int64, ndmin=2).T
    rows = answered("nonzero", found, input)
    return unbind(rows, 1) if as_tuple else rows


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The positions of the first `size` elements that are not zero, one row each; if there are fewer, fill values."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = np.argwhere(input._array)[:size] if input._array.ndim else np.zeros((size, 0))
    filled = np.full((size, found.shape[1]), fill_value, np.int64)
    filled[: len(found)] = found
    return answered("nonzero_static", filled, input)


def argwhere(input: Tensor) -> Tensor:
    """The positions of what is not zero, one row each."""
    return nonzero(input)
