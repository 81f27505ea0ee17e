"""Numbers as a mantissa and a power of 2: ldexp puts them together, frexp takes them apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply2, apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor
from autograd_lab.engine.errors.operands import only_tensors, warn_of_resized
from autograd_lab.engine.numbers.dtypes import F64, WIDE, Array, both_of_kind, floating, mixed
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Binary
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.pointwise.exponentiation import whole_power

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["frexp", "ldexp"]

FrexpResult = named("frexp", "mantissa", "exponent")


FARTHEST = 5000
"""A power of 2 beyond which there is no number in any dtype."""


def _as_they_are(x: Any, y: Any) -> list[Array]:
    return [np.asarray(x), np.asarray(y)]


class LdexpBackward0(Binary):
    """z = x 2^y, so dz/dx = 2^y and dz/dy = z ln 2."""

    saves = ("other", "result")
    only_for = (("other", 0),)
    mix = staticmethod(_as_they_are)

    def forward(self, x: Array, y: Array) -> Array:
        if x.dtype.kind in "fV":
            both_of_kind("fViu", y, x, "ldexp_cpu_exp")
        with np.errstate(all="ignore"):
            if y.dtype.kind in "fV":  # 2^y is rounded to their dtype, and may overflow it, as in PyTorch
                x, y = mixed(x, y)
                return np.multiply(x, np.exp2(y.astype(WIDE.get(y.dtype, y.dtype))).astype(y.dtype), out=...)
            x = floating(x)
            return np.asarray(np.ldexp(x.astype(F64), y.clip(-FARTHEST, FARTHEST).astype(np.int32)).astype(x.dtype))

    def backward(self, g: Any, y: Any, z: Any) -> Any:
        first, second = (edge[0] for edge in self.next_functions)
        to_y = None if second is None else formulas.times(g * z, math.log(2))
        return None if first is None else g * _two_to(y), to_y


def _two_to(y: Any) -> Any:
    """2^y; of whole numbers it is whole, as in PyTorch, so 0 if y is negative."""
    if is_tensor(y):
        return y.__rpow__(2)
    y = np.asarray(y)
    return np.exp2(y)[()] if y.dtype.kind in "fV" else whole_power(np.asarray(2, y.dtype), y)


def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """x 2^y."""
    only_tensors("ldexp", input, other)
    result, x, y = apply2(LdexpBackward0, input, other), input._array, other._array
    if x.size and x.dtype.kind in "fV" and y.dtype.kind in "ui" and x.shape != result._array.shape:
        warn_of_resized(x.shape, result._array.shape)  # as of a tensor that PyTorch makes on the way
    return result


class FrexpBackward0(Node):
    """x = m 2^e with a whole e and |m| from 1/2 to 1, so dm/dx = 2^-e."""

    outputs = ("mantissa", "exponent")
    saves = ("exponent",)
    tangent = "diagonal"

    def forward(self, x: Array) -> tuple[Array, Array]:
        wide = x.astype(np.float64)
        mantissa, exponent = np.frexp(wide)
        whole = np.where(np.isfinite(wide), exponent, 0)
        return np.asarray(mantissa, x.dtype), np.asarray(whole, np.int32)

    def backward(self, g: Any, e: Any) -> Any:
        if isinstance(g, Variable):
            return g / 2.0**e
        return g / np.exp2(np.asarray(e), dtype=np.float64).astype(g.dtype)[()]


def frexp(input: Tensor) -> Any:
    """The mantissas, from 1/2 to 1 in size, and the whole powers of 2 of the elements."""
    only_tensors("frexp", input)
    if input._array.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return FrexpResult(apply_many(FrexpBackward0, (input,)))
