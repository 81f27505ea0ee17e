"""The same elements several times: repeat, tile, repeat_interleave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.dims import Dims
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.views import sizes

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["tile"]


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


def repeat(input: Tensor, *times: Any, repeats: Any = None) -> Tensor:
    """Copies of the tensor: so many along each dimension, new ones in front."""
    if not times and repeats is None:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    counts = sizes(times, "repeat", "repeats", repeats)
    if len(counts) < input._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if min(counts, default=0) < 0:
        own = (1,) * (len(counts) - input._array.ndim) + input._array.shape
        made = [count * size for count, size in zip(counts, own, strict=True)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {made}")
    return applyn(RepeatBackward0, (input,), counts)


def tile(input: Tensor, *times: Any, dims: Any = None) -> Tensor:
    """Copies of the tensor, as `repeat`; dimensions not named are left as they are."""
    if not times and dims is None:
        raise TypeError('tile() missing 1 required positional arguments: "dims"')
    counts = sizes(times, "tile", "dims", dims)
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)
