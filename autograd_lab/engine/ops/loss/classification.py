"""Losses of classes: the negative log-likelihood, and cross-entropy, which takes the logarithms itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors import noted, reasons
from autograd_lab.engine.errors.operands import check_same_dtype
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, I64, Array, of_kind
from autograd_lab.engine.ops.activation.probabilities import log_softmax
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import apply_keeping
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.inplace.pointwise import masked_fill_
from autograd_lab.engine.ops.loss.common import MEAN, NONE, SUM, in_cascade, reduction_of
from autograd_lab.engine.ops.shape.views import reshape, view

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def _chosen(x: Array, y: Array) -> tuple[Array, tuple[Any, ...]]:
    """The array as (batch, class, place), and the index of each target in it."""
    if x.ndim == 1:
        return x[None, :, None], (np.zeros(1, np.intp), y.reshape(1), np.zeros(1, np.intp))
    if x.ndim == 2:
        return x[:, :, None], (np.arange(len(x)), y, 0)
    cube = x.reshape(*x.shape[:2], math.prod(x.shape[2:]))
    return cube, (np.arange(len(x))[:, None], y.reshape(len(x), cube.shape[2]), np.arange(cube.shape[2]))


class NllLossBackward0(Linear):
    """e = -w_y x_y for the class y, so de/dx_y = -w_y; the mean is one by weight. Ignored targets count for nothing."""

    inputs = ("self", "target", "weight", "total_weight")
    saves = inputs
    differentiable = 1
    again: ClassVar[Any] = None
    __slots__ = ("ignore_index", "reduction")

    def forward(self, x: Array, y: Array, weight: Array | None, reduction: int, ignore_index: int) -> Any:
        self.reduction, self.ignore_index = reduction, ignore_index
        shares = _shares(y, weight, ignore_index, x)
        cube, where = _chosen(x, np.where(y == ignore_index, 0, y))
        errors = -cube[where].reshape(y.shape) * shares
        if reduction == NONE:
            return np.asarray(errors), np.asarray(shares if x.ndim == 1 else 0, x.dtype).reshape(())
        ignored = y.ravel() == ignore_index
        counted = ~ignored if ignored.any() else None
        total = in_cascade(errors.ravel(), counted)
        if weight is None:
            count = np.array(y.size - np.count_nonzero(ignored)).astype(x.dtype)
        else:
            count = in_cascade(shares.ravel(), counted)
        return np.divide(total, count, out=...) if reduction == MEAN else total, count

    def attributes(self) -> dict[str, Any]:
        """The index that is ignored, shown as PyTorch shows it, as an unsigned number, and the reduction."""
        return {"ignore_index": self.ignore_index % 2**64, "reduction": self.reduction}

    def backward(self, g: Any, x: Any, y: Any, weight: Any, count: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(self.again, (g, x, y, weight, count), self.reduction, self.ignore_index)
        return _returned(g, x, y, weight, count, self.reduction, self.ignore_index)


def _shares(y: Array, weight: Array | None, ignore_index: int, x: Array) -> Array:
    """The weight of each target; 0 for those ignored."""
    counted = y != ignore_index
    return counted.astype(x.dtype) if weight is None else weight[np.where(counted, y, 0)] * counted


def _returned(
    g: Array, x: Array, y: Array, weight: Array | None, count: Array, reduction: int, ignore_index: int
) -> Array:
    whole = np.zeros(x.shape, x.dtype)
    ignored = y == ignore_index
    cube, where = _chosen(whole, np.where(ignored, 0, y))
    shares = -_shares(y, weight, ignore_index, x) * (g / count if reduction == MEAN else g)
    shares = np.where(ignored, x.dtype.type(0), shares)  # where all are ignored, the mean is 0 / 0
    cube[where] = shares.reshape(cube[where].shape)
    return whole


class NllLossBackwardBackward0(Node):
    """The gradient of the loss is linear in g; its own gradient is the loss of what comes in."""

    inputs = ("grad_output", "self", "target", "weight", "total_weight")
    saves = ("target", "weight")
    differentiable = 2
    first: ClassVar[type[NllLossBackward0]] = NllLossBackward0
    __slots__ = ("ignore_index", "reduction")
    tangent = "shared_slope"

    def forward(
        self, g: Array, x: Array, y: Array, weight: Array | None, count: Array, reduction: int, ignore_index: int
    ) -> Array:
        self.reduction, self.ignore_index = reduction, ignore_index
        return _returned(g, x, y, weight, count, reduction, ignore_index)

    def attributes(self) -> dict[str, Any]:
        """The index that is ignored, as an unsigned number, and the reduction."""
        return {"ignore_index": self.ignore_index % 2**64, "reduction": self.reduction}

    def backward(self, h: Any, y: Any, weight: Any) -> Any:
        rule = self.reduction, self.ignore_index
        if isinstance(h, Variable):
            return apply_keeping(self.first, (h, y, weight), *rule), formulas.zeros_like(h)
        y = np.asarray(y)
        return self.first().forward(h, y, weight, *rule)[0], formulas.zeros_like(h)


class NllLoss2DBackward0(NllLossBackward0):
    """The same for pictures, with a class at each place."""


class NllLoss2DBackwardBackward0(NllLossBackwardBackward0):
    """The same for pictures, with a class at each place."""

    first = NllLoss2DBackward0


NllLossBackward0.again = NllLossBackwardBackward0
NllLoss2DBackward0.again = NllLoss2DBackwardBackward0


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probability that `input` gives to the target class, in dimension 1."""
    if autocast.used:
        input, target, weight = autocast.widened(input, target, weight)
    number = reduction_of(reduction, size_average, reduce)
    _tensors("nll_loss_nd", input, target)
    return _nll(input, target, weight, number, ignore_index)


def _tensors(name: str, input: Any, target: Any) -> None:
    for position, (what, one) in enumerate({"input": input, "target": target}.items(), 1):
        if not isinstance(one, Variable):
            raise TypeError(
                f"{name}(): argument '{what}' (position {position}) must be Tensor, not {type(one).__name__}"
            )


def _nll(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    x, y = input._array, target._array
    if not x.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if x.ndim != 1 and x.shape[0] != (y.shape[0] if y.ndim else 0):
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({y.shape[0] if y.ndim else 0})."
        )
    if x.ndim == 3 or x.ndim > 4:
        return _flattened(input, target, weight, reduction, ignore_index)
    if x.ndim < 3 and y.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim == y.ndim == 1 and y.size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {y.size}")
    if x.ndim == 4 and y.ndim != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {y.ndim}"
        )
    if x.ndim == 4 and x.shape[2:] != y.shape[1:]:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(y.shape)}")
    classes = x.shape[0 if x.ndim == 1 else 1]
    if weight is not None and weight._array.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight._array.shape)}"
        )
    _check_targets(x, target, weight, ignore_index, classes)
    cls = NllLoss2DBackward0 if x.ndim == 4 else NllLossBackward0
    loss = apply_keeping(cls, (input, target, weight), reduction, ignore_index)
    return loss if x.ndim > 1 or not loss._array.ndim else view(loss, ())


def _check_targets(x: Array, target: Tensor, weight: Tensor | None, ignore_index: int, classes: int) -> None:
    y = target._array
    if y.dtype.name not in ("int64", "uint8"):
        message = f"expected target dtype to be Long or Byte, but got {BY_NUMPY[y.dtype].title}"
        raise noted(RuntimeError(message), reasons.dtypes([target], "Classes are whole numbers: `{}.long()`."))
    if weight is not None:
        check_same_dtype(x.dtype, weight._array.dtype)
    of_kind("fV", x, "nll_loss2d_forward_out_frame" if x.ndim == 4 else "nll_loss_out_frame")
    outside = ((y < 0) | (y >= classes)) & (y != ignore_index)
    if outside.any():
        message = f"Target {y[outside][0]} is out of bounds."
        raise noted(IndexError(message), reasons.classes(target, classes))


def _flattened(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    """Any number of dimensions is made the two of a picture."""
    shape, wanted = input._array.shape, (input._array.shape[0], *input._array.shape[2:])
    if target._array.shape != wanted:
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target._array.shape)}")
    places = math.prod(shape[2:])
    flat = reshape(input, (*shape[:2], 1, places))
    loss = _nll(flat, reshape(target, (shape[0], 1, places)), weight, reduction, ignore_index)
    return view(loss, wanted) if reduction == NONE else loss


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """How surprising the targets are, given logits: classes, or probabilities of all classes, in dimension 1."""
    if autocast.used:
        input, target, weight = autocast.widened(input, target, weight)
    number = reduction_of(reduction, size_average, reduce)
    _tensors("cross_entropy_loss", input, target)
    x, y = input._array, target._array
    dim = 0 if x.ndim == 1 else 1
    if x.shape == y.shape:
        if y.dtype.kind not in "fV":
            kind = BY_NUMPY[y.dtype].title
            raise RuntimeError(f"Expected floating point type for target with class probabilities, got {kind}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _of_probabilities(input, target, weight, number, label_smoothing, dim)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    log_odds = log_softmax(input, dim)
    if not label_smoothing:
        return _nll(log_odds, target, weight, number, ignore_index)
    return _smoothed(log_odds, target, weight, number, ignore_index, label_smoothing, dim)


def _by_class(weight: Tensor, ndim: int, dim: int) -> Tensor:
    return view(weight, tuple(-1 if at == dim else 1 for at in range(ndim)))


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Any, reduction: int, label_smoothing: float, dim: int
) -> Tensor:
    x = input._array
    classes = x.shape[dim]
    if weight is not None and weight._array.shape != (classes,):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight._array.shape)}"
        )
    log_odds = log_softmax(input, dim)
    if label_smoothing:
        target = target._times(1 - label_smoothing)._plus(label_smoothing / max(classes, 1))
    products = log_odds * target
    if weight is not None:
        products = products * _by_class(weight, x.ndim, dim)
    if reduction == NONE:
        return -products.sum(dim)
    return -products.sum() if reduction == SUM else (-products.sum())._over(x.size // max(classes, 1))


def _smoothed(
    log_odds: Tensor, target: Tensor, weight: Any, reduction: int, ignore_index: int, smoothing: float, dim: int
) -> Tensor:
    """A share of the loss is what it would be if each class were as likely as any other."""
    hit = _nll(log_odds, target, weight, reduction, ignore_index)
    spread = log_odds if weight is None else log_odds * _by_class(weight, log_odds._array.ndim, dim)
    ignored = target._array == ignore_index
    errors = masked_fill_(-spread.sum(dim), wrap(ignored), 0.0)
    if reduction != NONE:
        errors = errors.sum()
    if reduction == MEAN:
        kept = target._array[~ignored]
        count = np.array((~ignored).sum(), I64) if weight is None else np.asarray(np.add.reduce(weight._array[kept]))
        errors = errors / wrap(count)
    classes = log_odds._array.shape[dim]
    spread = errors._times(smoothing / classes if classes else math.inf)  # PyTorch takes the second term first
    return hit._times(1 - smoothing) + spread
