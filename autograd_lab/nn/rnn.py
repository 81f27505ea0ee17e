"""Recurrent layers: cells, which make one step, and `RNN`, `LSTM`, `GRU`, which go through sequences."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from autograd_lab.engine.exact import autocast
from autograd_lab.engine.ops.shape.joining import cat, stack, unbind
from autograd_lab.engine.tensor.factories import zeros
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn import init
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import fresh
from autograd_lab.nn.recurrences import STEPS, Weights, gru, lstm, rnn_relu, rnn_tanh
from autograd_lab.nn.utils.rnn import PackedSequence, through
from autograd_lab.whose import users_level

ONE_LAYER = (
    "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater "
    "than 1, but got dropout={} and num_layers={}"
)
NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
NO_PROJECTION = "proj_size argument is only supported for LSTM, not RNN or GRU"


class _Recurrent(Module):
    """The sizes of input and state, and parameters drawn uniformly within 1/√(size of the state)."""

    gates: int
    hidden_size: int
    proj_size: int = 0

    def _add(self, inputs: int, suffix: str, bias: bool, device: Any, dtype: Any) -> None:
        rows, columns = self.gates * self.hidden_size, self.proj_size or self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, columns)}
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
        shapes |= {"weight_hr": (columns, self.hidden_size)} if self.proj_size else {}
        for name, shape in shapes.items():
            self.register_parameter(name + suffix, fresh(*shape, dtype=dtype, device=device))

    def _weights(self, suffix: str = "") -> Weights:
        return tuple(getattr(self, name + suffix, None) for name in NAMES)

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)


class RNNCellBase(_Recurrent):
    """One step, of which the weights are cut into `num_chunks` parts."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.gates = num_chunks
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self._add(input_size, "", bias, device, dtype)
        self.reset_parameters()

    def _stepped(self, step: Callable[..., Any], input: Tensor, state: Any) -> Any:
        """One step for a batch, or for a single example."""
        kind = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{kind}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        pair = isinstance(self, LSTMCell)
        if state is None:
            none = zeros(len(x), self.hidden_size, dtype=input.dtype)
            state = (none, none) if pair else none
        elif not batched:
            state = tuple(part.unsqueeze(0) for part in state) if pair else state.unsqueeze(0)
        self._check(x, state if pair else (state,))
        result = step(x, state, self._weights())
        if batched:
            return result
        return tuple(part.squeeze(0) for part in result) if pair else result.squeeze(0)

    def _check(self, x: Tensor, state: tuple[Tensor, ...]) -> None:
        if x.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}")
        for number, part in enumerate(state):
            if len(x) != len(part):
                raise RuntimeError(f"Input batch size {len(x)} doesn't match hidden{number} batch size {len(part)}")
            if part.shape[1] != self.hidden_size:
                got = f"got {part.shape[1]}, expected {self.hidden_size}"
                raise RuntimeError(f"hidden{number} has inconsistent hidden_size: {got}")

    def extra_repr(self) -> str:
        told = f"{self.input_size}, {self.hidden_size}"
        return told if self.bias else f"{told}, bias={self.bias}"


class RNNCell(RNNCellBase):
    """h becomes tanh(W x + b + U h + c)."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = rnn_tanh if self.nonlinearity == "tanh" else rnn_relu
        return self._stepped(step, input, hx)

    def extra_repr(self) -> str:
        told = super().extra_repr()
        return told if self.nonlinearity == "tanh" else f"{told}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """Long short-term memory: a state h and a memory c, which gates write to and read from."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        return self._stepped(lstm, input, hx)


class GRUCell(RNNCellBase):
    """A gated recurrent unit: gates say how much of the state is kept."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._stepped(gru, input, hx)


class RNNBase(_Recurrent):
    """Layers of cells, each of which goes through the sequence of the one below; in both directions if wanted."""

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if mode not in STEPS:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.mode = mode
        self.pair = mode == "LSTM"
        self.gates, self.proj_size = STEPS[mode][1], proj_size
        if not isinstance(batch_first, bool):
            raise TypeError(f"batch_first should be of type bool, got: {type(batch_first).__name__}")
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(ONE_LAYER.format(dropout, num_layers), UserWarning, stacklevel=users_level())
        for name, size in {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}.items():
            if name != "num_layers" and not isinstance(size, int):
                raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        for layer in range(num_layers):
            for suffix in self._suffixes(layer):
                self._add(
                    (proj_size or hidden_size) * len(self._ways()) if layer else input_size, suffix, bias, device, dtype
                )
        self.reset_parameters()

    def _ways(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}{way}" for way in self._ways()]

    def flatten_parameters(self) -> None:
        """Nothing: on a GPU the parameters would be laid side by side."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The weights, of each layer and direction in a list of its own."""
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        return [[weight for weight in self._weights(suffix) if weight is not None] for suffix in suffixes]

    @property
    def _all_weights(self) -> list[list[str]]:
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        return [[name + suffix for name in NAMES if name + suffix in self._parameters] for suffix in suffixes]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        return [weight for weights in self.all_weights for weight in weights]

    def _step(self) -> Callable[..., Any]:
        return STEPS[self.mode][0]

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The states of the last layer after each element, and those of all layers after the last one."""
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        self._check_input(input)
        batched = input.dim() == 3
        along = 1 if self.batch_first and batched else 0
        x = input if batched else input.unsqueeze(1)
        x = x.transpose(0, 1) if along else x
        states = self._states(x, hx, batched)
        if autocast.used and self.pair:  # PyTorch has one op for a layer, which runs in half precision
            states = [tuple(autocast.lowered(*pair)) for pair in states]
        lasts: list[Any] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = F.dropout(x, self.dropout, self.training)
            passed = []
            for suffix in self._suffixes(layer):
                out, last = self._pass(x, states[len(lasts)], suffix)
                passed.append(out)
                lasts.append(last)
            x = passed[0] if len(passed) == 1 else cat(passed, -1)
        if along:
            x = x.transpose(0, 1) if self.pair else x.transpose_(0, 1)
        x = x if batched else x.squeeze(1)
        parts = zip(*lasts, strict=True) if self.pair else [tuple(lasts)]
        found = [stack(part) if batched else stack(part).squeeze(1) for part in parts]
        return x, tuple(found) if self.pair else found[0]

    def _packed(self, input: PackedSequence, hx: Any) -> Any:
        """The same for sequences of different lengths, each of which ends for itself."""
        x, sizes = input.data, input.batch_sizes.tolist()
        given = None if hx is None else _ordered(hx, input.sorted_indices, self.pair)
        states = self._states(x[: sizes[0]].unsqueeze(0), given, True)
        lasts: list[Any] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = F.dropout(x, self.dropout, self.training)
            passed = []
            for suffix in self._suffixes(layer):
                state = states[len(lasts)]
                weights, step = self._weights(suffix), self._step()
                ready = F.linear(x, weights[0], weights[2])

                def taken(rows: Tensor, parts: Any, step: Any = step, weights: Weights = weights) -> Any:
                    return step(rows, parts, weights, True) if self.pair else (step(rows, parts[0], weights, True),)

                parts = state if self.pair else (state,)
                out, last = through(taken, ready, sizes, parts, suffix.endswith("_reverse"))
                passed.append(out)
                lasts.append(last)
            x = passed[0] if len(passed) == 1 else cat(passed, -1)
        found = tuple(stack(part) for part in zip(*lasts, strict=True))
        found = _ordered(found, input.unsorted_indices, True)
        return input._replace(data=x), found if self.pair else found[0]

    def _pass(self, x: Tensor, state: Any, suffix: str) -> tuple[Tensor, Any]:
        """Through the sequence once; what is computed of the inputs alone is computed for all of them at once."""
        step, weights = self._step(), self._weights(suffix)
        ready = unbind(F.linear(x, weights[0], weights[2]))
        backwards = suffix.endswith("_reverse")
        outs = []
        for one in reversed(ready) if backwards else ready:
            state = step(one, state, weights, True)
            outs.append(state[0] if self.pair else state)
        return stack(outs[::-1] if backwards else outs), state

    def _states(self, x: Tensor, hx: Any, batched: bool) -> list[Any]:
        count = self.num_layers * len(self._ways())
        if hx is None:
            none = zeros(x.shape[1], self.hidden_size, dtype=x.dtype)
            short = zeros(x.shape[1], self.proj_size, dtype=x.dtype) if self.proj_size else none
            return [(short, none) if self.pair else none] * count
        parts = list(hx) if self.pair else [hx]
        self._check_states(parts, batched, (count, x.shape[1]))
        cut = [unbind(part if batched else part.unsqueeze(1)) for part in parts]
        return list(zip(*cut, strict=True)) if self.pair else list(cut[0])

    def _check_input(self, input: Tensor) -> None:
        kind = type(self).__name__
        if input.dim() not in (2, 3):
            tensor = " tensor" * isinstance(self, RNN)
            raise ValueError(f"{kind}: Expected input to be 2D or 3D, got {input.dim()}D{tensor} instead")
        if input.shape[-1] != self.input_size:
            expected = f"Expected {self.input_size}, got {input.shape[-1]}"
            raise RuntimeError(f"input.size(-1) must be equal to input_size. {expected}")

    def _check_states(self, parts: list[Any], batched: bool, sizes: tuple[int, int]) -> None:
        dims = 3 if batched else 2
        what = f"For {'batched 3-D' if batched else 'unbatched 2-D'} input, hx"
        if any(part.dim() != dims for part in parts):
            if self.pair:
                got = ", ".join(f"{part.dim()}-D" for part in parts)
                raise RuntimeError(f"{what} and cx should also be {dims}-D but got ({got}) tensors")
            raise RuntimeError(f"{what} should also be {dims}-D but got {parts[0].dim()}-D tensor")
        for number, part in enumerate(parts):
            shape = (part.shape[0], *part.shape[1:]) if batched else (part.shape[0], 1, part.shape[1])
            expected = (*sizes, self.hidden_size if number else self.proj_size or self.hidden_size)
            if shape != expected:
                name = f"hidden[{number}]" if self.pair else "hidden"
                raise RuntimeError(f"Expected {name} size {expected}, got {list(shape)}")

    def extra_repr(self) -> str:
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
        }
        shown = {name: getattr(self, name) for name in usual}
        told = "".join(f", {name}={value}" for name, value in shown.items() if value != usual[name])
        return f"{self.input_size}, {self.hidden_size}{told}"


def _ordered(state: Any, order: Tensor | None, pair: bool) -> Any:
    """States, (layers, examples, …), with the examples in another order."""
    if order is None:
        return state
    return tuple(part.index_select(1, order) for part in state) if pair else state.index_select(1, order)


def _refuse(others: dict[str, Any]) -> None:
    if "proj_size" in others:
        raise ValueError(NO_PROJECTION)
    if others:
        raise TypeError(f"RNNBase.__init__() got an unexpected keyword argument '{next(iter(others))}'")


class RNN(RNNBase):
    """h becomes tanh(W x + b + U h + c) at each element x of a sequence."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
        dtype: Any = None, **others: Any,
    ) -> None:  # fmt: skip
        _refuse(others)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        mode = f"RNN_{nonlinearity.upper()}"
        rest = (num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        super().__init__(mode, input_size, hidden_size, *rest)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory, through sequences."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units, through sequences."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
        dropout: float = 0.0, bidirectional: bool = False, device: Any = None, dtype: Any = None,
        **others: Any,
    ) -> None:  # fmt: skip
        _refuse(others)
        rest = (num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        super().__init__("GRU", input_size, hidden_size, *rest)
