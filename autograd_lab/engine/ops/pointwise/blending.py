"""Ops of three operands, and of two that blend: lerp, addcmul, addcdiv, copysign, nan_to_num, heaviside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap, wrap_any
from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse
from autograd_lab.engine.kernels.fused import between, fused
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array, fitted, floating, of_kind, result_dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Binary, Elementwise, Pointwise, Undifferentiable
from autograd_lab.engine.ops.ground.writing import change
from autograd_lab.engine.ops.pointwise.arithmetic import Number, Operand, plain

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["addcdiv", "addcmul", "copysign", "heaviside", "lerp", "nan_to_num"]


FACTORS = ("tensor1", "tensor2")


def of_three(cls: type[Node], x: Any, y: Any, z: Any, *args: Any) -> Tensor:
    """The result of an op on three tensors, which broadcast against each other."""
    shapes = [one._array.shape for one in (x, y, z)]
    refuse(mismatch(shapes[0], shapes[1]) or mismatch(np.broadcast_shapes(*shapes[:2]), shapes[2]))
    return applyn(cls, (x, y, z), *args)


def _checked(x: Array, y: Array, kernel: str) -> None:
    """Raise what PyTorch says of shapes, and then of numbers that its kernel has not."""
    refuse(mismatch(x.shape, y.shape))
    of_kind("fV", x, kernel)


class LerpBackward0(Elementwise):
    """z = x + w (y - x) for a number w, so dz/dx = 1 - w and dz/dy = w."""

    inputs = ("self", "end")
    takes_number = True
    __slots__ = ("weight",)

    def forward(self, x: Array, y: Array, weight: Number) -> Array:
        self.weight = weight
        _checked(x, y, "lerp_kernel_scalar")
        return between(x, y, x.dtype.type(weight) if x.dtype.itemsize > 2 else np.float32(weight))

    def backward(self, g: Any) -> Any:
        needs = self.next_functions
        to_end = None if needs[1][0] is None else formulas.times(g, self.weight)
        return None if needs[0][0] is None else formulas.times(g, 1 - self.weight), to_end


class LerpBackward1(Elementwise):
    """z = x + w (y - x), so dz/dx = 1 - w, dz/dy = w and dz/dw = y - x."""

    inputs = ("self", "end", "weight")
    saves = ("self", "end", "weight")
    only_for = (("self", 2), ("end", 2))

    def forward(self, x: Array, y: Array, weight: Array) -> Array:
        _checked(x, y, "lerp_kernel_tensor")
        return between(x, y, weight.astype(x.dtype, copy=False))

    def backward(self, g: Any, x: Any, y: Any, weight: Any) -> Any:
        needs = self.next_functions
        to_end = None if needs[1][0] is None else g * weight
        return (
            None if needs[0][0] is None else g * (formulas.one(weight) - weight),
            to_end,
            None if needs[2][0] is None else g * (y - x),
        )


def check_lerp(input: Any, end: Any, weight: Any, written: bool = False) -> None:
    """Raise RuntimeError unless the operands are of one dtype."""
    if not (isinstance(input, Variable) and isinstance(end, Variable)):
        given = (end, weight) if written else (input, end, weight)
        kinds = ", ".join(type(one).__name__ for one in given)
        name = "lerp_" if written else "lerp"
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:")
    for name, one in (("end", end), ("weight", weight)):
        if isinstance(one, Variable) and one._array.dtype != input._array.dtype and (one is end or one._array.ndim):
            have, want = (BY_NUMPY[each._array.dtype].cpp for each in (one, input))
            raise RuntimeError(f"expected dtype {want} for `{name}` but got dtype {have}")


def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """From `input` so much of the way to `end`."""
    check_lerp(input, end, weight)
    if isinstance(weight, Variable):
        return of_three(LerpBackward1, input, end, weight)
    return apply2(LerpBackward0, input, end, plain(weight, "lerp", "weight"))


class AddcmulBackward0(Elementwise):
    """z = x + k a b, so dz/dx = 1, dz/da = k b and dz/db = k a."""

    inputs = ("self", "tensor1", "tensor2")
    saves = ("tensor1", "tensor2")
    only_for = (("tensor1", 2), ("tensor2", 1))
    __slots__ = ("value",)

    def forward(self, x: Array, a: Array, b: Array, value: Number) -> Array:
        self.value = value
        kind = result_dtype((x, a, b))
        of_kind("uifV", np.empty(0, kind), "addcmul_cpu_out")
        wide = F32 if kind.itemsize == 2 and kind.kind in "fV" else kind
        x, a, b = (np.asarray(one, wide) for one in (x, a, b))
        return np.asarray(fused(x, a if value == 1 else wide.type(fitted(value, wide)) * a, b), kind)

    def backward(self, g: Any, a: Any, b: Any) -> Any:
        return (
            g,
            None if b is None else g * formulas.times(b, self.value),
            None if a is None else g * formulas.times(a, self.value),
        )


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """x + value a b."""
    only_tensors("addcmul", input, tensor1, tensor2, names=("input", *FACTORS))
    return of_three(AddcmulBackward0, input, tensor1, tensor2, value)


class AddcdivBackward0(Elementwise):
    """z = x + k a / b, so dz/dx = 1, dz/da = k / b and dz/db = -k a / b²."""

    inputs = ("self", "tensor1", "tensor2")
    saves = ("tensor1", "tensor2")
    only_for = (("tensor1", 2),)
    __slots__ = ("value",)

    def forward(self, x: Array, a: Array, b: Array, value: Number) -> Array:
        self.value = value
        kind = result_dtype((x, a, b))
        wide = F32 if kind.itemsize == 2 else kind
        x, a, b = (np.asarray(one, wide) for one in (x, a, b))
        return np.asarray(x + (a if value == 1 else wide.type(value) * a) / b, kind)

    def backward(self, g: Any, a: Any, b: Any) -> Any:
        needs = self.next_functions
        kind = wrap_any(b).dtype
        if needs[1][0] is not None and not kind.is_floating_point:
            raise RuntimeError(f"result type Float can't be cast to the desired output type {kind.title}")
        to_a, to_b = None if needs[1][0] is None else g * (_over(self.value, b)), None
        if needs[2][0] is not None:
            square = b * b
            slope = formulas.times(a, self.value) / square
            to_b = -g * slope
        return g, to_a, to_b


def _over(value: Number, b: Any) -> Any:
    return wrap(np.asarray(value, b._array.dtype)) / b if isinstance(b, Variable) else value / b


INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)


def check_quotient(tensor1: Tensor, tensor2: Tensor) -> None:
    """Raise RuntimeError unless one of the two is of floating numbers."""
    if tensor1._array.dtype.kind in "bui" and tensor2._array.dtype.kind in "bui":
        raise RuntimeError(INTEGER_DIVISION)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """x + value a / b."""
    only_tensors("addcdiv", input, tensor1, tensor2, names=("input", *FACTORS))
    check_quotient(tensor1, tensor2)
    return of_three(AddcdivBackward0, input, tensor1, tensor2, value)


class CopysignBackward0(Binary):
    """z is |x| with the sign of y, so dz/dx = z / x, 0 where x is 0; and dz/dy = 0."""

    saves = ("self", "result")
    only_for = (("self", 0),)

    def forward(self, x: Array, y: Array) -> Array:
        return np.copysign(floating(x), floating(y), out=...)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        needs = self.next_functions
        to_x = None if needs[0][0] is None else g * formulas.drop_if(x == 0, z / x)
        return to_x, None if needs[1][0] is None else formulas.zeros_like(g)


class CopysignBackward1(Pointwise):
    """z is |x| with the sign of a number, so dz/dx = z / x, 0 where x is 0."""

    takes_number = True
    saves = ("self", "result")

    def forward(self, x: Array, k: Number) -> Array:
        return np.copysign(x, x.dtype.type(k), out=...)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return g * formulas.drop_if(x == 0, z / x)


def copysign(input: Tensor, other: Operand) -> Tensor:
    """The size of x with the sign of y."""
    if isinstance(other, Variable):
        return apply2(CopysignBackward0, input, other)
    return apply1(CopysignBackward1, input, plain(other, "copysign", "other"))


class NanToNumBackward0(Elementwise):
    """z is x, with numbers in place of NaN and the infinities, so dz/dx = 1, but 0 at these."""

    saves = ("self",)

    def forward(self, x: Array, nan: float | None, posinf: float | None, neginf: float | None) -> Array:
        if x.dtype.kind in "bui":
            return x.copy()
        return np.asarray(np.nan_to_num(x, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf), x.dtype)

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(g, Variable):
            return g * wrap(np.isfinite(x._array, out=...))
        return g * np.isfinite(x)


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """0 for NaN, the greatest and the least float for the infinities, or the numbers given."""
    return apply1(NanToNumBackward0, input, nan, posinf, neginf)


class Heaviside(Undifferentiable):
    """z is 0 below 0, 1 above it, and y at it."""

    inputs = ("self", "values")
    op = "heaviside"

    def forward(self, x: Array, y: Array) -> Array:
        return np.asarray(np.where(x == 0, y, (x > 0).astype(x.dtype)))


class HeavisideWritten(Heaviside):
    """The same, written over x."""

    op = "heaviside_"


def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """The tensor itself, with 0 below 0, 1 above it, and `values` at it."""
    if not isinstance(values, Variable):
        raise TypeError(f"heaviside_(): argument 'values' (position 1) must be Tensor, not {type(values).__name__}")
    if input._array.dtype != values._array.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return change("heaviside_", HeavisideWritten, input, (values,))


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above it, and `values` at it."""
    only_tensors("heaviside", input, values, names=("input", "values"))
    if input._array.dtype != values._array.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return apply2(Heaviside, input, values)
