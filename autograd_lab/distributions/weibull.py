"""How long something lasts whose failure gets more, or less, likely with its age."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.exponential import Exponential
from autograd_lab.distributions.transformed_distribution import TransformedDistribution
from autograd_lab.distributions.transforms import AffineTransform, PowerTransform
from autograd_lab.distributions.utils import broadcast_all, euler_constant
from autograd_lab.engine.tensor.factories import ones_like

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """scale x^(1 / concentration) for an exponential x."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    scale: Any
    concentration: Any

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        transforms = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.transforms = [PowerTransform(new.concentration_reciprocal), AffineTransform(0, new.scale)]
        return new

    @property
    def mean(self) -> Any:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Any:
        size = (self.concentration - 1) / self.concentration
        return self.scale * size ** self.concentration.reciprocal()

    @property
    def variance(self) -> Any:
        once, twice = (1 + self.concentration_reciprocal).lgamma(), (1 + 2 * self.concentration_reciprocal).lgamma()
        return self.scale.pow(2) * (twice.exp() - (2 * once).exp())

    def entropy(self) -> Any:
        shape = self.concentration_reciprocal
        return euler_constant * (1 - shape) + (self.scale * shape).log() + 1
