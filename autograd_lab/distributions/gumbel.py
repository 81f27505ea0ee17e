"""The largest of many."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.transformed_distribution import TransformedDistribution
from autograd_lab.distributions.transforms import AffineTransform, ExpTransform
from autograd_lab.distributions.uniform import Uniform
from autograd_lab.distributions.utils import broadcast_all, euler_constant
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.tensor.factories import full_like, ones_like

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """loc - scale log(-log u) for a uniform u."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    loc: Any
    scale: Any

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        kind = finfo(self.loc.dtype)
        low, high = full_like(self.loc, kind.tiny), full_like(self.loc, 1 - kind.eps)
        transforms = [
            ExpTransform().inv,
            AffineTransform(0, -ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(self.loc, -self.scale),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Any:
        return self.scale.log() + (1 + euler_constant)
