"""Pooling: the greatest or the mean of what a window sees."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2, apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers.dtypes import I64, Array, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.answers import answered
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.layer.windows import Sizes, each
from autograd_lab.engine.ops.shape.views import squeeze, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["avg_pool1d", "max_pool1d", "max_pool2d"]


class Pool:
    """A window and how it moves over pictures of one size."""

    def __init__(self, size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil: bool) -> None:
        self.size, self.kernel, self.padding, self.dilation, self.ceil = size, kernel, padding, dilation, ceil
        self.stride = stride or kernel
        self.reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))
        self.count = tuple(map(self._places, range(2)))

    def _places(self, at: int) -> int:
        size, p, s, reach = self.size[at], self.padding[at], self.stride[at], self.reach[at]
        room = size + 2 * p - reach
        if not self.ceil:
            return room // s + 1
        places = -(-room // s) + 1
        return places - 1 if (places - 1) * s >= size + p else places  # the last one has to begin in the picture

    def widened(self, x: Array, value: Any) -> Array:
        """The pictures with a margin, as far as windows reach."""
        ends = [(n - 1) * s + r for n, s, r in zip(self.count, self.stride, self.reach, strict=True)]
        after = [max(end - size - p, 0) for end, size, p in zip(ends, self.size, self.padding, strict=True)]
        if not any(self.padding) and not any(after):
            return x
        (top, left), (bottom, right), (height, width) = self.padding, after, self.size
        wide = np.full((*x.shape[:-2], top + height + bottom, left + width + right), value, x.dtype)
        wide[..., top : top + height, left : left + width] = x
        return wide

    def parts(self, wide: Array) -> Any:
        """For each place within the window, what stands there in all windows: a view of shape (..., places)."""
        for offset in product(*map(range, self.kernel)):
            settings = zip(offset, self.count, self.stride, self.dilation, strict=True)
            yield wide[(..., *(slice(at * d, at * d + (n - 1) * s + 1, s) for at, n, s, d in settings))]

    def gathered(self, share: Array) -> Array:
        """The reverse: each element gets the sum of the shares of all windows that it is in."""
        wide = self.widened(np.zeros((*share.shape[:-2], *self.size), share.dtype), 0)
        for part in self.parts(wide):
            part += share
        (top, left), (height, width) = self.padding, self.size
        return np.ascontiguousarray(wide[..., top : top + height, left : left + width])

    def flat(self, offset: Array) -> Array:
        """Where in the picture the place `offset` within the window lies, counted row by row."""
        row = np.arange(self.count[0])[:, None] * self.stride[0] - self.padding[0]
        column = np.arange(self.count[1]) * self.stride[1] - self.padding[1]
        row, column = (grid.astype(I64) for grid in (row, column))
        down, right = np.divmod(np.arange(self.kernel[0] * self.kernel[1]), self.kernel[1])
        inside = down * (self.dilation[0] * self.size[1]) + right * self.dilation[1]
        return row * self.size[1] + column + inside.take(offset)

    def divisor(self, include_padding: bool) -> Array:
        """How many elements each window sees, with the margin or without."""
        counts = []
        for at in range(2):
            size, p = self.size[at], self.padding[at]
            start = np.arange(self.count[at]) * self.stride[at] - p
            stop = np.minimum(start + self.kernel[at], size + p)
            counts.append(stop - start if include_padding else np.minimum(stop, size) - np.maximum(start, 0))
        return np.multiply.outer(*counts)


class MaxPool2DWithIndicesBackward0(Node):
    """z is the greatest that a window sees, so the gradient goes to the first place where that stands.

    Where there are numbers that are none, it goes to the last of them.
    """

    outputs = ("result0", "result1")
    saves = ("self", "result1")
    __slots__ = ("_pool", "_stride")
    tangent = "pooled"

    def forward(self, x: Array, pool: Pool, stride: Sizes) -> tuple[Array, Array]:
        self._pool, self._stride = pool, stride
        lowest = -np.inf if x.dtype.kind in "fV" else np.iinfo(x.dtype).min
        parts = [np.ascontiguousarray(part) for part in pool.parts(pool.widened(x, lowest))]
        z = parts[0].copy()
        for part in parts[1:]:
            np.maximum(z, part, out=z)
        offset = np.zeros(z.shape, np.int8 if len(parts) < 128 else np.int64)
        for number in range(len(parts) - 1, -1, -1):  # backwards, so that the first of several wins
            _put(offset, number, parts[number] == z)
        if x.dtype.kind in "fV" and (unknown := z != z).any():
            for number, part in enumerate(parts):
                _put(offset, number, unknown & (part != part))
        return z, pool.flat(offset)

    def attributes(self) -> dict[str, Any]:
        """The settings of the window."""
        return {**_settings(self._pool), "dilation": self._pool.dilation, "stride": self._stride}

    def backward(self, g: Any, x: Any, positions: Any) -> Any:
        if isinstance(g, Variable):
            return apply_many(MaxPool2DWithIndicesBackwardBackward0, (g, x, positions), self._pool)[0]
        return _placed(g, positions, self._pool)


def _put(offset: Array, number: int, where: Array) -> None:
    """Write a number where a condition holds; by arithmetic, ten times as fast as `np.copyto(where=)`."""
    offset += (number - offset) * where


def _settings(pool: Pool) -> dict[str, Any]:
    return {"ceil_mode": pool.ceil, "kernel_size": pool.kernel, "padding": pool.padding}


def _placed(g: Array, positions: Array, pool: Pool) -> Array:
    whole = np.zeros((*g.shape[:-2], pool.size[0] * pool.size[1]), g.dtype)
    rows = np.arange(0, whole.size, max(whole.shape[-1], 1)).reshape(*whole.shape[:-1], 1, 1)
    where = (rows + positions).reshape(-1)
    if all(s >= reach for s, reach in zip(pool.stride, pool.reach, strict=True)):
        whole.reshape(-1)[where] = g.reshape(-1)
    else:
        np.add.at(whole.reshape(-1), where, g.reshape(-1))
    return whole.reshape(*g.shape[:-2], *pool.size)


class MaxPool2DWithIndicesBackwardBackward0(Node):
    """The gradient of max pooling; its own gradient is taken from the places of the greatest."""

    inputs = ("grad_output", "self", "indices")
    saves = ("indices",)
    differentiable = 2

    def forward(self, g: Array, x: Array, positions: Array, pool: Pool) -> Array:
        return _placed(g, positions, pool)

    def backward(self, h: Any, positions: Any) -> Any:
        flat = (*h.shape[:-2], h.shape[-2] * h.shape[-1])
        where = positions.reshape((*positions.shape[:-2], positions.shape[-2] * positions.shape[-1]))
        found = (
            h.reshape(flat).gather(-1, where)
            if isinstance(h, Variable)
            else np.take_along_axis(h.reshape(flat), where, -1)
        )
        return found.reshape(tuple(positions.shape)), formulas.zeros_like(h)


class AvgPool(Node):
    """What both nodes of mean pooling keep."""

    __slots__ = ("_divisor", "_pool", "_stride", "count_include_pad", "divisor_override")

    def keep(self, pool: Pool, stride: Sizes, include: bool, override: int | None) -> None:
        """Note the window, and how many elements it is the mean of at each place."""
        self._pool, self._stride, self.count_include_pad, self.divisor_override = pool, stride, include, override
        self._divisor: Any = np.array(override) if override else pool.divisor(include)

    def rule(self) -> tuple[Any, ...]:
        """What `keep` was told."""
        return self._pool, self._stride, self.count_include_pad, self.divisor_override

    def attributes(self) -> dict[str, Any]:
        """The settings of the window."""
        return {**super().attributes(), **_settings(self._pool), "stride": self._stride}

    def pooled(self, x: Array) -> Array:
        """The means."""
        if x.dtype.itemsize == 2:
            return narrowed(self.pooled, x)
        first, *rest = self._pool.parts(self._pool.widened(x, 0))
        z: Array = first.copy()
        for part in rest:
            z += part
        if x.dtype.kind not in "fV":  # as C++ divides integers: towards 0
            return np.asarray(np.trunc(z / self._divisor), x.dtype)
        return np.divide(z, self._divisor.astype(x.dtype), out=z)

    def spread(self, g: Array) -> Array:
        """The reverse: each element gets its share of each mean."""
        return self._pool.gathered(g / self._divisor.astype(g.dtype))


class AvgPool2DBackward0(AvgPool):
    """z is the mean of what a window sees, so dz/dx = 1 / n for each of the n elements in it."""

    saves = ("self",)
    tangent = "linear"

    def forward(self, x: Array, *rule: Any) -> Array:
        self.keep(*rule)
        return self.pooled(x)

    def backward(self, g: Any, x: Any) -> Any:
        return apply2(AvgPool2DBackwardBackward0, g, x, *self.rule()) if isinstance(g, Variable) else self.spread(g)


class AvgPool2DBackwardBackward0(AvgPool):
    """The gradient of mean pooling; its own gradient is pooled again."""

    inputs = ("grad_output", "self")

    def forward(self, g: Array, x: Array, *rule: Any) -> Array:
        self.keep(*rule)
        return self.spread(g)

    def backward(self, h: Any) -> Any:
        pooled = apply1(AvgPool2DBackward0, h, *self.rule()) if isinstance(h, Variable) else self.pooled(h)
        return pooled, formulas.zeros_like(h)


def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The greatest that a window sees; with `return_indices` also where in the picture it stands."""
    only_tensors("max_pool2d", input)
    pool, step = _pool("max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode)
    of_kind("uifV", input._array, "max_pool2d")
    apply = apply_many if return_indices else applyn
    return apply(MaxPool2DWithIndicesBackward0, (input,), pool, step)


@composed
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    """The greatest that a window sees, along one dimension."""
    only_tensors("max_pool1d", input)
    kernel, spread = each(kernel_size, 1), each(dilation, 1)
    step, margin = _line("max_pool1d", input, kernel, stride, padding)
    if plain := not return_indices and not (input._needs and is_grad_enabled()) and not forward.level:
        of_kind("fV", input._array, "max_pool1d_impl")
    tall = unsqueeze(input, -2)
    found = max_pool2d(tall, (1, *kernel), (1, *step), (0, *margin), (1, *spread), ceil_mode, True)
    if plain:
        return answered("max_pool1d", found[0]._array.squeeze(-2), input)
    flat = tuple(squeeze(one, -2) for one in found)
    return flat if return_indices else flat[0]


def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of what a window sees."""
    only_tensors("avg_pool2d", input)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    pool, step = _pool("avg_pool2d", input, kernel_size, stride, padding, 1, ceil_mode)
    of_kind("fVi", input._array, "avg_pool2d", least=8 if input._array.dtype.kind == "i" else 0)
    return apply1(AvgPool2DBackward0, input, pool, step, count_include_pad, divisor_override)


def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of what a window sees, along one dimension."""
    only_tensors("avg_pool1d", input)
    if input._array.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input._array.ndim}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for avg_pool1d)"
        )
    kernel = each(kernel_size, 1)
    step, margin = each(kernel if stride is None or stride == () else stride, 1), each(padding, 1)
    tall = unsqueeze(input, -2)
    return squeeze(avg_pool2d(tall, (1, *kernel), (1, *step), (0, *margin), ceil_mode, count_include_pad), -2)


def _pool(
    name: str, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Pool, Sizes]:
    for what, given in (("kernel_size", kernel_size), ("padding", padding), ("dilation", dilation)):
        if len(each(given, 2)) != 2:
            raise RuntimeError(f"{name}: {what} must either be a single int, or a tuple of two ints")
    kernel, margin, spread = each(kernel_size, 2), each(padding, 2), each(dilation, 2)
    step = () if stride is None or stride == () else each(stride, 2)
    shape = input._array.shape
    if len(shape) not in (3, 4) and name != "avg_pool2d":
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    input.size(-3)
    if len(shape) > 4 or 0 in shape[1:] or (len(shape) == 3 and not shape[0]):
        raise RuntimeError(
            f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
        )
    if 0 in (step or kernel):
        raise RuntimeError("stride should not be zero")
    for p, k, d in zip(margin, kernel, spread, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    pool = Pool(shape[-2:], kernel, step, margin, spread, bool(ceil_mode))
    if min(pool.count) < 1:
        planes = shape[-3]
        given, made = "x".join(map(str, (planes, *shape[-2:]))), "x".join(map(str, (planes, *pool.count)))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    return pool, step


def _line(name: str, input: Any, kernel: Sizes, stride: Any, padding: Any) -> tuple[Sizes, Sizes]:
    """Stride and padding along one dimension, checked."""
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(shape)}"
        )
    step, margin = each(kernel if stride is None or stride == () else stride, 1), each(padding, 1)
    if step[0] <= 0:
        raise RuntimeError(f"{name}() stride must be greater than zero, but got {step[0]}")
    if margin[0] > kernel[0] // 2:
        raise RuntimeError(
            f"{name}() padding should be at most half of kernel size, but got padding={margin[0]} and "
            f"kernel_size={kernel[0]}"
        )
    if shape[-1] + 2 * margin[0] < kernel[0]:
        raise RuntimeError(f"{name}() Invalid computed output size: 0")
    return step, margin
