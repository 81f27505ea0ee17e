"""Covariances, as they are estimated from normal vectors."""

from __future__ import annotations

import math
import warnings
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.chi2 import Chi2
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.multivariate_normal import MATRICES, OfCovariance, factored
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.numbers.dtypes import Size, finfo
from autograd_lab.engine.ops.matrix.systems import cholesky_solve
from autograd_lab.engine.ops.pointwise.gamma_functions import mvlgamma
from autograd_lab.engine.ops.shape.diagonals import tril_indices
from autograd_lab.engine.ops.shape.stacking import broadcast_shapes
from autograd_lab.engine.tensor.factories import arange, tensor
from autograd_lab.engine.tensor.randomness import randn
from autograd_lab.linalg import slogdet
from autograd_lab.whose import users_level

__all__ = ["Wishart"]


class Wishart(OfCovariance, ExponentialFamily):
    """The sum of x xᵀ over `df` normal vectors x with a covariance."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    df: Any

    @property
    def arg_constraints(self) -> Any:  # `df` is bounded by the size
        """The degrees of freedom are bounded by the size."""
        return {**MATRICES, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        told = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(told) != 1:
            one = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            raise AssertionError(one)
        ((name, matrix),) = told.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        batch = broadcast_shapes(matrix.shape[:-2], df.shape) if is_tensor(df) else matrix.shape[:-2]
        self.df = df.expand(batch) if is_tensor(df) else tensor(df, dtype=matrix.dtype)
        self._warn(df, matrix.shape[-1])
        self.__dict__[name] = matrix.expand(*batch, -1, -1)
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factored(name, matrix)

    def _warn(self, df: Any, size: int) -> None:
        """Raise ValueError if there are too few degrees of freedom; warn if there are few."""
        if bool((self.df <= size - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        if bool((self.df < size).any()):
            likely = "Singular samples are highly likely to occur for ndim - 1 < df < ndim."
            warnings.warn(f"Low df values detected. {likely}", stacklevel=users_level())

    @property
    def mean(self) -> Any:
        return self.df.view(*self._batch_shape, 1, 1) * self.covariance_matrix

    @property
    def mode(self) -> Any:
        factor = self.df - self._event_shape[-1] - 1
        factor[factor <= 0] = math.nan
        return factor.view(*self._batch_shape, 1, 1) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        both = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.view(*self._batch_shape, 1, 1) * (v.pow(2) + both)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """L A (L A)ᵀ, where A is a triangle of normal numbers, with roots of chi-squared ones on its diagonal."""
        lower = self._unbroadcasted_scale_tril
        size = self._event_shape[-1]
        freedom = self.df.unsqueeze(-1) - arange(size, dtype=lower.dtype).expand(*self._batch_shape, -1)
        roots = Chi2(freedom).rsample(sample_shape).sqrt().clamp(min=finfo(lower.dtype).eps)
        triangle = roots.diag_embed()
        shape = *Size(sample_shape), *self._batch_shape, size * (size - 1) // 2
        triangle[(..., *tril_indices(size, size, -1))] = randn(shape, dtype=lower.dtype)
        made = lower @ triangle
        return made @ made.mT

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        nu, size = self.df, self._event_shape[-1]
        norm = nu * (size * math.log(2) / 2 + self._half_log_det()) + mvlgamma(nu / 2, size)
        solved = cholesky_solve(value, self._unbroadcasted_scale_tril)
        traces = solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return -norm + (nu - size - 1) / 2 * slogdet(value).logabsdet - traces / 2

    def entropy(self) -> Any:
        nu, size = self.df, self._event_shape[-1]
        slopes = ((nu / 2).unsqueeze(-1) - arange(size, dtype=nu.dtype) / 2).digamma().sum(-1)
        whole = (size + 1) * (size * math.log(2) / 2 + self._half_log_det()) + mvlgamma(nu / 2, size)
        return whole - (nu - size - 1) / 2 * slopes + nu * size / 2

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        size = self._event_shape[-1]
        more = y + (size + 1) / 2
        return more * (-slogdet(-2 * x).logabsdet + math.log(2) * size) + mvlgamma(more, size)
