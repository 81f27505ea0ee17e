"""Linear algebra of square matrices: inv, solve, cholesky, powers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.numbers.dtypes import F32, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.answers import answered
from autograd_lab.engine.ops.ground.copying import clone
from autograd_lab.engine.ops.matrix.minors import bad_minors
from autograd_lab.engine.ops.matrix.products import matmul

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["inverse", "matrix_power"]


class _LinAlgError(RuntimeError):
    """A matrix for which there is no answer."""


LinAlgError = _LinAlgError
LinAlgError.__module__ = "torch._C"


UNROUNDED = {"linalg.inv", "linalg.slogdet"}
"""What PyTorch refuses in half precision before it comes to a kernel."""


def check_square(op: str, A: Tensor, *, floats: bool = True) -> None:
    """Raise RuntimeError unless the tensor is a square matrix of floats, or a batch of such."""
    x = A._array
    if x.ndim < 2:
        raise RuntimeError(f"{op}: The input tensor A must have at least 2 dimensions.")
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            f"{op}: A must be batches of square matrices, but they are {x.shape[-2]} by {x.shape[-1]} matrices"
        )
    if floats:
        check_floats(op, A)
    if floats and x.dtype.itemsize < 4 and (x.size or op in UNROUNDED):
        if op in UNROUNDED:
            raise RuntimeError(f"{op}: Low precision dtypes not supported. Got {A.dtype.title}")
        kernel = "cholesky_cpu" if op == "linalg.cholesky" else "lu_cpu"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{A.dtype.title}'")


def check_floats(op: str, A: Tensor) -> None:
    """Raise RuntimeError for whole numbers."""
    if A._array.dtype.kind in "bui":
        raise RuntimeError(f"{op}: Expected a floating point or complex tensor as input. Got {A.dtype.title}")


def transposed(x: Any) -> Any:
    """The last two dimensions exchanged."""
    return formulas.swapped(x, -2, -1)


def product(a: Any, b: Any) -> Any:
    """The product of matrices, or of batches of them."""
    return a.matmul(b) if isinstance(a, Variable) else np.matmul(a, b)


def by_columns(x: Array) -> Array:
    """Matrices whose columns lie in memory one after another, as LAPACK has them."""
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def solution(A: Any, B: Any) -> Any:
    """X with A X = B, for matrices."""
    return applyn(LinalgSolveExBackward0, (A, B)) if isinstance(A, Variable) else np.linalg.solve(*map(single, (A, B)))


def single(x: Array) -> Array:
    """Matrices of half precision in single precision: those without elements, as all others are refused."""
    return x.astype(F32) if x.dtype.itemsize < 4 else x


def known(A: Array, bad: Array) -> Array:
    """The matrices, with others in the place of the bad ones that a library would refuse."""
    return np.where(bad, np.eye(A.shape[-1], dtype=A.dtype), A) if bad.any() else A


def _inverse(A: Array) -> Array:
    """A⁻¹, which is no number anywhere if there is anything in A that is none."""
    bad = np.isnan(A).any((-2, -1))
    inverse: Array = np.linalg.inv(known(A, bad[..., None, None]))
    inverse[bad] = np.nan
    return inverse


class LinalgInvExBackward0(Node):
    """Z = A⁻¹, so dL/dA = -Zᵀ G Zᵀ."""

    inputs = ("A",)
    outputs = ("inverse",)
    saves = ("inverse",)
    op = "linalg_inv_ex"
    tangent = "own"

    def forward(self, A: Array) -> Array:
        return by_columns(_inverse(A))

    def backward(self, g: Any, z: Any) -> Any:
        right = product(g, transposed(z))
        return -product(transposed(z), right)

    def pushed(self, push: Push) -> Sequence[Any]:
        """dA⁻¹ = -A⁻¹ dA A⁻¹."""
        out = push.outputs[0]
        return (-(out @ push.tangents[0] @ out),)


def inv(A: Tensor) -> Tensor:
    """The inverse of a matrix."""
    if autocast.used:
        (A,) = autocast.widened(A)
    check_square("linalg.inv", A)
    if (zero := _zero_pivot(A._array)) is not None:
        raise LinAlgError(
            f"linalg.inv: {zero} is zero, the inversion could not be completed because the input matrix is singular."
        )
    return apply1(LinalgInvExBackward0, A)


def _zero_pivot(x: Array) -> str | None:
    """Which diagonal element elimination finds to be zero, if any."""
    for number, at in enumerate(zero_pivots(x).reshape(-1)):
        if at:
            place = f"The diagonal element {at}"
            return place if x.ndim == 2 else f"(Batch element {number}): {place}"
    return None


def zero_pivots(x: Array) -> Array:
    """Of each matrix, which diagonal element elimination finds to be zero, counted from 1; 0 if none is."""
    with np.errstate(all="ignore"):
        sign = np.linalg.slogdet(single(x))[0]
    found = np.where(sign == 0, x.shape[-1], 0)  # as a library finds it that rounds earlier
    for number, matrix in enumerate(x.reshape(-1, *x.shape[-2:]) if x.size else ()):
        left = matrix.astype(np.float64)
        for at in range(len(left)):
            best = at + _greatest(left[at:, at])
            if left[best, at] == 0:
                found.reshape(-1)[number] = at + 1
                break
            left[[at, best]] = left[[best, at]]
            with np.errstate(all="ignore"):
                left[at + 1 :] -= np.outer(left[at + 1 :, at] / left[at, at], left[at])
    return found


def _greatest(x: Array) -> int:
    """Where the greatest element lies, as libraries look for it: what is no number is not greater than any."""
    sizes = np.abs(x)
    return 0 if np.isnan(sizes[0]) else int(np.nanargmax(sizes))


class LinalgSolveExBackward0(Node):
    """A X = B, so dL/dB = A⁻ᵀ G and dL/dA = -(A⁻ᵀ G) Xᵀ."""

    inputs = ("A", "B")
    saves = ("A", "result")
    op = "linalg_solve_ex"
    __slots__ = ("left",)
    tangent = "own"

    def forward(self, A: Array, B: Array) -> Array:
        self.left = True
        vector, bad = is_vector(A, B), np.isnan(A).any((-2, -1))[..., None, None]
        found = np.linalg.solve(*map(single, (known(A, bad), B[..., None] if vector else B)))
        if bad.any():  # libraries find some numbers of the solution all the same, each its own
            found = np.where(bad, np.nan, found)
        if vector:
            return np.asarray(found[..., 0], A.dtype)
        return by_columns(found).astype(A.dtype, copy=False)

    def backward(self, g: Any, A: Any, x: Any) -> Any:
        vector = is_vector(A, g)
        g = formulas.unsqueezed(g, (-1,), g.ndim + 1, False) if vector else g
        to_b = solution(transposed(A), g)
        x = formulas.unsqueezed(x, (-1,), x.ndim + 1, False) if vector else x
        to_a = None if self.next_functions[0][0] is None else -product(to_b, transposed(x))
        return to_a, to_b.squeeze(-1) if vector else to_b

    def pushed(self, push: Push) -> Sequence[Any]:
        """For A X = B: dX = A⁻¹ (dB - dA X)."""
        (da, db), out = push.tangents, push.outputs[0]
        parts = [] if db is None else [db]
        if da is not None:
            is_vector = push.operands[1].dim() < da.dim()
            parts.append(-(da @ out.unsqueeze(-1)).squeeze(-1) if is_vector else -(da @ out))
        return (push.put(1, formulas.added(parts))[0],)


def is_vector(A: Any, B: Any) -> bool:
    """Whether the right side of A X = B has no columns: it is a vector for each matrix."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A X = B (or X A = B, if not `left`)."""
    if autocast.used:
        A, B = autocast.widened(A, B)
    check_floats("linalg.solve", A)
    if A._array.dtype != B._array.dtype:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {A.dtype.title} and B of type "
            f"{B.dtype.title} instead"
        )
    check_square("linalg.solve", A, floats=False)
    if not B._array.ndim:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    a, b = A._array, B._array
    rows, columns = (b.shape[-1], 1) if is_vector(a, b) else b.shape[-2:]
    if (rows if left else columns) != a.shape[-1]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({a.shape[-2]}x{a.shape[-1]} and {rows}x{columns})"
        )
    if not left and is_vector(a, b):
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check_square("linalg.solve", A)
    if not left:
        return transposed(solve(transposed(A), transposed(B)))
    if (zero := _zero_pivot(a)) is not None:
        batch = zero.partition("The diagonal")[0]
        raise LinAlgError(f"torch.linalg.solve: {batch}The solver failed because the input matrix is singular.")
    return applyn(LinalgSolveExBackward0, (A, B))


class LinalgCholeskyExBackward0(Node):
    """A = L Lᵀ, so dL/dA = L⁻ᵀ Φ(Lᵀ G) L⁻¹ / 2, where Φ mirrors the lower triangle."""

    outputs = ("L",)
    tangent = "own"
    saves = ("L",)
    op = "linalg_cholesky_ex"
    __slots__ = ("upper",)

    def forward(self, A: Array, upper: bool) -> Array:
        self.upper = upper
        z = np.linalg.cholesky(single(A)).astype(A.dtype, copy=False)
        return by_columns(transposed(z) if upper else z)

    def backward(self, g: Any, z: Any) -> Any:
        g, z = (transposed(g), transposed(z)) if self.upper else (g, z)
        x = product(transposed(z), g)
        lower = x.tril() if isinstance(x, Variable) else np.tril(x)
        below = x.tril(-1) if isinstance(x, Variable) else np.tril(x, -1)
        first = solution(transposed(z), formulas.times(lower + transposed(below), 0.5))
        return transposed(solution(transposed(z), transposed(first)))

    def pushed(self, push: Push) -> Sequence[Any]:
        """L times the lower half of L⁻¹ dA L⁻ᵀ, which is dL Lᵀ + L dLᵀ between these."""
        L, tangent = push.outputs[0], push.tangents[0]
        L = transposed(L) if self.upper else L
        x = transposed(solution(L, transposed(solution(L, tangent))))
        moved = product(L, formulas.times(x.tril() + x.tril(-1), 0.5))
        return (transposed(moved) if self.upper else moved,)


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower (or upper) triangle L with L Lᵀ = A, for a positive definite matrix."""
    if autocast.used:
        (A,) = autocast.widened(A)
    check_square("linalg.cholesky", A)
    check_positive("linalg.cholesky", A)
    return apply1(LinalgCholeskyExBackward0, A, upper)


def check_positive(op: str, A: Tensor) -> None:
    """Raise LinAlgError for a matrix that is not positive definite."""
    if (bad := bad_minors(A._array)).any():
        first = int(np.flatnonzero(bad)[0])
        of_batch = f"(Batch element {first}): " if bad.ndim else ""
        raise LinAlgError(
            f"{op}: {of_batch}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {bad.flat[first]} is not positive-definite)."
        )


def matrix_power(A: Tensor, n: int) -> Tensor:
    """A matrix multiplied with itself, `n` times; its inverse for negative `n`."""
    check_square("linalg.matrix_power", A, floats=False)
    if n == 0:
        return clone(A).copy_(wrap(np.eye(A._array.shape[-1], dtype=A._array.dtype)))
    base, power = (A, n) if n > 0 else (inv(A), -n)
    if power == 3:
        return matmul(matmul(base, base), base)
    out: Tensor | None = None
    while power:
        power, odd = divmod(power, 2)
        if odd:
            out = base if out is None else matmul(out, base)
        if power:
            base = matmul(base, base)
    assert out is not None
    return out


def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """How many rows of a matrix are independent: how many singular values are above a tolerance."""
    if autocast.used:
        (A,) = autocast.widened(A)
    x = A._array
    if x.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor A must have at least 2 dimensions.")
    wide = x.astype(np.float64)
    sizes = np.abs(np.linalg.eigvalsh(wide)) if hermitian else np.linalg.svd(wide, compute_uv=False)
    greatest = sizes.max(-1, initial=0, keepdims=True)
    limits = [_limit(one, sizes) for one in (tol if tol is not None else atol, rtol if tol is None else 0.0)]
    above = np.asarray(0.0) if limits[0] is None else limits[0]
    share = limits[1]
    if share is None:
        share = max(x.shape[-2:], default=0) * np.finfo(x.dtype).eps if not np.any(above > 0) else 0.0
    found = (sizes > np.maximum(above, share * greatest)).sum(-1)
    return answered("matrix_rank", np.asarray(found, np.int64), A)


def _limit(given: Any, sizes: Array) -> Any:
    """A tolerance as an array that stands against the singular values of each matrix."""
    if given is None:
        return None
    return np.asarray(given._array if isinstance(given, Variable) else given)[..., None]


inverse = inv
