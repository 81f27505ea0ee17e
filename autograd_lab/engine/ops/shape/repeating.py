"""The same elements several times: repeat, tile, repeat_interleave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.copying import in_order
from autograd_lab.engine.ops.ground.dims import Dims, checked_dim
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.index.gathering import index_select
from autograd_lab.engine.ops.shape.views import expand, flatten, sizes, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["repeat_interleave", "tile"]


class RepeatBackward0(Linear):
    """The tensor over and over along each dimension: the gradients of the copies add up."""

    __slots__ = ("repeats", "self_sym_sizes")

    def forward(self, x: Array, repeats: Dims) -> Array:
        self.repeats, self.self_sym_sizes = repeats, x.shape
        return np.tile(x, repeats)

    def backward(self, g: Any) -> Any:
        own = (1,) * (len(self.repeats) - len(self.self_sym_sizes)) + tuple(self.self_sym_sizes)
        folded = g.reshape([size for pair in zip(self.repeats, own, strict=True) for size in pair])
        added = folded.sum(tuple(range(0, 2 * len(own), 2)))
        return added if added.shape == self.self_sym_sizes else added.reshape(self.self_sym_sizes)


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies of the tensor: so many along each dimension, new ones in front."""
    if not repeats:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    counts = sizes(repeats, "repeat", "repeats")
    if len(counts) < input._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if min(counts, default=0) < 0:
        own = (1,) * (len(counts) - input._array.ndim) + input._array.shape
        made = [count * size for count, size in zip(counts, own, strict=True)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {made}")
    return applyn(RepeatBackward0, (input,), counts)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Copies of the tensor, as `repeat`; dimensions not named are left as they are."""
    if not dims:
        raise TypeError('tile() missing 1 required positional arguments: "dims"')
    counts = sizes(dims, "tile", "dims")
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: Any = None) -> Tensor:
    """Each element (or slice along `dim`) so many times in a row; of counts alone, the positions that they name."""
    if repeats is None:
        counts = of_kind("i", input._array, "repeat_interleave_cpu")
        return wrap(np.repeat(np.arange(counts.size), counts))
    if dim is None:
        input, dim = flatten(input), 0
    dim = checked_dim(input, dim) % max(input._array.ndim, 1)
    if is_tensor(repeats) and repeats._array.size != 1:
        return _each_repeated(input, repeats, dim)
    count = int(repeats.item()) if is_tensor(repeats) else repeats
    if count < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = list(input._array.shape)
    wide = expand(unsqueeze(input, dim + 1), (*shape[: dim + 1], count, *shape[dim + 1 :]))
    return flatten(in_order(wide), dim, dim + 1)


def _each_repeated(input: Tensor, repeats: Tensor, dim: int) -> Tensor:
    counts, length = of_kind("i", repeats._array, "repeat_interleave_cpu"), input._array.shape[dim]
    if counts.size != length:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({dim}) = {length}"
        )
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return index_select(input, dim, wrap(np.repeat(np.arange(length), counts)))
