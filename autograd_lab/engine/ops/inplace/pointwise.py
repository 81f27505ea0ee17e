"""Arithmetic and other ops, element by element, that write to a tensor: `add_`, `clamp_`, `lerp_`, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_lab.engine.ops.activation.rectifiers import ReluBackward0
from autograd_lab.engine.ops.inplace.writing import change, unary
from autograd_lab.engine.ops.pointwise import arithmetic, blending, bounds, choice, division, special
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


relu_ = unary(ReluBackward0)


def add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """x becomes x + alpha y."""
    if alpha != 1 or alpha is True:
        arithmetic.check_alpha(alpha, input, other)
    return change("add_", arithmetic.AddBackward0, input, (other,), alpha)


def sub_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """x becomes x - alpha y."""
    if alpha != 1 or alpha is True:
        arithmetic.check_alpha(alpha, input, other)
    if type(other) is bool:
        arithmetic.not_of_truth_values(other)
    return change("sub_", arithmetic.SubBackward0, input, (other,), alpha)


def mul_(input: Tensor, other: Any) -> Tensor:
    """x becomes x y."""
    return change("mul_", arithmetic.MulBackward0, input, (other,))


def div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """x becomes x / y, rounded down for the mode "floor", towards 0 for "trunc"."""
    if rounding_mode is None:
        return change("div_", arithmetic.DivBackward0, input, (other,))
    division.check_mode(rounding_mode)
    return change("div_", division.DivBackward2, input, (other,), rounding_mode)


def true_divide_(input: Tensor, other: Any) -> Tensor:
    """x becomes x / y."""
    return change("true_divide_", arithmetic.DivBackward0, input, (other,))


def pow_(input: Tensor, exponent: Any) -> Tensor:
    """x becomes x to the power of y."""
    if isinstance(exponent, Variable):
        return change("pow_", arithmetic.PowBackward1, input, (exponent,))
    return change("pow_", arithmetic.PowBackward0, input, (), exponent)


def square_(input: Tensor) -> Tensor:
    """x becomes x²."""
    return pow_(input, 2)


def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Every element becomes at least `min` and at most `max`."""
    if isinstance(min, Variable) or isinstance(max, Variable):
        bounds.check_bounds(input, min, max)
        return change("clamp_", bounds.ClampBackward0, input, (min, max))
    return change("clamp_", choice.ClampBackward1, input, (), min, max)


def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The elements where the mask holds become `value`."""
    cls, (_, *others), *args = choice.filling(input, mask, value)
    return change("masked_fill_", cls, input, others, *args)


def lerp_(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """x goes so much of the way to `end`."""
    blending.check_lerp(input, end, weight)
    if isinstance(weight, Variable):
        return change("lerp_", blending.LerpBackward1, input, (end, weight))
    return change("lerp_", blending.LerpBackward0, input, (end,), weight)


def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """x becomes x + value a b."""
    return change("addcmul_", blending.AddcmulBackward0, input, (tensor1, tensor2), value)


def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """x becomes x + value a / b."""
    return change("addcdiv_", blending.AddcdivBackward0, input, (tensor1, tensor2), value)


def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """x becomes ln(x / (1 - x))."""
    return change("logit_", special.LogitBackward0, input, (), eps)


def nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities become numbers."""
    return change("nan_to_num_", blending.NanToNumBackward0, input, (), nan, posinf, neginf)
