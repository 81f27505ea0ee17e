"""What is made of the gamma function: its logarithm for matrices, and the share of it up to a point, or from it on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import BOOL, Array, both_of_kind, floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Binary, Pointwise, is_wanted
from autograd_lab.engine.ops.pointwise.arithmetic import not_of_truth_values
from autograd_lab.engine.special import special_functions as special
from autograd_lab.engine.special.incomplete_gamma import gammainc as share_of

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["igamma", "igammac"]


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


class IgammaBackward0(Binary):
    """z is the share of Γ(a) up to x, so dz/dx = x^(a-1) e^-x / Γ(a); PyTorch knows no dz/da."""

    saves = Binary.inputs
    only_for = (("self", 1), ("other", 1))
    tangent = ""
    _upper = False

    def forward(self, a: Array, x: Array) -> Array:
        both_of_kind("fV", a, x, f"{self.op}_cpu")
        return share_of(a, x, upper=self._upper).astype(a.dtype)

    def backward(self, g: Any, a: Any, x: Any) -> Any:
        if is_wanted(self, 0):
            raise NotImplementedError(f"the derivative for '{self.op}: input' is not implemented.")
        if self.next_functions[1][0] is None:
            return None, None
        if (whole := a._array if isinstance(a, Variable) else np.asarray(a)).dtype is BOOL:
            not_of_truth_values(whole, 1)  # for which PyTorch has no formula
        size = a.lgamma() if isinstance(a, Variable) else special.lgamma(floating(np.asarray(a)))
        logarithm = formulas.log(x)
        power = formulas.minus(a, 1) if whole.dtype.kind in "fV" else a - 1  # whole numbers stay so
        density = formulas.exp(power * logarithm - x - size)
        return None, (-g if self._upper else g) * density


class IgammacBackward0(IgammaBackward0):
    """z is the share of Γ(a) from x on, so dz/dx = -x^(a-1) e^-x / Γ(a); PyTorch knows no dz/da."""

    _upper = True


def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The share of Γ(input) = ∫ t^(input-1) e^-t dt from 0 to `other`."""
    only_tensors("igamma", input, other)
    return apply2(IgammaBackward0, input, other)


def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The share of Γ(input) = ∫ t^(input-1) e^-t dt from `other` on."""
    only_tensors("igammac", input, other)
    return apply2(IgammacBackward0, input, other)
