"""Systems of equations: by a Cholesky factor that is known, and by least squares; and what is told without an error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.functions import LinalgPinvBackward0, pinv
from autograd_lab.engine.ops.matrix.linalg import (
    by_columns,
    check_square,
    cholesky,
    inv,
    is_vector,
    product,
    solve,
    transposed,
    zero_pivots,
)
from autograd_lab.engine.ops.matrix.lu import linalg_lu_solve, lu_factor_ex
from autograd_lab.engine.ops.matrix.minors import bad_minors
from autograd_lab.engine.ops.matrix.triangles import substituted
from autograd_lab.engine.ops.shape.views import expand

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

LinalgInvExResult = named("linalg_inv_ex", "inverse", "info")
LinalgSolveExResult = named("linalg_solve_ex", "result", "info")
LinalgCholeskyExResult = named("linalg_cholesky_ex", "L", "info")
LinalgLstsqResult = named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


class CholeskySolveBackward0(Node):
    """L Lᵀ X = B, so dL/dB = C = (L Lᵀ)⁻¹ G, and the factor gets -(C Xᵀ + X Cᵀ) L."""

    inputs = ("self", "input2")
    tangent = "transposed"
    saves = ("self", "input2", "result")
    op = "cholesky_solve"
    __slots__ = ("upper",)

    def forward(self, B: Array, L: Array, upper: bool) -> Array:
        self.upper = upper
        return _solved(B, L, upper)

    def backward(self, g: Any, B: Any, L: Any, x: Any) -> Any:
        if isinstance(g, Variable):
            to_b: Any = applyn(CholeskySolveBackward0, (g, L), self.upper)
        else:
            to_b = _solved(g, L, self.upper)
        both = product(to_b, transposed(x))
        both = both + transposed(both)
        to_l = -(product(L, both) if self.upper else product(both, L))
        return _of_shape(to_b, tuple(B.shape)), _of_shape(to_l, tuple(L.shape))


def _of_shape(g: Any, shape: tuple[int, ...]) -> Any:
    """The gradient of a batch that may have been broadcast."""
    return g if tuple(g.shape) == shape else formulas.sum_to(g, shape)


def _solved(B: Array, L: Array, upper: bool) -> Array:
    factor = transposed(np.triu(L)) if upper else np.tril(L)
    if factor.diagonal(0, -2, -1).all():
        return by_columns(np.linalg.solve(transposed(factor), np.linalg.solve(factor, B)))
    return by_columns(substituted(transposed(factor), substituted(factor, B, False), True))


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Tensor:
    """X with L Lᵀ X = B, for a triangle L as `cholesky` gives it (or Lᵀ L X = B, if it is an `upper` one)."""
    only_tensors("cholesky_solve", input, input2)
    b, a = input._array.shape, input2._array.shape
    for name, shape in (("b", b), ("u", a)):
        if len(shape) < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {len(shape)} dimensions instead")
    if input._array.dtype != input2._array.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {input.dtype.title} and A of type "
            f"{input2.dtype.title} instead."
        )
    if a[-1] != a[-2]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {a[-2]} by {a[-1]} matrices")
    if a[-1] != b[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {a[-1]} by {a[-1]} but each b matrix is "
            f"{b[-2]} by {b[-1]}"
        )
    refuse(mismatch(b[:-2], a[:-2]))
    if input._array.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"cholesky_solve_cpu\" not implemented for '{input.dtype.title}'")
    return applyn(CholeskySolveBackward0, (input, input2), upper)


class LinalgLstsqBackward0(Node):
    """X = A⁺ B comes nearest to A X = B, and R are the squares that remain: its columns' distances."""

    inputs = ("self", "b")
    outputs = ("solution", "residuals")
    many = True
    saves = ("b", "self", "solution")
    op = "linalg_lstsq"
    tangent = "own"

    def forward(self, A: Array, B: Array, cut: float, residual: bool) -> tuple[Array, Array]:
        wide = B if B.ndim == A.ndim else B[..., None]
        x = np.matmul(np.linalg.pinv(A, cut), wide)
        left = wide - np.matmul(A, x)
        room = np.zeros((*x.shape[:-2], max(A.shape[-2:]), x.shape[-1]), x.dtype)  # as LAPACK has it
        room[..., : x.shape[-2], :] = x
        x = by_columns(room)[..., : x.shape[-2], :]
        x = x if B.ndim == A.ndim else np.ascontiguousarray(x[..., 0])
        return x, (left * left).sum(-2) if residual else np.zeros(0, A.dtype)

    def backward(self, g: Any, B: Any, A: Any, x: Any) -> Any:
        vector = B.ndim < A.ndim
        if vector:
            B, x = (formulas.unsqueezed(one, (-1,), A.ndim, False) for one in (B, x))
            g = [g[0] if g[0] is None else formulas.unsqueezed(g[0], (-1,), A.ndim, False), g[1]]
        to_a, to_b = self._sent(g, B, A, x)
        return to_a, to_b.squeeze(-1) if vector else to_b

    def pushed(self, push: Push) -> Sequence[Any]:
        """dX = A⁺ (dB - dA X) + A⁺ A⁺ᵀ dAᵀ (B - A X) + (1 - A⁺ A) dAᵀ A⁺ᵀ X, for a rank that stays."""
        (da, db), (x, rest), (A, B) = push.tangents, push.outputs, push.operands
        vector = B.dim() < A.dim()
        if vector:
            x, B, db = (one if one is None else one.unsqueeze(-1) for one in (x, B, db))
        inverse = pinv(A)
        moved = formulas.added(([] if db is None else [db]) + ([] if da is None else [-(da @ x)]))
        parts = [inverse @ moved]
        if da is not None:
            turned = da.mT @ (inverse.mT @ x)
            parts += [inverse @ (inverse.mT @ (da.mT @ (B - A @ x))), turned - inverse @ (A @ turned)]
        dx = formulas.added(parts)
        dr = -2 * ((A @ x - B) * moved).sum(-2) if rest._array.size else None
        return dx.squeeze(-1) if vector else dx, dr

    def _sent(self, g: Any, B: Any, A: Any, x: Any) -> Any:
        to_x, to_rest = g
        to_a: Any = None
        to_b: Any = None
        if to_x is not None:
            inverse: Any = np.linalg.pinv(A) if isinstance(A, np.ndarray) else pinv(A)
            to_a = LinalgPinvBackward0().backward(product(to_x, transposed(B)), inverse, A)
            to_b = product(transposed(inverse), to_x)
        if to_rest is not None and to_rest.ndim and to_rest.shape[-1]:
            wide = formulas.unsqueezed(to_rest, (-2,), A.ndim, False)
            over = formulas.times((product(A, x) - B) * wide, 2)
            more = product(over, transposed(x)), -over
            to_a, to_b = more if to_a is None else (to_a + more[0], to_b + more[1])
        return to_a, to_b


def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """X for which A X comes nearest to B, what remains, the rank of A, and with some drivers its singular values."""
    only_tensors("linalg_lstsq", A, B)
    a, b = A._array, B._array
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if not b.ndim:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{A.dtype.title} and other's dtype {B.dtype.title}"
        )
    if driver not in (None, *DRIVERS):
        raise RuntimeError(f"torch.linalg.lstsq: parameter `driver` should be one of ({', '.join(DRIVERS)})")
    if not 0 <= a.ndim - b.ndim <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    vector = b.ndim == 1 or b.shape == a.shape[:-1]
    if b.shape[-1 if vector else -2] != a.shape[-2]:
        where = "-1" if vector else "-2"
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({where})")
    if a.dtype not in (np.float32, np.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")
    return _nearest(*(A, B) if vector else _of_one_batch(A, B), rcond, driver or "gelsy")


def _of_one_batch(A: Any, B: Any) -> tuple[Any, Any]:
    """Both for as many systems; where B has a dimension less, its rows count as systems, too, as PyTorch has it."""
    a, b = A._array.shape, B._array.shape
    systems = a[:-2], b[: -2 if len(b) == len(a) else -1]
    refuse(mismatch(*systems))
    if len(a) == len(b):
        return A, B
    many = np.broadcast_shapes(*systems)
    A, B = (one if one._array.shape[:-2] == many else expand(one, (*many, *one._array.shape[-2:])) for one in (A, B))
    return A, B


def _nearest(A: Any, B: Any, rcond: float | None, driver: str) -> Any:
    a = A._array
    sizes = np.linalg.svd(a, compute_uv=False)
    cut = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rcond is None else rcond
    rank = (sizes > cut * sizes.max(-1, keepdims=True, initial=0)).sum(-1)
    residual = driver != "gelsy" and a.shape[-2] > a.shape[-1] and bool((rank == a.shape[-1]).all())
    x, rest = apply_many(LinalgLstsqBackward0, (A, B), cut, residual)
    nothing = np.zeros(0, a.dtype)
    return LinalgLstsqResult(
        (
            x,
            rest,
            wrap(np.asarray(rank) if driver != "gels" else np.zeros(0, np.int64)),
            wrap(sizes if driver in ("gelsd", "gelss") else nothing),
        )
    )


def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """The inverse, and for each matrix 0; of a batch with a singular one, NaN and where elimination ended."""
    return LinalgInvExResult(_told(A, inv, zero_pivots, check_errors))


def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """X with A X = B, and for each matrix 0; of a singular one, what elimination gives, and where it ended."""
    only_tensors("linalg", A, B)
    check_square("linalg.solve", A)
    info = zero_pivots(A._array)
    if check_errors or not info.any():
        return LinalgSolveExResult((solve(A, B, left=left), wrap(info.astype(np.int32))))
    LU, pivots, _ = lu_factor_ex(A)
    alone = is_vector(A._array, B._array)
    x = linalg_lu_solve(LU, pivots, B.unsqueeze(-1) if alone else B, left=left)
    return LinalgSolveExResult((x.squeeze(-1) if alone else x, wrap(info.astype(np.int32))))


def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The triangle that `cholesky` gives, and for each matrix 0; of a batch with one that has none, NaN and where."""
    return LinalgCholeskyExResult(_told(A, lambda one: cholesky(one, upper=upper), bad_minors, check_errors))


def _told(A: Any, function: Any, failures: Any, check_errors: bool) -> tuple[Any, Any]:
    """What a function gives, and in integers where it failed."""
    only_tensors("linalg", A)
    check_square("linalg", A)
    info = failures(A._array)
    failed = info.any() and not check_errors
    out = wrap(np.full_like(A._array, np.nan)) if failed else function(A)
    return out, wrap(info.astype(np.int32))


@composed
def tensorinv(A: Any, ind: int = 2) -> Any:
    """The inverse of a tensor that is a square matrix once its first `ind` dimensions are one, and the others are."""
    shape = A._array.shape
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    return inv(A.reshape(columns, rows)).reshape(*shape[ind:], *shape[:ind])


@composed
def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """X with A X = B, where the first dimensions of A are those of B; `dims` of A come last first of all."""
    if dims is not None:
        rest = [at for at in range(A._array.ndim) if at not in dims]
        A = A.permute(*rest, *dims)
    shape, ndim = A._array.shape, B._array.ndim
    rows, columns = math.prod(shape[:ndim]), math.prod(shape[ndim:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
    return solve(A.reshape(rows, columns), B.flatten()).reshape(shape[ndim:])
