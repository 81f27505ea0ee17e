"""The reverse of max pooling: each element back at the place that it was taken from, zeros elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.layer.windows import Sizes, each

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class MaxUnpool2DBackward0(Linear):
    """z is x at given places and 0 elsewhere: the gradient is taken from there."""

    inputs = ("self", "indices")
    saves = ("indices",)
    differentiable = 1
    mixes = False

    def forward(self, x: Array, places: Array, size: Sizes) -> Array:
        flat = np.zeros((*x.shape[:-2], size[0] * size[1]), x.dtype)
        shape = (*x.shape[:-2], x.shape[-2] * x.shape[-1])
        np.put_along_axis(flat, places.reshape(shape), x.reshape(shape), -1)
        return flat.reshape(*x.shape[:-2], *size)

    def backward(self, g: Any, places: Any) -> Any:
        flat, shape = (*g.shape[:-2], g.shape[-2] * g.shape[-1]), tuple(places.shape)
        where = places.reshape((*shape[:-2], shape[-2] * shape[-1]))
        if isinstance(g, Variable):
            return g.reshape(flat).gather(-1, where).reshape(shape)
        return np.take_along_axis(g.reshape(flat), where, -1).reshape(shape)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """What max pooling gave, each at the place where it was the greatest."""
    only_tensors("max_unpool2d", input, indices)
    size = _size(input, each(kernel_size, 2), stride, each(padding, 2), output_size)
    return _placed(input, indices, size)


@composed
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """What max pooling along a sequence gave, each at the place where it was the greatest."""
    only_tensors("max_unpool1d", input, indices)
    size = _size(input, each(kernel_size, 1), stride, each(padding, 1), output_size)
    return _placed(input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1)).squeeze(-1)


def _placed(input: Tensor, indices: Tensor, size: Sizes) -> Tensor:
    x, places = input._array, indices._array
    if places.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.dtype.title}")
    if x.ndim not in (3, 4):
        raise RuntimeError(
            f"Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with {x.ndim} dimensions."
        )
    if x.shape != places.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got indices "
            f"tensor with shape: {list(places.shape)}"
        )
    outside = (places < 0) | (places >= size[0] * size[1])
    if outside.any():
        raise RuntimeError(
            f"Found an invalid max index: {places[outside][0]} (output volumes are of size {size[0]}x{size[1]})"
        )
    return applyn(MaxUnpool2DBackward0, (input, indices), size)


def _size(input: Tensor, kernel: Sizes, stride: Any, margin: Sizes, wanted: Any) -> Sizes:
    """The size that was pooled, or that which is wanted, if it could be."""
    count = len(kernel)
    step = kernel if stride is None else each(stride, count)
    sizes = zip(input._array.shape[-count:], kernel, step, margin, strict=True)
    usual = tuple((size - 1) * s + k - 2 * p for size, k, s, p in sizes)
    if wanted is None:
        return usual
    wanted = tuple(wanted)[2:] if len(wanted) == count + 2 else tuple(wanted)
    if len(wanted) != count:
        raise ValueError(
            f"output_size should be a sequence containing {count} or {count + 2} elements, but it has a length of "
            f"'{len(wanted)}'"
        )
    for at, (size, middle, s) in enumerate(zip(wanted, usual, step, strict=True)):
        if not middle - s < size < middle + s:
            raise ValueError(f'invalid output_size "{wanted}" (dim {at} must be between {middle - s} and {middle + s})')
    return wanted
