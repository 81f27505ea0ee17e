"""Blocks: of each part of a large array the element that is largest in magnitude, so that none that stands out is lost.

An array is seen as a matrix, all dimensions but the last as its rows, and cut into at most 8 × 8 blocks, but for a side
of up to 12, which stays as it is. No element is outside of them. NaN counts as the largest of all, and of two of one
size the positive one.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MOST = 8
"""So many blocks at most are beside each other, and below each other."""
WHOLE = 12
"""So many rows, or columns, are each a block: that ten classes are ten columns is worth their bytes."""
LONG, FEW = 2048, 4
"""About so many elements numpy compares at a time fastest; to take fewer rows together is not worth the while."""


def length_of(count: int) -> int:
    """How many of so many rows, or columns, are in a block; in the last there may be fewer."""
    return 1 if count <= WHOLE else -(-count // MOST)


def largest(lows: Array, highs: Array) -> Array:
    """The larger in magnitude of the least and the largest element of each block."""
    return highs if highs.dtype.kind in "bu" else np.where(lows < -highs, lows, highs)


def extremes(matrix: Array) -> tuple[Array, Array]:
    """The least and the largest element of each block of a contiguous matrix, in either order; NaN if there is one.

    Of what has no sign, the largest twice.
    """
    if matrix.shape[1] == 1 or not matrix.flags.c_contiguous:
        lows, highs = extremes(matrix.T)
        return lows.T, highs.T
    highs = _reduced(np.maximum, matrix)
    return (highs if matrix.dtype.kind in "bu" else _reduced(np.minimum, matrix)), highs


def _reduced(extreme: np.ufunc, matrix: Array) -> Array:
    """The extremes of blocks: first of rows, which lie one after the other, then of columns."""
    rows, columns = matrix.shape
    if (step := length_of(rows)) > 1:
        whole = rows // step
        found = _of_rows(extreme, matrix[: whole * step].reshape(whole, -1), step)
        if whole * step < rows:
            rest = _of_rows(extreme, matrix[whole * step :].reshape(1, -1), rows - whole * step)
            found = np.concatenate([found, rest])
        matrix = found
    return extreme.reduceat(matrix, _starts(columns), axis=1) if columns > WHOLE else matrix


@lru_cache(maxsize=256)
def _starts(columns: int) -> Array:
    return np.arange(0, columns, length_of(columns))


def _of_rows(extreme: np.ufunc, blocks: Array, rows: int) -> Array:
    """For each block, whose rows lie one after the other, the extremes of its columns.

    Short rows are taken several at a time; the last of them may be counted twice, which makes no difference.
    """
    count, columns = len(blocks), blocks.shape[1] // rows
    together = min(math.isqrt(rows), LONG // columns)
    if together < FEW:
        return extreme.reduce(blocks.reshape(count, rows, columns), axis=1)
    width, turns = together * columns, rows // together
    found = extreme.reduce(blocks[:, : turns * width].reshape(count, turns, width), axis=1)
    if turns * together < rows:
        extreme(found, blocks[:, -width:], out=found)
    return extreme.reduce(found.reshape(count, together, columns), axis=1)
