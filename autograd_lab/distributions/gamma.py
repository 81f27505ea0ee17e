"""The gamma distribution, and those made of it: chi-squared, Dirichlet, beta, Student's t."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.ops.pointwise.special import xlogy
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.tensor.gammas import standard_gamma
from autograd_lab.engine.tensor.random import normal
from autograd_lab.engine.tensor.tensor import Tensor


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
        self._validate_sample(value)
        weights = xlogy(self.concentration, self.rate) + xlogy(self.concentration - 1, value)
        return weights - self.rate * value - self.concentration.lgamma()

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """How many degrees of freedom."""
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """Probabilities of classes: gamma numbers, divided by their sum."""

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    event_dims = {"concentration": 1}
    support = constraints.simplex
    has_rsample = True
    concentration: Any

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def variance(self) -> Any:
        whole = self.concentration.sum(-1, True)
        return self.concentration * (whole - self.concentration) / (whole.pow(2) * (whole + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = standard_gamma(self.concentration.expand(self._extended_shape(sample_shape)))
        return drawn / drawn.sum(-1, True)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        a = self.concentration
        return xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Any:
        a, count = self.concentration, self.concentration.size(-1)
        whole = a.sum(-1)
        spread = ((a - 1.0) * a.digamma()).sum(-1)
        return a.lgamma().sum(-1) - whole.lgamma() - (count - whole) * whole.digamma() - spread


class Beta(ExponentialFamily):
    """A probability: density in proportion to x^(concentration1 - 1) (1 - x)^(concentration0 - 1)."""

    shows_parameters = False
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Any
    concentration0: Any

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(self.concentration1.size(), validate_args=validate_args)

    def _both(self) -> Dirichlet:
        return Dirichlet(stack([self.concentration1, self.concentration0], -1), validate_args=False)

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self) -> Any:
        whole = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (whole.pow(2) * (whole + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._both().rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return self._both().log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._both().entropy()


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
