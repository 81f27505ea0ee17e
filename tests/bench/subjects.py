"""What is drawn in the benchmark of pictures: PyTorch modules and an input, since most peers follow a module's call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.models import encoder, resnet18, spread

Subject = tuple[Any, Any]
"""A module and its input."""


def _module(torch: Any, parameters: dict[str, Any], compute: Callable[[Any, Any], Any]) -> Any:
    class Program(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            for name, tensor in parameters.items():
                setattr(self, name, torch.nn.Parameter(tensor))

        def forward(self, x: Any) -> Any:
            return compute(self, x)

    return Program()


def expression(torch: Any) -> Subject:
    """y = (a + b) * (b + 1)."""
    program = _module(torch, {"b": torch.tensor(3.0)}, lambda self, a: (a + self.b) * (self.b + 1))
    return program, torch.tensor(2.0, requires_grad=True)


def mlp(torch: Any) -> Subject:
    nn = torch.nn
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)), torch.ones(4, 8)


def encoder_of_12_layers(torch: Any) -> Subject:
    return encoder(torch).model, spread(torch, 2, 6, 16)


def resnet_18(torch: Any) -> Subject:
    return resnet18(torch).model, spread(torch, 2, 3, 64, 64)


def rnn(torch: Any, steps: int = 200) -> Subject:
    """Every step uses the same two matrices and the same bias."""

    def compute(self: Any, sequence: Any) -> Any:
        h = torch.zeros(2, 8)
        for x in sequence:
            h = torch.tanh(x @ self.w_in + h @ self.w_hidden + self.bias)
        return h.sum()

    weights = {"w_in": torch.randn(8, 8), "w_hidden": torch.randn(8, 8), "bias": torch.zeros(8)}
    return _module(torch, weights, compute), torch.randn(steps, 2, 8)


def chain(torch: Any, length: int = 5000) -> Subject:
    """Operations in a row on a scalar."""

    def compute(self: Any, y: Any) -> Any:
        for _ in range(length):
            y = y * self.a
        return y

    return _module(torch, {"a": torch.tensor(1.001)}, compute), torch.tensor(1.0)


SUBJECTS: dict[str, Callable[[Any], Subject]] = {
    "(a+b)*(b+1)": expression,
    "MLP": mlp,
    "encoder, 12 layers": encoder_of_12_layers,
    "ResNet-18": resnet_18,
    "RNN, 200 steps": rnn,
    "RNN, 1,000 steps": partial(rnn, steps=1000),
    "chain of 5,000": chain,
}
