"""Waiting times, and what falls off exponentially to both sides (Laplace)."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import LocationScale
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.tensor.factories import empty, zeros_like
from autograd_lab.engine.tensor.tensor import Tensor


class Exponential(ExponentialFamily):
    """How long until something happens that happens `rate` times a unit."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    rate: Any

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Any:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_() / self.rate

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Any) -> Any:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Any:
        return 1.0 - self.rate.log()


class Laplace(LocationScale):
    """Around `loc`, as likely as e^(-|distance| / scale)."""

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        kind = self.loc.dtype
        u = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(finfo(kind).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()


class Cauchy(LocationScale):
    """Around `loc`, with tails so heavy that there is no mean."""

    @property
    def mean(self) -> Any:
        return self.loc.detach() * 0 + math.nan

    @property
    def variance(self) -> Any:
        return self.loc.detach() * 0 + math.inf

    def rsample(self, sample_shape: Any = ()) -> Any:
        u = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).uniform_(-0.5, 0.5)
        return self.loc + (math.pi * u).tan() * self.scale

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
