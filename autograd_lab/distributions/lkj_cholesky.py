"""Matrices of correlations, by their Cholesky factors (Lewandowski, Kurowicka and Joe, 2009)."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.beta import Beta
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.utils import broadcast_all
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import finfo
from autograd_lab.engine.ops.pointwise.gamma_functions import mvlgamma
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.engine.tensor.factories import arange
from autograd_lab.engine.tensor.randomness import randn

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of matrices of correlations, likely in proportion to det^(concentration - 1)."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    concentration: Any

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.size(), (dim, dim), validate_args)

    def _lengths(self) -> Beta:
        """How much of each row is below the diagonal, squared."""
        more = self.concentration + 0.5 * (self.dim - 2)
        offset = arange(self.dim - 1, dtype=self.concentration.dtype)
        offset = cat([offset.new_zeros((1,)), offset])
        return Beta(offset + 0.5, more.unsqueeze(-1) - 0.5 * offset)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Each row a direction that is drawn, and the length that is left goes to the diagonal (the onion method)."""
        with no_grad():
            y = self._lengths().sample(sample_shape).unsqueeze(-1)
            drawn = randn(self._extended_shape(sample_shape), dtype=y.dtype).tril(-1)
            direction = drawn / drawn.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            rows = y.sqrt() * direction
            left = (1 - (rows**2).sum(dim=-1)).clamp(min=finfo(rows.dtype).tiny).sqrt()
            return rows + left.diag_embed()

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        count, shape = self.dim - 1, self.concentration + 0.5 * (self.dim - 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - arange(2, self.dim + 1)
        weight = (order * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(dim=-1)
        norm = 0.5 * count * math.log(math.pi) + mvlgamma(shape - 0.5, count) - shape.lgamma() * count
        return weight - norm
