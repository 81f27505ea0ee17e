"""Matrices as a lower times an upper triangle, rows exchanged: `lu`, and systems that are solved by it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.decompositions import beside
from autograd_lab.engine.ops.matrix.functions import solve_triangular
from autograd_lab.engine.ops.matrix.linalg import by_columns, transposed
from autograd_lab.engine.ops.matrix.triangles import substituted

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["lu", "lu_unpack"]

LinalgLuResult = named("linalg_lu", "P", "L", "U")
LinalgLuFactorResult = named("linalg_lu_factor", "LU", "pivots")
LinalgLuFactorExResult = named("linalg_lu_factor_ex", "LU", "pivots", "info")
LuUnpackResult = named("lu_unpack", "P", "L", "U")
LuWithInfoResult = named("_lu_with_info", "LU", "pivots", "info")
NO_PIVOT = "linalg.lu_factor: LU without pivoting is not implemented on the CPU"
SINGULAR = (
    "torch.linalg.lu_factor: {}U[{},{}] is zero and using it on lu_solve would result in a division by zero. If you "
    "still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)
INSTEAD_OF_LU = (
    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
    "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
    "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
    "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
)
INSTEAD_OF_LU_SOLVE = (
    "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\n"
    "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
    "replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
)


def eliminated(A: Array) -> tuple[Array, Array, Array]:
    """Both triangles in one matrix, with which row each was exchanged, counted from 1, and where a pivot is 0."""
    rows, columns = A.shape[-2:]
    whole = A.reshape((math.prod(A.shape[:-2]), rows, columns)).copy()
    count = min(rows, columns)
    pivots, info = np.zeros((len(whole), count), np.int32), np.zeros(len(whole), np.int32)
    each = np.arange(len(whole))
    for at in range(count):
        other = at + np.abs(whole[:, at:, at]).argmax(1) if len(whole) else each
        pivots[:, at] = other + 1
        whole[each, other], whole[:, at] = whole[:, at].copy(), whole[each, other]
        pivot = whole[:, at, at]
        info[(pivot == 0) & (info == 0)] = at + 1
        factors = whole[:, at + 1 :, at] / np.where(pivot == 0, 1, pivot)[:, None]
        whole[:, at + 1 :, at] = factors
        whole[:, at + 1 :, at + 1 :] -= factors[:, :, None] * whole[:, at : at + 1, at + 1 :]
    batch = A.shape[:-2]
    return by_columns(whole.reshape(A.shape)), pivots.reshape((*batch, count)), info.reshape(batch)


def permutation(pivots: Array, rows: int, kind: Any) -> Array:
    """The matrix P that undoes exchanges of rows, one after another."""
    flat = pivots.reshape((math.prod(pivots.shape[:-1]), pivots.shape[-1]))
    order = np.tile(np.arange(rows), (len(flat), 1))
    each = np.arange(len(flat))
    for at in range(flat.shape[1]):
        other = flat[:, at] - 1
        order[each, other], order[:, at] = order[:, at].copy(), order[each, other]
    P = np.zeros((len(flat), rows, rows), kind)
    P[each[:, None], order, np.arange(rows)] = 1
    return P.reshape((*pivots.shape[:-1], rows, rows))


def _permutation(pivots: Any, LU: Any) -> Any:
    """The same beside a matrix of both triangles: an array, or a tensor."""
    array = LU._array if isinstance(LU, Variable) else LU
    where = pivots._array if isinstance(pivots, Variable) else np.asarray(pivots)
    P = permutation(where, array.shape[-2], array.dtype)
    return wrap(P) if isinstance(LU, Variable) else P


def _lower(x: Any, at: int = 0) -> Any:
    return x.tril(at) if isinstance(x, Variable) else np.tril(x, at)


def _upper(x: Any) -> Any:
    return x.triu() if isinstance(x, Variable) else np.triu(x)


def split(LU: Any) -> tuple[Any, Any]:
    """L, with ones on its diagonal, and U."""
    count = min(LU.shape[-2:])
    array = LU._array if isinstance(LU, Variable) else LU
    ones: Any = np.eye(array.shape[-2], count, dtype=array.dtype)
    return _lower(LU[..., :, :count], -1) + (wrap(ones) if isinstance(LU, Variable) else ones), _upper(
        LU[..., :count, :]
    )


def _solved(A: Any, B: Any, *, upper: bool, left: bool = True, unit: bool = False) -> Any:
    """X with A X = B, or X A = B, for a triangle A."""
    if isinstance(B, Variable):
        return solve_triangular(A, B, upper=upper, left=left, unitriangular=unit)  # type: ignore[arg-type]  # all are
    return solve_triangular(wrap(np.asarray(A)), wrap(B), upper=upper, left=left, unitriangular=unit)._array


def through_lu(to_l: Any, to_u: Any, P: Any, L: Any, U: Any) -> Any:
    """The gradient of A = P L U: what changes L and U, put together below and above the diagonal."""
    to_l = formulas.zeros_like(L) if to_l is None else _lower(to_l, -1)
    to_u = formulas.zeros_like(U) if to_u is None else _upper(to_u)
    rows, columns, count = L.shape[-2], U.shape[-1], L.shape[-1]
    if rows <= columns:
        below = _lower(transposed(L) @ to_l - to_u @ transposed(U), -1)
        first = _solved(transposed(U[..., :count]), below, upper=False, left=False) + to_u[..., :count]
        both = first if columns == count else beside(first, to_u[..., count:])
        return P @ _solved(transposed(L), both, upper=True, unit=True)
    above = _upper(to_u @ transposed(U) - transposed(L) @ to_l)
    first = _solved(transposed(L[..., :count, :]), above, upper=True, unit=True) + to_l[..., :count, :]
    return P @ _solved(transposed(U), beside(first, to_l[..., count:, :], dim=-2), upper=False, left=False)


class LinalgLuFactorExBackward0(Node):
    """P L U = A, with both triangles in one matrix."""

    inputs = ("A",)
    outputs = ("LU", "pivots")
    many = True
    tangent = "transposed"
    saves = ("LU", "pivots")
    op = "linalg_lu_factor_ex"
    __slots__ = ("pivot",)

    def forward(self, A: Array) -> tuple[Array, Array, Array]:
        self.pivot = True
        LU, pivots, info = eliminated(A)
        return LU, pivots, np.asarray(info)

    def backward(self, g: Any, LU: Any, pivots: Any) -> Any:
        to_lu = g[0]
        count = min(LU.shape[-2:])
        P = _permutation(pivots, LU)
        return through_lu(to_lu[..., :, :count], to_lu[..., :count, :], P, *split(LU))


class LinalgLuBackward0(Node):
    """P L U = A."""

    inputs = ("A",)
    outputs = ("L", "U")
    many = True
    saves = ("L", "U")
    op = "linalg_lu"
    tangent = "transposed"
    __slots__ = ("_permuted", "pivot")

    def forward(self, A: Array, LU: Array, P: Array) -> tuple[Array, Array]:
        self._permuted, self.pivot = P, True
        return split(LU)

    def backward(self, g: Any, L: Any, U: Any) -> Any:
        P = wrap(self._permuted) if isinstance(L, Variable) else self._permuted
        to_l, to_u = g
        return through_lu(to_l, to_u, P, L, U)


class LuUnpackBackward0(Node):
    """L and U, out of the matrix that holds both."""

    inputs = ("LU_data",)
    outputs = ("L", "U")
    many = True
    tangent = "transposed"
    op = "lu_unpack"
    __slots__ = ("LU_data_sym_argsize_minus_1", "LU_data_sym_argsize_minus_2")

    def forward(self, LU: Array) -> tuple[Array, Array]:
        self.LU_data_sym_argsize_minus_2, self.LU_data_sym_argsize_minus_1 = LU.shape[-2:]
        return split(LU)

    def backward(self, g: Any) -> Any:
        rows, columns = self.LU_data_sym_argsize_minus_2, self.LU_data_sym_argsize_minus_1
        to_l, to_u = g
        given = next(one for one in g if one is not None)
        parts = []
        if to_l is not None:
            parts.append(_filled(_lower(to_l, -1), columns - min(rows, columns), given, -1))
        if to_u is not None:
            parts.append(_filled(_upper(to_u), rows - min(rows, columns), given, -2))
        return formulas.added(parts)


def _filled(part: Any, missing: int, like: Any, dim: int) -> Any:
    """A part, and zeros beside or below it."""
    if not missing:
        return part
    shape = list(part.shape)
    shape[dim] = missing
    return beside(part, formulas.blank(tuple(shape), like), dim=dim)


def _solution(LU: Array, pivots: Array, B: Array, adjoint: bool) -> Array:
    """X with P L U X = B (or its transpose): at once, or where a pivot is 0, through one factor after another."""
    (L, U), P = split(LU), permutation(pivots, LU.shape[-2], LU.dtype)
    if U.diagonal(0, -2, -1).all():
        A = P @ L @ U
        return np.linalg.solve(transposed(A) if adjoint else A, B)
    if adjoint:
        x = substituted(transposed(L), substituted(transposed(U), B, False), True)
        return np.take_along_axis(x, P.argmax(-1)[..., None], -2)
    return substituted(U, substituted(L, transposed(P) @ B, False), True)


class LinalgLuSolveBackward0(Node):
    """A X = B for A = P L U, so dL/dB = A⁻ᵀ G and dL/dA = -(A⁻ᵀ G) Xᵀ, which goes to L and U."""

    inputs = ("LU", "B", "pivots")
    saves = ("LU", "result", "pivots")
    differentiable = 2
    op = "linalg_lu_solve"
    tangent = "transposed"
    __slots__ = ("_b_shape", "adjoint", "left")

    def forward(self, LU: Array, B: Array, pivots: Array, left: bool, adjoint: bool) -> Array:
        self.left, self.adjoint, self._b_shape = left, adjoint, B.shape
        if left:
            return by_columns(_solution(LU, pivots, B, adjoint))
        return np.asarray(transposed(by_columns(_solution(LU, pivots, transposed(B), not adjoint))))

    def backward(self, g: Any, LU: Any, x: Any, pivots: Any) -> Any:
        recorded = isinstance(g, Variable)
        where = pivots._array if isinstance(pivots, Variable) else np.asarray(pivots)
        if recorded:
            to_b = linalg_lu_solve(LU, wrap(where), g, left=self.left, adjoint=not self.adjoint)
        else:
            to_b = type(self)().forward(LU, g, where, self.left, not self.adjoint)
        first, second = (to_b, transposed(x)) if self.left else (transposed(x), to_b)
        to_a = -(first @ second)
        to_a = transposed(to_a) if self.adjoint else to_a
        L, U = split(LU)
        turned = transposed(_permutation(where, LU)) @ to_a
        to_lu = _lower(turned @ transposed(U), -1) + _upper(transposed(L) @ turned)
        return _of_shape(to_lu, tuple(LU.shape)), _of_shape(to_b, self._b_shape)


def _of_shape(g: Any, shape: tuple[int, ...]) -> Any:
    """The gradient of a batch that may have been broadcast."""
    return g if tuple(g.shape) == shape else formulas.sum_to(g, shape)


def _check(op: str, A: Any, pivot: bool) -> None:
    only_tensors(op, A)
    x = A._array
    if x.ndim < 2:
        raise RuntimeError(f"{op}: Expected tensor with 2 or more dimensions. Got size: {list(x.shape)} instead")
    if not pivot:
        raise RuntimeError(NO_PIVOT)
    if x.dtype.kind in "bui" or x.dtype.itemsize < 4:
        raise NotImplementedError(f"\"lu_factor_cpu\" not implemented for '{A.dtype.title}'")


def linalg_lu(A: Tensor, *, pivot: bool = True) -> Any:
    """P, L and U with A = P L U: a permutation, a lower triangle with ones on its diagonal, and an upper triangle."""
    _check("linalg.lu", A, pivot)
    LU, pivots, _ = eliminated(A._array)
    P = permutation(pivots, A._array.shape[-2], A._array.dtype)
    return LinalgLuResult((wrap(P), *apply_many(LinalgLuBackward0, (A,), LU, P)))


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """L and U in one matrix, the exchanges of rows, and for each matrix where its first pivot of 0 is, or 0."""
    _check("linalg.lu_factor", A, pivot)
    made = apply_many(LinalgLuFactorExBackward0, (A,))
    if check_errors:
        _check_pivots(made[2]._array)
    return LinalgLuFactorExResult(made)


def _check_pivots(info: Array) -> None:
    if info.any():
        first = int(np.flatnonzero(info)[0])
        where = f"(Batch element {first}): " if info.ndim else ""
        at = int(info.reshape(-1)[first])
        raise RuntimeError(SINGULAR.format(where, at, at))


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """L and U in one matrix, and the exchanges of rows. Raises RuntimeError if a pivot is 0."""
    return LinalgLuFactorResult(lu_factor_ex(A, pivot=pivot, check_errors=True)[:2])


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """As `linalg.lu_factor`, which has come in its place, but that a pivot may be 0."""
    warn_once(INSTEAD_OF_LU)
    made = lu_factor_ex(A, pivot=pivot)
    return LuWithInfoResult(made) if get_infos else tuple(made[:2])


def lu_of(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """The method: as the function, but always a plain tuple."""
    return tuple(lu(A, pivot, get_infos))


def _check_system(LU: Any, pivots: Any, B: Any, left: bool) -> None:
    only_tensors("linalg_lu_solve", LU, pivots, B)
    a, b = LU._array, B._array
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.lu_solve: The input tensor LU must have at least 2 dimensions.")
    if a.shape[-1] != a.shape[-2]:
        raise RuntimeError(
            f"torch.linalg.lu_solve: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} "
            "matrices"
        )
    if pivots._array.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    if b.ndim < 2 or b.shape[-2 if left else -1] != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"linalg.lu_solve: Incompatible shapes of A and B for the equation {equation} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type "
            f"{BY_NUMPY[a.dtype].title} and B of type {BY_NUMPY[b.dtype].title} instead"
        )


def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """X with A X = B (or X A = B, if not `left`; Aᵀ, if `adjoint`), where `lu_factor` of A is known."""
    _check_system(LU, pivots, B, left)
    return applyn(LinalgLuSolveBackward0, (LU, B, pivots), left, adjoint)


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """As `linalg.lu_solve`, which has come in its place, with the right side first."""
    warn_once(INSTEAD_OF_LU_SOLVE)
    return linalg_lu_solve(LU_data, LU_pivots, b)


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U out of what `lu_factor` gives; what is not wanted is empty."""
    x = LU_data._array
    nothing = np.zeros(0, x.dtype)
    if unpack_pivots and LU_pivots._array.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
            "function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    P = wrap(permutation(LU_pivots._array, x.shape[-2], x.dtype) if unpack_pivots else nothing)
    triangles = apply_many(LuUnpackBackward0, (LU_data,)) if unpack_data else (wrap(nothing), wrap(nothing.copy()))
    return LuUnpackResult((P, *triangles))


class CholeskyInverseBackward0(Node):
    """Z = (L Lᵀ)⁻¹, so L gets -Z (G + Gᵀ) Z L."""

    tangent = "transposed"
    saves = ("self", "result")
    op = "cholesky_inverse"
    __slots__ = ("upper",)

    def forward(self, L: Array, upper: bool) -> Array:
        self.upper = upper
        factor = transposed(np.triu(L)) if upper else np.tril(L)
        return by_columns(np.linalg.inv(factor @ transposed(factor)))

    def backward(self, g: Any, L: Any, z: Any) -> Any:
        common = z @ (g + transposed(g)) @ z
        return -(L @ common) if self.upper else -(common @ L)


def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of L Lᵀ (or of Lᵀ L, if it is an `upper` one), for a triangle L as `cholesky` gives it."""
    only_tensors("cholesky_inverse", L)
    rows, columns = L._array.shape[-2:] if L._array.ndim > 1 else (0, 1)
    if L._array.ndim < 2:
        raise RuntimeError("cholesky_inverse: The input tensor A must have at least 2 dimensions.")
    if rows != columns:
        raise RuntimeError(
            f"cholesky_inverse: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    return apply1(CholeskyInverseBackward0, L, upper)
