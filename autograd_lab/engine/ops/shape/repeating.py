"""The same elements several times: repeat, tile, repeat_interleave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import Dims
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.shapes import sizes

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["tile"]


class RepeatBackward0(Linear):
    """The tensor over and over along each dimension: the gradients of the copies add up."""

    __slots__ = ("repeats", "self_sym_sizes")

    def forward(self, x: Array, repeats: Dims) -> Array:
        self.repeats, self.self_sym_sizes = repeats, x.shape
        return np.ascontiguousarray(np.tile(x, repeats)) if x.ndim else np.tile(x, repeats)

    def backward(self, g: Any) -> Any:
        if 0 in self.repeats:
            return formulas.blank(self.self_sym_sizes, g)
        new = len(self.repeats) - len(self.self_sym_sizes)
        for _ in range(new):
            g = g.sum(0)
        sizes: list[int] = []
        copies = []
        for times, size in zip(self.repeats[new:], self.self_sym_sizes, strict=True):
            if times != 1:
                copies.append(len(sizes))
                sizes.append(times)
            sizes.append(size)
        return g.reshape(sizes).sum(tuple(copies)) if copies else g


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
