"""`AdaptiveLogSoftmaxWithLoss`: classes in clusters, so that seldom ones cost less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograd_lab.engine.ops.index.gathering import gather
from autograd_lab.engine.ops.reduction.sorting import argmax
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.container import ModuleList, Sequential
from autograd_lab.nn.linear import Linear
from autograd_lab.nn.module import Module


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


SEVERAL = (
    "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
    "between 1 and n_classes-1"
)


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of many classes, sorted by how frequent they are, and how surprising the targets are.

    The head tells the first classes and the clusters apart, and each cluster those in it: the later it begins, at
    one of `cutoffs`, the smaller is what the input is projected to.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        ends = list(cutoffs)
        if not ends:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if ends != sorted(set(map(int, ends))) or ends[0] <= 0 or ends[-1] > n_classes - 1:
            raise ValueError(SEVERAL)
        kinds = {"device": device, "dtype": dtype}
        self.in_features, self.n_classes, self.div_value, self.head_bias = in_features, n_classes, div_value, head_bias
        self.cutoffs = [*ends, n_classes]
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, **kinds)
        self.tail = ModuleList()
        for number, (first, end) in enumerate(self._clusters()):
            width = int(in_features // div_value ** (number + 1))
            within = Linear(in_features, width, False, **kinds), Linear(width, end - first, False, **kinds)
            self.tail.append(Sequential(*within))

    def _clusters(self) -> list[tuple[int, int]]:
        """The first class of each cluster, and the one after its last."""
        return list(zip(self.cutoffs, self.cutoffs[1:], strict=False))

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        self._check(input_, target_)
        single = target_.dim() == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        output, choice = input.new_zeros(target.shape[0]), target.new_zeros(target.shape[0])
        used = 0
        for number, (first, end) in enumerate([(0, self.shortlist_size), *self._clusters()]):
            rows = ((target >= first) & (target < end)).nonzero().squeeze()
            if not rows.numel():
                continue
            rows = rows.reshape(-1)
            used += rows.numel()
            if number:
                choice.index_fill_(0, rows, self.shortlist_size + number - 1)
                odds = F.log_softmax(self.tail[number - 1](input.index_select(0, rows)), dim=1)
                chosen = gather(odds, 1, (target[rows] - first).unsqueeze(1))
                output.index_copy_(0, rows, chosen.squeeze(1))
            else:
                choice.index_copy_(0, rows, target[rows])
        if used != target.shape[0]:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(input), dim=1)
        output += gather(head, 1, choice.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)

    def _check(self, input: Tensor, target: Tensor) -> None:
        if target.dim() == 1:
            if input.shape[0] != target.shape[0]:
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}"
                )
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError(
                    f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes, for each row of the input."""
        return self._all(input, self.head(input))

    def _all(self, input: Tensor, head: Tensor) -> Tensor:
        out = input.new_empty((head.shape[0], self.n_classes))
        odds = F.log_softmax(head, dim=1)
        out[:, : self.shortlist_size] = odds[:, : self.shortlist_size]
        for number, (first, end) in enumerate(self._clusters()):
            within = F.log_softmax(self.tail[number](input), dim=1)
            out[:, first:end] = within + odds[:, self.shortlist_size + number].unsqueeze(1)
        return out

    def predict(self, input: Tensor) -> Tensor:
        """The most likely class of each row, computed with as few clusters as that takes."""
        head = self.head(input)
        chosen = argmax(head, 1)
        deep = chosen >= self.shortlist_size
        if not deep.any():
            return chosen
        if deep.all():
            return argmax(self._all(input, head), 1)
        chosen[deep] = argmax(self._all(input[deep], head[deep]), 1)
        return chosen
