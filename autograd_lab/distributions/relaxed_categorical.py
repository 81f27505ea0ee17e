"""A soft choice of several, through which gradients flow (Maddison et al., 2017; Jang et al., 2017)."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.categorical import _OfClasses
from autograd_lab.distributions.relaxed_bernoulli import log_of
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.tensor.factories import empty

__all__ = ["RelaxedOneHotCategorical"]


class RelaxedOneHotCategorical(_OfClasses):
    """Probabilities of classes, nearer to one of them the lower the temperature."""

    shows_parameters = False
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        shape = self._param.size()
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.temperature = self.temperature  # which all share
        return new

    def rsample(self, sample_shape: Any = ()) -> Any:
        kind = self.logits.dtype
        u = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(finfo(kind).eps, 1 - finfo(kind).eps)
        return ((self.logits - (-u.log()).log()) / self.temperature).softmax(-1)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        count = self._num_events
        logs = value.log()
        score = self.logits - logs * self.temperature
        score = (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1)
        return score + (count - 1) * log_of(self.temperature, score) + math.lgamma(count) - logs.sum(-1)
