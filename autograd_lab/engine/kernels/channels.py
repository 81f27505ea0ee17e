"""Batch normalisation of float32, step by step as PyTorch's kernels compute it, so that last digits are the same.

Pictures (N, C, H W) are summed channel by channel in float64. Where a channel has one number in an example, rows are
added one after another, and products go into sums before they are rounded.
"""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.kernels import vectors
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

VECTOR = 32
"""The bytes of a vector: these kernels know AVX2 alone."""
FEW = 2048
"""Rows of more examples are added as numpy adds them."""


def statistics(x: Array) -> tuple[Array, Array]:
    """The mean of each channel, and the sum of squares of what is left of its numbers."""
    count = np.float32(x.shape[0] * x.shape[2])
    if x.shape[2] > 1:
        mean = (x.sum((0, 2), dtype=F64) / count).astype(F32)
        left = x - mean[:, None]
        left *= left
        return mean, left.sum((0, 2), dtype=F64).astype(F32)
    mean = _rows_added(x[..., 0]) / count
    left = x[..., 0] - mean
    return mean, _products_added(left, left)


def scales(squares: Array, count: int, eps: float) -> Array:
    """1 / √(variance + eps)."""
    return (1 / np.sqrt((squares / np.float32(count)).astype(F64) + eps)).astype(F32)


def brought(x: Array, mean: Array, scale: Array, w: Array | None, b: Array | None) -> Array:
    """α x + β with α = s w and β = b - mean α."""
    alpha = scale if w is None else scale * w
    beta = fused(np.zeros_like(mean) if b is None else b, -mean, alpha)
    return fused(np.broadcast_to(beta[:, None], x.shape), x, np.broadcast_to(alpha[:, None], x.shape))


def gradients(g: Array, x: Array, w: Array | None, mean: Array, scale: Array, own: bool) -> tuple[Array, Array, Array]:
    """dL/dx = s w (g - mean g - k (x - mean)), k = s² Σ g (x - mean) / n; dL/dw = s Σ g (x - mean); dL/db = Σ g.

    If mean and scale are not those of x itself, dL/dx = s w g.
    """
    left, count = x - mean[:, None], np.float32(x.shape[0] * x.shape[2])
    if x.shape[2] > 1:
        total = vectors.summed(g, VECTOR)[..., 0].sum(0, dtype=F64)
        shared = vectors.dotted(left, g, VECTOR)[..., 0].sum(0, dtype=F64)
    else:
        total, shared = _rows_added(g[..., 0]), _products_added(left[..., 0], g[..., 0])
    slope = shared.astype(F32) * scale * scale / count
    to_x = _left_over(g - (total / count).astype(F32)[:, None], left, slope) if own else g
    to_x = to_x * scale[:, None]
    to_x = to_x if w is None else to_x * w[:, None]
    return to_x, (shared * scale).astype(F32), total.astype(F32)


def _left_over(g: Array, left: Array, slope: Array) -> Array:
    """g - k (x - mean), rounded once where a vector is full."""
    found = fused(g, -left, np.broadcast_to(slope[:, None], g.shape))
    if g.shape[2] == 1 and (over := g.shape[1] % (VECTOR // 4)):
        found[:, -over:] = g[:, -over:] - left[:, -over:] * slope[-over:, None]
    return found


def _rows_added(x: Array) -> Array:
    return np.add.accumulate(x, axis=0)[-1] if len(x) <= FEW else x.sum(0)


def _products_added(x: Array, y: Array) -> Array:
    if len(x) > FEW:
        return np.einsum("nc,nc->c", x, y)
    total = np.zeros(x.shape[1:], F32)
    for one, other in zip(x, y, strict=True):
        total = fused(total, one, other)
    return total
