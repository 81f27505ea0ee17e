"""Symmetric matrices as L D Lᵀ, rows exchanged, with blocks of one or two on D: by Bunch's and Kaufman's pivots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many, applyn
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.linalg import by_columns, check_square

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

LdlFactorResult = named("linalg_ldl_factor", "LD", "pivots")
LdlFactorExResult = named("linalg_ldl_factor_ex", "LD", "pivots", "info")
SHARE = (1 + math.sqrt(17)) / 8
"""A pivot has to be so great a part of what is beside it."""


def _pivot(a: Array, k: int) -> tuple[int, int]:
    """Which row comes to the place of the pivot, and of how many rows that is."""
    below = np.abs(a[k + 1 :, k])
    most = below.max(initial=0)
    own = abs(a[k, k])
    if own >= SHARE * most:
        return k, 1
    at = k + 1 + int(below.argmax())
    beside = max(np.abs(a[at, k:at]).max(initial=0), np.abs(a[at + 1 :, at]).max(initial=0))
    if own >= SHARE * most * (most / beside):
        return k, 1
    return (at, 1) if abs(a[at, at]) >= SHARE * beside else (at, 2)


def _exchanged(a: Array, k: int, at: int, size: int) -> None:
    """Exchange rows and columns in the lower triangle."""
    to = k + size - 1
    if to == at:
        return
    for one, other in (((slice(at + 1, None), to), (slice(at + 1, None), at)), ((to, to), (at, at))):
        a[one], a[other] = a[other].copy(), a[one].copy()
    a[to + 1 : at, to], a[at, to + 1 : at] = a[at, to + 1 : at].copy(), a[to + 1 : at, to].copy()
    if size == 2:
        a[k + 1, k], a[at, k] = a[at, k], a[k + 1, k]


def factored(matrix: Array) -> tuple[Array, Array, int]:
    """L below the diagonal and D on it, with which row each was exchanged, and where a pivot is 0."""
    a, n, k, info = np.tril(matrix).copy(), len(matrix), 0, 0
    pivots = np.zeros(n, np.int32)
    while k < n:
        if not np.abs(a[k:, k]).max() > 0:
            info, at, size = info or k + 1, k, 1
        else:
            at, size = _pivot(a, k)
            _exchanged(a, k, at, size)
            rest, block = a[k + size :, k : k + size].copy(), _block(a, k, size)
            share = rest / block[0, 0] if size == 1 else rest @ np.linalg.inv(block)
            a[k + size :, k + size :] -= np.tril(share @ rest.T)
            a[k + size :, k : k + size] = share
        pivots[k : k + size] = at + 1 if size == 1 else -(at + 1)
        k += size
    return a, pivots, info


def _block(a: Array, k: int, size: int) -> Array:
    """A block of D, whole."""
    lower = np.tril(a[k : k + size, k : k + size])
    return lower + np.tril(lower, -1).T


def solved(a: Array, pivots: Array, b: Array) -> Array:
    """X with L D Lᵀ X = b."""
    x, n, k, starts = b.copy(), len(a), 0, []
    while k < n:
        size = 1 if pivots[k] > 0 else 2
        starts.append((k, size, abs(int(pivots[k])) - 1))
        k += size
    for k, size, at in starts:
        x[[k + size - 1, at]] = x[[at, k + size - 1]]
        x[k + size :] -= a[k + size :, k : k + size] @ x[k : k + size]
        x[k : k + size] = np.linalg.solve(_block(a, k, size), x[k : k + size]) if size == 2 else x[k] / a[k, k]
    for k, size, at in reversed(starts):
        x[k : k + size] -= a[k + size :, k : k + size].T @ x[k + size :]
        x[[k + size - 1, at]] = x[[at, k + size - 1]]
    return x


class LdlFactor(Undifferentiable):
    """A = L D Lᵀ."""

    op = "linalg_ldl_factor_ex"

    def forward(self, A: Array) -> tuple[Array, Array, Array]:
        found = [factored(one) for one in A.reshape((-1, *A.shape[-2:]))] if A.size else []
        batch = A.shape[:-2]
        return (
            by_columns(np.array([one[0] for one in found], A.dtype).reshape(A.shape)),
            np.array([one[1] for one in found], np.int32).reshape(A.shape[:-1]),
            np.array([one[2] for one in found] or np.zeros(batch), np.int32).reshape(batch),
        )


class LdlSolve(Undifferentiable):
    """X with A X = B, for A = L D Lᵀ."""

    inputs = ("LD", "pivots", "B")
    op = "linalg_ldl_solve"

    def forward(self, a: Array, pivots: Array, b: Array) -> Array:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        wide = [np.broadcast_to(one, (*batch, *one.shape[-2:])) for one in (a, b)]
        exchanged = np.broadcast_to(pivots, (*batch, pivots.shape[-1]))
        x = np.empty(wide[1].shape, b.dtype)
        for at in np.ndindex(*batch):
            x[at] = solved(wide[0][at], exchanged[at], wide[1][at])
        return by_columns(x)


def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """L and D in one matrix, the exchanges, and where a pivot is 0."""
    return LdlFactorExResult(_factors("ldl_factor_ex", A, check_errors))


def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """L and D in one matrix, and the exchanges of rows."""
    return LdlFactorResult(_factors("ldl_factor", A, True)[:2])


def _factors(name: str, A: Tensor, check: bool) -> tuple[Tensor, ...]:
    check_square("torch.linalg.ldl_factor_ex", A)
    found = apply_many(LdlFactor, (A,))
    if check and (bad := found[2]._array[found[2]._array != 0]).size:
        raise RuntimeError(f"torch.linalg.{name}: Unknown error code: {bad[0]}.")
    return found


def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """X with A X = B, for the factors of A."""
    check_square("torch.linalg.ldl_solve", LD)
    a, b = LD._array, B._array
    B.size(-2)
    if b.shape[-2] != a.shape[-2]:
        sizes = [f"{one.shape[-2]} by {one.shape[-1]}" for one in (a, b)]
        raise RuntimeError(
            f"Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is {sizes[0]} but each b matrix is "
            f"{sizes[1]}"
        )
    if a.shape[:-1] != pivots._array.shape:
        raise RuntimeError(
            "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    if a.dtype != b.dtype:
        kinds = f"found b of type {B.dtype.title} and A of type {LD.dtype.title} instead"
        raise RuntimeError(f"Expected b and A to have the same dtype, but {kinds}.")
    return applyn(LdlSolve, (LD, pivots, B))
