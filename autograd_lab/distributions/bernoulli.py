"""Yes or no: once (Bernoulli), how often of so many times (binomial), and how often no before a yes (geometric)."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import OfOdds
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.numbers.generator import numbers_of
from autograd_lab.engine.ops.loss.entropies import binary_cross_entropy_with_logits
from autograd_lab.engine.tensor.factories import arange, empty, zeros_like
from autograd_lab.engine.tensor.random import bernoulli
from autograd_lab.engine.tensor.tensor import Tensor


class Bernoulli(OfOdds, ExponentialFamily):
    """1 with a probability, else 0."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        mode[self.probs == 0.5] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        values = arange(2, dtype=self._param.dtype).view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values


class Geometric(OfOdds):
    """How often no, before the first yes."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.probs)

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            kind = self.probs.dtype
            drawn = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(finfo(kind).tiny, 1)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Binomial(OfOdds):
    """How often yes, of `total_count` times."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.total_count = self._take(probs, logits, total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def support(self) -> Any:
        """Whole numbers up to the count."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        counts, probs = self.total_count._array, self.probs._array
        return wrap(numbers_of().binomial(counts.astype(int), probs, tuple(shape)).astype(probs.dtype))

    def enumerate_support(self, expand: bool = True) -> Any:
        count = int(self.total_count.max())
        if not bool((self.total_count == count).all()):
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = arange(1 + count, dtype=self._param.dtype).view(-1, *(1,) * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values

    def entropy(self) -> Any:
        logs = self.log_prob(self.enumerate_support(False))
        return -(logs.exp() * logs).sum(0)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        ways = (value + 1).lgamma() + (self.total_count - value + 1).lgamma() - (self.total_count + 1).lgamma()
        least = self.logits.clamp(min=0) + (-self.logits.abs()).exp().log1p()
        return value * self.logits - ways - self.total_count * least
