"""Windows of pictures as columns, and columns added up to pictures."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.module import Module


class Fold(Module):
    """(N, C · window, places) becomes (N, C, *output_size), where windows that overlap add up."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {_window(self)}"


class Unfold(Module):
    """(N, C, H, W) becomes (N, C · window, places)."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return _window(self)


def _window(module: Fold | Unfold) -> str:
    names = ("kernel_size", "dilation", "padding", "stride")
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)
