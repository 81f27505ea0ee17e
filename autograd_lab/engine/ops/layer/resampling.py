"""Pictures and lines made larger or smaller, each element between its old neighbours: along lines, or along cubics."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.numbers.halves import narrowed
from autograd_lab.engine.ops.ground.kinds import Linear

Sizes = tuple[int, ...]
Scales = tuple[float | None, ...]
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


def _cubic_taps(share: Array) -> list[tuple[int, Array]]:
    def near(x: Array) -> Array:
        return ((BEND + 2) * x - (BEND + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((BEND * x - 5 * BEND) * x + 8 * BEND) * x - 4 * BEND

    return [(-1, far(share + 1)), (0, near(share)), (1, near(1 - share)), (2, far(2 - share))]


class UpsampleBilinear2DBackward0(Linear):
    """z = A x Bᵀ, where the rows of A and B say between which old elements a new one lies, and how near to each."""

    names: ClassVar[tuple[str, ...]] = ("scales_h", "scales_w")
    cubic: ClassVar[bool] = False
    again: ClassVar[Any] = None
    __slots__ = ("_scales", "align_corners", "output_size", "self_sym_sizes")

    def forward(self, x: Array, new: Sizes, corners: bool, scales: Scales) -> Array:
        self.output_size, self.align_corners, self._scales, self.self_sym_sizes = new, corners, scales, x.shape
        return applied(x, matrices(x.shape[2:], new, corners, scales, self.cubic))

    def attributes(self) -> dict[str, Any]:
        """The old and the new size, the scales, and whether corners lie on corners."""
        return {**super().attributes(), **dict(zip(self.names, self._scales, strict=True))}

    def backward(self, g: Any) -> Any:
        how = self.self_sym_sizes, self.align_corners, self._scales
        if isinstance(g, Variable):
            return apply1(self.again, g, *how)
        return gathered(g, *how, self.cubic)


class UpsampleBilinear2DBackwardBackward0(Node):
    """The gradient of that, z = Aᵀ g B; its own gradient is A h Bᵀ again."""

    first: ClassVar[type[UpsampleBilinear2DBackward0]] = UpsampleBilinear2DBackward0
    inputs = ("grad_output",)
    __slots__ = ("_new", "_scales", "align_corners")

    def forward(self, g: Array, shape: Sizes, corners: bool, scales: Scales) -> Array:
        self._new, self.align_corners, self._scales = g.shape[2:], corners, scales
        return gathered(g, shape, corners, scales, self.first.cubic)

    def backward(self, h: Any) -> Any:
        if isinstance(h, Variable):
            return apply1(self.first, h, self._new, self.align_corners, self._scales)
        return applied(h, matrices(h.shape[2:], self._new, self.align_corners, self._scales, self.first.cubic))


class UpsampleLinear1DBackward0(UpsampleBilinear2DBackward0):
    """The same for lines."""

    names = ("scales",)


class UpsampleLinear1DBackwardBackward0(UpsampleBilinear2DBackwardBackward0):
    """The same for lines."""

    first = UpsampleLinear1DBackward0


class UpsampleBicubic2DBackward0(UpsampleBilinear2DBackward0):
    """The same with four neighbours along each dimension."""

    cubic = True


class UpsampleBicubic2DBackwardBackward0(UpsampleBilinear2DBackwardBackward0):
    """The same with four neighbours along each dimension."""

    first = UpsampleBicubic2DBackward0


UpsampleBilinear2DBackward0.again = UpsampleBilinear2DBackwardBackward0
UpsampleLinear1DBackward0.again = UpsampleLinear1DBackwardBackward0
UpsampleBicubic2DBackward0.again = UpsampleBicubic2DBackwardBackward0
BY_MODE: dict[tuple[str, int], type[UpsampleBilinear2DBackward0]] = {
    ("linear", 1): UpsampleLinear1DBackward0,
    ("bilinear", 2): UpsampleBilinear2DBackward0,
    ("bicubic", 2): UpsampleBicubic2DBackward0,
}


def matrices(sizes: Sizes, new: Sizes, corners: bool, scales: Scales, cubic: bool) -> list[Array]:
    """For each dimension (new, old) numbers: how much of an old element is in a new one."""
    found = []
    for size, count, scale in zip(sizes, new, scales, strict=True):
        places = _places(size, count, scale, corners)
        if not cubic:
            places = np.maximum(places, 0)
        low = np.floor(places)
        matrix = np.zeros((count, size))
        for step, weight in (_cubic_taps if cubic else _linear_taps)(places - low):
            np.add.at(matrix, (np.arange(count), np.clip(low.astype(int) + step, 0, size - 1)), weight)
        found.append(matrix)
    return found


def applied(x: Array, by: list[Array]) -> Array:
    """A matrix times each of the dimensions after the first two."""
    if x.dtype == np.uint8:
        return _of_bytes(x, by)
    if x.dtype.itemsize == 2:
        return narrowed(lambda x: applied(x, by), x)
    for dim, matrix in enumerate(by, start=2):
        x = np.moveaxis(np.tensordot(x, matrix.astype(x.dtype), ([dim], [1])), -1, dim)
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


def gathered(g: Array, shape: Sizes, corners: bool, scales: Scales, cubic: bool) -> Array:
    """What came to new elements, given back to the old ones."""
    return applied(g, [matrix.T for matrix in matrices(shape[2:], g.shape[2:], corners, scales, cubic)])
