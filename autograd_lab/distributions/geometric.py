"""How often no, before the first yes."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import OfOdds
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.loss.entropies import binary_cross_entropy_with_logits
from autograd_lab.engine.tensor.factories import empty, zeros_like
from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["Geometric"]


class Geometric(OfOdds):
    """How often no, before the first yes."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.data[~(value > 0)]}"
            )

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
