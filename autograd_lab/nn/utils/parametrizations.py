"""Weights of a given size: a length times a direction (`weight_norm`), over what they stretch (`spectral_norm`), or
such that they turn vectors and stretch none (`orthogonal`)."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.loss.similarity import normalize
from autograd_lab.engine.ops.matrix.functions import matrix_exp
from autograd_lab.engine.ops.matrix.linalg import solve
from autograd_lab.engine.ops.matrix.reflectors import geqrf, householder_product
from autograd_lab.engine.ops.pointwise.arithmetic import add
from autograd_lab.engine.ops.pointwise.comparison import allclose
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.tensor.factories import eye, zeros_like
from autograd_lab.engine.tensor.random import normal
from autograd_lab.engine.tensor.randomness import randn
from autograd_lab.nn.module import Module
from autograd_lab.nn.utils.parametrize import register_parametrization


def norms(v: Any, dim: int | None) -> Any:
    """The norm of each slice along `dim`, in a shape that broadcasts with v; of all of it, for None or -1."""
    if dim is None or dim == -1:
        return v.norm()
    others = [at for at in range(v.dim()) if at != dim % v.dim()]
    return v.pow(2).sum(others, keepdim=True).sqrt() if others else v.abs()


class _WeightNorm(Module):
    """w = g v / |v| (Salimans and Kingma, 2016)."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weight_v * (weight_g / norms(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> Any:
        """Length and direction of a weight."""
        return norms(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight be a length, `original0`, times a direction, `original1`: along `dim`, or as a whole."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def read_older(state_dict: Any, prefix: str, *_: Any) -> None:
        """What `torch.nn.utils.weight_norm` saved: length and direction by their older names."""
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(read_older)
    return module


class _SpectralNorm(Module):
    """w / σ, where σ is the most by which w stretches a vector, as power iteration knows it (Miyato et al., 2018)."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.dim() <= dim < weight.dim():
            known = f"[-{weight.dim()}, {weight.dim() - 1}]"
            raise IndexError(f"Dimension out of range (expected to be in range of {known} but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + weight.dim()
        self.n_power_iterations, self.eps = n_power_iterations, eps
        if weight.dim() > 1:
            with no_grad():
                rows, columns = self._matrix(weight).shape
                for name, size in (("_u", rows), ("_v", columns)):
                    drawn = normal(0.0, 1.0, (size,), dtype=weight.dtype)
                    self.register_buffer(name, normalize(drawn, dim=0, eps=eps))
                self._iterate(self._matrix(weight), 15)

    def _matrix(self, weight: Any) -> Any:
        if self.dim:
            order = [self.dim, *(at for at in range(weight.dim()) if at != self.dim)]
            weight = weight.permute(*order)
        return weight.flatten(1)

    def _iterate(self, matrix: Any, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u = normalize(matrix @ self._v, dim=0, eps=self.eps)
                self._v = normalize(matrix.T @ self._u, dim=0, eps=self.eps)

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.dot(matrix @ v)

    def right_inverse(self, value: Any) -> Any:
        """The weight itself: that it has the right size is not checked."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Have a weight stretch no vector by more than 1, as far as so many iterations a step know it."""
    weight = getattr(module, name, None)
    if not is_tensor(weight):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    along = dim if dim is not None else int("ConvTranspose" in type(module).__name__)
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, along, eps))


class _OrthMaps(Enum):
    """Ways from any matrix to an orthogonal one."""

    matrix_exp, cayley, householder = auto(), auto(), auto()


def _cayley(A: Any) -> Any:
    """The orthogonal matrix (1 - A / 2)⁻¹ (1 + A / 2)."""
    one = eye(A.size(-1), dtype=A.dtype)
    return solve(add(one, A, alpha=-0.5), add(one, A, alpha=0.5))


FROM_SKEW: dict[_OrthMaps, Any] = {_OrthMaps.matrix_exp: matrix_exp, _OrthMaps.cayley: _cayley}
"""Ways from a skew-symmetric matrix."""


def _reflected(A: Any) -> Any:
    """The orthogonal matrix of the reflections that are the columns of A below its diagonal; that has signs."""
    vectors = A.tril(-1)
    Q = householder_product(vectors, 2.0 / (1.0 + (vectors * vectors).sum(-2)))
    return Q * A.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)


def _made_orthogonal(A: Any) -> Any:
    """The factor Q of A = Q R, where R has no negative numbers on its diagonal."""
    vectors, scales = geqrf(A)
    Q = householder_product(vectors, scales)
    return Q.mul_(vectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2))


def _is_orthogonal(Q: Any) -> bool:
    rows, columns = Q.shape[-2:]
    tolerance = 10.0 * rows * finfo(Q.dtype).eps
    return bool(allclose(Q.mT @ Q, eye(columns, dtype=Q.dtype), atol=tolerance))


class _Orthogonal(Module):
    """W with Wᵀ W = 1 (or W Wᵀ = 1, if it is wide), made of a matrix that may be any; times a `base`, if it has one."""

    base: Any

    def __init__(self, weight: Any, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        wide = X.size(-2) < X.size(-1)
        X = X.mT if wide else X
        rows, columns = X.shape[-2:]
        if self.orthogonal_map in FROM_SKEW:
            X = X.tril()
            if rows != columns:
                X = cat([X, X.new_zeros(rows, rows - columns).expand(*X.shape[:-2], -1, -1)], -1)
            Q = FROM_SKEW[self.orthogonal_map](X - X.mT)
            Q = Q if rows == columns else Q[..., :columns]
        else:
            Q = _reflected(X)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if wide else Q

    def right_inverse(self, Q: Any) -> Any:
        """What an orthogonal matrix is made of; with a base, that becomes the matrix, and the rest is -1."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given, wide = Q, Q.size(-2) < Q.size(-1)
        Q = Q.mT if wide else Q
        if not hasattr(self, "base"):
            found = self._vectors(Q)
            return found.mT if wide else found
        rows, columns = Q.shape[-2:]
        if rows == columns:
            self.base = Q.clone() if _is_orthogonal(Q) else _made_orthogonal(Q)
        else:
            more = randn(*Q.shape[:-2], rows, rows - columns, dtype=Q.dtype)
            self.base = _made_orthogonal(cat([Q, more], -1))
        none = zeros_like(given)
        none.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return none

    def _vectors(self, Q: Any) -> Any:
        if self.orthogonal_map in FROM_SKEW:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        vectors, scales = geqrf(Q)
        signs = vectors.diagonal(dim1=-2, dim2=-1).sign_()
        signs[scales == 0.0] *= -1
        return vectors


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Have a weight be orthogonal, by the exponential or Cayley's map of a skew matrix, or by reflections."""
    weight = getattr(module, name, None)
    if not is_tensor(weight):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        known = '"matrix_exp", "cayley", "householder"'
        raise ValueError(f"orthogonal_map has to be one of {known}. Got: {orthogonal_map}")
    made = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
