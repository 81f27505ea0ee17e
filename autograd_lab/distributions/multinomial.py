"""How often each of several."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.binomial import Binomial
from autograd_lab.distributions.categorical import Categorical, _OfClasses
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Size
from autograd_lab.engine.ops.layer.embedding import one_hot
from autograd_lab.engine.ops.shape.stacking import broadcast_tensors

__all__ = ["Multinomial"]


class Multinomial(_OfClasses):
    """How often each class, of `total_count` draws."""

    shows_parameters = False
    total_count: int

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._take(probs, logits)
        shape = self._param.size()
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Counts that add up."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Any:
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = Size(sample_shape)
        with no_grad():
            classes = self._drawn(self.total_count * shape.numel()).T.reshape(-1, *shape, *self._batch_shape)
            return one_hot(classes, self._num_events).sum(0).to(self.probs.dtype)

    def entropy(self) -> Any:
        each = Binomial(self.total_count, self.probs, validate_args=False)
        counts = each.enumerate_support(expand=False)[1:]
        chances, ways = each.log_prob(counts).exp(), (counts + 1).lgamma()
        chosen = Categorical(self.probs, validate_args=False).entropy()
        return self.total_count * chosen - math.lgamma(self.total_count + 1) + (chances * ways).sum([0, -1])

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_tensors(self.logits, value)
        logits = logits.clone()
        logits[(value == 0) & (logits == -math.inf)] = 0  # what never happened, and cannot
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits * value).sum(-1)
