"""The size of what is Cauchy around 0."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions.cauchy import Cauchy
from autograd_lab.distributions.folded import Folded
from autograd_lab.distributions.transforms import AbsTransform
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.factories import as_tensor, full

__all__ = ["HalfCauchy"]


class HalfCauchy(Folded):
    """|x| for a Cauchy x around 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        value = as_tensor(value, dtype=self.scale.dtype)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)
