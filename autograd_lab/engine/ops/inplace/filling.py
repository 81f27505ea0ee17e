"""Ops that give a tensor other elements: `zero_`, `fill_`, `copy_`; and `detach_`, which takes its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.apply import NUMBERS, apply1, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_number
from autograd_lab.engine.exact.aliasing import tell_views
from autograd_lab.engine.exact.detached import remember
from autograd_lab.engine.exact.elementless import Elementless, refuse_reading
from autograd_lab.engine.modes.inference import is_inference_mode_enabled
from autograd_lab.engine.numbers.dtypes import Array, fitted
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.copying import CopyBackwards
from autograd_lab.engine.ops.ground.kinds import Elementwise
from autograd_lab.engine.ops.ground.writing import change, may_write
from autograd_lab.engine.ops.shape import views

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class ZeroBackward0(Elementwise):
    """z becomes 0, so nothing flows back."""

    def forward(self, x: Array) -> Array:
        return np.zeros_like(x)

    def backward(self, g: Any) -> Any:
        return formulas.zeros_like(g)


class FillBackward2(ZeroBackward0):
    """z becomes a number, so nothing flows back."""

    op = "fill"

    def forward(self, x: Array, number: Any = 0) -> Array:
        return np.full_like(x, fitted(number, x.dtype))


class FillBackward3(Node):
    """Every element becomes a 0-d tensor's, which gets the sum of the gradients."""

    inputs = ("self", "value")
    op = "fill"
    tangent = "filled"

    def forward(self, x: Array, value: Array) -> Array:
        return np.full_like(x, value)

    def backward(self, g: Any) -> Any:
        needs = self.next_functions
        first = None if needs[0][0] is None else formulas.zeros_like(g)
        return first, None if needs[1][0] is None else g.sum()


def fill_(input: Tensor, value: Any) -> Tensor:
    """Every element becomes `value`, a number or a 0-d tensor."""
    if not isinstance(value, Variable):
        only_number(value)
        return change("fill_", FillBackward2, input, (), value)
    may_write(input, value)
    if value._array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
        )
    return change("fill_", FillBackward3, input, (value,))


class FillBackward0(FillBackward2):
    """The same, in a new tensor."""

    op = "fill"


class FillBackward1(FillBackward3):
    """The same, in a new tensor."""

    op = "fill"


def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of this shape and dtype, all of whose elements are `value`, a number or a 0-d tensor."""
    if not isinstance(value, Variable):
        only_number(value)
        return apply1(FillBackward0, input, value)
    if value._array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
        )
    return applyn(FillBackward1, (input, value))


def fill_diagonal_(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """The elements of the main diagonal become one number."""
    if input._array.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    step, shape = sum(input.stride()), input._array.shape
    part = views.as_strided(input, (min(shape),), (step,), input.storage_offset())
    fill_(part, fill_value)
    if wrap and input._array.ndim == 2 and shape[0] > shape[1] + 1:
        for row in range(shape[1] + 1, shape[0], shape[1] + 1):
            below = input[row:]
            fill_(views.as_strided(below, (min(below._array.shape),), (step,), below.storage_offset()), fill_value)
    return input


def copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """The elements become those of `src`, broadcast and cast where needed."""
    if not isinstance(src, (Variable, *NUMBERS)):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if isinstance(src, Variable) and type(input._array) is not Elementless:
        refuse_reading(src._array)
    return change("copy_", CopyBackwards, input, (src,))


def copied_gradient(g: Tensor, leaf: Tensor) -> Tensor:
    """A gradient with a history as it is first stored in the `.grad` of a leaf: copied to memory of its own."""
    return copy_(wrap(np.zeros_like(leaf._array, dtype=g._array.dtype)), g)


def detach_(input: Tensor) -> Tensor:
    """The tensor itself becomes a leaf that requires no gradient."""
    if is_inference_mode_enabled():  # where nothing of autograd is done
        return input
    if input._extra is not None and input._extra.base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) "
            "for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and "
            "hence detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    remember(input)
    input._edge, input._needs = None, False
    if input._extra is not None:
        input._extra.tangents = None
    tell_views(input)
    if listening.active is not None:
        listening.active.detached(input, input, "detach_")
    return input
