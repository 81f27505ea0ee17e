"""Triangles, row by row: for those with a zero on the diagonal, at which numpy stops."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array


def substituted(T: Array, B: Array, upwards: bool) -> Array:
    """T⁻¹ B for a triangle T; infinite or no number where the diagonal is 0, as LAPACK has it."""
    rows = T.shape[-1]
    x = np.broadcast_to(B, (*np.broadcast_shapes(T.shape[:-2], B.shape[:-2]), *B.shape[-2:])).copy()
    with np.errstate(all="ignore"):
        for row in range(rows - 1, -1, -1) if upwards else range(rows):
            x[..., row, :] /= T[..., row, row, None]
            rest = slice(0, row) if upwards else slice(row + 1, rows)
            x[..., rest, :] -= T[..., rest, row, None] * x[..., None, row, :]
    return x
