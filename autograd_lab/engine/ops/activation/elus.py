"""elu and its kin selu and celu: x where it is positive, and a curve that levels off below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.activation.slopes import CurvedAgain, Sloped, gradient_of, only_floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.writing import change

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["celu", "selu"]

NEGATIVE_ALPHA = (
    "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)


SELU = (1.6732632423543772, 1.0507009873554805, 1)
"""alpha, scale and input scale, with which mean 0 and variance 1 stay so from layer to layer."""


class EluBackward0(Sloped):
    """z = s x where x > 0, else s a (e^(r x) - 1), so dz/dx = s there, else s a r e^(r x) = r (z + s a)."""

    __slots__ = ("_is_result", "alpha", "input_scale", "scale")

    def forward(self, x: Array, alpha: float, scale: float = 1, input_scale: float = 1) -> Array:
        self.alpha, self.scale, self.input_scale, self._is_result = alpha, scale, input_scale, False
        return narrowed(self._bent, x)

    def _bent(self, x: Array) -> Array:
        z = np.minimum(x, x.dtype.type(0), out=...)
        z *= self.input_scale
        z = precise(np.expm1, z)
        z *= self._depth(x)
        up = np.maximum(x, x.dtype.type(0))
        z += up if self.scale == 1 else up * self.scale
        return z

    def _depth(self, x: Array) -> Any:
        """How far down the curve goes."""
        return x.dtype.type(self.alpha) * x.dtype.type(self.scale)

    def slope(self, x: Array) -> Array:
        return self.along(np.ones_like(x), x)

    def along(self, g: Array, x: Array) -> Array:
        """G r (z + s a), or g r s a e^(r x): in this order PyTorch multiplies."""
        depth, steep = self._depth(x), g * self.input_scale
        if self._is_result:
            low = steep * (x + depth)
        else:
            low = steep * depth * precise(np.exp, np.minimum(x, x.dtype.type(0)) * self.input_scale)
        return np.where(x <= 0, low, g * self.scale)

    def curvature(self, x: Any) -> Any:
        low, r = x < 0, self.input_scale
        if self._is_result:
            return low * r
        return formulas.times(low * formulas.exp(low * x * r), self.alpha * self.scale * r * r)


@gradient_of(EluBackward0)
class EluBackwardBackward0(CurvedAgain):
    """h = g s where x > 0, else g s a r e^(r x)."""

    inputs = ("grad_output", "self_or_result")
    saves = inputs

    def attributes(self) -> dict[str, Any]:
        """What elu keeps, and whether x was overwritten."""
        return {**super().attributes(), "is_result": self._first._is_result}


class EluBackward1(EluBackward0):
    """The same, written over x, with a slope that follows from z."""

    saves = ("result",)

    def backward(self, g: Any, /, *saved: Any) -> Any:
        if self.alpha < 0:
            raise RuntimeError(NEGATIVE_ALPHA)
        self._is_result = True
        return super().backward(g, *saved)


class CeluBackward0(EluBackward0):
    """z = x where x > 0, else a (e^(x / a) - 1), so dz/dx = 1 there, else e^(x / a)."""

    def forward(self, x: Array, alpha: float, scale: float = 1, input_scale: float = 1) -> Array:
        return super().forward(x, alpha, 1, 1 / alpha)

    def attributes(self) -> dict[str, Any]:
        """What follows from alpha is not kept."""
        return {"alpha": self.alpha}


class CeluBackward1(CeluBackward0, EluBackward1):
    """The same, written over x."""


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha (e^x - 1) elsewhere."""
    only_tensors("elu", input)
    only_floating(input, "elu_cpu")
    return change("elu_", EluBackward1, input, (), alpha) if inplace else apply1(EluBackward0, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu, scaled so that layers keep mean 0 and variance 1."""
    only_tensors("selu", input)
    only_floating(input, "elu_cpu")
    return change("selu_", EluBackward1, input, (), *SELU) if inplace else apply1(EluBackward0, input, *SELU)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha (e^(x / alpha) - 1) elsewhere."""
    only_tensors("celu", input)
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    only_floating(input, "elu_cpu")
    return change("celu_", CeluBackward1, input, (), alpha) if inplace else apply1(CeluBackward0, input, alpha)
