"""exp, log and their kin, as close to the true number as PyTorch's kernels come."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, F64, Array


def precise(function: np.ufunc, x: Array, *more: Any) -> Array:
    """A function of each number: for float32, numpy's own miss the last digit of every third, and PyTorch's of few."""
    if x.dtype is not F32 or type(x) is not np.ndarray:  # a compiler sees the one call that it is
        return function(x, *more, out=...)
    made: Array = function(x, *more, out=..., dtype=F64).astype(F32)
    return made
