"""Losses of probabilities: binary cross-entropy, of probabilities or of logits, and the Kullback-Leibler divergence."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.kernels.precise import precise
from autograd_lab.engine.numbers.dtypes import Array, Size
from autograd_lab.engine.ops.activation.sigmoids import log_logistic, logistic, logsigmoid
from autograd_lab.engine.ops.activation.slopes import only_floating
from autograd_lab.engine.ops.ground.writing import check_cast
from autograd_lab.engine.ops.loss.common import one_dtype, reduced, reduction_of, shared, sizes_of, together
from autograd_lab.engine.ops.pointwise.arithmetic import not_of_truth_values
from autograd_lab.engine.ops.pointwise.special import xlogy
from autograd_lab.engine.ops.shape.views import expand
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

LOWEST = -100
"""No logarithm is taken to be lower, so that no loss is infinite."""
MEAN_OR_BATCHMEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
    "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
    "'batchmean' in the next major release."
)


def _weighed(errors: Any, weight: Any) -> Any:
    return errors if weight is None else errors * weight


class BinaryCrossEntropyBackward0(Node):
    """e = -w (y ln x + (1 - y) ln(1 - x)), so de/dx = w (x - y) / x (1 - x) and de/dy = -w ln(x / (1 - x))."""

    inputs = ("self", "target", "weight")
    saves = inputs
    differentiable = 2
    __slots__ = ("reduction",)
    tangent = "loss"

    def forward(self, x: Array, y: Array, weight: Array | None, reduction: int) -> Array:
        self.reduction = reduction
        hit, miss = np.maximum(precise(np.log, x), LOWEST), np.maximum(precise(np.log1p, -x), LOWEST)
        return reduced(_weighed((y - 1) * miss - y * hit, weight), reduction)

    def backward(self, g: Any, x: Any, y: Any, weight: Any) -> Any:
        to_x, to_y = (edge[0] is not None for edge in self.next_functions)
        second = None
        if to_y:
            odds = x.logit() if isinstance(x, Variable) else np.log(x / (1 - x))
            second = shared(_weighed(-odds * g, weight), self.reduction, tuple(x.shape))
        if isinstance(g, Variable):
            made = applyn(BinaryCrossEntropyBackwardBackward0, (g, x, y, weight), self.reduction) if to_x else None
            return made, second
        return _steep(g, x, y, weight, self.reduction) if to_x else None, second


def _steep(g: Any, x: Any, y: Any, weight: Any, reduction: int) -> Any:
    return shared(_weighed(g * (x - y) / np.maximum(x * (1 - x), 1e-12), weight), reduction, x.shape)


class BinaryCrossEntropyBackwardBackward0(Node):
    """h = g w (x - y) / v for v = x (1 - x), so dh/dx = g w (x² - 2 x y + y) / v² and dh/dy = -g w / v."""

    inputs = ("grad_output", "self", "target", "weight")
    saves = inputs
    differentiable = 3
    __slots__ = ("reduction",)

    def forward(self, g: Array, x: Array, y: Array, weight: Array | None, reduction: int) -> Array:
        self.reduction = reduction
        return np.asarray(_steep(g, x, y, weight, reduction))

    def backward(self, h: Any, g: Any, x: Any, y: Any, weight: Any) -> Any:
        v = x * (1 - x)
        share = shared(_weighed(h, weight), self.reduction, tuple(x.shape))
        return share * (x - y) / v, share * g * (x * x - 2 * x * y + y) / (v * v), -share * g / v


class BinaryCrossEntropyWithLogitsBackward0(Node):
    """e = -w (p y ln s + (1 - y) ln(1 - s)) for s = 1 / (1 + e^-x) and a weight p of the positive examples.

    So de/dx = w ((p y + 1 - y) s - p y), and de/dy = w (ln(1 - s) - p ln s), which is -w x if p = 1.
    """

    inputs = ("self", "target", "weight", "pos_weight")
    saves = inputs
    differentiable = 2
    __slots__ = ("reduction",)
    tangent = "loss"

    def forward(self, x: Array, y: Array, weight: Array | None, positive: Array | None, reduction: int) -> Array:
        self.reduction = reduction
        miss = -narrowed(log_logistic, x)
        errors = (1 - y) * x + (miss if positive is None else ((positive - 1) * y + 1) * miss)
        return reduced(_weighed(errors.astype(y.dtype, copy=False), weight), reduction)  # written over 1 - y

    def backward(self, g: Any, x: Any, y: Any, weight: Any, positive: Any) -> Any:
        to_x, to_y = (edge[0] is not None for edge in self.next_functions)
        first = second = None
        if to_x:
            s = logistic(x)
            slope = s - y if positive is None else (positive * y + 1 - y) * s - positive * y
            first = shared(_weighed(slope * g, weight), self.reduction, tuple(x.shape))
        if to_y:
            slope = -x if positive is None else _log_logistic(-x) - positive * _log_logistic(x)
            second = shared(_weighed(slope * g, weight), self.reduction, tuple(x.shape))
        return first, second


def _log_logistic(x: Any) -> Any:
    tensor: Any = x
    return logsigmoid(tensor) if isinstance(x, Variable) else narrowed(log_logistic, x)


def _first_outside(x: Array) -> int:
    """Where the first element lies that is not between 0 and 1; behind the last one, if there is none."""
    outside = ~((x >= 0) & (x <= 1)).reshape(-1)
    return int(outside.argmax()) if outside.any() else outside.size


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How surprising the targets are, given probabilities."""
    if autocast.used:
        input, target, weight = autocast.widened(input, target, weight)
    number = reduction_of(reduction, size_average, reduce)
    sizes_of(target, input)
    x, y = input._array, target._array
    if x.shape != y.shape:
        raise ValueError(
            f"Using a target size ({Size(y.shape)}) that is different to the input size ({Size(x.shape)}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None and weight._array.shape != x.shape:
        weight = expand(weight, np.broadcast_shapes(y.shape, weight._array.shape))
    only_floating(input, "binary_cross_entropy")
    one_dtype(x, y)
    first = [_first_outside(one) for one in (x, y)]
    if min(first) < x.size:
        name = "input" if first[0] <= first[1] else "target"
        raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    return applyn(BinaryCrossEntropyBackward0, (input, target, weight), number)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """How surprising the targets are, given the logits of probabilities; exact where sigmoid underflows."""
    if autocast.used:
        input, target, weight, pos_weight = autocast.widened(input, target, weight, pos_weight)
    number = reduction_of(reduction, size_average, reduce)
    sizes_of(target, input)
    x, y = input._array, target._array
    if x.shape != y.shape:
        raise ValueError(f"Target size ({Size(y.shape)}) must be the same as input size ({Size(x.shape)})")
    only_floating(input, "log_sigmoid_cpu")
    not_of_truth_values(y, y)
    check_cast(y, x)
    return applyn(BinaryCrossEntropyWithLogitsBackward0, (input, target, weight, pos_weight), number)


def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """Σ y (ln y - x): how far the logarithms `input` of probabilities are from the probabilities `target`."""
    if autocast.used:
        input, target = autocast.widened(input, target)
    if size_average is not None or reduce is not None:
        number = reduction_of(reduction, size_average, reduce)
    else:
        if reduction == "mean":
            warnings.warn(MEAN_OR_BATCHMEAN, UserWarning, stacklevel=users_level())
        number = reduction_of("sum" if reduction == "batchmean" else reduction)
    total = divergence(input, target, number, log_target)
    if reduction == "batchmean" and input._array.ndim:  # also of a mean that older arguments ask for
        total = total / input._array.shape[0]
    return total


def divergence(input: Tensor, target: Tensor, number: int, log_target: bool) -> Tensor:
    """Σ y (ln y - x), reduced by the number of a reduction."""
    for position, (name, one) in enumerate({"input": input, "target": target}.items(), 1):
        if not isinstance(one, Variable):
            raise TypeError(
                f"kl_div(): argument '{name}' (position {position}) must be Tensor, not {type(one).__name__}"
            )
    if input._array.dtype.kind not in "fV" or target._array.dtype.kind not in "fV":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    second = target - input if log_target else target * input  # PyTorch takes the second operand first
    errors = target.exp() * second if log_target else xlogy(target, target) - second
    return together(errors, number)
