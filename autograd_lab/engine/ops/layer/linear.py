"""The linear layer, by the steps in which PyTorch takes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.ops.inplace.pointwise import add_
from autograd_lab.engine.ops.matrix.products import addmm, matmul
from autograd_lab.engine.ops.shape.views import t, view

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b for the last dimension of x."""
    if autocast.used:
        input, weight, bias = autocast.lowered(input, weight, bias)
    for position, (name, one) in enumerate({"input": input, "weight": weight, "bias": bias}.items(), 1):
        if not isinstance(one, Variable) and not (one is None and name == "bias"):
            kind = type(one).__name__
            raise TypeError(f"linear(): argument '{name}' (position {position}) must be Tensor, not {kind}")
    x, w = input._array, weight._array
    if not x.ndim or not w.ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    if bias is None:
        return matmul(input, t(weight))
    if x.ndim == 2:
        return addmm(bias, input, t(weight))
    if x.flags.c_contiguous and bias._array.ndim == 1:
        rows = view(input, (math.prod(x.shape[:-1]), x.shape[-1]))
        return view(addmm(bias, rows, t(weight)), (*x.shape[:-1], w.shape[0]))
    return add_(matmul(input, t(weight)), bias)
