"""A probability."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.dirichlet import Dirichlet
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.ops.shape.joining import stack

__all__ = ["Beta"]


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
    def mode(self) -> Any:
        return self._both().mode[..., 0]

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
