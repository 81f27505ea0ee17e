"""The normal distribution, and those of its exponential and its size."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution, LocationScale
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.factories import zeros_like
from autograd_lab.engine.tensor.random import normal
from autograd_lab.engine.tensor.tensor import Tensor


class Normal(LocationScale):
    """Around `loc`, with the standard deviation `scale`."""

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """loc + ε scale, where ε is drawn from the standard normal distribution."""
        epsilon = normal(0.0, 1.0, self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + epsilon * self.scale

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        spread = 2 * self.scale**2
        return -((value - self.loc) ** 2) / spread - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class HalfNormal(Distribution):
    """The size of what is normal around 0."""

    shows_parameters = False
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    scale: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        (self.scale,) = broadcast_all(scale)
        super().__init__(self.scale.size(), validate_args=validate_args)

    @property
    def base_dist(self) -> Normal:
        """What it is the size of."""
        return Normal(0, self.scale, validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape).abs()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)
