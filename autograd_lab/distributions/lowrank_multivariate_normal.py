"""The normal distribution of vectors that a few numbers, and noise of each element, are behind."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.multivariate_normal import squared_distance
from autograd_lab.distributions.utils import lazy_property
from autograd_lab.engine.ops.shape.stacking import broadcast_tensors
from autograd_lab.engine.tensor.factories import eye
from autograd_lab.engine.tensor.random import normal
from autograd_lab.linalg import cholesky, solve_triangular

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Around `loc`, with the covariance cov_factor cov_factorᵀ + diag(cov_diag), of which no inverse is needed."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    event_dims = {"loc": 1, "cov_factor": 2, "cov_diag": 1, **dict.fromkeys(
        ("scale_tril", "covariance_matrix", "precision_matrix"), 2
    ), "variance": 1}  # fmt: skip
    support = constraints.real_vector
    has_rsample = True
    loc: Any

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        _check(loc, cov_factor, cov_diag)
        try:
            place, self.cov_factor, spread = broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            shapes = f"loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            raise ValueError(f"Incompatible batch shapes: {shapes}") from error
        self.loc, self.cov_diag = place[..., 0], spread[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        weighted = cov_factor.mT / cov_diag.unsqueeze(-2)
        self._capacitance_tril = cholesky(_more_on_the_diagonal(weighted @ cov_factor))
        super().__init__(self.loc.shape[:-1], loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        return new

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """The variance of each element."""
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower triangle L with L Lᵀ = covariance."""
        roots = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / roots
        return self._square(roots * cholesky(_more_on_the_diagonal(scaled @ scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._square(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Any:
        """Its inverse, by Woodbury's identity."""
        a = self._reduced()
        return self._square(self._unbroadcasted_cov_diag.reciprocal().diag_embed() - a.mT @ a)

    def _weighted(self) -> Any:
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    def _reduced(self) -> Any:
        return solve_triangular(self._capacitance_tril, self._weighted(), upper=False)

    def _log_det(self) -> Any:
        log = self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return 2 * log + self._unbroadcasted_cov_diag.log().sum(-1)

    def _squared_distance(self, away: Any) -> Any:
        """xᵀ covariance⁻¹ x for vectors x."""
        first = (away.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        inner = (self._weighted() @ away.unsqueeze(-1)).squeeze(-1)
        return first - squared_distance(self._capacitance_tril, inner)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        few = normal(0.0, 1.0, (*shape[:-1], self.cov_factor.shape[-1]), dtype=self.loc.dtype)
        each = normal(0.0, 1.0, shape, dtype=self.loc.dtype)
        common = (self._unbroadcasted_cov_factor @ few.unsqueeze(-1)).squeeze(-1)
        return self.loc + common + self._unbroadcasted_cov_diag.sqrt() * each

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        squares = self._squared_distance(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + squares)

    def entropy(self) -> Any:
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape) if self._batch_shape else found


def _more_on_the_diagonal(matrix: Any) -> Any:
    """The matrix with 1 more on the diagonal."""
    return matrix + eye(matrix.shape[-1], dtype=matrix.dtype)


def _check(loc: Any, cov_factor: Any, cov_diag: Any) -> None:
    """Raise ValueError unless the parameters are of one size."""
    if loc.dim() < 1:
        raise ValueError("loc must be at least one-dimensional.")
    size = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2:-1] != size:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {size[0]} x m")
    if cov_diag.shape[-1:] != size:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {size}")
