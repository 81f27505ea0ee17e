"""Products that are added to something before they are rounded: so PyTorch's kernels have it from the processor."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, F64, Array


def fused(x: Array, factor: Any, y: Array) -> Array:
    """x + factor y, rounded once in float32 and below; the product of two float32 is exact in float64."""
    if x.dtype.itemsize == 2:
        return np.asarray(fused(x.astype(F32), factor, y.astype(F32)), x.dtype)
    if x.dtype is not F32:
        return np.asarray(x + factor * y)
    return np.asarray(np.multiply(np.asarray(factor, F32), y, dtype=F64) + x, F32)


def above_one(x: Array, y: Array) -> Array:
    """1 + x y, rounded once in float32."""
    return 1 + x * y if x.dtype is not F32 else np.asarray(np.multiply(x, y, dtype=F64) + 1, F32)


def between(x: Array, y: Array, weight: Any) -> Array:
    """x + w (y - x), or y - (1 - w)(y - x) if y is nearer: exact at both ends."""
    if x.dtype.itemsize == 2:
        return between(x.astype(F32), y.astype(F32), np.asarray(weight, F32)).astype(x.dtype)
    way = y - x
    if np.ndim(weight) == 0:
        return fused(x, weight, way) if abs(weight) < 0.5 else fused(y, weight - 1, way)
    return np.where(np.abs(weight) < 0.5, fused(x, weight, way), fused(y, weight - 1, way))


def wide(x: Array) -> Array:
    """The array itself; of half precision as float32, in which PyTorch computes with it."""
    return x.astype(F32) if x.dtype.itemsize == 2 else x


def averaged_square(mean: Array, share: float, x: Array) -> None:
    """Take a running mean of squares one step on, in place: it keeps a share of itself, and x² has the rest."""
    mean[...] = wide(mean) * share
    mean[...] = fused(mean, wide(x) * (1 - share), x)
