"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.engine.ops.shape.stacking import broadcast_shapes
from autograd_lab.engine.tensor.random import normal
from autograd_lab.linalg import cholesky, inv, solve


class MultivariateNormal(Distribution):
    """Around `loc`, with a covariance, its inverse (precision), or its Cholesky factor (scale_tril)."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    event_dims = {"loc": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}
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
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand(*batch, *matrix.shape[-2:])
        self.loc = loc.expand(*batch, loc.shape[-1])
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self.factor = self._factored(name, matrix)

    def _factored(self, name: str, matrix: Any) -> Any:
        """The lower triangle L with L Lᵀ = covariance."""
        if name == "scale_tril":
            return matrix.tril()
        return cholesky(matrix if name == "covariance_matrix" else inv(matrix))

    def expand(self, batch_shape: Any) -> Any:
        size = self.loc.shape[-1]
        tril = self.factor.expand(*batch_shape, size, size)
        return MultivariateNormal(self.loc.expand(*batch_shape, size), scale_tril=tril, validate_args=False)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return self.factor.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        epsilon = normal(0.0, 1.0, self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + (self.factor @ epsilon.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        away = value - self.loc
        factor = self.factor.expand(*away.shape[:-1], *self.factor.shape[-2:])
        squares = solve(factor, away.unsqueeze(-1)).squeeze(-1).pow(2).sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - self._half_log_det()

    def _half_log_det(self) -> Any:
        return self.factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Any:
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return found.expand(self._batch_shape) if self._batch_shape else found
