"""What falls off exponentially to both sides."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions.distribution import LocationScale
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.tensor.factories import empty
from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["Laplace"]


class Laplace(LocationScale):
    """Around `loc`, as likely as e^(-|distance| / scale)."""

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        kind = self.loc.dtype
        u = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(finfo(kind).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()
