"""Connectionist temporal classification: how likely labels are, however they are spread over a longer sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground.applying import apply_keeping
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.kinds import Undifferentiable
from autograd_lab.engine.ops.loss.common import MEAN, NONE, reduction_of

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class CtcLossBackward0(Node):
    """L = -ln of the sum over all spreadings; alpha is the part of it up to a time, so that beta gives the rest."""

    inputs = ("log_probs", "targets", "result1")
    outputs = ("result0",)
    saves = ("log_probs", "result0", "result1", "targets")
    differentiable = 1
    mixes = False
    op = "_ctc_loss"
    __slots__ = ("blank", "input_lengths", "target_lengths", "zero_infinity")

    def forward(
        self, x: Array, y: Array, times: tuple[int, ...], sizes: tuple[int, ...], blank: int, zero: bool
    ) -> tuple[Array, Array]:
        self.input_lengths, self.target_lengths, self.blank, self.zero_infinity = times, sizes, blank, zero
        alpha = np.full((x.shape[1], x.shape[0], 2 * max(sizes, default=0) + 1), -np.inf, x.dtype)
        losses = np.empty(x.shape[1], x.dtype)
        for at, labels in enumerate(_spread(y, sizes, blank)):
            steps, count = times[at], len(labels)
            alpha[at, :steps, :count] = _course(x[:steps, at][:, labels], labels)
            ends = alpha[at, steps - 1, max(count - 2, 0) : count] if steps else np.zeros(1 if count == 1 else 0)
            losses[at] = -np.logaddexp.reduce(ends) if ends.size else np.inf
        return losses, alpha

    def backward(self, g: Any, x: Any, losses: Any, alpha: Any, y: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(CtcLossGradient, (g, x, losses, alpha, y), self)
        back = np.zeros_like(x)
        for at, labels in enumerate(_spread(np.asarray(y), self.target_lengths, self.blank)):
            steps = self.input_lengths[at]
            if self.zero_infinity and losses[at] == np.inf:
                continue
            here = x[:steps, at]
            beta = _course(here[::-1][:, labels[::-1]], labels[::-1])[::-1, ::-1]
            both = np.full(here.shape, -np.inf, x.dtype)
            for place, label in enumerate(labels):
                both[:, label] = np.logaddexp(both[:, label], alpha[at, :steps, place] + beta[:, place])
            back[:steps, at] = (np.exp(here) - np.exp(both + losses[at] - here)) * g[at]
        return back


class CtcLossGradient(Undifferentiable):
    """The gradient of the loss, which has none of its own."""

    inputs = ("grad", "log_probs", "neg_log_likelihood", "log_alpha", "targets")
    differentiable = 2
    mixes = False
    op = "_ctc_loss_backward"

    def forward(self, g: Array, x: Array, losses: Array, alpha: Array, y: Array, loss: Any) -> Array:
        return np.asarray(loss.backward(g, x, losses, alpha, y))


def _spread(y: Array, sizes: tuple[int, ...], blank: int) -> list[Array]:
    """The labels of each example with a blank before, between and behind them."""
    starts = np.cumsum([0, *sizes])
    found = []
    for at, size in enumerate(sizes):
        row = y[at, :size] if y.ndim == 2 else y[starts[at] : starts[at] + size]
        labels = np.full(2 * size + 1, blank)
        labels[1::2] = row
        found.append(labels)
    return found


def _course(x: Array, labels: Array) -> Array:
    """For each time and place in the labels, ln of the sum over all ways there, which may leave out blanks."""
    alpha = np.full(x.shape, -np.inf, x.dtype)
    alpha[:1, :2] = x[:1, :2]
    leap = np.zeros(len(labels), bool)
    leap[2:] = labels[2:] != labels[:-2]
    for time in range(1, len(x)):
        before = alpha[time - 1]
        way = before.copy()
        way[1:] = np.logaddexp(way[1:], before[:-1])
        way[2:] = np.where(leap[2:], np.logaddexp(way[2:], before[:-2]), way[2:])
        alpha[time] = way + x[time]
    return alpha


@composed
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """How surprising the labels are, given the log-probabilities of each at each time, and of a blank."""
    only_tensors("ctc_loss", log_probs, targets)
    number = reduction_of(reduction)
    batched = log_probs._array.ndim == 3
    x = log_probs if batched else log_probs.unsqueeze(1)
    times, sizes = (_lengths(one) for one in (input_lengths, target_lengths))
    _check(x._array, targets, times, sizes, blank)
    found: Any = apply_keeping(CtcLossBackward0, (x, targets), times, sizes, blank, zero_infinity)
    if zero_infinity:
        zero = wrap(np.zeros((), found._array.dtype))
        found = zero.where(wrap(found._array == np.inf), found)
    if number == MEAN:
        return (found / wrap(np.maximum(sizes, 1).astype(found._array.dtype))).mean()
    if number == NONE:
        return found if batched else found.squeeze(0)
    return found.sum()


def _lengths(given: Any) -> tuple[int, ...]:
    if isinstance(given, Variable):
        if given._array.dtype.kind not in "iu":
            raise RuntimeError("input_lengths must be integral")
        return tuple(given._array.reshape(-1).tolist())
    return tuple(int(one) for one in given)


def _check(x: Array, targets: Any, times: tuple[int, ...], sizes: tuple[int, ...], blank: int) -> None:
    y = targets._array
    of_kind("fV", x, "ctc_loss_cpu", least=4)
    if y.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            f"Expected tensor for argument #2 'targets' to have scalar type Long; but got {targets.dtype.title}"
        )
    if not 0 <= blank < x.shape[2]:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", times), ("target_lengths", sizes)):
        if len(lengths) != x.shape[1]:
            raise RuntimeError(f"{name} must be of size batch_size")
    if wrong := _wrong_lengths(x, y, times, sizes):
        raise RuntimeError(f"Expected {wrong} (while checking arguments for ctc_loss_allocate_outputs)")


def _wrong_lengths(x: Array, y: Array, times: tuple[int, ...], sizes: tuple[int, ...]) -> str:
    """What was expected of lengths and targets that do not fit; nothing if they do."""
    named = "for argument #2 'targets'"
    if negative := [size for size in sizes if size < 0]:
        return f"target_lengths to have value at least 0, but got value {negative[0]}"
    if y.ndim == 1 and y.size != sum(sizes):
        return f"tensor to have size {sum(sizes)} at dimension 0, but got size {y.size} {named}"
    if y.ndim == 2 and len(y) != x.shape[1]:
        return f"tensor to have size {x.shape[1]} at dimension 0, but got size {len(y)} {named}"
    longest = max(sizes, default=0)
    if y.ndim == 2 and y.shape[1] < longest:
        return f"tensor to have size at least {longest} at dimension 1, but got size {y.shape[1]} {named}"
    if negative := [time for time in times if time < 0]:
        return f"input_lengths to have value at least 0, but got value {negative[0]}"
    if max(times, default=0) > x.shape[0]:
        return f"input_lengths to have value at most {x.shape[0]}, but got value {max(times)}"
    return ""
