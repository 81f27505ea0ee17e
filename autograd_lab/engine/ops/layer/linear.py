"""The linear layer, by the steps in which PyTorch takes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import not_a_tensor
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.ops.inplace.pointwise import add_
from autograd_lab.engine.ops.matrix.products import addmm, matmul
from autograd_lab.engine.ops.shape.views import t, view

if TYPE_CHECKING:
    from autograd_lab.engine.numbers.dtypes import Array
    from autograd_lab.engine.tensor.tensor import Tensor


TENSOR_OR_NONE = (Variable, type(None))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b for the last dimension of x."""
    if autocast.used:
        input, weight, bias = autocast.lowered(input, weight, bias)
    if not (isinstance(input, Variable) and isinstance(weight, Variable) and isinstance(bias, TENSOR_OR_NONE)):
        raise _not_tensors(input=input, weight=weight, bias=bias)
    x, w = input._array, weight._array
    if not x.ndim or not w.ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    if bias is None:
        return matmul(input, t(weight))
    if x.ndim == 2:
        return addmm(bias, input, t(weight))
    if x.flags.c_contiguous and _is_row(bias._array):
        rows = view(input, (math.prod(x.shape[:-1]), x.shape[-1]))
        return view(addmm(bias, rows, t(weight)), (*x.shape[:-1], w.shape[0]))
    return add_(matmul(input, t(weight)), bias)


def _is_row(b: Array) -> bool:
    """Whether PyTorch adds such a bias together with the product: one row, with whatever dimensions of one element."""
    return b.flags.c_contiguous and (b.ndim == 1 or sum(size != 1 for size in b.shape) == 1)


def _not_tensors(**arguments: object) -> TypeError:
    """The error that names the first argument which is no tensor."""
    wrong = [name for name, one in arguments.items() if not isinstance(one, Variable)]
    return not_a_tensor("linear", wrong[0], 1 + list(arguments).index(wrong[0]), arguments[wrong[0]])
