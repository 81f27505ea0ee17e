"""Functions of matrices: the pseudoinverse, solutions of triangular systems, and exp."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.matrix.decompositions import beside
from autograd_lab.engine.ops.matrix.linalg import (
    LinalgCholeskyExBackward0,
    by_columns,
    check_floats,
    check_positive,
    check_square,
    transposed,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["matrix_exp", "pinverse"]


class LinalgPinvBackward0(Node):
    """The pseudoinverse: of all X the one that comes nearest to A X = 1, and of those the smallest."""

    saves = ("result", "self")
    op = "linalg_pinv"
    tangent = "transposed"

    def forward(self, A: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
        whole = np.tril(A) + transposed(np.tril(A, -1)) if hermitian else A
        u, s, vh = np.linalg.svd(whole, full_matrices=False)
        limit = np.maximum(atol, rtol * s.max(-1, keepdims=True, initial=0))
        inverse = np.divide(1, s, out=np.zeros_like(s), where=s > limit)
        return np.ascontiguousarray(np.matmul(transposed(vh) * inverse[..., None, :], transposed(u)))

    def backward(self, g: Any, z: Any, A: Any) -> Any:
        back, zt = transposed(g), transposed(z)
        if A.shape[-2] <= A.shape[-1]:
            k = back @ z
            kz = k @ zt
            return -transposed(z @ k) + kz - (A @ z) @ kz + (zt @ z) @ (back - k @ A)
        k = z @ back
        zk = zt @ k
        return -transposed(k @ z) + (back - A @ k) @ z @ zt + zk - (zk @ z) @ A


def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The pseudoinverse of a matrix: stretches that are below a tolerance count as zero."""
    x = A._array
    if x.ndim < 2 or x.dtype.kind in "bui" or x.dtype.itemsize < 4:
        raise RuntimeError(
            f"linalg.pinv({A.dtype.title}{{{list(x.shape)}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )
    rtol = rcond if rtol is None else rtol
    if rtol is None:
        rtol = max(x.shape[-2:]) * np.finfo(x.dtype).eps if not atol else 0.0
    least, share = (one._array[..., None] if isinstance(one, Variable) else one or 0.0 for one in (atol, rtol))
    return apply1(LinalgPinvBackward0, A, least, share, hermitian)


INSTEAD_OF_CHOLESKY = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
    "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
    "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
    "This transform will produce equivalent results for all valid (symmetric positive definite) inputs."
)


class CholeskyBackward0(LinalgCholeskyExBackward0):
    """A = L Lᵀ, as PyTorch computed it before it had `linalg`."""

    outputs = ("result",)
    tangent = ""  # PyTorch refuses it, too
    saves = ("result",)
    op = "cholesky"


def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """As `linalg.cholesky`, which has come in its place: the lower (or upper) triangle L with L Lᵀ = A."""
    warn_once(INSTEAD_OF_CHOLESKY)
    check_square("cholesky", input)
    check_positive("cholesky", input)
    return apply1(CholeskyBackward0, input, upper)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverse of a matrix."""
    return pinv(input, rcond)


class LinalgSolveTriangularBackward0(Node):
    """A X = B with a triangle A, so dL/dB = A⁻ᵀ G and dL/dA = -(A⁻ᵀ G) Xᵀ, in that triangle."""

    inputs = ("self", "B")
    tangent = "transposed"
    saves = ("self", "result")
    op = "linalg_solve_triangular"
    __slots__ = ("left", "unitriangular", "upper")

    def forward(self, A: Array, B: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
        self.upper, self.left, self.unitriangular = upper, left, unitriangular
        return _solved(A, B.astype(A.dtype, copy=False), upper, left, unitriangular)

    def backward(self, g: Any, A: Any, x: Any) -> Any:
        args = not self.upper, self.left, self.unitriangular
        if isinstance(g, Variable):
            to_b: Any = applyn(LinalgSolveTriangularBackward0, (A.mT, g), *args)
        else:
            to_b = _solved(A.mT, g, *args)
        to_a = -(to_b @ transposed(x) if self.left else transposed(x) @ to_b)
        at = int(self.unitriangular) if self.upper else -int(self.unitriangular)
        if isinstance(to_a, Variable):
            return to_a.triu(at) if self.upper else to_a.tril(at), to_b
        return np.triu(to_a, at) if self.upper else np.tril(to_a, at), to_b


def _solved(A: Array, B: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    A = np.triu(A) if upper else np.tril(A)
    if unitriangular:
        ones = np.eye(A.shape[-1], dtype=A.dtype)
        A = A - A * ones + ones
    if left:
        return by_columns(np.linalg.solve(A, B))
    return np.asarray(transposed(by_columns(np.linalg.solve(transposed(A), transposed(B)))))


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:  # fmt: skip
    """X with A X = B (or X A = B, if not `left`), of which only the upper or lower triangle of A is read."""
    check_square("linalg.solve_triangular", A, floats=False)
    a, b = A._array, B._array
    if b.ndim < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    if b.shape[-2 if left else -1] != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"linalg.solve_triangular: Incompatible shapes of A and B for the equation {equation} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )
    if a.dtype.kind in "bui" or a.dtype.itemsize < 4:
        raise NotImplementedError(f"\"triangular_solve_cpu\" not implemented for '{A.dtype.title}'")
    return applyn(LinalgSolveTriangularBackward0, (A, B), upper, left, unitriangular)


class LinalgMatrixExpBackward0(Node):
    """Z = exp A: the gradient is the corner of exp of a matrix with Aᵀ twice on its diagonal and G beside it."""

    saves = ("self",)
    op = "linalg_matrix_exp"
    tangent = "transposed"

    def forward(self, A: Array) -> Array:
        return _exp(A)

    def backward(self, g: Any, A: Any) -> Any:
        size = A.shape[-1]
        across, zeros = transposed(A), formulas.zeros_like(A)
        whole: Any = beside(beside(across, g), beside(zeros, across), dim=-2)
        return (_exp(whole) if isinstance(whole, np.ndarray) else matrix_exp(whole))[..., :size, size:]


def _exp(A: Array) -> Array:
    """exp A = (exp A/2ⁿ)^(2ⁿ), where n makes A/2ⁿ so small that twenty terms of the series are all that can be seen."""
    wide = A.astype(np.float64)
    size = np.abs(wide).sum(-1).max(initial=0.0)
    halvings = max(0, math.ceil(math.log2(size)) + 1) if size > 0 and np.isfinite(size) else 0
    wide = wide / 2.0**halvings
    term = total = np.broadcast_to(np.eye(A.shape[-1]), A.shape)
    for number in range(1, 21):
        term = np.matmul(term, wide) / number
        total = total + term
    for _ in range(halvings):
        total = np.matmul(total, total)
    return np.asarray(total, A.dtype)


def matrix_exp(input: Tensor) -> Tensor:
    """1 + A + A²/2 + A³/6 + … of a matrix."""
    check_square("linalg.matrix_exp", input, floats=False)
    check_floats("linalg.matrix_exp", input)
    return apply1(LinalgMatrixExpBackward0, input)
