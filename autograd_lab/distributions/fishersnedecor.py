"""The ratio of two variances."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.gamma import Gamma
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.numbers.dtypes import finfo

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two chi-squared numbers, each divided by its degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    df1: Any
    df2: Any

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    def _finite(self, least: int) -> Any:
        df2 = self.df2.clone()
        df2[df2 <= least] = math.nan
        return df2

    @property
    def mean(self) -> Any:
        df2 = self._finite(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        df2 = self._finite(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        above, below = (Gamma(df * 0.5, df).rsample(sample_shape) for df in (self.df1, self.df2))
        least = finfo(below.dtype).tiny
        below.clamp_(min=least)
        return (above / below).clamp_(min=least)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        first, second, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        norm = (first + second).lgamma() - first.lgamma() - second.lgamma()
        weight = first * ratio.log() + (first - 1) * value.log()
        return norm + weight - (first + second) * (ratio * value).log1p()
