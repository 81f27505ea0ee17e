"""Fractional max pooling: windows of one size at steps that vary, as drawn (Graham, 2014)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, I64, Array
from autograd_lab.engine.ops.layer.adaptive_pooling import (
    AdaptiveMaxPool2DBackward0,
    AdaptiveMaxPool2DBackwardBackward0,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

Sizes = tuple[int, ...]

NO_SIZE = "fractional_max_pool2d requires specifying either an output_size or an output_ratio"
NOT_SO_MANY = "fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints."


class FractionalMaxPool2DBackwardBackward0(AdaptiveMaxPool2DBackwardBackward0):
    """The gradient of fractional max pooling; its own gradient is taken from the places of the greatest."""


class FractionalMaxPool2DBackward0(AdaptiveMaxPool2DBackward0):
    """z is the greatest of each window, so the gradient goes to the first place where that stands."""

    second = FractionalMaxPool2DBackwardBackward0
    __slots__ = ("kernel_size", "output_size")

    def forward(self, x: Array, kernel: Sizes, count: Sizes, samples: Array) -> tuple[Array, Array]:  # type: ignore[override]
        self.kernel_size, self.output_size = kernel, count
        height, width = x.shape[-2:]
        planes = x.reshape(-1, height * width)
        drawn = samples[: math.prod(x.shape[:-3])].reshape(-1, 2)
        rows = _starts(drawn[:, 1], height, count[0], kernel[0])[:, :, None, None, None]
        columns = _starts(drawn[:, 0], width, count[1], kernel[1])[:, None, :, None, None]
        down, aside = np.ogrid[: kernel[0], : kernel[1]]
        places = ((rows + down) * width + columns + aside).reshape(len(planes), -1, kernel[0] * kernel[1])
        seen = np.take_along_axis(planes[:, None], places, -1)
        unknown = seen != seen  # the last of those that are no numbers is the greatest
        last = unknown.shape[-1] - 1 - unknown[..., ::-1].argmax(-1)
        best = np.where(unknown.any(-1), last, np.where(unknown, -np.inf, seen).argmax(-1))[..., None]
        shape = (*x.shape[:-2], *count)
        z, where = (np.take_along_axis(one, best, -1).reshape(shape) for one in (seen, places))
        return z, where.astype(I64)


def _starts(samples: Array, size: int, count: int, kernel: int) -> Array:
    """Where the windows of each plane begin along one dimension."""
    steps = (size - kernel) / np.asarray(max(count - 1, 1), samples.dtype)
    at = np.arange(count) + samples[:, None]
    starts = (at * steps).astype(I64) - (samples[:, None] * steps).astype(I64)
    starts[:, -1:] = size - kernel
    return starts


def _pair(value: Any, name: str) -> Sizes:
    pair = tuple(value) if isinstance(value, tuple | list) else (value,) * 2
    if len(pair) != 2:
        raise RuntimeError(f"fractional_max_pool2d: {name} must either be a single Int or tuple of Ints")
    return pair


def _sizes(input: Tensor, output_size: Any, output_ratio: Any) -> Sizes:
    """How many windows there are along both dimensions, told or as a share of the picture's size."""
    if output_size is not None:
        return _pair(output_size, "output_size")
    if output_ratio is None:
        raise ValueError(NO_SIZE)
    if len(output_ratio) > 2:
        raise ValueError(NOT_SO_MANY)
    return tuple(int(input.size(at) * share) for at, share in zip((-2, -1), output_ratio, strict=True))


def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:  # fmt: skip
    """The greatest of each window of a picture; windows overlap at random, so that any output size can be had."""
    only_tensors("fractional_max_pool2d", input)
    count, x = _sizes(input, output_size, output_ratio), input._array
    batch, planes = (1 if x.ndim == 3 else input.size(0)), input.size(-3)
    if _random_samples is None and x.dtype.kind not in "fV":
        raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{BY_NUMPY[x.dtype].title}'")
    given = _random_samples
    drawn = numbers_of().random((batch, planes, 2), x.dtype) if given is None else given._array
    kernel = _pair(kernel_size, "kernel_size")
    _check(x, kernel, count, drawn)
    found = apply_many(FractionalMaxPool2DBackward0, (input,), kernel, count, drawn)
    return found if return_indices else found[0]


def _check(x: Array, kernel: Sizes, count: Sizes, drawn: Array) -> None:
    for at, size in enumerate(x.shape[x.ndim - 3 :], x.ndim - 3):
        if not size:
            raise RuntimeError(
                "fractional_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but got"
                f"{list(x.shape)} with dimension {at} being empty."
            )
    for name, along, window, number in zip(("height", "width"), x.shape[-2:], kernel, count, strict=True):
        if number + window - 1 > along:
            raise RuntimeError(
                f"fractional_max_pool2d(): pool {name} {window} too large relative to input {name} {along}"
            )
    _check_drawn(x, drawn)


def _check_drawn(x: Array, drawn: Array) -> None:
    name = "Expect _random_samples"
    if drawn.ndim != 3:
        raise RuntimeError(f"{name} to have 3 dimensions, got {drawn.ndim}")
    if drawn.shape[0] < (x.shape[0] if x.ndim == 4 else 1):
        raise RuntimeError(f"{name}.size(0) no less then input batch size.")
    if drawn.shape[1] != x.shape[-3]:
        raise RuntimeError(f"{name}.size(1) equals to input channel size.")
    if drawn.shape[2] != 2:
        raise RuntimeError(f"{name}.size(2) equals to 2; got {drawn.shape[2]}.")
