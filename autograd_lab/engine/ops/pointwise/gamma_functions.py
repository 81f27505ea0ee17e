"""What is made of the gamma function: its logarithm for matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers import special_functions as special
from autograd_lab.engine.numbers.dtypes import Array, floating
from autograd_lab.engine.ops.ground.kinds import Pointwise

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class MvlgammaBackward0(Pointwise):
    """z is ln Γ of matrices of this size: Σ ln Γ(x - i / 2) and a constant, so dz/dx is the sum of digammas."""

    saves = ("self",)
    __slots__ = ("p",)

    def forward(self, x: Array, p: int) -> Array:
        self.p = p
        x = floating(x)
        constant = x.dtype.type(p * (p - 1) / 4 * math.log(math.pi))
        return np.asarray(special.lgamma(_shifted(x, p)).sum(-1) + constant)

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(x, Variable):
            return g * (wrap(_halves(self.p, x._array.dtype)) + x.unsqueeze(-1)).digamma().sum(-1)
        return g * special.polygamma(0, _shifted(np.asarray(x), self.p)).sum(-1)


def _halves(p: int, kind: Any) -> Array:
    """0, -1/2, -1, ..."""
    return np.arange(1 - p, 1).astype(kind) / kind.type(2)


def _shifted(x: Array, p: int) -> Array:
    return x[..., None] + _halves(p, x.dtype)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """ln Γ of matrices of `p` rows. Raises RuntimeError for none, and for booleans."""
    check_mvlgamma(input._array, p)
    return apply1(MvlgammaBackward0, input, p)


def check_mvlgamma(x: Array, p: int) -> None:
    """Raise RuntimeError for what has no such function."""
    if x.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
