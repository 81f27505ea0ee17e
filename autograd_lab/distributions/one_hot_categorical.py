"""One of several, as a row of zeros with a 1."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.categorical import Categorical, _OfClasses
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Size
from autograd_lab.engine.ops.layer.embedding import one_hot
from autograd_lab.engine.tensor.factories import eye

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(_OfClasses):
    """A 1 for a class, in a row of zeros."""

    shows_parameters = False
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        shape = self._param.size()
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        return one_hot(self.probs.argmax(dim=-1), self._num_events).to(self.probs.dtype)

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = Size(sample_shape)
        with no_grad():
            numbers = self._drawn(shape.numel()).T.reshape(*shape, *self._batch_shape)
            return one_hot(numbers, self._num_events).to(self._param.dtype)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return Categorical(logits=self.logits).log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        return Categorical(logits=self.logits).entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        count = self._num_events
        values = eye(count, dtype=self._param.dtype).view(count, *(1,) * len(self._batch_shape), count)
        return values.expand(count, *self._batch_shape, count) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same, through which gradients flow as if the probabilities had been returned (Bengio et al., 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
