"""What PyTorch's softmax is made of, as on a processor that computes with sixteen numbers at once (AVX-512)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_lab.engine.kernels.precise import asked, precise
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

BYTES = 64
FEW = 1 << 15
"""Of more numbers, exp is as close as that of others: one multiplication and addition after another takes too long."""
PER_LOG_2, LOG_2, LOG_2_REST = map(np.float32, (1.442695040888963407, 0.693145751953125, 1.428606765330187045e-06))
SERIES = tuple(
    float(np.float32(each))
    for each in (
        0.000198527617612853646278381, 0.00139304355252534151077271, 0.00833336077630519866943359,
        0.0416664853692054748535156, 0.166666671633720397949219, 0.5,
    )
)  # fmt: skip
"""The polynomial of `expf` with an error of one unit in the last place, in SLEEF, the library of PyTorch's vectors."""
LONG = 256
"""A dimension with more numbers is summed as numpy does."""
LEAST = -104
"""Below this, exp is 0."""


def exp_along(x: Array, dim: int) -> Array:
    """exp of numbers of which none is large: to the bit as in PyTorch's softmax along a dimension, if they are few.

    Where the numbers of a row lie apart, vectors go over many rows at once; rows that fill none go one by one.
    """
    if (made := asked(exp_along, x, dim)) is not None:
        return made
    if x.dtype is not F32 or x.size > FEW or type(x) is not np.ndarray:
        return precise(np.exp, x)
    if dim % x.ndim == x.ndim - 1:
        return _exp(x)
    rows = math.prod(x.shape[dim % x.ndim + 1 :])
    columns = np.ascontiguousarray(x).reshape(-1, rows)
    full = rows - rows % (BYTES // x.itemsize)
    parts = _exp(columns[:, :full]), precise(np.exp, columns[:, full:])
    return np.concatenate(parts, axis=1).reshape(x.shape)


def products_summed(x: Array, y: Array, dim: int) -> Array:
    """Σ x y along a dimension that is not the last, which stays: each product is added before it is rounded."""
    if (made := asked(products_summed, x, y, dim)) is not None:
        return made
    if x.dtype is not F32 or y.dtype is not F32 or x.shape[dim] > LONG:
        return (x * y).sum(axis=dim, keepdims=True)
    total = np.float32(0)
    for pair in zip(np.moveaxis(x, dim, 0), np.moveaxis(y, dim, 0), strict=True):
        total = _rounded(np.multiply(*pair, dtype=F64), total)
    return np.expand_dims(total, dim)


def _exp(x: Array) -> Array:
    """2^q e^s with a whole q and a small s; each product is added to before it is rounded."""
    with np.errstate(all="ignore"):
        return _of_parts(x, np.rint(x * PER_LOG_2, out=...))


def _of_parts(x: Array, q: Array) -> Array:
    s = _rounded(np.multiply(q, -LOG_2, dtype=F64), x)
    s = _rounded(np.multiply(q, -LOG_2_REST, dtype=F64), s)
    u = polynomial(s, SERIES)
    u = _rounded(np.multiply(s * s, u, dtype=F64), s)
    u += np.float32(1)
    np.ldexp(u, q.astype(np.int32), out=u)
    u[x < LEAST] = 0
    return u


def polynomial(x: Array, series: tuple[float, ...]) -> Array:
    """A polynomial of float32, the highest power first; each product is added to before it is rounded."""
    wide = x.astype(F64)
    value = _rounded(wide * series[0], series[1])
    for each in series[2:]:
        value = _rounded(wide * value, each)
    return value


def _rounded(product: Array, more: Any) -> Array:
    product += more
    return product.astype(F32)


def summed(x: Array, size: int = BYTES) -> Array:
    """The sum along the last dimension, which stays: vectors are added, then their halves; what fills none, in turn."""
    if (made := asked(summed, x, size)) is not None:
        return made
    width, length = size // x.dtype.itemsize, x.shape[-1]
    if length < width:
        return np.add.accumulate(x, axis=-1)[..., -1:]
    total, over = _added(x, width), length % width
    if over:
        total = np.concatenate((total[..., :over] + x[..., length - over :], total[..., over:]), axis=-1)
    return _halved(total)


def dotted(x: Array, y: Array, size: int = BYTES) -> Array:
    """Σ x y along the last dimension, which stays, in the same order; what fills no vector is rounded once."""
    if (made := asked(dotted, x, y, size)) is not None:
        return made
    width, length = size // x.dtype.itemsize, x.shape[-1]
    over = length % width
    if length < width or not over or x.dtype is not F32:
        return summed(x * y, size)
    total = _added(x[..., : length - over] * y[..., : length - over], width)
    rest = _rounded(np.multiply(x[..., length - over :], y[..., length - over :], dtype=F64), total[..., :over])
    return _halved(np.concatenate((rest, total[..., over:]), axis=-1))


def _added(x: Array, width: int) -> Array:
    """The sum of all full vectors."""
    total = x[..., :width]
    for at in range(width, x.shape[-1] - width + 1, width):
        total = total + x[..., at : at + width]
    return total


def _halved(total: Array) -> Array:
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = total[..., :half] + total[..., half:]
    return total
