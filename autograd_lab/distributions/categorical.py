"""One of several: as a number, as a row of zeros with a 1, and how often each (multinomial)."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import NEVER_BOTH, OfOdds
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Size, finfo, int64
from autograd_lab.engine.numbers.generator import numbers_of
from autograd_lab.engine.ops.layer.embedding import one_hot
from autograd_lab.engine.ops.shape.stacking import broadcast_tensors
from autograd_lab.engine.tensor.factories import arange, eye, full
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

    def expand(self, batch_shape: Any) -> Any:
        new = super().expand(batch_shape)
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

    @property
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

    @property
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
        rows = self.probs._array
        rows = rows.astype("float64") / rows.astype("float64").sum(-1, keepdims=True)
        drawn = numbers_of().multinomial(self.total_count, rows, (*sample_shape, *self._batch_shape))
        return wrap(drawn.astype(self.probs._array.dtype))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_tensors(self.logits, value)
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits * value).sum(-1)
