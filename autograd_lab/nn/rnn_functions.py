"""`torch.lstm`, `torch.gru_cell` and their kin: recurrent layers whose weights are arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import rnn
from autograd_lab.nn.module import Module
from autograd_lab.nn.recurrences import STEPS
from autograd_lab.nn.utils.rnn import PackedSequence

__all__ = ["gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"]


class _Layers(rnn.RNNBase):
    """Layers that have these weights, and draw none."""

    def __init__(
        self, mode: str, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool, both: bool,
        batch_first: bool,
    ) -> None:  # fmt: skip
        Module.__init__(self)
        self.mode, self.pair, self.gates = mode, mode == "LSTM", STEPS[mode][1]
        self.num_layers, self.bias, self.batch_first = num_layers, has_biases, batch_first
        self.dropout, self.bidirectional, self.proj_size, self.training = dropout, both, 0, train
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[: 4 if has_biases else 2]
        places = [name + suffix for layer in range(num_layers) for suffix in self._suffixes(layer) for name in names]
        self._parameters.update(zip(places, params, strict=True))
        self.input_size, self.hidden_size = params[0].shape[1], params[1].shape[1]


def _through(mode: str) -> Callable[..., Any]:
    def call(
        input: Tensor, second: Any, third: Any, fourth: Any, num: Any, *rest: Any, batch_first: bool = False
    ) -> tuple[Any, ...]:
        packed = isinstance(fourth, tuple | list)
        if packed:  # (data, batch_sizes, hx, params, has_biases, …)
            layers = _Layers(mode, *(fourth, num, *rest, False))
            found, last = layers(PackedSequence(input, second), third)
            found = found.data
        else:  # (input, hx, params, has_biases, num_layers, …, batch_first)
            layers = _Layers(mode, *(third, fourth, num, *rest, *[batch_first] * (len(rest) == 3)))
            found, last = layers(input, second)
        return (found, *last) if layers.pair else (found, last)

    call.__name__ = call.__qualname__ = mode.lower()
    call.__doc__ = f"The layers of `nn.{mode.partition('_')[0]}`, with these weights: outputs, and the last states."
    return call


def _step(mode: str) -> Callable[..., Any]:
    step = STEPS[mode][0]

    def call(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        cell = rnn.LSTMCell if mode == "LSTM" else rnn.RNNCellBase
        known = cell.__new__(cell)
        Module.__init__(known)
        known.input_size, known.hidden_size = w_ih.shape[1], w_hh.shape[1]
        known._check(input, tuple(hx) if mode == "LSTM" else (hx,))
        return step(input, hx, (w_ih, w_hh, b_ih, b_hh, None))

    call.__name__ = call.__qualname__ = f"{mode.lower()}_cell"
    call.__doc__ = f"One step of `nn.{mode.partition('_')[0]}`, with these weights."
    return call


rnn_tanh, rnn_relu, lstm, gru = map(_through, STEPS)
rnn_tanh_cell, rnn_relu_cell, lstm_cell, gru_cell = map(_step, STEPS)
