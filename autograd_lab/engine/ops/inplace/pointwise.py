"""Arithmetic and other ops, element by element, that write to a tensor: `add_`, `clamp_`, `lerp_`, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import check_alpha, only_number, only_tensors
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, KINDS, own_number, result_dtype
from autograd_lab.engine.ops.activation.rectifiers import ReluBackward0
from autograd_lab.engine.ops.ground.copying import CopyBackwards
from autograd_lab.engine.ops.ground.older_order import again
from autograd_lab.engine.ops.ground.writing import change, check_two, may_write, unary
from autograd_lab.engine.ops.pointwise import (
    arithmetic,
    blending,
    bounds,
    division,
    exponentiation,
    gamma_functions,
    rounding,
    selection,
    special,
)

if TYPE_CHECKING:
    from autograd_lab.engine.core.node import Node
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["relu_"]


relu_ = unary(ReluBackward0)


def add_(input: Tensor, other: Any, *older: Tensor, alpha: float = 1) -> Tensor:
    """x becomes x + alpha y."""
    if older:
        return again(add_, input, other, *older)
    if alpha != 1 or alpha is True:
        _check_factor(arithmetic.AddBackward0, input, other, alpha)
    return change("add_", arithmetic.AddBackward0, input, (other,), alpha)


def _check_factor(cls: type[Node], input: Tensor, other: Any, alpha: float) -> None:
    """Raise what PyTorch raises for a factor that does not suit the operands, unless these are wrong themselves."""
    may_write(input, other)
    try:
        check_alpha(alpha, input, other)
    except RuntimeError:
        check_two(cls, input, other)
        raise


def sub_(input: Tensor, other: Any, *older: Tensor, alpha: float = 1) -> Tensor:
    """x becomes x - alpha y."""
    if older:
        return again(sub_, input, other, *older)
    if alpha != 1 or type(other) is bool or alpha is True:
        may_write(input, other)
        arithmetic.not_of_truth_values(input._array, other._array if isinstance(other, Variable) else other)
        _check_factor(arithmetic.SubBackward0, input, other, alpha)
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
        return change("pow_", exponentiation.PowBackward1, input, (exponent,))
    if not isinstance(exponent, NUMBERS):
        return NotImplemented
    exponent = own_number(exponent) if isinstance(exponent, np.generic) else exponent
    return change("pow_", exponentiation.PowBackward0, input, (), exponent)


def square_(input: Tensor) -> Tensor:
    """x becomes x²."""
    return pow_(input, 2)


def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Every element becomes at least `min` and at most `max`."""
    if isinstance(min, Variable) or isinstance(max, Variable):
        return change("clamp_", bounds.ClampBackward0, input, (min, max))
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    _check_bounds(input, min, max)
    return change("clamp_", selection.ClampBackward1, input, (), min, max)


def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """Every element becomes at least `min`."""
    if isinstance(min, Variable):
        return change("clamp_min_", bounds.ClampMinBackward1, input, (min,))
    _check_bounds(input, min)
    return change("clamp_min_", selection.ClampMinBackward0, input, (), min)


def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """Every element becomes at most `max`."""
    if isinstance(max, Variable):
        return change("clamp_max_", bounds.ClampMaxBackward1, input, (max,))
    _check_bounds(input, max)
    return change("clamp_max_", selection.ClampMaxBackward0, input, (), max)


def _check_bounds(input: Tensor, *numbers: Any) -> None:
    """Raise RuntimeError for bounds of a higher kind than the tensor; PyTorch says the dtype in C++ here."""
    have, want = result_dtype([input._array, *(one for one in numbers if one is not None)]), input._array.dtype
    if KINDS[have.kind] > KINDS[want.kind]:
        names = BY_NUMPY[have].title, BY_NUMPY[want].cpp
        raise RuntimeError(f"result type {names[0]} can't be cast to the desired output type {names[1]}")


def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The elements where the mask holds become `value`."""
    selection.check_filling("masked_fill_", mask, value)
    may_write(input, value)
    cls, (_, *others), *args = selection.filling(input, mask, value)
    return change("masked_fill_", cls, input, others, *args)


def lerp_(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """x goes so much of the way to `end`."""
    may_write(input, end, weight)
    blending.check_lerp(input, end, weight, written=True)
    if isinstance(weight, Variable):
        return change("lerp_", blending.LerpBackward1, input, (end, weight))
    only_number(weight)
    return change("lerp_", blending.LerpBackward0, input, (end,), weight)


def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """x becomes x + value a b."""
    only_tensors("addcmul_", tensor1, tensor2, names=blending.FACTORS)
    return change("addcmul_", blending.AddcmulBackward0, input, (tensor1, tensor2), value)


def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """x becomes x + value a / b."""
    only_tensors("addcdiv_", tensor1, tensor2, names=blending.FACTORS)
    may_write(input, tensor1, tensor2)
    blending.check_quotient(tensor1, tensor2)
    return change("addcdiv_", blending.AddcdivBackward0, input, (tensor1, tensor2), value)


def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """x becomes ln(x / (1 - x))."""
    return change("logit_", special.LogitBackward0, input, (), eps)


def nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities become numbers."""
    if input._array.dtype.kind in "bui":  # of which there are none
        return change("nan_to_num_", CopyBackwards, input, (input,))
    return change("nan_to_num_", blending.NanToNumBackward0, input, (), nan, posinf, neginf)


def round_(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The elements become the nearest numbers of so many decimals."""
    if decimals is None:
        return change("round_", rounding.RoundBackward0, input)
    return change("round_", rounding.RoundBackward1, input, (), decimals)


def polygamma_(input: Tensor, n: int) -> Tensor:
    """The elements become the derivative number n of digamma."""
    return change("polygamma_", special.PolygammaBackward1, input, (), n)


def mvlgamma_(input: Tensor, p: int) -> Tensor:
    """The elements become ln Γ of matrices of p rows."""
    gamma_functions.check_mvlgamma(input._array, p)
    if input._array.dtype.kind in "ui":
        title = BY_NUMPY[input._array.dtype].title
        raise RuntimeError(f"mvlgamma: result type {title} can't be cast to the desired output type Float")
    return change("mvlgamma_", gamma_functions.MvlgammaBackward0, input, (), p)


def float_power_(input: Tensor, exponent: Any) -> Tensor:
    """x becomes x to a power, which is computed in float64, so x has to be."""
    if input._array.dtype.name != "float64":
        raise RuntimeError(
            f"the base given to float_power_ has dtype {BY_NUMPY[input._array.dtype].title} but the operation's result "
            "requires dtype Double"
        )
    return pow_(input, exponent)
