"""What is beyond a high threshold: exponential, Pareto and uniform distributions are cases of it."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.factories import ones_like, tensor
from autograd_lab.engine.tensor.randomness import rand

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """From `loc` on; its tail is heavy for a positive `concentration`, and ends for a negative one."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    loc: Any
    scale: Any
    concentration: Any

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def _limit(self) -> tuple[Any, Any]:
        """Where the concentration is 0, and one that may be divided by."""
        zero = self.concentration.isclose(tensor(0.0, dtype=self.concentration.dtype))
        return zero, where(zero, ones_like(self.concentration), self.concentration)

    def _away(self, value: Any) -> Any:
        return (value - self.loc) / self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        z = self._away(value)
        zero, shape = self._limit()
        y = 1 / shape + ones_like(z)
        return -self.scale.log() - where(zero, z, where(y == 0, y, y * (shape * z).log1p()))

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of more than a value."""
        self._validate_sample(value)
        z = self._away(value)
        zero, shape = self._limit()
        return where(zero, -z, -(shape * z).log1p() / shape)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of the cdf."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Any) -> Any:
        return self.log_cdf(value).exp()

    def icdf(self, value: Any) -> Any:
        zero, shape = self._limit()
        log = (-value).log1p()
        return where(zero, self.loc - self.scale * log, self.loc + self.scale / shape * (-shape * log).expm1())

    @property
    def mean(self) -> Any:
        valid = self.concentration < 1
        return where(valid, self.loc + self.scale / (1 - where(valid, self.concentration, 0.5)), math.nan)

    @property
    def variance(self) -> Any:
        valid = self.concentration < 0.5
        shape = where(valid, self.concentration, 0.25)
        return where(valid, self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape)), math.nan)

    def entropy(self) -> Any:
        return (self.scale.log() + self.concentration + 1).broadcast_to(self._batch_shape)

    @property
    def mode(self) -> Any:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `loc` on, up to where the tail ends."""
        upper = where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, upper)
