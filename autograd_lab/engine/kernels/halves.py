"""What half precision is computed in: float32, and rounded once.

So PyTorch computes it, and numpy's own loops of products would take twenty to a hundred times as long.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograd_lab.engine.kernels import multiplying
from autograd_lab.engine.numbers.dtypes import BOOL, F32, WIDE, Array, NumpyDtype, fitted, mixed, result_dtype


def by_number(x: Any, y: Any) -> list[Array]:
    """Operands in one dtype; but a number that comes second, after half precision, is not rounded: it is in float32."""
    kind = result_dtype((x, y))
    is_number = not isinstance(y, np.ndarray) or (not y.ndim and y.dtype != kind)
    if kind.kind not in "fV" or kind.itemsize != 2 or not is_number:
        return mixed(x, y)
    return [np.asarray(x, kind), np.asarray(y, F32)]


def rounded(ufunc: Any, x: Array, y: Array, out: Any = ...) -> Any:
    """The result of half precision and a number in float32."""
    found = np.asarray(ufunc(x.astype(F32), y), x.dtype)
    if out is not ...:
        out[...] = found
    return found


def with_number(ufunc: Any, x: Any, number: Any) -> Any:
    """A ufunc of an array and a number, which is not rounded to half precision."""
    if x.dtype.itemsize == 2 and is_half(x) and isinstance(number, int | float):
        return rounded(ufunc, x, F32.type(number))
    return ufunc(x, number)


def cubed(x: Any) -> Any:
    """x³; of float16 rounded once, of bfloat16 also the square."""
    if x.dtype == np.float16:
        return np.power(x.astype(F32), 3, out=...).astype(x.dtype)
    return np.multiply(x * x, x, out=...)


def is_half(x: Array) -> bool:
    """Whether these are numbers of half precision."""
    return x.dtype is not F32 and x.dtype.kind in "fV" and x.dtype in WIDE


def no_truth(x: Array, y: Array, kernel: str) -> None:
    """Refuse products of truth values, where there are any, in the name of PyTorch's kernel."""
    if x.dtype is BOOL and x.size and y.size:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def narrowed(function: Callable[..., Array], x: Array, *more: Array) -> Array:
    """A function of arrays; of half precision it is taken in float32, and the result rounded."""
    if x.dtype.itemsize == 2 and is_half(x):
        return function(x.astype(F32), *(one.astype(F32) for one in more)).astype(x.dtype)
    return function(x, *more)


def in_turn(terms: Array, kind: NumpyDtype) -> Array:
    """The sum along the first dimension, one term after another, where each sum is rounded to half precision."""
    total: Any = np.zeros(terms.shape[1:], F32)
    for term in terms:
        total = (total + term).astype(kind).astype(F32)
    return np.asarray(total, kind)


def once_of_bfloat16(function: Callable[..., Array]) -> Callable[..., Array]:
    """The function of two arrays (and more), which of bfloat16 is taken in float32, and the result rounded."""

    @functools.wraps(function)
    def call(x: Array, y: Array, *more: Any) -> Array:
        if x.dtype.itemsize != 2 or x.dtype == np.float16:
            return function(x, y, *more)
        return narrowed(lambda x, y: function(x, y, *more), x, y)

    return call


def sum_of_products(x: Array, y: Array) -> Array:
    """The sum of all products of two batches of matrices, which of float16 is rounded product by product."""
    if x.dtype == np.float16:
        return in_turn(np.matmul(x.astype(F32), y.astype(F32)), x.dtype)
    return narrowed(lambda x, y: np.matmul(x, y).sum(axis=0), x, y)


def added(times: Callable[[Array, Array], Any], b: Array, x: Array, y: Array, beta: float, alpha: float) -> Array:
    """beta b + alpha times a product of x and y, in half precision rounded once; without beta nobody looks at b."""
    if x.dtype.itemsize == 2 and is_half(x):
        return added(times, b.astype(F32), x.astype(F32), y.astype(F32), beta, alpha).astype(x.dtype)
    z = np.asarray(times(x, y))
    if alpha != 1:
        z *= z.dtype.type(fitted(alpha, z.dtype))
    if not beta:
        return z
    return np.add(z, b if beta == 1 else b * b.dtype.type(fitted(beta, b.dtype)), out=...)


def dot(x: Array, y: Array, kernel: str = "addmm_impl_cpu_") -> Any:
    """`x.dot(y)`, by the kernel of PyTorch that refuses truth values."""
    if x.dtype is F32:
        return _row_among_many(x, y) if together else multiplying.dot(x, y)
    if not is_half(x):
        no_truth(x, y, kernel)
        return _row_among_many(x, y) if together else x.dot(y)
    return x.astype(F32).dot(y.astype(F32)).astype(x.dtype)


def matmul(x: Array, y: Array, out: Array | None = None, *, kernel: str = "bmm") -> Any:
    """`np.matmul(x, y, out)`, by the kernel of PyTorch that refuses truth values."""
    if x.dtype is F32:
        if x.ndim == 3 == y.ndim and out is None and x.shape[1] * x.shape[2] * y.shape[2] < SMALL:
            return _in_order(x, y)
        return multiplying.matmul(x, y) if x.ndim == 3 == y.ndim and out is None else np.matmul(x, y, out)
    if not is_half(x):
        no_truth(x, y, kernel)
        return np.matmul(x, y, out)
    product = np.matmul(x.astype(F32), y.astype(F32)).astype(x.dtype)
    if out is not None:
        out[...] = product
    return product if out is None else out


SMALL = 400
"""Matrices of a batch with so many products are multiplied by a library, and smaller ones number by number."""


def _in_order(x: Array, y: Array) -> Array:
    if (ask := getattr(x, "precise", None) or getattr(y, "precise", None)) is not None:
        return ask(_in_order, x, y)  # where a program is compiled, one call
    if not x.size or not y.size:
        return np.matmul(x, y)
    if y.shape[2] > 1:  # einsum goes along the last dimension, and adds what comes for each number of it in turn
        return np.einsum("bik,bkj->bij", x, np.ascontiguousarray(y))
    return np.ascontiguousarray(np.add.accumulate(x[..., None] * y[:, None], axis=2)[:, :, -1])


# --- rows that are examples: libraries add up a single row in another order than one of many --------------------------

ROWS = 16
"""As many rows as libraries take for many: for fewer, some have kernels of their own."""
together = tangents = False
"""Whether what is computed, or each tangent, is one of many examples, of which PyTorch makes one product."""


@contextmanager
def among(many: bool, what: str = "together") -> Iterator[None]:
    """Inside, rows are multiplied as if there were more of them, if there are; or those of tangents alone are."""
    outer = globals()[what]
    globals()[what] = outer or many
    try:
        yield
    finally:
        globals()[what] = outer


def _row_among_many(x: Array, y: Array) -> Array:
    """`x.dot(y)`, in which a single row, or a vector, has the digits that it would have among others."""
    if x.ndim == 2 and y.ndim == 1:
        return _row_among_many(y[None], x.T)[0]
    if x.ndim == 2 == y.ndim and len(x) == 1:
        return np.repeat(x, ROWS, axis=0).dot(y)[:1].copy()
    product: Array = x.dot(y)
    return product
