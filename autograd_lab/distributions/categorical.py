"""One of several, as a number."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import NEVER_BOTH, OfOdds
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Size, finfo, int64
from autograd_lab.engine.ops.shape.stacking import broadcast_tensors
from autograd_lab.engine.tensor.factories import arange, full
from autograd_lab.engine.tensor.random import multinomial
from autograd_lab.engine.tensor.tensor import Tensor


class _OfClasses(OfOdds):
    """What has a probability for each class, along the last dimension."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    event_dims = {"probs": 1, "logits": 1}
    binary = False

    def _take(self, probs: Any, logits: Any) -> None:  # type: ignore[override]
        if (probs is None) == (logits is None):
            raise ValueError(NEVER_BOTH)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        scale = given.sum(-1, keepdim=True) if logits is None else given.logsumexp(dim=-1, keepdim=True)
        self._param = self.__dict__[name] = given / scale if logits is None else given - scale
        self._num_events = self._param.size()[-1]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._num_events = self._num_events
        return new

    def _drawn(self, count: int) -> Any:
        """So many numbers of classes for each distribution, (rows, count)."""
        return multinomial(self.probs.reshape(-1, self._num_events), count, True)


class Categorical(_OfClasses):
    """The number of a class."""

    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The numbers of the classes."""
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    @property
    def mode(self) -> Any:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return full(self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = Size(sample_shape)
        with no_grad():
            return self._drawn(shape.numel()).T.reshape(self._extended_shape(shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        value = value.to(int64).unsqueeze(-1)
        value, log_pmf = broadcast_tensors(value, self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = arange(self._num_events).view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values
