"""Margins around sequences and pictures: constant, mirrored, repeated, or from the other side."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.conv import repeated
from autograd_lab.nn.module import Module


class _Pad(Module):
    """A margin before and after each of the last `ndim` dimensions, the last one first; less than 0 cuts off."""

    ndim = 0
    mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.ndim)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """A margin of one number around sequences."""

    ndim = 1


class ConstantPad2d(_ConstantPad):
    """A margin of one number around pictures."""

    ndim = 2


class ConstantPad3d(_ConstantPad):
    """A margin of one number around volumes."""

    ndim = 3


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad):
    """A margin of zeros around sequences."""

    ndim = 1


class ZeroPad2d(_ZeroPad):
    """A margin of zeros around pictures."""

    ndim = 2


class ZeroPad3d(_ZeroPad):
    """A margin of zeros around volumes."""

    ndim = 3


class ReflectionPad1d(_Pad):
    """A margin that mirrors the sequence at its ends."""

    ndim, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """A margin that mirrors the picture at its edges."""

    ndim, mode = 2, "reflect"


class ReplicationPad1d(_Pad):
    """A margin that repeats the ends of the sequence."""

    ndim, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """A margin that repeats the edges of the picture."""

    ndim, mode = 2, "replicate"


class CircularPad1d(_Pad):
    """A margin that goes on at the other end of the sequence."""

    ndim, mode = 1, "circular"


class CircularPad2d(_Pad):
    """A margin that goes on at the other side of the picture."""

    ndim, mode = 2, "circular"
