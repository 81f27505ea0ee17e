"""Pooling into a given number of bins, whatever the size of the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.numbers.dtypes import I64, Array, NumpyDtype, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.layer.windows import Sizes
from autograd_lab.engine.ops.reduction.sums import mean
from autograd_lab.engine.ops.shape.views import squeeze, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["adaptive_avg_pool1d", "adaptive_max_pool1d"]


def _bins(size: int, count: int) -> list[tuple[int, int]]:
    """Where each of `count` bins begins and ends; they overlap where the size is no multiple."""
    return [(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]


def _widths(size: int, count: int, dtype: NumpyDtype) -> Array:
    """How many places each bin has."""
    return np.array([stop - start for start, stop in _bins(size, count)], dtype)


def _nth(size: int, count: int) -> Iterator[tuple[list[int], list[int]]]:
    """The first places of the bins, then the second ones, and so on: the bins that have one, and where it is."""
    bins = _bins(size, count)
    for nth in range(max((stop - start for start, stop in bins), default=0)):
        having = [at for at, (start, stop) in enumerate(bins) if start + nth < stop]
        yield having, [bins[at][0] + nth for at in having]


def _pooled(x: Array, count: Sizes) -> Array:
    """The means of the bins: a sum in the order of reading, over the number of rows and then that of columns."""

    def pooled(x: Array) -> Array:
        z, size = np.zeros((*x.shape[:-2], *count), x.dtype), x.shape[-2:]
        for (rows, down), (columns, aside) in product(*map(_nth, size, count)):
            z[..., np.array(rows)[:, None], columns] += x[..., np.array(down)[:, None], aside]
        return z / _widths(size[0], count[0], x.dtype)[:, None] / _widths(size[1], count[1], x.dtype)

    return halves.narrowed(pooled, x)


def _spread(g: Array, size: Sizes) -> Array:
    def spread(g: Array) -> Array:
        count = g.shape[-2:]
        g = g / _widths(size[0], count[0], g.dtype)[:, None] / _widths(size[1], count[1], g.dtype)
        whole = np.zeros((*g.shape[:-2], *size), g.dtype)
        for (row, (top, bottom)), (column, (left, right)) in product(*(map(enumerate, map(_bins, size, count)))):
            whole[..., top:bottom, left:right] += g[..., row, column, None, None]
        return whole

    return halves.narrowed(spread, g)


class AdaptiveAvgPool2DBackward0(Linear):
    """Z = A X Bᵀ with matrices A and B that take means, so dL/dX = Aᵀ G B."""

    saves = ("self",)

    def forward(self, x: Array, count: Sizes) -> Array:
        return _pooled(x, count)

    def backward(self, g: Any, x: Any) -> Any:
        return apply2(AdaptiveAvgPool2DBackwardBackward0, g, x) if isinstance(g, Variable) else _spread(g, x.shape[-2:])


class AdaptiveAvgPool2DBackwardBackward0(Node):
    """H = Aᵀ G B, so dL/dG is pooled again."""

    inputs = ("grad_output", "self")
    __slots__ = ("grad_output_sym_argsize_minus_1", "grad_output_sym_argsize_minus_2")

    def forward(self, g: Array, x: Array) -> Array:
        self.grad_output_sym_argsize_minus_2, self.grad_output_sym_argsize_minus_1 = g.shape[-2:]
        return _spread(g, x.shape[-2:])

    def backward(self, h: Any) -> Any:
        count = self.grad_output_sym_argsize_minus_2, self.grad_output_sym_argsize_minus_1
        pooled = apply1(AdaptiveAvgPool2DBackward0, h, count) if isinstance(h, Variable) else _pooled(h, count)
        return pooled, formulas.zeros_like(h)


def _returned(g: Array, x: Array, positions: Array) -> Array:
    whole = np.zeros_like(x)
    rows = np.arange(x.size // max(x.shape[-1] * x.shape[-2], 1)).reshape(*x.shape[:-2], 1, 1)
    np.add.at(whole.reshape(-1), rows * (x.shape[-1] * x.shape[-2]) + positions, g)
    return whole


class AdaptiveMaxPool2DBackwardBackward0(Node):
    """The gradient of max pooling; its own gradient is taken from the places of the greatest."""

    inputs = ("grad_output", "self", "indices")
    saves = ("indices",)
    differentiable = 2

    def forward(self, g: Array, x: Array, positions: Array) -> Array:
        return _returned(g, x, positions)

    def backward(self, h: Any, positions: Any) -> Any:
        lead, shape = tuple(h.shape[:-2]), tuple(positions.shape)
        flat, where = h.reshape((*lead, math.prod(h.shape[-2:]))), positions.reshape((*lead, math.prod(shape[-2:])))
        found = flat.gather(-1, where) if isinstance(h, Variable) else np.take_along_axis(flat, where, -1)
        return found.reshape(shape), formulas.zeros_like(h)


class AdaptiveMaxPool2DBackward0(Node):
    """z is the greatest of each bin, so the gradient goes to the first place where that stands."""

    outputs = ("result0", "result1")
    saves = ("self", "result1")
    tangent = "pooled"
    second = AdaptiveMaxPool2DBackwardBackward0
    __slots__ = ()

    def forward(self, x: Array, count: Sizes) -> tuple[Array, Array]:
        z = np.empty((*x.shape[:-2], *count), x.dtype)
        positions = np.empty(z.shape, I64)
        bins = [list(enumerate(_bins(size, number))) for size, number in zip(x.shape[-2:], count, strict=True)]
        for (row, (top, bottom)), (column, (left, right)) in product(*bins):
            part = x[..., top:bottom, left:right]
            best = part.reshape(*part.shape[:-2], math.prod(part.shape[-2:])).argmax(axis=-1)
            where = (top + best // (right - left)) * x.shape[-1] + left + best % (right - left)
            positions[..., row, column] = where
            flat = x.reshape(*x.shape[:-2], math.prod(x.shape[-2:]))
            z[..., row, column] = np.take_along_axis(flat, where[..., None], -1)[..., 0]
        return z, positions

    def backward(self, g: Any, x: Any, positions: Any) -> Any:
        if isinstance(g, Variable):
            return apply_many(self.second, (g, x, positions))[0]
        return _returned(g, x, positions)


def _counts(name: str, input: Any, output_size: Any, colon: str) -> Sizes:
    shape = input._array.shape
    if len(shape) not in (3, 4):
        raise RuntimeError(f"{name}(): Expected 3D or 4D tensor, but got{colon} {list(shape)}")
    looked_at = range(1 if name == "adaptive_max_pool2d" else len(shape) - 2, len(shape))
    if (dim := next((dim for dim in looked_at if not shape[dim]), None)) is not None:
        raise RuntimeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
            f"{list(shape)} with dimension {dim} being empty"
        )
    given = tuple(output_size) if isinstance(output_size, tuple | list) else (output_size,) * 2
    counts = tuple(size if count is None else count for count, size in zip(given, shape[-2:], strict=True))
    if min(counts) < 0:
        told = ", ".join(map(str, counts))
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{told}}}"
        )
    return counts


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many bins along each of the last two dimensions."""
    counts = _counts("adaptive_avg_pool2d", input, output_size, "")
    if counts == (1, 1):
        return mean(input, (-1, -2), True)
    of_kind("fV", input._array, "adaptive_avg_pool2d")
    return apply1(AdaptiveAvgPool2DBackward0, input, counts)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest of each of so many bins along the last two dimensions."""
    counts = _counts("adaptive_max_pool2d", input, output_size, ":")
    of_kind("fV", input._array, "adaptive_max_pool2d")
    found = apply_many(AdaptiveMaxPool2DBackward0, (input,), counts)
    return found if return_indices else found[0]


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many bins along the last dimension."""
    only_tensors("adaptive_avg_pool1d", input)
    return squeeze(adaptive_avg_pool2d(unsqueeze(input, -2), (1, *_only(output_size))), -2)


@composed
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest of each of so many bins along the last dimension."""
    only_tensors("adaptive_max_pool1d", input)
    found = adaptive_max_pool2d(unsqueeze(input, -2), (1, *_only(output_size)), True)
    flat = tuple(squeeze(one, -2) for one in found)
    return flat if return_indices else flat[0]


def _only(size: Any) -> Sizes:
    return tuple(size) if isinstance(size, tuple | list) else (size,)
