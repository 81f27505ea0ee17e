"""The size of what is normal around 0."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions.folded import Folded
from autograd_lab.distributions.normal import Normal
from autograd_lab.distributions.transforms import AbsTransform
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(Folded):
    """|x| for a normal x around 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)
