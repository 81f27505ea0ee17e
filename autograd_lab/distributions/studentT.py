"""The normal distribution with heavier tails."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.chi2 import Chi2
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.random import normal
from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Around `loc`, with tails that are the heavier the smaller `df` is."""

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    df: Any
    loc: Any
    scale: Any

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Any:
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        return where(self.df > 2, finite, where(self.df > 1, math.inf, math.nan).to(finite.dtype))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        x = normal(0.0, 1.0, shape, dtype=self.df.dtype)
        z = Chi2(self.df).rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        norm = norm + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - norm

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        tails = 0.5 * (self.df + 1) * (more.digamma() - half.digamma())
        return self.scale.log() + tails + 0.5 * self.df.log() + log_beta
