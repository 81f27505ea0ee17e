"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.utils import lazy_property
from autograd_lab.engine.ops.matrix.systems import cholesky_solve
from autograd_lab.engine.ops.shape.stacking import broadcast_shapes
from autograd_lab.engine.tensor.factories import eye
from autograd_lab.engine.tensor.random import normal
from autograd_lab.linalg import cholesky, solve_triangular

MATRICES = {
    "covariance_matrix": constraints.positive_definite,
    "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}
"""What a covariance may be told by: itself, its inverse, or its Cholesky factor."""


class OfCovariance(Distribution):
    """What is told by one of those matrices; the others are worked out when they are asked for."""

    event_dims = {"loc": 1, **dict.fromkeys(MATRICES, 2)}
    _unbroadcasted_scale_tril: Any

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower triangle L with L Lᵀ = covariance."""
        return self._unbroadcasted_scale_tril.expand(*self._batch_shape, -1, -1)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        lower = self._unbroadcasted_scale_tril
        return (lower @ lower.mT).expand(*self._batch_shape, -1, -1)

    @lazy_property
    def precision_matrix(self) -> Any:
        """Its inverse."""
        lower = self._unbroadcasted_scale_tril
        return cholesky_solve(eye(lower.shape[-1], dtype=lower.dtype), lower).expand(*self._batch_shape, -1, -1)

    def _half_log_det(self) -> Any:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new


def factored(name: str, matrix: Any) -> Any:
    """The lower triangle L with L Lᵀ = covariance, from one of the matrices."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return cholesky(matrix)
    return _precision_to_scale_tril(matrix)


def _precision_to_scale_tril(P: Any) -> Any:
    """The lower triangle L with L Lᵀ = P⁻¹, by the name under which libraries import it."""
    upper = cholesky(P.flip(-2, -1)).flip(-2, -1).mT
    return solve_triangular(upper, eye(P.shape[-1], dtype=P.dtype), upper=False)


def squared_distance(lower: Any, away: Any) -> Any:
    """xᵀ (L Lᵀ)⁻¹ x for vectors x."""
    return solve_triangular(lower, away.unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


class MultivariateNormal(OfCovariance):
    """Around `loc`, with a covariance, its inverse (precision), or its Cholesky factor (scale_tril)."""

    arg_constraints = {"loc": constraints.real_vector, **MATRICES}
    support = constraints.real_vector
    has_rsample = True
    loc: Any

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril, "precision_matrix": precision_matrix}
        told = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(told) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = told.items()
        if matrix.dim() < 2:
            with_batch = ", with optional leading batch dimensions"
            raise ValueError(f"{name} must be at least two-dimensional{with_batch}")
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand(*batch, *matrix.shape[-2:])
        self.loc = loc.expand(*batch, loc.shape[-1])
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factored(name, matrix)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        epsilon = normal(0.0, 1.0, self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ epsilon.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        squares = squared_distance(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - self._half_log_det()

    def entropy(self) -> Any:
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return found.expand(self._batch_shape) if self._batch_shape else found
