"""Products of float32 matrices and vectors, to the last bit as in PyTorch on a processor with vectors of 512 bits.

Its library (MKL) adds up in an order that hangs on the sizes and on how both factors lie in memory: most often one
product after another. Where a row or a column stands alone, or both factors lie along what is summed and few numbers
are made of them, it goes by lanes. On other processors a digit may be another one here and there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.engine.kernels import lanes
from autograd_lab.engine.kernels.in_turn import LONGEST, by_columns, goes_astray, in_blocks, in_turn
from autograd_lab.engine.kernels.precise import asked
from autograd_lab.engine.numbers.dtypes import F32, F64, Array

MANY = 1 << 17
"""What has more numbers is multiplied with a vector as numpy's library does it."""


def dot(x: Array, y: Array) -> Any:
    """`x.dot(y)`."""
    if _known(x, y):
        return _product(x, y) if y.ndim == 2 else _applied(x, y) if x.ndim == 2 else _dotted(x, y)
    return x.dot(y)


def dot_added(x: Array, y: Array, b: Array) -> Any:
    """`x.dot(y) + b` of two matrices."""
    return _product_added(x, y, b) if _known(x, y) and b.dtype is F32 else np.add(z := x.dot(y), b, out=z)


def _known(x: Array, y: Array) -> bool:
    """Whether both are arrays of float32, or one of them stands for such a one where a program is compiled."""
    if x.dtype is not F32 or y.dtype is not F32 or x.ndim < y.ndim:
        return False
    return type(x) is np.ndarray is type(y) or hasattr(x, "precise") or hasattr(y, "precise")


def matmul(x: Array, y: Array) -> Any:
    """`np.matmul` of two batches of matrices."""
    if not _known(x, y) or not x.size or not y.size:
        return np.matmul(x, y)
    first, second = x[0], y[0]
    (rows, inner), columns = first.shape, second.shape[1]
    if rows > 1 < columns and inner <= LONGEST and ((rows >= 16 and columns >= 12) or _of_few(first, second) is None):
        return np.matmul(x.swapaxes(1, 2).copy().swapaxes(1, 2) if goes_astray(first, second) else x, y)
    return np.matmul(x, y) if len(x) > FEW else _made(_one_by_one, x, y)


FEW = 32
"""More matrices of which each needs steps of its own are multiplied as numpy does it."""


def _one_by_one(x: Array, y: Array) -> Array:
    return np.stack([_of_batch(*pair) if len(x) > 1 else _product(*pair) for pair in zip(x, y, strict=True)])


def _of_batch(x: Array, y: Array) -> Array:
    """A product of two matrices among others: of those with one column the library makes nothing else."""
    rows, columns = len(x), y.shape[1]
    if columns == 1 < rows and (order := _of_few(x, y)) is not None:
        return order(x, y.repeat(2, axis=1).T.copy().T)[:, :1]
    if (columns == 1 and rows > 1) or (rows == 1 and by_columns(x)):
        pair = x.repeat(1 + (rows == 1), axis=0), y.repeat(1 + (columns == 1), axis=1)
        return in_blocks(*pair)[:rows, :columns]
    return _product(x, y)


def _product(x: Array, y: Array) -> Array:
    """`x.dot(y)` of two matrices."""
    (rows, inner), columns = x.shape, y.shape[1]
    if not (rows and inner and columns):
        return x.dot(y)
    if rows == 1 or columns == 1:
        return _made(_of_one, x, y)
    if (rows < 16 or columns < 12) and inner > 1 and (order := _of_few(x, y)) is not None:
        return _made(order, x, y)
    return in_turn(x, y) if inner <= LONGEST else in_blocks(x, y)


def _product_added(x: Array, y: Array, b: Array) -> Array:
    """A product of two matrices, and `b`, which is where some sums start."""
    (rows, inner), columns = x.shape, y.shape[1]
    if inner == 1 < columns:
        return _made(_fused, x, y, b)
    if rows == 1 or columns == 1:
        return _made(_of_one, x, y, b)
    if inner <= LONGEST or _of_few(x, y) is not None:
        return np.add(z := _product(x, y), b, out=z)
    return in_blocks(x, y, b)


def _fused(x: Array, y: Array, b: Array) -> Array:
    return np.asarray(np.multiply(x, y, dtype=F64) + b, F32)


def _applied(x: Array, v: Array) -> Array:
    """`x.dot(v)` of a matrix and a vector."""
    if not 0 < x.size <= MANY or v.size == 1:
        return x.dot(v)
    return _made(lanes.applied_down if by_columns(x) else lanes.applied, x, v)


def _dotted(u: Array, v: Array) -> Array:
    """`u.dot(v)` of two vectors."""
    return _made(lanes.dotted, u, v) if 1 < u.size <= MANY else u.dot(v)


def _made(function: Callable[..., Array], *factors: Array) -> Array:
    made: Array | None = asked(function, *factors)
    return function(*factors) if made is None else made


def _of_few(x: Array, y: Array) -> Callable[[Array, Array], Array] | None:
    """The order of few numbers, made of factors that lie in memory along what is summed."""
    (rows, inner), columns = x.shape, y.shape[1]
    if by_columns(x) or not by_columns(y) or inner < 2:
        return None
    if rows < 16 and 24 * rows <= inner:
        return lanes.by_quarters
    few = rows * columns < 32 if columns < 4 else rows < columns < 12 and inner <= columns
    return lanes.by_halves if few else None


def _of_one(x: Array, y: Array, b: Array | None = None) -> Array:
    """One row or column: a matrix and a vector. `y` decides of both, which may start where `b` is."""
    shape = len(x), y.shape[1]
    if x.shape[1] < 2 or not 0 < max(x.size, y.size) <= MANY:
        return x.dot(y) if b is None else x.dot(y) + b
    matrix, vector = (y.T, x[0]) if shape[0] == 1 else (x, y[:, 0])
    if by_columns(matrix) if shape[1] == 1 < shape[0] else not by_columns(y):
        start = None if b is None else np.broadcast_to(b, shape).reshape(-1)
        return lanes.applied_down(matrix, vector, start).reshape(shape)
    z = lanes.applied(matrix, vector).reshape(shape)
    return z if b is None else np.add(z, b, out=z)
