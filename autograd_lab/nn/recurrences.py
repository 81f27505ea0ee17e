"""What recurrent layers do at each element of a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.engine.ops.shape.joining import unsafe_chunk
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F

Weights = tuple[Any, ...]
"""Weights of input and state, and their biases or None; an LSTM may have a weight that makes its state smaller."""


def rnn_tanh(x: Tensor, h: Tensor, weights: Weights, ready: bool = False) -> Tensor:
    """h becomes tanh(W x + b + U h + c); `ready` says that x is W x + b already."""
    return _sums(x, h, weights, ready).tanh()


def rnn_relu(x: Tensor, h: Tensor, weights: Weights, ready: bool = False) -> Tensor:
    """h becomes max(0, W x + b + U h + c)."""
    return _sums(x, h, weights, ready).relu()


def lstm(x: Tensor, state: tuple[Tensor, Tensor], weights: Weights, ready: bool = False) -> tuple[Tensor, Tensor]:
    """c becomes f c + i g, and h becomes o tanh(c), or P o tanh(c), with gates i, f, o and new content g."""
    h, c = state
    i, f, g, o = unsafe_chunk(_sums(x, h, weights, ready), 4, 1)
    i, f, g, o = i.sigmoid_(), f.sigmoid_(), g.tanh_(), o.sigmoid_()
    c = (f * c).add_(i * g)
    h = o * c.tanh()
    return (h if weights[4] is None else F.linear(h, weights[4])), c


def gru(x: Tensor, h: Tensor, weights: Weights, ready: bool = False) -> Tensor:
    """h becomes n + z (h - n), with a gate z and new content n, of which another gate r lets h into."""
    r, z, n = unsafe_chunk(_of_input(x, weights, ready), 3, 1)
    r_h, z_h, n_h = unsafe_chunk(_of_state(h, weights), 3, 1)
    r = r_h.add_(r).sigmoid_()
    z = z_h.add_(z).sigmoid_()
    n = (n + n_h.mul_(r)).tanh_()
    return (h - n).mul_(z).add_(n)


def _of_input(x: Tensor, weights: Weights, ready: bool) -> Tensor:
    return x if ready else F.linear(x, weights[0], weights[2])


def _of_state(h: Tensor, weights: Weights) -> Tensor:
    return F.linear(h, weights[1], weights[3])


def _sums(x: Tensor, h: Tensor, weights: Weights, ready: bool) -> Tensor:
    """Both sums in one, which is written to: the steps are those of PyTorch, and so are their nodes."""
    return _of_state(h, weights).add_(_of_input(x, weights, ready))


STEPS: dict[str, tuple[Callable[..., Any], int]] = {
    "RNN_TANH": (rnn_tanh, 1), "RNN_RELU": (rnn_relu, 1), "LSTM": (lstm, 4), "GRU": (gru, 3),
}  # fmt: skip
"""For each mode what makes one step, and into how many parts its weights are cut."""
