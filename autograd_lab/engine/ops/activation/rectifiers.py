"""Activations of straight pieces: leaky_relu, hardtanh, threshold, prelu, the shrinks, hardsigmoid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply1, apply2, apply_many, applyn, only_tensors
from autograd_lab.engine.dtypes import BY_NUMPY, Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.ops.activation.rectifier import ThresholdBackwardBackward0
from autograd_lab.engine.ops.activation.slopes import Sloped, StraightAgain, gradient_of, only_floating
from autograd_lab.engine.ops.inplace.writing import change
from autograd_lab.engine.ops.shape.views import view
from autograd_lab.engine.randomness import generator
from autograd_lab.engine.variable import Variable, wrap

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

NEGATIVE_SLOPE = (
    "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused "
    "by calling in-place forward function with a negative slope, please call out-of-place version instead. File an "
    "issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation "
    "with negative slope"
)


def bent(x: Array, low: Any) -> Array:
    """1 where x > 0, else `low`: the slope of a line that is bent at 0."""
    up = x > 0
    return up + ~up * x.dtype.type(low)


class HardtanhBackward0(Sloped):
    """z is x, kept between two numbers, so dz/dx = 1 strictly within them, else 0."""

    __slots__ = ("max_val", "min_val")

    def forward(self, x: Array, min_val: float, max_val: float) -> Array:
        self.min_val, self.max_val = min_val, max_val
        return np.asarray(np.clip(x, x.dtype.type(min_val), x.dtype.type(max_val)))

    def slope(self, x: Array) -> Array:
        return (x > self.min_val) & (x < self.max_val)


@gradient_of(HardtanhBackward0)
class HardtanhBackwardBackward0(StraightAgain):
    """h = g within the limits of hardtanh, else 0."""


class LeakyReluBackward0(Sloped):
    """z = x where x > 0, else a x, so dz/dx = 1 there, else a."""

    __slots__ = ("negative_slope",)

    def forward(self, x: Array, negative_slope: float) -> Array:
        self.negative_slope = negative_slope
        return np.multiply(x, bent(x, negative_slope), out=...)

    def slope(self, x: Array) -> Array:
        return bent(x, self.negative_slope)


@gradient_of(LeakyReluBackward0)
class LeakyReluBackwardBackward0(StraightAgain):
    """h = g where x > 0, else a g."""


class LeakyReluBackward1(LeakyReluBackward0):
    """The same, written over x: z has the sign of x, unless the slope a is negative."""

    saves = ("result",)

    def backward(self, g: Any, /, *saved: Any) -> Any:
        if self.negative_slope < 0:
            raise RuntimeError(NEGATIVE_SLOPE)
        return super().backward(g, *saved)


class ThresholdBackward0(Node):
    """z = x where x is above a threshold, else a constant, so dz/dx = 1 there, else 0."""

    saves = ("self",)
    __slots__ = ("threshold",)

    def forward(self, x: Array, threshold: float, value: float) -> Array:
        self.threshold = threshold
        z = np.array(x)
        z[x <= threshold] = value
        return z

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(ThresholdBackwardBackward0, g, x, self.threshold)
        return g * (x > self.threshold)


class ThresholdBackward1(ThresholdBackward0):
    """The same, written over x, of which a copy is saved."""


class HardshrinkBackward0(Sloped):
    """z = x where |x| > lambda, else 0, so dz/dx = 1 there, else 0."""

    __slots__ = ("lambd",)

    def forward(self, x: Array, lambd: float) -> Array:
        self.lambd = lambd
        z = np.array(x)
        z[np.abs(x) <= lambd] = 0
        return z

    def slope(self, x: Array) -> Array:
        return np.abs(x) > self.lambd


@gradient_of(HardshrinkBackward0)
class HardshrinkBackwardBackward0(StraightAgain):
    """h = g where |x| > lambda, else 0."""


class SoftshrinkBackward0(HardshrinkBackward0):
    """z is x, brought nearer to 0 by lambda (0 if it is not farther away), so dz/dx = 1 where |x| > lambda, else 0."""

    def forward(self, x: Array, lambd: float) -> Array:
        self.lambd = lambd
        return np.subtract(x, np.clip(x, x.dtype.type(-lambd), x.dtype.type(lambd)), out=...)


@gradient_of(SoftshrinkBackward0)
class SoftshrinkBackwardBackward0(StraightAgain):
    """h = g where |x| > lambda, else 0."""


class HardsigmoidBackward0(Sloped):
    """z = x / 6 + 1 / 2, kept between 0 and 1, so dz/dx = 1 / 6 where |x| < 3, else 0."""

    def forward(self, x: Array) -> Array:
        z = np.asarray(np.clip(x + 3, x.dtype.type(0), x.dtype.type(6)))
        z /= 6
        return z

    def slope(self, x: Array) -> Array:
        return (np.abs(x) < 3) * x.dtype.type(1 / 6)


@gradient_of(HardsigmoidBackward0)
class HardsigmoidBackwardBackward0(StraightAgain):
    """h = g / 6 where |x| < 3, else 0."""


class Noisy(Node):
    """What the nodes of rrelu keep: a slope a for each element, or how to find it."""

    differentiable = 1
    __slots__ = ("lower", "training", "upper")

    def keep(self, lower: float, upper: float, training: bool) -> None:
        """Note the limits of the slopes, and whether they were drawn."""
        self.lower, self.upper, self.training = lower, upper, training

    def slope(self, x: Array, noise: Array) -> Array:
        """1, or the slope for x <= 0."""
        return noise if self.training else bent(x, (self.lower + self.upper) / 2)

    def backward(self, g: Any, x: Any, noise: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(RreluWithNoiseBackwardBackward0, (g, x, noise), self.lower, self.upper, self.training)
        return g * self.slope(x, noise)


class RreluWithNoiseBackward0(Noisy):
    """z = x where x > 0, else a x with a slope a drawn for each element (1 where x > 0), so dz/dx = a."""

    inputs = ("self", "noise")
    saves: ClassVar[tuple[str, ...]] = ("self", "noise")

    def forward(self, x: Array, noise: Array, *rule: Any) -> Array:
        self.keep(*rule)
        return np.multiply(x, self.slope(x, noise), out=...)


class RreluWithNoiseBackwardBackward0(Noisy):
    """h = g where x > 0, else a g."""

    inputs = ("grad_output", "self", "noise")
    saves = ("self", "noise")
    differentiable = 2

    def forward(self, g: Array, x: Array, noise: Array, *rule: Any) -> Array:
        self.keep(*rule)
        return np.multiply(g, self.slope(x, noise), out=...)

    def backward(self, g: Any, x: Any, noise: Any) -> Any:
        return super().backward(g, x, noise), either.zeros_like(g)


class RreluWithNoiseBackward1(RreluWithNoiseBackward0):
    """The same, written over x: z has the sign of x."""

    saves = ("result", "noise")


class PreluKernelBackward0(Node):
    """z = x where x > 0, else w x with a slope w that is learnt, so dz/dx = 1 or w, and dz/dw = 0 or x."""

    inputs = ("self", "weight")
    saves = ("self", "weight")

    def forward(self, x: Array, w: Array) -> Array:
        return np.where(x > 0, x, w * x)

    def backward(self, g: Any, x: Any, w: Any) -> Any:
        if isinstance(g, Variable):
            return apply_many(PreluKernelBackwardBackward0, (g, x, w))
        return _prelu_gradients(g, x, w)


def _prelu_gradients(g: Array, x: Array, w: Array) -> tuple[Array, Array]:
    up = x > 0
    return np.multiply(g, up + ~up * w, out=...), np.multiply(g, ~up * x, out=...)


class PreluKernelBackwardBackward0(Node):
    """(g or w g, 0 or x g): the gradients of prelu, in which g, x and w are differentiated again."""

    inputs = ("grad_output", "self", "weight")
    saves = inputs
    many = True

    def forward(self, g: Array, x: Array, w: Array) -> tuple[Array, Array]:
        return _prelu_gradients(g, x, w)

    def backward(self, h: Any, g: Any, x: Any, w: Any) -> Any:
        up = wrap(x._array > 0) if isinstance(x, Variable) else x > 0
        hx, hw = (g * 0 if one is None else one for one in h)
        down = ~up
        return hx * up + down * (hx * w + hw * x), down * (hw * g), down * (hx * g)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where it is positive, a little of it elsewhere."""
    only_tensors("leaky_relu", input)
    only_floating(input, "leaky_relu_cpu")
    if inplace:
        return change("leaky_relu_", LeakyReluBackward1, input, (), negative_slope)
    return apply1(LeakyReluBackward0, input, negative_slope)


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


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, `value` elsewhere."""
    only_tensors("threshold", input)
    if inplace:
        return change("threshold_", ThresholdBackward1, input, (), threshold, value)
    return apply1(ThresholdBackward0, input, threshold, value)


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
        largest, kind = f"{np.finfo(input._array.dtype).max:.6g}", BY_NUMPY[input._array.dtype].title
        raise RuntimeError(f"lambda must be in range [0, {largest}] for input dtype {kind}, but found {lambd:g}")
    return apply1(SoftshrinkBackward0, input, lambd)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """x / 6 + 1 / 2, kept between 0 and 1."""
    only_tensors("hardsigmoid", input)
    only_floating(input, "hardsigmoid_cpu")
    return change("hardsigmoid_", HardsigmoidBackward0, input) if inplace else apply1(HardsigmoidBackward0, input)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where it is positive; elsewhere a x, where a is drawn for each element in training, else the middle."""
    only_tensors("rrelu", input)
    only_floating(input, "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu")
    x = input._array
    noise = np.zeros_like(x)
    if training:
        noise = np.where(x > 0, 1, generator().uniform(lower, upper, x.shape)).astype(x.dtype)
    rule = (lower, upper, training)
    if inplace:
        return change("rrelu_", RreluWithNoiseBackward1, input, (wrap(noise),), *rule)
    return applyn(RreluWithNoiseBackward0, (input, wrap(noise)), *rule)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, w x elsewhere, with one learnt w, or one for each channel (dimension 1)."""
    only_tensors("prelu", input, weight)
    x, w = input._array, weight._array
    if x.dtype is not w.dtype:
        first, second = BY_NUMPY[x.dtype].title, BY_NUMPY[w.dtype].title
        raise RuntimeError(f"prelu: Type promoting not supported. Got {first} and {second}")
    if w.size != 1:
        if not x.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = x.shape[1] if x.ndim > 1 else 1
        if channels != w.size:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {w.size} and channel "
                f"size = {channels}."
            )
    if w.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}")
    shape = (1,) * x.ndim if x.ndim < 2 or w.size == 1 else (1, w.size, *(1,) * (x.ndim - 2))
    if w.shape != shape:
        weight = view(weight, shape)
    return apply2(PreluKernelBackward0, input, weight)
