"""Losses of classes by margins: of one class, of several, and of each by itself; and triplets by any distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.numbers.dtypes import F64, Array, of_kind
from autograd_lab.engine.ops.activation.sigmoids import logsigmoid
from autograd_lab.engine.ops.activation.slopes import only_floating
from autograd_lab.engine.ops.ground.applying import apply_keeping
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.ops.loss.common import MEAN, NONE, NUMBERS, reduced, reduction_of, together
from autograd_lab.engine.ops.loss.similarity import pairwise_distance

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def _rows(x: Array) -> Array:
    return x if x.ndim == 2 else x.reshape(1, -1)


def _reduced(errors: Array, x: Array, reduction: int) -> Array:
    """One number an example; their mean or their sum, if that is wanted."""
    if reduction == NONE:
        return errors if x.ndim == 2 else errors.reshape(())
    return np.asarray(reduced(errors, reduction), x.dtype)


def _shares(g: Any, x: Array, reduction: int) -> Any:
    """What each example gets of the gradient of the loss, as a column."""
    count = len(_rows(x))
    return np.reshape(g, (-1, 1)) / x.dtype.type(count if reduction == MEAN else 1)


class Gradient(Undifferentiable):
    """The gradient of a loss, which has none of its own."""

    inputs = ("grad_output", "self", "target", "extra")
    differentiable = 2
    mixes = False

    def forward(self, g: Array, x: Array, y: Array, extra: Array | None, loss: Any) -> Array:
        return np.asarray(loss.backward(g, x, y, extra))


class MultiMarginLossGradient(Gradient):
    """Of the loss of one class."""

    op = "multi_margin_loss_backward"


class MultilabelMarginLossGradient(Gradient):
    """Of the loss of several classes."""

    op = "multilabel_margin_loss_backward"


class MultiMarginLossBackward0(Node):
    """e = Σ w_y max(0, margin - x_y + x_i)^p / C over the classes i ≠ y: what is beyond pulls x_i down and x_y up."""

    inputs = ("self", "target", "weight")
    saves = inputs
    differentiable = 1
    mixes = False
    __slots__ = ("margin", "p", "reduction")

    def forward(self, x: Array, y: Array, weight: Array | None, p: int, margin: float, reduction: int) -> Array:
        self.p, self.margin, self.reduction = p, margin, reduction
        beyond, share = self._beyond(x, y, weight)
        errors = beyond if p == 1 else beyond * beyond
        errors = np.add.accumulate(errors if weight is None else errors * share, 1)[:, -1]  # one class after another
        errors = errors / x.dtype.type(beyond.shape[1])
        return _reduced(errors if reduction == NONE else errors.astype(F64), x, reduction)

    def _beyond(self, x: Array, y: Array, weight: Array | None) -> tuple[Array, Array]:
        """How far each other class is within the margin, and the weights of the examples, a column."""
        rows, y = _rows(x), y.reshape(-1, 1)
        beyond = np.maximum(x.dtype.type(self.margin) - np.take_along_axis(rows, y, 1) + rows, 0)
        np.put_along_axis(beyond, y, 0, 1)
        return beyond, np.ones((len(rows), 1), x.dtype) if weight is None else weight[y]

    def backward(self, g: Any, x: Any, y: Any, weight: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(MultiMarginLossGradient, (g, x, y, weight), self)
        y = np.asarray(y)
        beyond, share = self._beyond(x, y, weight)
        one = x.dtype.type(1 / (beyond.size if self.reduction == MEAN else beyond.shape[1]))
        slope = (beyond > 0) * one if self.p == 1 else 2 * one * beyond
        slope *= share
        np.put_along_axis(slope, y.reshape(-1, 1), 0 - np.add.accumulate(slope, 1)[:, -1:], 1)
        return (slope * np.reshape(g, (-1, 1))).reshape(x.shape)


class MultilabelMarginLossBackward0(Node):
    """e = Σ max(0, 1 - x_y + x_i) / C over targets y and all classes i that are none."""

    inputs = ("self", "target", "is_target")
    saves = inputs
    differentiable = 1
    mixes = False
    __slots__ = ("reduction",)

    def forward(self, x: Array, y: Array, reduction: int) -> tuple[Array, Array]:
        self.reduction = reduction
        chosen = _targets(y).reshape(x.shape).astype(x.dtype)
        return _reduced(_within(x, y).sum((1, 2)) / x.dtype.type(_rows(x).shape[1]), x, reduction), chosen

    def backward(self, g: Any, x: Any, y: Any, chosen: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(MultilabelMarginLossGradient, (g, x, y, chosen), self)
        hits = (_within(x, y) > 0).astype(x.dtype)
        slope = hits.sum(1)
        for row, labels, hit in zip(slope, _rows(np.asarray(y)), hits.sum(2), strict=True):
            for place, label in enumerate(labels):
                if label < 0:
                    break
                row[label] -= hit[place]
        return (slope / x.dtype.type(slope.shape[1]) * _shares(g, x, self.reduction)).reshape(x.shape)


def _listed(y: Array) -> Array:
    """Which entries are labels: those before the first negative one."""
    return np.asarray(np.logical_and.accumulate(_rows(y) >= 0, 1))


def _targets(y: Array) -> Array:
    """Which classes are targets."""
    found = np.zeros(_rows(y).shape, bool)
    for row, labels, listed in zip(found, _rows(y), _listed(y), strict=True):
        row[labels[listed]] = True
    return found


def _within(x: Array, y: Array) -> Array:
    """For each example, label and class how far the class, if it is no target, is within the margin of the label."""
    rows, listed = _rows(x), _listed(y)
    labels = np.take_along_axis(rows, np.where(listed, _rows(y), 0), 1)
    beyond = np.maximum(1 - labels[:, :, None] + rows[:, None, :], 0)
    return np.asarray(beyond * listed[:, :, None] * ~_targets(y)[:, None, :], x.dtype)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How far the other classes are from being below the right one by the margin."""
    if autocast.used:
        input, weight = autocast.widened(input, weight)
    number = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight._array.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    x, y = input._array, target._array
    if x.ndim > 2 or (x.ndim and not x.shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}"
        )
    if y.ndim > 1 or y.size != len(_rows(x)):
        raise RuntimeError(f"inconsistent target size, expected {len(_rows(x))} but got {list(y.shape)}")
    only_floating(input, "multi_margin_loss_cpu")
    of_kind("fV", input._array, "multi_margin_loss_cpu_kernel", least=4)
    classes = _rows(x).shape[1]
    if weight is not None and weight._array.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight._array.shape)}")
    if ((y < 0) | (y >= classes)).any():
        raise RuntimeError("target out of range")
    return applyn(MultiMarginLossBackward0, (input, target, weight), p, margin, number)


def multilabel_margin_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """How far the other classes are from being below each of the targets, which are listed before a -1, by 1."""
    if autocast.used:
        (input,) = autocast.widened(input)
    number = reduction_of(reduction, size_average, reduce)
    x, y = input._array, target._array
    if x.ndim > 2 or (x.ndim and not x.shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}"
        )
    if x.shape != y.shape:
        raise RuntimeError(f"inconsistent target size: {list(y.shape)} for input of size: {list(x.shape)}")
    only_floating(input, "multilabel_margin_loss_forward_out_frame")
    if ((y < -1) | (y >= _rows(x).shape[1])).any():
        raise RuntimeError("target out of range")
    return apply_keeping(MultilabelMarginLossBackward0, (input, target), number)


@composed
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over the classes of how surprising it is that each is a target or none, given its score."""
    number = reduction_of(reduction, size_average, reduce)
    errors = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        errors = errors * weight
    return together(errors.sum(input.dim() - 1) / input._array.shape[-1], number)


@composed
def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0, swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How far the anchor is from being nearer to the positive example, by a distance of one's own."""
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance: Any = pairwise_distance if distance_function is None else distance_function
    ndims = [one._array.ndim for one in (anchor, positive, negative)]
    if len(set(ndims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ndims[0]}D, positive {ndims[1]}D, and negative {ndims[2]}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return together((margin + near - far).clamp_min(0), NUMBERS[reduction])
