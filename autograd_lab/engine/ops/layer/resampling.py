"""Pictures and lines made larger or smaller, each element between its old neighbours: along lines, or along cubics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.kinds import Linear

Sizes = tuple[int, ...]
Scales = tuple[float | None, ...]
Matrix = Callable[[int, int, float | None, bool], Array]
"""What makes, for one dimension, (new, old) numbers of the two sizes, a scale, and whether corners lie on corners."""
BEND = -0.75
"""Of the cubic between four neighbours (Keys, 1981), as PyTorch and OpenCV have it."""


def _places(size: int, count: int, scale: float | None, corners: bool) -> Array:
    """Where each of `count` new elements lies among `size` old ones; `corners` puts the ends on the ends."""
    new = np.arange(count)
    if corners:
        return new * ((size - 1) / (count - 1) if count > 1 else 0.0)
    return (new + 0.5) * (1 / scale if scale else size / count) - 0.5


def _linear_taps(share: Array) -> list[tuple[int, Array]]:
    return [(0, 1 - share), (1, share)]


def cubic_taps(share: Any) -> list[tuple[int, Any]]:
    """How much each of the four neighbours counts, at a share of the way from the second to the third."""

    def near(x: Any) -> Any:
        return ((BEND + 2) * x - (BEND + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((BEND * x - 5 * BEND) * x + 8 * BEND) * x - 4 * BEND

    return [(-1, far(share + 1)), (0, near(share)), (1, near(1 - share)), (2, far(2 - share))]


def cubic_slopes(share: Any) -> list[Any]:
    """How fast each of these grows along the way."""

    def near(x: Any) -> Any:
        return (3 * (BEND + 2) * x - 2 * (BEND + 3)) * x

    def far(x: Any) -> Any:
        return (3 * BEND * x - 10 * BEND) * x + 8 * BEND

    return [far(share + 1), near(share), -near(1 - share), -far(2 - share)]


def _mixed(places: Array, size: int, taps: Callable[[Array], list[tuple[int, Array]]]) -> Array:
    low = np.floor(places)
    matrix = np.zeros((len(places), size))
    for step, weight in taps(places - low):
        np.add.at(matrix, (np.arange(len(places)), np.clip(low.astype(int) + step, 0, size - 1)), weight)
    return matrix


def linear(size: int, count: int, scale: float | None, corners: bool) -> Array:
    """Each new element lies on a line between two old ones."""
    return _mixed(np.maximum(_places(size, count, scale, corners), 0), size, _linear_taps)


def cubic(size: int, count: int, scale: float | None, corners: bool) -> Array:
    """Each new element lies on a cubic by four old ones."""
    return _mixed(_places(size, count, scale, corners), size, cubic_taps)


def _widened(reach: int, weigh: Callable[[Array], Array]) -> Matrix:
    """Each new element is a mean of all old ones that it covers: so many on each side, and more if it is larger."""

    def matrix(size: int, count: int, scale: float | None, corners: bool) -> Array:
        step = (
            (size - 1) / (count - 1)
            if corners and count > 1
            else 0.0
            if corners
            else 1 / scale
            if scale
            else size / count
        )
        middle = step * (np.arange(count) + 0.5)
        radius, at = reach * max(step, 1.0), np.arange(size)
        first, last = (np.trunc(middle + side * radius + 0.5)[:, None] for side in (-1, 1))
        weights = weigh(np.abs((at - middle[:, None] + 0.5) / max(step, 1.0)))
        weights = np.where((at >= np.maximum(first, 0)) & (at < np.minimum(last, size)), weights, 0)
        return np.asarray(weights / weights.sum(1, keepdims=True))

    return matrix


def _near_cubic(x: Array) -> Array:
    """The cubic with a bend of -1/2, as in Pillow."""
    near, far = (1.5 * x - 2.5) * x * x + 1, -0.5 * (((x - 5) * x + 8) * x - 4)
    return np.where(x < 1, near, np.where(x < 2, far, 0))


widened_linear = _widened(1, lambda x: np.maximum(1 - x, 0))
widened_cubic = _widened(2, _near_cubic)


class UpsampleBilinear2DBackward0(Linear):
    """z = A x Bᵀ, where the rows of A and B say between which old elements a new one lies, and how near to each."""

    names: ClassVar[tuple[str, ...]] = ("scales_h", "scales_w")
    matrix: ClassVar[Any] = staticmethod(linear)
    again: ClassVar[Any] = None
    __slots__ = ("_scales", "align_corners", "output_size", "self_sym_sizes")

    def forward(self, x: Array, new: Sizes, corners: bool, scales: Scales) -> Array:
        self.output_size, self.align_corners, self._scales, self.self_sym_sizes = new, corners, scales, x.shape
        return applied(x, matrices(x.shape[2:], new, corners, scales, self.matrix))

    def attributes(self) -> dict[str, Any]:
        """The old and the new size, the scales, and whether corners lie on corners."""
        return {**super().attributes(), **dict(zip(self.names, self._scales, strict=True))}

    def backward(self, g: Any) -> Any:
        how = self.self_sym_sizes, self.align_corners, self._scales
        if isinstance(g, Variable):
            return apply1(self.again, g, *how)
        return gathered(g, *how, self.matrix)


class UpsampleBilinear2DBackwardBackward0(Node):
    """The gradient of that, z = Aᵀ g B; its own gradient is A h Bᵀ again."""

    first: ClassVar[type[UpsampleBilinear2DBackward0]] = UpsampleBilinear2DBackward0
    inputs = ("grad_output",)
    __slots__ = ("_new", "_scales", "align_corners")

    def forward(self, g: Array, shape: Sizes, corners: bool, scales: Scales) -> Array:
        self._new, self.align_corners, self._scales = g.shape[2:], corners, scales
        return gathered(g, shape, corners, scales, self.first.matrix)

    def backward(self, h: Any) -> Any:
        if isinstance(h, Variable):
            return apply1(self.first, h, self._new, self.align_corners, self._scales)
        return applied(h, matrices(h.shape[2:], self._new, self.align_corners, self._scales, self.first.matrix))


class UpsampleLinear1DBackward0(UpsampleBilinear2DBackward0):
    """The same for lines."""

    names = ("scales",)


class UpsampleLinear1DBackwardBackward0(UpsampleBilinear2DBackwardBackward0):
    """The same for lines."""

    first = UpsampleLinear1DBackward0


class UpsampleBicubic2DBackward0(UpsampleBilinear2DBackward0):
    """The same with four neighbours along each dimension."""

    matrix = staticmethod(cubic)


class UpsampleBicubic2DBackwardBackward0(UpsampleBilinear2DBackwardBackward0):
    """The same with four neighbours along each dimension."""

    first = UpsampleBicubic2DBackward0


class UpsampleBilinear2DAaBackward0(UpsampleBilinear2DBackward0):
    """The mean of all old elements that a new one covers, weighed by how near they are."""

    matrix = staticmethod(widened_linear)
    op = "_upsample_bilinear2d_aa"


class UpsampleBilinear2DAaBackwardBackward0(UpsampleBilinear2DBackwardBackward0):
    """The gradient of that."""

    first = UpsampleBilinear2DAaBackward0


class UpsampleBicubic2DAaBackward0(UpsampleBilinear2DBackward0):
    """The same, weighed by a cubic."""

    matrix = staticmethod(widened_cubic)
    op = "_upsample_bicubic2d_aa"


class UpsampleBicubic2DAaBackwardBackward0(UpsampleBilinear2DBackwardBackward0):
    """The gradient of that."""

    first = UpsampleBicubic2DAaBackward0


UpsampleBilinear2DAaBackward0.again = UpsampleBilinear2DAaBackwardBackward0
UpsampleBicubic2DAaBackward0.again = UpsampleBicubic2DAaBackwardBackward0
UpsampleBilinear2DBackward0.again = UpsampleBilinear2DBackwardBackward0
UpsampleLinear1DBackward0.again = UpsampleLinear1DBackwardBackward0
UpsampleBicubic2DBackward0.again = UpsampleBicubic2DBackwardBackward0
ANTIALIASED = {"bilinear": UpsampleBilinear2DAaBackward0, "bicubic": UpsampleBicubic2DAaBackward0}
BY_MODE: dict[tuple[str, int], type[UpsampleBilinear2DBackward0]] = {
    ("linear", 1): UpsampleLinear1DBackward0,
    ("bilinear", 2): UpsampleBilinear2DBackward0,
    ("bicubic", 2): UpsampleBicubic2DBackward0,
}


def matrices(sizes: Sizes, new: Sizes, corners: bool, scales: Scales, matrix: Matrix) -> list[Array]:
    """For each dimension (new, old) numbers: how much of an old element is in a new one."""
    return [matrix(size, count, scale, corners) for size, count, scale in zip(sizes, new, scales, strict=True)]


def applied(x: Array, by: list[Array]) -> Array:
    """A matrix times each of the dimensions after the first two."""
    if x.dtype == np.uint8:
        return _of_bytes(x, by)
    if x.dtype.itemsize == 2:
        return narrowed(lambda x: applied(x, by), x)
    for dim, each in enumerate(by, start=2):
        x = np.moveaxis(np.tensordot(x, each.astype(x.dtype), ([dim], [1])), -1, dim)
    return np.ascontiguousarray(x)


def _of_bytes(x: Array, by: list[Array]) -> Array:
    """The same for pictures of bytes, the last dimension first: each is rounded, and weights are whole numbers."""
    if len(by) == 1:
        raise NotImplementedError("\"compute_indices_weights_linear\" not implemented for 'Byte'")
    for dim in range(len(by) + 1, 1, -1):
        most, bits = by[dim - 2].max(initial=0), 0
        while bits < 22 and int(0.5 + most * 2 ** (bits + 1)) < 2**15:
            bits += 1
        scaled = by[dim - 2] * 2**bits
        weights = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)).astype(np.int64)
        sums = np.moveaxis(np.tensordot(x.astype(np.int64), weights, ([dim], [1])), -1, dim)
        x = np.clip((sums + (1 << (bits - 1))) >> bits, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(x)


def gathered(g: Array, shape: Sizes, corners: bool, scales: Scales, matrix: Matrix) -> Array:
    """What came to new elements, given back to the old ones."""
    return applied(g, [each.T for each in matrices(shape[2:], g.shape[2:], corners, scales, matrix)])
