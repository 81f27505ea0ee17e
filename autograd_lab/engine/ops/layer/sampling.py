"""Pictures seen through a grid of places: where an affine map puts them, and what the picture is there."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import Array, Size
from autograd_lab.engine.numbers.progressions import evenly
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.layer.resampling import cubic_slopes, cubic_taps
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


class GridSampler2DBackward0(Node):
    """z is a mean of the four elements around a place, or of sixteen by cubics: linear in each.

    How much each counts is a product of its shares along both coordinates.
    """

    inputs = ("input", "grid")
    saves = ("grid", "input")
    __slots__ = ("align_corners", "interpolation_mode", "padding_mode")

    def forward(self, x: Array, grid: Array, mode: int, padding: int, align: bool) -> Array:
        self.interpolation_mode, self.padding_mode, self.align_corners = mode, padding, align
        z = np.zeros((*x.shape[:2], *grid.shape[1:3]), x.dtype)
        columns, rows = self._shares(x, grid)
        for row, along, _ in rows:
            if mode == 2:
                z += sum(_seen(x, row, column) * across[:, None] for column, across, _ in columns) * along[:, None]
                continue
            for column, across, _ in columns:
                z += _seen(x, row, column) * (across * along)[:, None]
        return z

    def _corners(self, x: Array, grid: Any) -> Any:
        """The elements that count: row, column, share; and how the share grows with both coordinates of the grid."""
        columns, rows = self._shares(x, grid)
        for row, along, fall in rows:
            for column, across, rise in columns:
                yield row, column, across * along, rise * along, fall * across

    def _shares(self, x: Array, grid: Any) -> list[Any]:
        """For both coordinates, of each element: its place, its share, and how that grows with the coordinate."""
        shares = self._on_lines, self._nearest, self._on_cubics
        array: Any = getattr(grid, "_array", grid)
        graph = isinstance(grid, Variable)
        parts = [(array[..., at], grid.select(-1, at) if graph else None) for at in range(2)]
        return [shares[self.interpolation_mode](*part, size) for part, size in zip(parts, x.shape[:1:-1], strict=True)]

    def _nearest(self, at: Array, _: Any, size: int) -> Any:
        place, slope = self._padded(*self._scaled(at, size), size)
        return [(np.rint(place), np.ones_like(slope), np.zeros_like(slope))]

    def _on_lines(self, at: Array, graph: Any, size: int) -> Any:
        place, slope = self._padded(*self._scaled(at, size), size)
        low = np.floor(place)
        share, slope = _with_graph(place - low, slope, at, graph)
        return [(low, 1 - share, -slope), (low + 1, share, slope)]

    def _on_cubics(self, at: Array, graph: Any, size: int) -> Any:
        place, slope = self._scaled(at, size)
        low = np.floor(place)
        share, slope = _with_graph(place - low, slope, at, graph)
        slopes = [one * slope for one in cubic_slopes(share)]
        return [
            (self._padded(low + step, slope, size)[0], weight, grown)
            for (step, weight), grown in zip(cubic_taps(share), slopes, strict=True)
        ]

    def _scaled(self, at: Array, size: int) -> tuple[Array, Array]:
        """The place in the picture of a coordinate from -1 to 1, and how fast it moves."""
        scale = at.dtype.type((size - 1) / 2 if self.align_corners else size / 2)
        place = (at + 1) * scale
        if not self.align_corners:  # by one operation, which rounds once
            place = ((at + 1).astype(np.float64) * scale - 0.5).astype(at.dtype)
        return place, np.full_like(at, scale)

    def _padded(self, place: Array, slope: Any, size: int) -> tuple[Array, Any]:
        """The place in the picture that a place beyond its borders stands for, and how fast it moves then."""
        if self.padding_mode == 2:
            low, high = (0, 2 * (size - 1)) if self.align_corners else (-1, 2 * size - 1)
            place, turned = _reflected(place, low / 2, (high - low) / 2)
            slope = slope * turned if isinstance(slope, np.ndarray) else slope
        if self.padding_mode:
            slope = slope * ((place > 0) & (place < size - 1)) if isinstance(slope, np.ndarray) else slope
            place = np.clip(place, 0, place.dtype.type(size - 1))
        return place, slope

    def backward(self, g: Any, grid: Any, x: Any) -> Any:
        if isinstance(g, Variable):
            return self._recorded(g, grid, x)
        to_x, to_grid = np.zeros_like(x), np.zeros_like(grid)
        batch, channel = np.ogrid[: x.shape[0], : x.shape[1]]
        for row, column, share, along_x, along_y in self._corners(x, grid):
            inside, row, column = _inside(x, row, column)
            where = batch[..., None, None], channel[..., None, None], row[:, None], column[:, None]
            np.add.at(to_x, where, g * (share * inside)[:, None])
            told = (g * x[where]).sum(1) * inside
            to_grid[..., 0] += told * along_x
            to_grid[..., 1] += told * along_y
        return to_x, to_grid

    def _recorded(self, g: Any, grid: Any, x: Any) -> Any:
        """The same, as a graph."""
        flat, width = (*x._array.shape[:2], -1), x._array.shape[-1]
        to_x: Any = wrap(np.zeros_like(x._array)).reshape(flat)
        to_grid: Any = 0
        for row, column, share, *along in self._corners(x, grid):
            inside, row, column = _inside(x._array, row, column)
            kept = wrap(inside.astype(x._array.dtype))
            where = wrap((row * width + column).astype(np.int64).reshape(len(row), 1, -1)).expand(*flat[:2], -1)
            share, *along = (wrap(one) if isinstance(one, np.ndarray) else one for one in (share, *along))
            to_x = to_x.scatter_add(2, where, (g * (share * kept).unsqueeze(1)).reshape(flat))
            told = (g * x.reshape(flat).gather(2, where).reshape(g.shape)).sum(1) * kept
            to_grid = to_grid + told.unsqueeze(-1) * stack(along, -1)
        return to_x.reshape(x._array.shape), to_grid


def _with_graph(share: Array, slope: Array, at: Array, graph: Any) -> tuple[Any, Any]:
    """A share and its slope; of a coordinate with a `graph` as a straight line through that share, of that slope."""
    if graph is None:
        return share, slope
    return graph * wrap(slope) + wrap(share - at * slope), wrap(slope)


def _reflected(place: Array, low: float, span: float) -> tuple[Array, Array]:
    """A place beyond the borders, reflected by them, and whether it moves forwards or backwards there."""
    if not span:
        return np.zeros_like(place), np.zeros_like(place)
    off = np.abs(place - low)
    extra, odd = np.fmod(off, span), np.floor(off / span) % 2 == 1
    sign = np.where(place < low, -1, 1) * np.where(odd, -1, 1)
    return np.where(odd, span - extra + low, extra + low).astype(place.dtype), sign.astype(place.dtype)


def _inside(x: Array, row: Array, column: Array) -> tuple[Array, Array, Array]:
    """Which places are in the picture, and all of them as positions, moved inside."""
    height, width = x.shape[2:]
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    row, column = np.nan_to_num(row, nan=0), np.nan_to_num(column, nan=0)
    return inside, np.clip(row, 0, height - 1).astype(np.intp), np.clip(column, 0, width - 1).astype(np.intp)


def _seen(x: Array, row: Array, column: Array) -> Array:
    """What the picture is at these places; 0 outside."""
    inside, row, column = _inside(x, row, column)
    batch, channel = np.ogrid[: x.shape[0], : x.shape[1]]
    found = x[batch[..., None, None], channel[..., None, None], row[:, None], column[:, None]]
    return np.where(inside[:, None], found, x.dtype.type(0))


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """The picture at the places of a grid, whose coordinates go from -1 to 1."""
    only_tensors("grid_sampler", input, grid)
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(CHANGED, UserWarning, stacklevel=users_level())
    x, places = input._array, grid._array
    if x.ndim == 5:
        if mode == "bicubic":
            raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
        raise NotImplementedError("grid_sample: pictures of two dimensions")
    _check_grid(x, places)
    rule = MODES.index(mode), PADDINGS.index(padding_mode), bool(align_corners)
    return applyn(GridSampler2DBackward0, (input, grid), *rule)


def _check_grid(x: Array, grid: Array) -> None:
    if x.ndim != 4 or grid.ndim != x.ndim:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes "
            f"{list(x.shape)} and grid with sizes {list(grid.shape)}"
        )
    if x.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(x.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    if 0 in x.shape[2:]:
        raise RuntimeError(
            f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {list(x.shape)} "
            f"with dimension {x.shape.index(0, 2)} being empty"
        )
    if x.dtype != grid.dtype:
        raise RuntimeError("grid_sampler(): expected input and grid to have same dtype")


class AffineGridGeneratorBackward0(Linear):
    """The places (x, y, 1) of a regular grid, each mapped by the example's matrix."""

    inputs = ("theta",)
    __slots__ = ("align_corners", "size")

    def forward(self, theta: Array, size: tuple[int, ...], align: bool) -> Array:
        self.size, self.align_corners = size, align
        regular = _regular(size, align, theta.dtype)
        return np.matmul(regular, theta.swapaxes(1, 2)).reshape(size[0], *size[2:], 2)

    def backward(self, g: Any) -> Any:
        batch, _, height, width = self.size
        again = isinstance(g, Variable)
        regular: Any = _regular(self.size, self.align_corners, g._array.dtype if again else g.dtype)
        regular = np.broadcast_to(regular.T, (batch, *regular.T.shape))
        flat = g.reshape((batch, height * width, 2))
        if again:
            return wrap(np.ascontiguousarray(regular)).bmm(flat).transpose(1, 2)
        return np.matmul(regular, flat).swapaxes(1, 2)


def _regular(size: tuple[int, ...], align: bool, dtype: Any) -> Array:
    """The places (x, y, 1) from -1 to 1, row by row."""
    lines = []
    for count in size[2:]:
        line = evenly(-1, 1, count, dtype).astype(dtype) if count > 1 else np.zeros(1, dtype)
        lines.append(line if align else line * dtype.type(count - 1) / dtype.type(count))
    y, x = np.meshgrid(*lines, indexing="ij")
    return np.stack([x, y, np.ones_like(x)], -1).reshape(-1, 3)


OF_ONE = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """For each example the places of a regular grid, mapped by its matrix of two rows: for `grid_sample`."""
    if align_corners is None:
        warnings.warn(CHANGED, UserWarning, stacklevel=users_level())
    x, size = theta._array, tuple(size)
    if x.dtype.kind not in "fV":
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) != 4:
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if x.ndim != 3 or x.shape[-2:] != (2, 3):
        raise ValueError(f"Expected a batch of 2D affine matrices of shape Nx2x3 for size {size}. Got {theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {Size(size)}")
    if align_corners and min(size[-2:]) == 1:
        warnings.warn(OF_ONE, UserWarning, stacklevel=users_level())
    if len(x) != size[0]:
        found, wanted = [len(x), 3], [size[0], 3]
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {found}.")
    return apply1(AffineGridGeneratorBackward0, theta, size, bool(align_corners))
