"""Broadcasting undone: sums over the dimensions along which an array was repeated."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_lab.engine.numbers import halves
from autograd_lab.engine.numbers.dtypes import NumpyDtype

ROWS_FOR_DOT = 4096
"""Adding up at most this many rows as a product with ones is three times as fast; beyond, float32 would drift."""


@lru_cache(maxsize=64)
def _ones(rows: int, dtype: NumpyDtype) -> Any:
    return np.ones(rows, dtype)


def dims_to(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions to sum over, so that `shape` becomes `target`.

    Raises ValueError if `target` does not broadcast to `shape`.
    """
    new = len(shape) - len(target)
    if new < 0 or any(target[d - new] not in (1, shape[d]) for d in range(new, len(shape))):
        raise ValueError("not broadcast")
    return (*range(new), *(d for d in range(new, len(shape)) if target[d - new] == 1 != shape[d]))


def sum_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Add up what one element of `shape` was used for.

    Raises ValueError if `shape` does not broadcast to the array's.
    """
    if g.ndim == 2 and g.shape[1:] == shape and len(g) <= ROWS_FOR_DOT:
        return halves.dot(_ones(len(g), g.dtype), g)
    dims = dims_to(g.shape, shape)
    return np.add.reduce(g, axis=None if len(dims) == g.ndim else dims).reshape(shape)
