"""Windows that slide over the last dimensions of an array: what convolution, pooling and unfold look through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.exact.elementless import filled, in_order
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

Sizes = tuple[int, ...]


def each(value: Any, count: int) -> Sizes:
    """A setting for each of `count` dimensions, of one for all or one for each."""
    given = tuple(value) if isinstance(value, tuple | list) else (value,)
    return given * count if len(given) == 1 else given


def places(sizes: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Sizes:
    """At how many places along each dimension the window fits."""
    settings = zip(sizes, kernel, stride, dilation, strict=True)
    return tuple((size - d * (k - 1) - 1) // s + 1 for size, k, s, d in settings)


def windows(x: Array, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """What is seen through the window: a view of shape (..., places, window)."""
    n = len(kernel)
    steps = x.strides[-n:]
    moves = tuple(step * s for step, s in zip(steps, stride, strict=True))
    inside = tuple(step * d for step, d in zip(steps, dilation, strict=True))
    shape = (*x.shape[:-n], *places(x.shape[-n:], kernel, stride, dilation), *kernel)
    return np.lib.stride_tricks.as_strided(x, shape, (*x.strides[:-n], *moves, *inside), subok=True, writeable=False)


def columns(x: Array, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """What is seen through the window, copied, in the shape (N, C, window, places)."""
    n = len(kernel)
    order = (0, 1, *range(2 + n, 2 + 2 * n), *range(2, 2 + n))
    return in_order(windows(x, kernel, stride, dilation).transpose(order))


def gathered(columns: Array, sizes: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """The reverse of `columns`: each element gets the sum of what the windows saw of it."""
    n = len(sizes)
    lead, kernel, count = columns.shape[: -2 * n], columns.shape[-2 * n : -n], columns.shape[-n:]
    image = np.zeros((*lead, *sizes), columns.dtype)
    for offset in product(*map(range, kernel)):
        settings = zip(offset, count, stride, dilation, strict=True)
        slices = [slice(at * d, at * d + (number - 1) * s + 1, s) for at, number, s, d in settings]
        where: tuple[Any, ...] = (..., *slices)
        image[where] += columns[(*(slice(None),) * len(lead), *offset)]
    return image


def padded(x: Array, padding: Sizes, value: float = 0) -> Array:
    """The array with a margin of `value` on both sides of its last dimensions."""
    if not any(padding):
        return x
    n = len(padding)
    sizes = tuple(size + 2 * p for size, p in zip(x.shape[-n:], padding, strict=True))
    fill = partial(np.full, fill_value=value) if value else np.zeros
    wide = filled(fill, (*x.shape[:-n], *sizes), x.dtype, None, x)
    wide[middle(wide.shape, padding)] = x
    return wide


def middle(shape: Sizes, padding: Sizes) -> tuple[Any, ...]:
    """The index of what is inside the margins."""
    n = len(padding)
    return (..., *(slice(p, size - p) for p, size in zip(padding, shape[-n:], strict=True)))


class Im2ColBackward0(Linear):
    """Each place of a window becomes a column; the gradient of an element is the sum over all windows that see it."""

    __slots__ = ("_settings", "_sizes")

    def forward(self, x: Array, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
        self._settings, self._sizes = (kernel, dilation, padding, stride), x.shape[-2:]
        return _unfolded(x, *self._settings)

    def attributes(self) -> dict[str, Any]:
        """The settings of the window, and the size of the picture."""
        sizes = {"self_sym_argsize_minus_1": self._sizes[1], "self_sym_argsize_minus_2": self._sizes[0]}
        return {**dict(zip(("kernel_size", "dilation", "padding", "stride"), self._settings, strict=True)), **sizes}

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return apply1(Col2ImBackward0, g, self._sizes, *self._settings)
        return _folded(g, self._sizes, *self._settings)


class Col2ImBackward0(Linear):
    """Columns, each a window, are added up where the windows lie; the gradient of a column is what its window sees."""

    __slots__ = ("dilation", "kernel_size", "padding", "stride")

    def forward(self, x: Array, sizes: Sizes, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
        self.kernel_size, self.dilation, self.padding, self.stride = kernel, dilation, padding, stride
        return _folded(x, sizes, kernel, dilation, padding, stride)

    def backward(self, g: Any) -> Any:
        settings = self.kernel_size, self.dilation, self.padding, self.stride
        return apply1(Im2ColBackward0, g, *settings) if isinstance(g, Variable) else _unfolded(g, *settings)


def _unfolded(x: Array, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
    if x.ndim == 3:
        return _unfolded(x[None], kernel, dilation, padding, stride)[0, ...]
    found = columns(padded(x, padding), kernel, stride, dilation)
    return found.reshape(len(x), x.shape[1] * math.prod(kernel), math.prod(found.shape[-2:]))


def _folded(x: Array, sizes: Sizes, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
    if x.ndim == 2:
        return _folded(x[None], sizes, kernel, dilation, padding, stride)[0, ...]
    wide = tuple(size + 2 * p for size, p in zip(sizes, padding, strict=True))
    channels = x.shape[1] // math.prod(kernel)
    seen = x.reshape(len(x), channels, *kernel, *places(wide, kernel, stride, dilation))
    image = gathered(seen, wide, stride, dilation)
    return np.ascontiguousarray(image[middle(image.shape, padding)])


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Each place of a sliding window as a column: (N, C, H, W) becomes (N, C * window, places)."""
    only_tensors("im2col", input)
    kernel, spread, margin, step = (each(one, 2) for one in (kernel_size, dilation, padding, stride))
    if input._array.ndim not in (3, 4):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input._array.shape)}"
        )
    sizes = input._array.shape[-2:]
    count = places(tuple(size + 2 * p for size, p in zip(sizes, margin, strict=True)), kernel, step, spread)
    if min(count) < 1:
        raise RuntimeError(
            f"Given input with spatial size {sizes}, kernel_size={kernel}, dilation={spread}, padding={margin}, "
            f"calculated shape of the array of sliding blocks as {count}, but its components must be at least one."
        )
    return apply1(Im2ColBackward0, input, kernel, spread, margin, step)


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The reverse of `unfold`: columns are added up where their windows lie."""
    only_tensors("col2im", input)
    sizes, *settings = (each(one, 2) for one in (output_size, kernel_size, dilation, padding, stride))
    x = input._array
    if x.ndim not in (2, 3):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(x.shape)}"
        )
    _check_blocks(x.shape if x.ndim == 3 else (1, *x.shape), sizes, settings)
    return apply1(Col2ImBackward0, input, sizes, *settings)


def _check_blocks(shape: Sizes, sizes: Sizes, settings: Sequence[Sizes]) -> None:
    kernel, dilation, padding, stride = settings
    for name, (height, width) in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
        if min(height, width) <= 0:
            first = name.removesuffix("_size")
            got = f"{first}_height: {height} {first}_width: {width}"
            raise RuntimeError(f"{first if first == 'stride' else name} should be greater than zero, but got {got}")
    if shape[1] % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[1]} and kernel_size={kernel}."
        )
    wide = tuple(size + 2 * p for size, p in zip(sizes, padding, strict=True))
    count = places(wide, kernel, stride, dilation)
    if math.prod(count) != shape[2]:
        raise RuntimeError(
            f"Given output_size={sizes}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{' * '.join(map(str, count))} = {math.prod(count)}, but got input.size(2)={shape[2]}."
        )
