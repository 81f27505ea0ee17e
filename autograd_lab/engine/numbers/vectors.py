"""Sums along the last dimension, in the order of a processor that adds sixteen numbers at once (AVX-512)."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

BYTES = 64


def summed(x: Array) -> Array:
    """The sum along the last dimension, which stays: vectors are added, then their halves; what fills none, in turn."""
    width, length = BYTES // x.dtype.itemsize, x.shape[-1]
    if length < width:
        return np.add.accumulate(x, axis=-1)[..., -1:]
    count = -(-length // width)
    if length % width:
        rows = np.zeros((*x.shape[:-1], count * width), x.dtype)
        rows[..., :length] = x
        x = rows
    total = x[..., :width]
    for at in range(width, count * width, width):
        total = total + x[..., at : at + width]
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = total[..., :half] + total[..., half:]
    return total
