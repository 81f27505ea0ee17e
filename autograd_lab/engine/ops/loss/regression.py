"""Losses of differences: squared, absolute, and what lies between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap_any
from autograd_lab.engine.errors.operands import mismatch, refuse
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import Array, mixed
from autograd_lab.engine.ops.activation.slopes import gradient_of, only_floating
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import is_wanted
from autograd_lab.engine.ops.ground.writing import check_cast
from autograd_lab.engine.ops.loss.common import (
    MEAN,
    NONE,
    SUM,
    of_one_size,
    one_dtype,
    reduced,
    reduction_of,
    shared,
    sizes_of,
    together,
)

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class Difference(Node):
    """L is the mean or sum of e(d) for d = x - y, so dL/dx = e'(d) and dL/dy = -e'(d), shared by the reduction."""

    inputs = ("self", "target")
    saves = inputs
    again: ClassVar[Any] = None
    __slots__ = ("reduction",)
    tangent = "loss"

    def error(self, d: Array) -> Array:
        """e(d)."""
        raise NotImplementedError

    def slope(self, d: Any) -> Any:
        """e'(d)."""
        raise NotImplementedError

    def curvature(self, d: Any) -> Any:
        """e''(d)."""
        raise NotImplementedError

    def forward(self, x: Array, y: Array, reduction: int) -> Array:
        self.reduction = reduction
        return reduced(self.error(x - y), reduction)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        to_x, to_y = (edge[0] is not None for edge in self.next_functions)
        if isinstance(g, Variable):
            first = applyn(self.again, (g, x, y), self) if to_x else None
            return first, applyn(self.again, (g, y, x), self) if to_y else None
        return self.sent(g, x, y) if to_x else None, self.sent(g, y, x) if to_y else None

    def sent(self, g: Array, x: Array, y: Array) -> Array:
        """What x gets of a gradient, in its dtype."""
        first, second = (x, y) if x.dtype is y.dtype else mixed(x, y)
        d = first - second
        sent: Array = self.slope(d)
        if d.dtype.itemsize == 2:
            sent = sent * shared(g, self.reduction, x.shape)
        else:  # PyTorch multiplies with 1 / n first
            sent = (sent * d.dtype.type(1 / d.size) if self.reduction == MEAN and d.size else sent) * g
        return sent if sent.dtype is x.dtype else np.asarray(sent, x.dtype)


class DifferenceAgain(Node):
    """h = g e'(d): the gradient of a `Difference`, differentiated itself."""

    inputs = ("grad_output", "self", "target")
    saves = inputs
    __slots__ = ("_first",)
    tangent = "shared_slope"

    def forward(self, g: Array, x: Array, y: Array, first: Difference) -> Array:
        self._first: Difference = first
        return np.asarray(first.sent(g, x, y))

    def attributes(self) -> dict[str, Any]:
        """The settings of the loss."""
        return self._first.attributes()

    def backward(self, h: Any, g: Any, x: Any, y: Any) -> Any:
        shape, d, first = tuple(x.shape), x - y, self._first
        bent = h * shared(g, first.reduction, shape) * first.curvature(d)
        return shared(h * first.slope(d), first.reduction, shape), bent, -bent


class MseLossBackward0(Difference):
    """e(d) = d², so e' = 2 d and e'' = 2."""

    def error(self, d: Array) -> Array:
        return d * d

    def slope(self, d: Any) -> Any:
        return formulas.times(d, 2)

    def curvature(self, d: Any) -> Any:
        return 2


@gradient_of(MseLossBackward0)
class MseLossBackwardBackward0(DifferenceAgain):
    """h = 2 g d."""


class SmoothL1LossBackward0(Difference):
    """e(d) = d² / 2 b where |d| < b, else |d| - b / 2; so e' = d / b there, else ±1."""

    __slots__ = ("beta",)

    def forward(self, x: Array, y: Array, reduction: int, beta: float = 1) -> Array:
        self.beta = beta
        return super().forward(x, y, reduction)

    def error(self, d: Array) -> Array:
        size, beta, half = np.abs(d), d.dtype.type(self.beta), d.dtype.type(0.5)
        if beta == 1:
            near = np.minimum(size, beta)
            return near * (size - near * half)
        return np.where(size < beta, half * size * size / beta, size - half * beta)

    def slope(self, d: Any) -> Any:
        return formulas.clipped(formulas.over(d, self.beta), -1, 1)

    def curvature(self, d: Any) -> Any:
        return (abs(d) < self.beta) * (1 / self.beta)


@gradient_of(SmoothL1LossBackward0)
class SmoothL1LossBackwardBackward0(DifferenceAgain):
    """h = g d / b where |d| < b, else ±g."""


class HuberLossBackward0(Difference):
    """e(d) = d² / 2 where |d| < c, else c (|d| - c / 2); so e' = d there, else ±c.

    The loss has the dtype of the input, whatever that of the target is; but only of one dtype there is a gradient.
    """

    mixes = False
    __slots__ = ("delta",)

    def forward(self, x: Array, y: Array, reduction: int, delta: float = 1) -> Array:
        self.delta, self.reduction = delta, reduction
        first, second = mixed(x, y)
        check_cast(x, first)
        return reduced(self.error(first - second).astype(x.dtype, copy=False), reduction)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        if x.dtype != y.dtype:
            pair = (y, x) if is_wanted(self, 0) else (x, y)  # PyTorch begins with the first that is wanted
            found, expected = (wrap_any(one).dtype.title for one in pair)
            raise RuntimeError(f"Found dtype {found} but expected {expected}")
        return super().backward(g, x, y)

    def error(self, d: Array) -> Array:
        size, delta = np.abs(d), d.dtype.type(self.delta)
        near = np.minimum(size, delta)
        return near * (size - near * d.dtype.type(0.5))

    def slope(self, d: Any) -> Any:
        return formulas.clipped(d, -self.delta, self.delta)

    def curvature(self, d: Any) -> Any:
        return abs(d) < self.delta

    def sent(self, g: Array, x: Array, y: Array) -> Array:
        """What x gets of a gradient, which PyTorch has only where both operands have one dtype."""
        one_dtype(x, y)
        return super().sent(g, x, y)


@gradient_of(HuberLossBackward0)
class HuberLossBackwardBackward0(DifferenceAgain):
    """h = g d where |d| < c, else ±c g."""


class SoftMarginLossBackward0(Node):
    """e = ln(1 + e^(-y x)), so de/dx = -y / (1 + e^(y x))."""

    inputs = ("self", "target")
    saves = inputs
    differentiable = 1
    __slots__ = ("reduction",)
    tangent = "loss"

    def forward(self, x: Array, y: Array, reduction: int) -> Array:
        self.reduction = reduction
        with np.errstate(over="ignore"):
            return reduced(precise(np.log1p, precise(np.exp, -y * x)), reduction)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(SoftMarginLossBackwardBackward0, (g, x, y), self.reduction)
        return _soft_slope(g, x, y, self.reduction)


def _soft_slope(g: Array, x: Array, y: Array, reduction: int) -> Array:
    """-y b / n (1 + b) for b = e^(-y x), times g."""
    with np.errstate(all="ignore"):
        b = precise(np.exp, -y * x)
        slope = y * b * b.dtype.type(-1 / x.size if reduction == MEAN and x.size else -1)
        return np.asarray(slope / (b + 1) * g)


class SoftMarginLossBackwardBackward0(Node):
    """h = -g y / (1 + e^(y x)), so dh/dx = g y² s (1 - s) for s = 1 / (1 + e^(y x))."""

    inputs = ("grad_output", "self", "target")
    saves = inputs
    differentiable = 2
    __slots__ = ("reduction",)

    def forward(self, g: Array, x: Array, y: Array, reduction: int) -> Array:
        self.reduction = reduction
        return _soft_slope(g, x, y, reduction)

    def backward(self, h: Any, g: Any, x: Any, y: Any) -> Any:
        s = 1 / (1 + formulas.exp(y * x))
        share = shared(h, self.reduction, tuple(x.shape))
        return -share * y * s, share * g * (y * y) * s * (1 - s)


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The squares of the differences."""
    if autocast.used:
        input, target, weight = autocast.widened(input, target, weight)
    sizes_of(input, target)
    input, target = of_one_size(input, target)
    number = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        return _weighed((input - target) ** 2, weight, number)
    if not target.is_floating_point():
        only_floating(input, "mse_cpu")
    return apply2(MseLossBackward0, input, target, number)


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The sizes of the differences."""
    if autocast.used:
        input, target, weight = autocast.widened(input, target, weight)
    sizes_of(input, target)
    input, target = of_one_size(input, target)
    number = reduction_of(reduction, size_average, reduce)
    if weight is not None:
        return _weighed((input - target).abs(), weight, number)
    return together((input - target).abs(), number)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """The sizes of the differences, but their squares where they are smaller than `beta`."""
    if autocast.used:
        input, target = autocast.widened(input, target)
    sizes_of(input, target)
    input, target = of_one_size(input, target)
    number = reduction_of(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return together((input - target).abs(), number)
    if not target.is_floating_point():
        only_floating(input, "smooth_l1_cpu")
    return apply2(SmoothL1LossBackward0, input, target, number, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """The squares of the differences, but no steeper than `delta`."""
    if autocast.used:
        input, target, weight = autocast.widened(input, target, weight)
    sizes_of(input, target)
    input, target = of_one_size(input, target)
    number = reduction_of(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if not target.is_floating_point():
        only_floating(input, "huber_cpu")
    if weight is not None:
        if weight._array.shape != input._array.shape:
            raise ValueError("Weights and input must have the same size.")
        return together(applyn(HuberLossBackward0, (input, target), NONE, delta) * weight, number)
    return applyn(HuberLossBackward0, (input, target), number, delta)


def soft_margin_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """ln(1 + e^(-y x)) for targets y of 1 and -1."""
    if autocast.used:
        input, target = autocast.widened(input, target)
    number = reduction_of(reduction, size_average, reduce)
    for position, (name, one) in enumerate({"input": input, "target": target}.items(), 1):
        if not isinstance(one, Variable):
            kind = type(one).__name__
            raise TypeError(f"soft_margin_loss(): argument '{name}' (position {position}) must be Tensor, not {kind}")
    only_floating(input, "soft_margin")
    refuse(mismatch(input._array.shape, target._array.shape))
    return applyn(SoftMarginLossBackward0, (input, target), number)


def _weighed(errors: Tensor, weight: Tensor, reduction: int) -> Tensor:
    """Errors times weights; their mean is one by weight."""
    if weight._array.shape != errors._array.shape:
        raise ValueError("Weights and input must have the same size.")
    weighed = errors * weight
    if reduction == NONE:
        return weighed
    return weighed.sum() if reduction == SUM else weighed.sum() / weight.sum()
