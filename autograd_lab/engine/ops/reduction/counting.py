"""How many: bincount and histc. Neither has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autograd_lab.engine.numbers.dtypes import of_kind
from autograd_lab.engine.ops.ground.answers import answered

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["bincount", "histc"]


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each whole number from 0 on occurs, or the sum of its weights."""
    x = of_kind("ui", input._array, "bincount_cpu")
    if x.ndim != 1 or (x.size and x.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None:
        return answered("bincount", np.bincount(x, minlength=minlength).astype(np.int64), input)
    if weights._array.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    found = np.bincount(x, weights._array, minlength)
    kind = weights._array.dtype if weights._array.dtype == np.float32 else np.float64
    return answered("bincount", found.astype(kind), input, weights)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements there are in each of some stretches of equal length."""
    x = of_kind("fV", input._array, "histogram_cpu")
    if bins <= 0:
        raise RuntimeError(f"torch.histc(): bins must be > 0, but got {bins}")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    low, high = (float(x.min()), float(x.max())) if min == max and x.size else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    found, _ = np.histogram(x[(x >= low) & (x <= high)], bins, (low, high))
    return answered("histc", found.astype(x.dtype), input)
