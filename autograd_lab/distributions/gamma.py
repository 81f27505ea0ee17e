"""The gamma distribution."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.pointwise.gamma_functions import igamma
from autograd_lab.engine.ops.pointwise.special import xlogy
from autograd_lab.engine.tensor.factories import as_tensor
from autograd_lab.engine.tensor.gammas import standard_gamma


class Gamma(ExponentialFamily):
    """Density in proportion to x^(concentration - 1) e^(-rate x)."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    concentration: Any
    rate: Any

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Any) -> Any:
        value = as_tensor(value, dtype=self.rate.dtype)
        self._validate_sample(value)
        weights = xlogy(self.concentration, self.rate) + xlogy(self.concentration - 1, value)
        return weights - self.rate * value - self.concentration.lgamma()

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return igamma(self.concentration, self.rate * value)
