"""Activations of several straight pieces: hardtanh, relu6, hardshrink, softshrink, hardsigmoid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, finfo, fitted
from autograd_lab.engine.ops.activation.slopes import Sloped, StraightAgain, gradient_of, only_floating
from autograd_lab.engine.ops.ground.writing import change

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["hardshrink"]


class HardtanhBackward0(Sloped):
    """z is x, kept between two numbers, so dz/dx = 1 strictly within them, else 0."""

    flat = True
    __slots__ = ("max_val", "min_val")

    def forward(self, x: Array, min_val: float, max_val: float) -> Array:
        self.min_val, self.max_val = min_val, max_val
        return np.asarray(np.clip(x, *(x.dtype.type(fitted(limit, x.dtype)) for limit in (min_val, max_val)))).astype(
            x.dtype, copy=False
        )

    def slope(self, x: Array) -> Array:
        return ~((x <= self.min_val) | (x >= self.max_val))


@gradient_of(HardtanhBackward0)
class HardtanhBackwardBackward0(StraightAgain):
    """h = g within the limits of hardtanh, else 0."""


class HardshrinkBackward0(Sloped):
    """z = x where |x| > lambda, else 0, so dz/dx = 1 there, else 0."""

    flat = True
    __slots__ = ("lambd",)

    def forward(self, x: Array, lambd: float) -> Array:
        self.lambd = lambd
        z = np.array(x)
        z[np.abs(x) <= lambd] = 0
        return z

    def slope(self, x: Array) -> Array:
        return ~(np.abs(x) <= self.lambd)


@gradient_of(HardshrinkBackward0)
class HardshrinkBackwardBackward0(StraightAgain):
    """h = g where |x| > lambda, else 0."""


class SoftshrinkBackward0(HardshrinkBackward0):
    """z is x, brought nearer to 0 by lambda (0 if it is not farther away), so dz/dx = 1 where |x| > lambda, else 0."""

    def forward(self, x: Array, lambd: float) -> Array:
        self.lambd = lambd
        near = np.clip(x, x.dtype.type(-lambd), x.dtype.type(lambd))
        return np.asarray(np.subtract(x, near, out=...)).astype(x.dtype, copy=False)


@gradient_of(SoftshrinkBackward0)
class SoftshrinkBackwardBackward0(StraightAgain):
    """h = g where |x| > lambda, else 0."""


SIXTH = np.float32(1 / 6)
"""PyTorch has it in single precision for every dtype."""


def _hard_sigmoid(x: Array) -> Array:
    z = np.asarray(np.clip(x + 3, x.dtype.type(0), x.dtype.type(6)))
    z /= 6
    return z


class HardsigmoidBackward0(Sloped):
    """z = x / 6 + 1 / 2, kept between 0 and 1, so dz/dx = 1 / 6 where |x| < 3, else 0."""

    flat = True

    def forward(self, x: Array) -> Array:
        return np.asarray(narrowed(_hard_sigmoid, x))

    def slope(self, x: Array) -> Array:
        return (np.abs(x) < 3) * x.dtype.type(SIXTH)


@gradient_of(HardsigmoidBackward0)
class HardsigmoidBackwardBackward0(StraightAgain):
    """h = g / 6 where |x| < 3, else 0."""


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x, kept between `min_val` and `max_val`."""
    only_tensors("hardtanh", input)
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input._array.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input._array.dtype.kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    if inplace:
        return change("hardtanh_", HardtanhBackward0, input, (), min_val, max_val)
    return apply1(HardtanhBackward0, input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """x, kept between 0 and 6."""
    only_tensors("relu6", input)
    return hardtanh(input, 0, 6, inplace)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where it is farther from 0 than `lambd`, 0 elsewhere."""
    only_tensors("hardshrink", input)
    only_floating(input, "hardshrink_cpu")
    return apply1(HardshrinkBackward0, input, lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x, nearer to 0 by `lambd`."""
    only_tensors("softshrink", input)
    only_floating(input, "softshrink_check")
    if lambd < 0:
        largest, kind = f"{finfo(BY_NUMPY[input._array.dtype]).max:.6g}", BY_NUMPY[input._array.dtype].title
        raise RuntimeError(f"lambda must be in range [0, {largest}] for input dtype {kind}, but found {lambd:g}")
    return apply1(SoftshrinkBackward0, input, lambd)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """x / 6 + 1 / 2, kept between 0 and 1."""
    only_tensors("hardsigmoid", input)
    only_floating(input, "hardsigmoid_cpu")
    return change("hardsigmoid_", HardsigmoidBackward0, input) if inplace else apply1(HardsigmoidBackward0, input)
