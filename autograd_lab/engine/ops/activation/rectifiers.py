"""relu and its kin, which are bent at one place: leaky_relu, threshold, rrelu, prelu."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2, apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.numbers.dtypes import BOOL, BY_NUMPY, Array, fitted, of_kind
from autograd_lab.engine.ops.activation.slopes import Sloped, StraightAgain, gradient_of, once, only_floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Elementwise
from autograd_lab.engine.ops.ground.writing import change
from autograd_lab.engine.ops.shape.views import reshape

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["prelu", "relu", "rrelu", "threshold"]


class Zeros(dict[Any, Array]):
    """A 0-d zero of each dtype, made when it is first asked for."""

    def __missing__(self, numpy: Any) -> Array:
        self[numpy] = np.zeros((), numpy)
        return self[numpy]


ZERO = Zeros()
"""A 0-d zero of each dtype: numpy mixes arrays with arrays twice as fast as arrays with numbers."""


class ReluBackward0(Elementwise):
    """z = max(x, 0), so dz/dx = 1 where z is not 0, else 0."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        if x.dtype is BOOL:
            raise RuntimeError("Boolean inputs not supported for relu")
        return np.maximum(x, ZERO[x.dtype], out=...)

    def backward(self, g: Any, z: Any) -> Any:
        return _passed(g, z)


def _passed(g: Any, z: Any) -> Any:
    if isinstance(g, Variable):
        return apply2(ThresholdBackwardBackward0, g, z)
    return formulas.drop_if(z <= ZERO[z.dtype], g)


class ThresholdBackwardBackward0(Node):
    """h = g, but 0 where z <= 0: the gradient of relu, linear in g and flat in z."""

    inputs = ("grad_output", "self")
    saves = ("self",)
    __slots__ = ("threshold",)
    tangent = "slope"

    def forward(self, g: Array, z: Array, threshold: float = 0) -> Array:
        self.threshold = threshold
        return np.asarray(formulas.drop_if(z <= threshold, g))

    def backward(self, h: Any, z: Any) -> Any:
        if isinstance(h, Variable):
            return apply2(ThresholdBackwardBackward0, h, z, self.threshold), formulas.zeros_like(h)
        return formulas.drop_if(z <= self.threshold, h), formulas.zeros_like(h)


relu = function(ReluBackward0)


NEGATIVE_SLOPE = (
    "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused "
    "by calling in-place forward function with a negative slope, please call out-of-place version instead. File an "
    "issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation "
    "with negative slope"
)


def bent(x: Array, low: Any) -> Array:
    """1 where x > 0, else `low`: the slope of a line that is bent at 0."""
    return np.where(x > 0, x.dtype.type(1), x.dtype.type(low))


class LeakyReluBackward0(Sloped):
    """z = x where x > 0, else a x, so dz/dx = 1 there, else a."""

    __slots__ = ("negative_slope",)

    def forward(self, x: Array, negative_slope: float) -> Array:
        self.negative_slope = negative_slope
        return once(lambda x: np.multiply(x, bent(x, negative_slope), out=...), x)

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


class ThresholdBackward0(Elementwise):
    """z = x where x is above a threshold, else a constant, so dz/dx = 1 there, else 0."""

    saves = ("self",)
    __slots__ = ("threshold",)

    def forward(self, x: Array, threshold: float, value: float) -> Array:
        self.threshold = threshold
        z = np.array(of_kind("uifV", x, "threshold_cpu"))
        z[x <= fitted(threshold, x.dtype)] = fitted(value, x.dtype)
        return z

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(ThresholdBackwardBackward0, g, x, self.threshold)
        return formulas.drop_if(x <= self.threshold, g)


class ThresholdBackward1(ThresholdBackward0):
    """The same, written over x, of which a copy is saved."""


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
    tangent = "diagonal"

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
        return super().backward(g, x, noise), formulas.zeros_like(g)


class RreluWithNoiseBackward1(RreluWithNoiseBackward0):
    """The same, written over x: z has the sign of x."""

    saves = ("result", "noise")


class PreluKernelBackward0(Elementwise):
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
    return np.where(up, g, w * g), np.where(up, x.dtype.type(0), x * g)


class PreluKernelBackwardBackward0(Node):
    """(g or w g, 0 or x g): the gradients of prelu, in which g, x and w are differentiated again."""

    inputs = ("grad_output", "self", "weight")
    saves = inputs
    many = True

    def forward(self, g: Array, x: Array, w: Array) -> tuple[Array, Array]:
        return _prelu_gradients(g, x, w)

    def backward(self, h: Any, g: Any, x: Any, w: Any) -> Any:
        up = wrap(x._array >= 0) if isinstance(x, Variable) else x >= 0  # at 0, too, though the first slope there is w
        hx, hw = (formulas.zeros_like(g) if one is None else one for one in h)
        bent = hx.where(up, hx * w + hw * x) if isinstance(x, Variable) else np.where(up, hx, hx * w + hw * x)
        return bent, formulas.drop_if(up, hw * g), formulas.drop_if(up, hx * g)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where it is positive, a little of it elsewhere."""
    only_tensors("leaky_relu", input)
    only_floating(input, "leaky_relu_cpu")
    if inplace:
        return change("leaky_relu_", LeakyReluBackward1, input, (), negative_slope)
    return apply1(LeakyReluBackward0, input, negative_slope)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, `value` elsewhere."""
    only_tensors("threshold", input)
    if inplace:
        return change("threshold_", ThresholdBackward1, input, (), threshold, value)
    return apply1(ThresholdBackward0, input, threshold, value)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x where it is positive; elsewhere a x, where a is drawn for each element in training, else the middle."""
    only_tensors("rrelu", input)
    for name, bound in {"lower": lower, "upper": upper}.items():
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    only_floating(input, "rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu")
    x = input._array
    if training and x.dtype == np.float16:
        of_kind("", x, "rrelu_with_noise_out_cpu")
    noise = np.zeros_like(x)
    if training:
        noise = np.ones_like(x)
        low, high = (float(x.dtype.type(end)) for end in (lower, upper))
        noise[x <= 0] = numbers_of().uniform(low, high, int((x <= 0).sum()))
    rule = (lower, upper, training)
    if inplace:
        return change("rrelu_", RreluWithNoiseBackward1, input, (wrap(noise),), *rule)
    return applyn(RreluWithNoiseBackward0, (input, wrap(noise)), *rule)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, w x elsewhere, with one learnt w, or one for each channel (dimension 1)."""
    if autocast.used:
        input, weight = autocast.lowered(input, weight)
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
        weight = reshape(weight, shape)
    return apply2(PreluKernelBackward0, input, weight)
