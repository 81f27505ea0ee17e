"""Convolutions, and transposed ones."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn import functional as F
from autograd_lab.nn.linear import reset
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import Parameter, fresh

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def repeated(value: Any, count: int) -> tuple[Any, ...]:
    """A number once for each dimension; a sequence as a tuple."""
    return tuple(value) if isinstance(value, tuple | list) else (value,) * count


class _ConvNd(Module):
    """What all convolutions know: the sizes of their window, one for each dimension, and how it moves over them."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
        transposed: bool, output_padding: Any, groups: int, bias: bool, padding_mode: str, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._check(in_channels, out_channels, groups, padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = fresh(first, second // groups, *kernel_size, dtype=dtype, device=device)
        self.register_parameter("bias", fresh(out_channels, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    @property
    def _reversed_padding_repeated_twice(self) -> list[int]:
        """How many elements are added at each end, the last dimension first, as `F.pad` takes them."""
        ends: list[tuple[Any, Any]] = []
        for position, size in enumerate(self.kernel_size):
            reach = self.dilation[position] * (size - 1)
            if self.padding == "same":
                ends.append((reach // 2, reach - reach // 2))
            else:
                around = 0 if self.padding == "valid" else self.padding[position]
                ends.append((around, around))
        return [size for pair in reversed(ends) for size in pair]

    def _check(self, inputs: int, outputs: int, groups: int, padding: Any, stride: Any, padding_mode: str) -> None:
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if inputs % groups:
            raise ValueError("in_channels must be divisible by groups")
        if outputs % groups:
            raise ValueError("out_channels must be divisible by groups")
        words = {"same", "valid"}
        if isinstance(padding, str) and padding not in words:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {words}")
        if padding == "same" and any(step != 1 for step in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in PADDING_MODES:
            modes = set(PADDING_MODES)
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")

    def reset_parameters(self) -> None:
        """Draw the parameters anew: uniform within 1/√(inputs of one output)."""
        reset(self.weight, self.bias)

    def extra_repr(self) -> str:
        told = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        zeros, ones = (0,) * len(self.kernel_size), (1,) * len(self.kernel_size)
        usual = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
        for name, value in usual.items():
            if getattr(self, name) != value:
                told += f", {name}={getattr(self, name)}"
        told += "" if self.bias is not None else ", bias=False"
        return told if self.padding_mode == "zeros" else f"{told}, padding_mode={self.padding_mode}"


class _Conv(_ConvNd):
    ndim = 0

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        window, steps, apart, zeros = (repeated(size, self.ndim) for size in (kernel_size, stride, dilation, 0))
        around = padding if isinstance(padding, str) else repeated(padding, self.ndim)
        super().__init__(
            in_channels, out_channels, window, steps, around, apart, False, zeros, groups, bias, padding_mode, device,
            dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """What the layer does, with another weight and bias."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0
        convolve = F.conv1d if self.ndim == 1 else F.conv2d
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """The products of a window that moves along a sequence with the weights, added up, for each output channel."""

    ndim = 1


class Conv2d(_Conv):
    """The products of a window that moves over a picture with the weights, added up, for each output channel."""

    ndim = 2


class _ConvTransposeNd(_ConvNd):
    ndim = 0

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        sizes = (repeated(size, self.ndim) for size in (kernel_size, stride, padding, dilation))
        window, steps, around, apart = sizes
        super().__init__(
            in_channels, out_channels, window, steps, around, apart, True, repeated(output_padding, self.ndim), groups,
            bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        convolve = F.conv_transpose1d if self.ndim == 1 else F.conv_transpose2d
        padding = self.output_padding if output_size is None else self._padding_for(input, list(output_size))
        return convolve(input, self.weight, self.bias, self.stride, self.padding, padding, self.groups, self.dilation)

    def _padding_for(self, input: Tensor, size: list[int]) -> list[int]:
        """What to add at the ends so that the output has a size. Raises ValueError if no padding gives it."""
        batched = input.dim() == self.ndim + 2
        if len(size) == self.ndim + 1 + batched:
            size = size[-self.ndim :]
        if len(size) != self.ndim:
            raise ValueError(
                f"ConvTranspose{self.ndim}D: for {input.dim()}D input, output_size must have {self.ndim} or "
                f"{self.ndim + 1 + batched} elements (got {len(size)})"
            )
        least = [
            (input.size(at - self.ndim) - 1) * self.stride[at] - 2 * int(self.padding[at])
            + self.dilation[at] * (self.kernel_size[at] - 1) + 1
            for at in range(self.ndim)
        ]  # fmt: skip
        most = [one + step - 1 for one, step in zip(least, self.stride, strict=True)]
        if any(not low <= wanted <= high for low, wanted, high in zip(least, size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {size}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.size()[2:]})"
            )
        return [wanted - low for wanted, low in zip(size, least, strict=True)]


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of a convolution along a sequence: each element spreads the weights over a window."""

    ndim = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of a convolution over a picture: each element spreads the weights over a window."""

    ndim = 2
