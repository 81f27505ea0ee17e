"""How often yes, before so many times no."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import OfOdds
from autograd_lab.distributions.gamma import Gamma
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.ops.activation.sigmoids import logsigmoid
from autograd_lab.engine.tensor.random import poisson

__all__ = ["NegativeBinomial"]


class NegativeBinomial(OfOdds):
    """How often yes, before `total_count` times no."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.total_count = self._take(probs, logits, total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Any:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Any:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            rate = Gamma(self.total_count, (-self.logits).exp(), validate_args=False).sample(sample_shape)
            return poisson(rate)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        count = self.total_count
        weight = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        norm = -(count + value).lgamma() + (1.0 + value).lgamma() + count.lgamma()
        return weight - norm.masked_fill(count + value == 0.0, 0.0)
