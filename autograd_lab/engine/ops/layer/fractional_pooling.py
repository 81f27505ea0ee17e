"""Fractional max pooling: windows of one size, at places that are drawn, so that as many fit as are wanted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import I64, Array
from autograd_lab.engine.numbers.generator import numbers_of
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.layer.adaptive_pooling import AdaptiveMaxPool2DBackwardBackward0, returned
from autograd_lab.engine.ops.layer.windows import Sizes, each

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

NAME = "fractional_max_pool2d"


def _starts(sample: Array, size: int, count: int, kernel: int) -> Array:
    """Where `count` windows begin along a dimension: steps of a fraction, from a start that was drawn."""
    at = np.full((*sample.shape, count), size - kernel, I64)
    if count > 1:
        step = sample.dtype.type(size - kernel) / sample.dtype.type(count - 1)
        places = np.arange(count - 1, dtype=sample.dtype)
        drawn = sample[..., None]
        at[..., :-1] = ((places + drawn) * step).astype(I64) - (drawn * step).astype(I64)
    return at


class FractionalMaxPool2DBackward0(Node):
    """z is the greatest that each window sees, so the gradient goes to the first place where that stands.

    Where there are numbers that are none, it goes to the last of them.
    """

    outputs = ("result0", "result1")
    saves = ("self", "result1")
    tangent = "pooled"
    __slots__ = ("kernel_size", "output_size")

    def forward(self, x: Array, samples: Array, kernel: Sizes, count: Sizes) -> tuple[Array, Array]:
        self.kernel_size, self.output_size = kernel, count
        (height, width), (down, right) = x.shape[-2:], kernel
        samples = samples[: math.prod(x.shape[:-3])].reshape(*x.shape[:-2], 2)
        rows = _starts(samples[..., 1], height, count[0], down)[..., :, None, None, None] + np.arange(down)[:, None]
        columns = _starts(samples[..., 0], width, count[1], right)[..., None, :, None, None] + np.arange(right)
        shape = (*x.shape[:-2], *count, down * right)
        places = (rows * width + columns).reshape(*x.shape[:-2], math.prod(shape[-3:]))
        parts = np.take_along_axis(x.reshape(*x.shape[:-2], height * width), places, -1)
        parts, places = parts.reshape(shape), places.reshape(shape)
        unknown = parts != parts
        best = np.where(unknown, -np.inf, parts).argmax(-1)
        best = np.where(unknown.any(-1), down * right - 1 - unknown[..., ::-1].argmax(-1), best)[..., None]
        return tuple(np.take_along_axis(one, best, -1)[..., 0] for one in (parts, places))  # type: ignore[return-value]

    def backward(self, g: Any, x: Any, positions: Any) -> Any:
        if isinstance(g, Variable):
            return apply_many(FractionalMaxPool2DBackwardBackward0, (g, x, positions))[0]
        return returned(g, x, positions)


class FractionalMaxPool2DBackwardBackward0(AdaptiveMaxPool2DBackwardBackward0):
    """The gradient; its own gradient is taken from the places of the greatest."""


def fractional_max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The greatest of windows at random places, and where in the picture it stands."""
    only_tensors(NAME, input)
    size = _wanted(input, output_size, output_ratio)
    if _random_samples is None:
        batch = 1 if input._array.ndim == 3 else input.size(0)
        drawn = numbers_of().random((batch, input.size(-3), 2))
        _random_samples = wrap(drawn.astype(input._array.dtype))
    kernel = each(kernel_size, 2)
    _check(input._array, _random_samples._array, kernel, size)
    found = apply_many(FractionalMaxPool2DBackward0, (input,), _random_samples._array, kernel, size)
    return found[0], found[1]


def _wanted(input: Tensor, output_size: Any, output_ratio: Any) -> Sizes:
    """How many windows there shall be, by number or as a part of the picture."""
    if output_size is not None:
        count = each(output_size, 2)
        if len(count) != 2:
            raise RuntimeError(f"{NAME}: output_size must either be a single Int or tuple of Ints")
        return count
    if output_ratio is None:
        raise ValueError(f"{NAME} requires specifying either an output_size or an output_ratio")
    if len(output_ratio) > 2:
        raise ValueError(f"{NAME} requires output_ratio to either be a single Int or tuple of Ints.")
    down, right = output_ratio
    return int(input.size(-2) * down), int(input.size(-1) * right)


def _check(x: Array, samples: Array, kernel: Sizes, count: Sizes) -> None:
    if len(kernel) != 2:
        raise RuntimeError(f"{NAME}: kernel_size must either be a single Int or tuple of Ints")
    if x.ndim not in (3, 4):
        raise RuntimeError(f"{NAME}(): Expected 3D or 4D tensor, but got: {list(x.shape)}")
    for dim in range(x.ndim - 3, x.ndim):
        if not x.shape[dim] and dim:
            raise RuntimeError(
                f"{NAME}(): Expected input to have non-zero size for non-batch dimensions, but got{list(x.shape)} "
                f"with dimension {dim} being empty."
            )
    for word, size, k, n in zip(("height", "width"), x.shape[-2:], kernel, count, strict=True):
        if n + k - 1 > size:
            raise RuntimeError(f"{NAME}(): pool {word} {k} too large relative to input {word} {size}")
    _check_samples(x, samples)


def _check_samples(x: Array, samples: Array) -> None:
    drawn = "Expect _random_samples"
    if samples.dtype != x.dtype:
        raise RuntimeError(f"{drawn} to have the same dtype as input")
    if samples.ndim != 3:
        raise RuntimeError(f"{drawn} to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < (x.shape[0] if x.ndim == 4 else 1):
        raise RuntimeError(f"{drawn}.size(0) no less then input batch size.")
    if samples.shape[1] != x.shape[-3]:
        raise RuntimeError(f"{drawn}.size(1) equals to input channel size.")
    if samples.shape[2] != 2:
        raise RuntimeError(f"{drawn}.size(2) equals to 2; got {samples.shape[2]}.")


@composed
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The greatest of windows at random places; with `return_indices` also where in the picture it stands."""
    found = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return found if return_indices else found[0]
