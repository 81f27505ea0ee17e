"""A soft yes or no, through which gradients flow (Maddison et al., 2017; Jang et al., 2017)."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import OfOdds
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.tensor.factories import empty, full_like

__all__ = ["RelaxedBernoulli"]


class RelaxedBernoulli(OfOdds):
    """Between 0 and 1, nearer to either the lower the temperature."""

    shows_parameters = False
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature  # which all share
        return new

    def rsample(self, sample_shape: Any = ()) -> Any:
        kind = self.probs.dtype
        u = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(finfo(kind).eps, 1 - finfo(kind).eps)
        return ((u.log() - (-u).log1p() + self.logits) / self.temperature).sigmoid()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        least = finfo(value.dtype).eps
        inside = value.clamp(min=least, max=1 - least)
        odds = inside.log() - (-inside).log1p()
        gap = self.logits - odds * self.temperature
        density = log_of(self.temperature, odds) + gap - 2 * gap.exp().log1p()
        return density - inside.log() - (-inside).log1p()


def log_of(temperature: Any, like: Any) -> Any:
    return temperature.log() if is_tensor(temperature) else full_like(like, math.log(temperature))
