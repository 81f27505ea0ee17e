"""What has tails so heavy that there is no mean."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions.distribution import LocationScale
from autograd_lab.engine.tensor.factories import empty

__all__ = ["Cauchy"]


class Cauchy(LocationScale):
    """Around `loc`, with tails so heavy that there is no mean."""

    @property
    def mean(self) -> Any:
        return self.loc.detach() * 0 + math.nan

    @property
    def variance(self) -> Any:
        return self.loc.detach() * 0 + math.inf

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()
