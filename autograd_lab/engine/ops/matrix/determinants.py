"""What is known of a square matrix by one number: its determinant, the logarithm of that, its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor, wrap
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.numbers.dtypes import I64, Array, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.decompositions import linalg_svd
from autograd_lab.engine.ops.matrix.linalg import check_square, known, single, solution, transposed, zero_pivots
from autograd_lab.engine.ops.matrix.products import matmul
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.ops.shape.diagonals import diag_embed
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.ops.shape.views import expand, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["det", "logdet", "slogdet", "trace"]

SlogdetResult = named("slogdet", "sign", "logabsdet")
LinalgSlogdetResult = named("linalg_slogdet", "sign", "logabsdet")


class LinalgDetBackward0(Node):
    """z = det A, so dz/dA = z A⁻ᵀ, the cofactors."""

    inputs = ("A",)
    saves = ("A", "result")
    op = "linalg_det"
    tangent = "determinant"

    def forward(self, A: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(np.where(_lost(A), np.nan, np.linalg.det(single(A))), A.dtype)

    def backward(self, g: Any, A: Any, z: Any) -> Any:
        if isinstance(g, Variable):
            if A._array.size and np.any(z._array == 0):
                given: Any = g
                return unsqueeze(unsqueeze(given, -1), -1) * _turned_cofactors(A)
            wide = transposed(diag_embed(expand(unsqueeze(g * z, -1), A._array.shape[:-1])))
            return solution(transposed(A), wide)
        # of a singular matrix PyTorch solves for det A times the gradient, which is 0, though the cofactors need not be
        g, z = np.asarray(g)[..., None, None], np.asarray(z)[..., None, None]
        return np.where(z == 0, z * g, g * _cofactors(A))


def _lost(A: Array) -> Array:
    """Of each matrix, whether elimination meets what is no number, as it does if there is some, or 0 times infinity."""
    endless = np.isinf(A).any((-2, -1)) & (zero_pivots(A) > 0) if np.isinf(A).any() else False
    found: Array = np.isnan(A).any((-2, -1)) | endless
    return found


def _cofactors(A: Array) -> Array:
    """det A · A⁻ᵀ, by singular values, so that A may be singular; no number if A is not finite."""
    bad = ~np.isfinite(A).all((-2, -1))
    cofactors = _finite_cofactors(known(A, bad[..., None, None]))
    cofactors[bad] = np.nan
    return cofactors


def _turned_cofactors(A: Tensor) -> Tensor:
    """The cofactors by singular values, as something that is itself differentiated."""
    u, s, vh = linalg_svd(A, False)
    columns = [s.narrow(-1, at, 1) for at in range(A._array.shape[-1])]
    others = []
    for at in range(len(columns)):
        product = columns[at] * 0 + 1
        for other in (*columns[:at], *columns[at + 1 :]):
            product = product * other
        others.append(product)
    sign = unsqueeze(unsqueeze(det(u) * det(vh), -1), -1)
    return sign * matmul(u * unsqueeze(cat(others, -1), -2), vh)


def _finite_cofactors(A: Array) -> Array:
    u, s, vh = np.linalg.svd(A)
    others = np.ones_like(s)
    for at in range(s.shape[-1]):
        others[..., at] = np.delete(s, at, axis=-1).prod(axis=-1)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    made: Array = sign[..., None, None] * np.matmul(u * others[..., None, :], vh)
    return made


def det(A: Tensor) -> Tensor:
    """The determinant."""
    check_square("linalg.det", A)
    return apply1(LinalgDetBackward0, A)


class LinalgSlogdetBackward0(Node):
    """The sign of det A and z = ln |det A|, so dz/dA = A⁻ᵀ."""

    inputs = ("A",)
    outputs = ("sign", "logabsdet")
    many = True
    saves = ("A", "sign")
    op = "linalg_slogdet"
    tangent = "determinant"

    def forward(self, A: Array) -> tuple[Array, Array]:
        sign, size = np.linalg.slogdet(A)
        return np.asarray(sign, A.dtype), np.asarray(size, A.dtype)

    def backward(self, g: Any, A: Any, sign: Any) -> Any:
        g = g[1]
        if g is None:
            return formulas.zeros_like(A)
        if is_tensor(g):
            wide = transposed(diag_embed(expand(unsqueeze(g, -1), A._array.shape[:-1])))
            return solution(transposed(A), wide)
        return np.asarray(g)[..., None, None] * np.linalg.inv(transposed(A))


def slogdet(input: Tensor) -> Any:
    """The sign and the logarithm of the size of the determinant."""
    check_square("linalg.slogdet", input)
    return SlogdetResult(apply_many(LinalgSlogdetBackward0, (input,)))


def linalg_slogdet(A: Tensor) -> Any:
    """The sign and the logarithm of the size of the determinant."""
    return LinalgSlogdetResult(slogdet(A))


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant, NaN if that is negative."""
    sign, size = slogdet(input)
    nan = wrap(np.asarray(np.nan, size._array.dtype))
    return where(wrap(np.less(sign._array, 0, out=...)), nan, size)


class TraceBackward0(Linear):
    """z is the sum of the diagonal, so dz/dx is 1 on the diagonal, 0 elsewhere."""

    __slots__ = ("self_sym_sizes",)

    def forward(self, x: Array) -> Array:
        self.self_sym_sizes = x.shape
        with np.errstate(all="ignore"):
            return np.asarray(np.trace(x), x.dtype if x.dtype.kind in "fV" else I64)

    def backward(self, g: Any) -> Any:
        diagonal = np.eye(*self.self_sym_sizes, dtype=np.bool_)
        if isinstance(g, Variable):
            return formulas.keep_if(wrap(diagonal), g)
        return np.where(diagonal, g, g.dtype.type(0))


def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    if autocast.used:
        (input,) = autocast.widened(input)
    of_kind("uifV", input._array, "trace")
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return apply1(TraceBackward0, input)
