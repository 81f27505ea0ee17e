"""The losses that `torch` has itself, of which `torch.nn.functional` makes its own: their reduction is a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.errors.operands import mismatch, only_tensors, refuse
from autograd_lab.engine.ops.loss import alignment, entropies, ranking
from autograd_lab.engine.ops.loss.common import NONE, NUMBERS

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "binary_cross_entropy_with_logits", "cosine_embedding_loss", "ctc_loss", "hinge_embedding_loss", "kl_div",
    "margin_ranking_loss", "poisson_nll_loss", "triplet_margin_loss",
]  # fmt: skip


def _word(reduction: int) -> str:
    """The word for the number of a reduction; PyTorch takes any other number for 0."""
    return list(NUMBERS)[reduction] if reduction in NUMBERS.values() else "none"


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
    reduction: int = NONE,
) -> Tensor:  # fmt: skip
    """How surprising the targets are, given the logits of probabilities."""
    only_tensors("binary_cross_entropy_with_logits", input, target, names=("input", "target"))
    if input.shape != target.shape:
        raise RuntimeError(_unlike(input._array.shape, target._array.shape))
    return entropies.binary_cross_entropy_with_logits(
        input, target, weight, reduction=_word(reduction), pos_weight=pos_weight
    )


def _unlike(first: tuple[int, ...], second: tuple[int, ...]) -> str:
    refuse(mismatch(second, first))
    whole = np.broadcast_shapes(first, second)
    narrow = first if second == whole else second
    return f"output with shape {list(narrow)} doesn't match the broadcast shape {list(whole)}"


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE
) -> Tensor:
    """1 - cosine where the target is 1, and how far the cosine is above the margin where it is -1."""
    return ranking.cosine_embedding_loss(input1, input2, target, margin, reduction=_word(reduction))


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: int = NONE, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """How surprising the labels are, given the log-probabilities of each at each time, and of a blank."""
    word = _word(reduction)
    return alignment.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, word, zero_infinity)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = NONE) -> Tensor:
    """x where the target is 1, and how far x is below the margin where it is -1."""
    return ranking.hinge_embedding_loss(input, target, margin, reduction=_word(reduction))


def kl_div(input: Tensor, target: Tensor, reduction: int = NONE, *, log_target: bool = False) -> Tensor:
    """Σ y (ln y - x): how far the logarithms `input` of probabilities are from the probabilities `target`."""
    return entropies.divergence(input, target, NUMBERS[_word(reduction)], log_target)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE
) -> Tensor:
    """How far the first is from being above the second by the margin, or below it where the target is -1."""
    return ranking.margin_ranking_loss(input1, input2, target, margin, reduction=_word(reduction))


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """How surprising counts are, given their expected numbers or the logarithms of those."""
    return ranking.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_word(reduction))


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
    swap: bool = False, reduction: int = NONE,
) -> Tensor:  # fmt: skip
    """How far the anchor is from being nearer to the positive example than to the negative one, by the margin."""
    return ranking.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=_word(reduction))
