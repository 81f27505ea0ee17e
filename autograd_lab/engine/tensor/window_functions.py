"""Weights that fade to the ends of a stretch, and where an element of a flattened tensor stands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array, Size, int64
from autograd_lab.engine.tensor.factories import made, numpy_dtype, tensor

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def _window(name: str, length: int, periodic: bool, shape: Any, options: dict[str, Any]) -> Tensor:
    """The weights at so many places from 0 to 1; a periodic one goes on where it begins, so its end is left out."""
    kind = numpy_dtype(options.get("dtype"))
    if kind.kind not in "fV":
        raise RuntimeError(f"{name} expects floating point dtypes, got: {options['dtype']}")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    steps = length if periodic else length - 1
    weights = shape(np.arange(length) / steps) if length > 1 else np.ones(length)
    return made(weights.astype(kind), options.get("requires_grad", False), options.get("device"))


def _waves(at: Array, *weights: float) -> Array:
    """Σ ± w_k cos 2πkx."""
    found: Array = sum(
        (weight * (-1) ** k * np.cos(2 * np.pi * k * at) for k, weight in enumerate(weights)), np.zeros_like(at)
    )
    return found


def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """1/2 - cos(2πx) / 2."""
    return _window("hann_window", window_length, periodic, lambda at: _waves(at, 0.5, 0.5), options)


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Any
) -> Tensor:
    """alpha - beta cos(2πx)."""
    return _window("hamming_window", window_length, periodic, lambda at: _waves(at, alpha, beta), options)


def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """0.42 - cos(2πx) / 2 + 0.08 cos(4πx)."""
    return _window("blackman_window", window_length, periodic, lambda at: _waves(at, 0.42, 0.5, 0.08), options)


def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A triangle."""
    return _window("bartlett_window", window_length, periodic, lambda at: 1 - np.abs(2 * at - 1), options)


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any) -> Tensor:
    """I₀(beta √(1 - (2x - 1)²)) / I₀(beta)."""

    def shape(at: Array) -> Array:
        return np.asarray(np.i0(beta * np.sqrt(np.maximum(1 - (2 * at - 1) ** 2, 0))) / np.i0(beta))

    return _window("kaiser_window", window_length, periodic, shape, options)


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """For places in a flattened tensor the index along each dimension. Raises TypeError unless they are whole."""
    if indices._array.dtype.kind not in "ui":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(Size(sizes))}")
    steps = list(accumulate(reversed((*sizes[1:], 1)), mul))[::-1]
    places: Any = indices.unsqueeze(-1).floor_divide(tensor(steps, dtype=int64)) % tensor(sizes, dtype=int64)
    return tuple(places.unbind(-1))
