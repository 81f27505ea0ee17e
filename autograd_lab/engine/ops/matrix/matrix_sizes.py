"""The norms of matrices: as vectors, by rows and columns, and by how far they stretch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.numbers.dtypes import dtype
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import along, checked_dim
from autograd_lab.engine.ops.matrix.decompositions import qr, svd, svdvals
from autograd_lab.engine.ops.matrix.functions import cholesky, matrix_exp, pinverse
from autograd_lab.engine.ops.matrix.linalg import inv
from autograd_lab.engine.ops.reduction.extremes import amax, amin
from autograd_lab.engine.ops.reduction.norms import check_length, older_norm, vector_norm
from autograd_lab.engine.ops.shape.views import permute, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "cholesky", "frobenius_norm", "matrix_exp", "norm", "norm_except_dim", "nuclear_norm", "pinverse", "qr", "svd",
]  # fmt: skip
"""All that `torch` itself has of what is done to matrices by their stretches."""


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The length of a tensor as one vector, or of the vectors along `dim`; Euclidean unless `p` says otherwise."""
    if p == "nuc":
        return matrix_norm(input, p, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if p in ("fro", None) and dtype is None and dim is not None and not isinstance(dim, int):
        return matrix_norm(input, "fro", dim, keepdim) if len(dim) == 2 else vector_norm(input, 2, dim, keepdim)
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:  # fmt: skip
    """The norm of matrices: "fro" as of one vector, 1 and -1 by columns, inf by rows, 2 and "nuc" by stretches."""
    if A._array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    check_length("linalg.matrix_norm", A)
    rows, columns = (one % A._array.ndim for one in along(A, dim))
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim, dtype=dtype)
    if ord in (2, -2, "nuc"):
        return _by_stretches(A if dtype is None else A.to(dtype), ord, rows, columns, keepdim)
    if ord not in (1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if abs(ord) == math.inf:
        rows, columns = columns, rows
    sums = vector_norm(A, 1, rows, keepdim, dtype=dtype)
    return (amax if ord > 0 else amin)(sums, columns - (rows < columns and not keepdim), keepdim)


def _by_stretches(A: Tensor, ord: Any, rows: int, columns: int, keepdim: bool) -> Tensor:
    """The largest or smallest singular value of matrices, or the sum of all."""
    if A._array.dtype.itemsize == 2:
        raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {A.dtype.title}")
    others = [at for at in range(A._array.ndim) if at not in (rows, columns)]
    sizes = svdvals(permute(A, (*others, rows, columns)))
    out = sizes.sum(-1) if ord == "nuc" else (amax if ord > 0 else amin)(sizes, -1)
    if not keepdim:
        return out
    back = np.argsort([*others, rows, columns]).tolist()
    return permute(unsqueeze(unsqueeze(out, -1), -1), tuple(back))


IN_NAME_ONLY = (
    "at::{}_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
    "release. Please use `linalg.{}, dim, keepdim)` instead"
)


def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The length of the vectors along dimensions."""
    warn_once(IN_NAME_ONLY.format("frobenius", "vector_norm(A, 2."))
    return older_norm(input, 2.0, dim, keepdim)


def nuclear_norm(input: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The sum of the singular values of matrices."""
    warn_once(IN_NAME_ONLY.format("nuclear", "matrix_norm(A, 'nuc'"))
    return matrix_norm(input, "nuc", dim, keepdim)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The length of what stands at each place along a dimension; of all for dimension -1."""
    ndim = v._array.ndim
    if dim == -1:
        return older_norm(v, pow)
    dim = checked_dim(v, dim)
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim %= ndim
    if dim not in (0, ndim - 1):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    size = v._array.shape[dim]
    rows = (size, -1) if dim == 0 else (-1, size)
    shape = (size, *(1,) * (ndim - 1)) if dim == 0 else (*(1,) * (ndim - 1), size)
    return older_norm(v.contiguous().view(rows), pow, 1 if dim == 0 else 0).view(shape)


def linalg_norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:  # fmt: skip
    """The norm of a vector or matrix; of the tensor as one vector if nothing says otherwise."""
    if ord is None:
        return vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if (
        isinstance(ord, str)
        or (dim is None and A._array.ndim == 2)
        or (isinstance(dim, tuple | list) and len(dim) == 2)
    ):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


@composed
def cond(A: Tensor, p: Any = None) -> Tensor:
    """How much larger an error of B can be in the X of A X = B: the largest stretch over the smallest, or by a norm."""
    if p in (None, 2, -2):
        sizes = svdvals(A)
        first, last = amax(sizes, -1), amin(sizes, -1)
        return first / last if p != -2 else last / first
    return matrix_norm(A, p) * matrix_norm(inv(A), p)
