"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions.distribution import LocationScale
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.tensor.random import normal
from autograd_lab.engine.tensor.tensor import Tensor


class Normal(LocationScale, ExponentialFamily):
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
