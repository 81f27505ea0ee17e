"""Products of float32 matrices that are added one after another, each before it is rounded.

So does PyTorch's library (MKL), with long sums made of shorter ones; and so does numpy's, if it is asked the right way.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograd_lab.engine.numbers.dtypes import F32, Array

LONGEST = 384
"""Of more products a sum is made of sums."""


def by_columns(x: Array) -> bool:
    """Whether a matrix lies in memory column by column; what lies in no order is copied row by row."""
    return x.strides[0] == 4 <= 4 * len(x) <= x.strides[1]


def goes_astray(x: Array, y: Array) -> bool:
    """Whether numpy's library has a kernel for such small matrices that would add up along the rows of `x`."""
    (rows, inner), columns = x.shape, y.shape[1]
    if inner < 32 or x.strides[0] == 4:
        return False
    if y.strides[0] == 4:
        return rows * columns <= 1200
    return 0 < columns % 16 <= 8 and rows * columns * inner <= 1e6


def in_turn(x: Array, y: Array) -> Array:
    """`x.dot(y)`, one product after another."""
    if goes_astray(x, y):
        columns = y.shape[1]
        if y.strides[0] == 4 and columns < len(x) and not 0 < columns % 16 <= 8:
            return x.dot(y.copy())  # which is less
        return x.T.copy().T.dot(y)
    if y.strides[0] == 4 and y.strides[1] != 4 * len(y):
        return np.matmul(x, y)  # `dot` copies such a part of a matrix
    return x.dot(y)


def in_blocks(x: Array, y: Array, total: Array | None = None) -> Array:
    """The same for long sums, of which each part is added to what is there already."""
    for part in _parts(x.shape[1]):
        more = in_turn(x[:, part], y[part])
        total = more if total is None else np.add(more, total, out=more)
    assert total is not None
    return total


def _parts(size: int) -> Iterator[slice]:
    """The greatest parts while there is more than one, and two halves of what is left."""
    at = 0
    while rest := size - at:
        step = LONGEST if rest >= 2 * LONGEST else -(-rest // 2) if rest > LONGEST else rest
        yield slice(at, at + step)
        at += step


def chain(v: Array, y: Array, start: Array | None = None) -> Array:
    """A vector times a matrix, in one sum, however long: what is summed so far is its first product."""
    columns = y.shape[1]
    if columns == 1:
        y = y.repeat(2, axis=1)
    for at in range(0, len(v), LONGEST):
        factors, rows = v[at : at + LONGEST], y[at : at + LONGEST]
        if start is not None:
            factors, rows = (
                np.concatenate((ONE, factors)),
                np.concatenate((np.broadcast_to(start, (1, y.shape[1])), rows)),
            )
        start = factors.repeat(2).reshape(-1, 2).T.dot(rows)[0]  # of two rows, as numpy's library has an order for one
    assert start is not None
    return start[:columns]


ONE = np.ones(1, F32)
