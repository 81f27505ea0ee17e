"""Weights whose columns (or rows, if those are fewer) are orthogonal and of length 1, however they are trained."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.ops.matrix.functions import matrix_exp
from autograd_lab.engine.ops.matrix.linalg import solve
from autograd_lab.engine.ops.matrix.reflectors import geqrf, householder_product
from autograd_lab.engine.ops.pointwise.comparison import allclose
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.tensor.factories import eye, zeros_like
from autograd_lab.engine.tensor.randomness import randn
from autograd_lab.nn.module import Module
from autograd_lab.nn.utils.parametrize import register_parametrization


class _OrthMaps(Enum):
    """Ways from all matrices to the orthogonal ones."""

    matrix_exp, cayley, householder = auto(), auto(), auto()


class _Orthogonal(Module):
    """An orthogonal matrix Q of any X: of X - Xᵀ, or of the reflections that the columns of X are the vectors of.

    With a `base` it is base Q, so that the matrix to begin with is near to where X is small.
    """

    base: Any

    def __init__(self, weight: Any, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        is_wide = X.size(-2) < X.size(-1)
        X = X.mT if is_wide else X
        Q = self._reflected(X) if self.orthogonal_map is _OrthMaps.householder else self._turned(X)
        Q = self.base @ Q if hasattr(self, "base") else Q
        return Q.mT if is_wide else Q

    def _turned(self, X: Any) -> Any:
        rows, columns = X.shape[-2:]
        X = X.tril()
        if rows != columns:
            X = cat([X, X.new_zeros(rows, rows - columns).expand(*X.shape[:-2], -1, -1)], dim=-1)
        A = X - X.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            Q = matrix_exp(A)
        else:
            one = eye(rows, dtype=A.dtype)
            Q = solve(one.add(A, alpha=-0.5), one.add(A, alpha=0.5))
        return Q if rows == columns else Q[..., :columns]

    def _reflected(self, X: Any) -> Any:
        A = X.tril(-1)
        Q = householder_product(A, 2.0 / (1.0 + (A * A).sum(dim=-2)))
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @no_grad()  # type: ignore[untyped-decorator]
    def right_inverse(self, Q: Any) -> Any:
        """An X that gives this matrix; with a `base` the nearest orthogonal one becomes that, and X minus one."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        is_wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if is_wide else Q
        if hasattr(self, "base"):
            self.base = _made_square(tall)
            minus_one = zeros_like(Q)
            minus_one.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return minus_one
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        A, tau = geqrf(tall)
        A.diagonal(dim1=-2, dim2=-1).sign_()
        A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
        return A.mT if is_wide else A


def _made_square(Q: Any) -> Any:
    """The orthogonal matrix that Q is, or is made to be, with columns by chance where it has fewer than rows."""
    rows, columns = Q.shape[-2:]
    if rows != columns:
        return _made_orthogonal(cat([Q, randn(*Q.shape[:-2], rows, rows - columns, dtype=Q.dtype)], dim=-1))
    is_orthogonal = allclose(
        Q.mH @ Q, eye(columns, dtype=Q.dtype), atol=10.0 * rows * float(np.finfo(Q._array.dtype).eps)
    )
    return Q.clone() if is_orthogonal else _made_orthogonal(Q)


def _made_orthogonal(A: Any) -> Any:
    X, tau = geqrf(A)
    Q = householder_product(X, tau)
    Q *= X.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return Q


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Have a weight be orthogonal: by "matrix_exp" if it is square, by "householder" if not, or by "cayley"."""
    weight = getattr(module, name, None)
    if not is_tensor(weight):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". ' + f"Got: {orthogonal_map}"
        )
    way = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, way, unsafe=True)
