"""Pictures and lines made larger or smaller, each element taken from the nearest one, or as `mode` says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor
from autograd_lab.engine.kernels.halves import narrowed
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.layer.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from autograd_lab.engine.ops.layer.resampling import ANTIALIASED, BY_MODE

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
Sizes = tuple[int, ...]
Scales = tuple[float | None, ...]


def _sources(sizes: Sizes, new: Sizes, scales: Scales, middle: float) -> tuple[Array, ...]:
    """Along each dimension the old place of each new one: where its start lies, or its `middle`."""
    found = []
    for size, count, scale in zip(sizes, new, scales, strict=True):
        step = np.float32(1 / scale if scale else size / max(count, 1))
        places = np.floor((np.arange(count, dtype=np.float32) + np.float32(middle)) * step)
        found.append(np.minimum(places.astype(np.intp), size - 1))
    return np.ix_(*found)


class UpsampleNearest2DBackward0(Linear):
    """Each element is that of the nearest place; so each old one gets the sum of all that were taken from it."""

    names: ClassVar[tuple[str, ...]] = ("scales_h", "scales_w")
    middle: ClassVar[float] = 0
    again: ClassVar[Any] = None
    __slots__ = ("_scales", "output_size", "self_sym_sizes")

    def forward(self, x: Array, new: Sizes, scales: Scales) -> Array:
        self.output_size, self._scales, self.self_sym_sizes = new, scales, x.shape
        return np.ascontiguousarray(x[(..., *_sources(x.shape[2:], new, scales, self.middle))])

    def attributes(self) -> dict[str, Any]:
        """The old and the new size, and the scales."""
        return {**super().attributes(), **dict(zip(self.names, self._scales, strict=True))}

    def backward(self, g: Any) -> Any:
        if isinstance(g, Variable):
            return apply1(self.again, g, self.self_sym_sizes, self._scales)
        return _summed(g, self.self_sym_sizes, self._scales, self.middle)


def _summed(g: Array, shape: Sizes, scales: Scales, middle: float) -> Array:
    if g.dtype.itemsize == 2:
        return narrowed(lambda g: _summed(g, shape, scales, middle), g)
    whole = np.zeros(shape, g.dtype)
    np.add.at(whole, (slice(None), slice(None), *_sources(shape[2:], g.shape[2:], scales, middle)), g)
    return whole


class UpsampleNearest2DBackwardBackward0(Node):
    """The gradient of that; its own gradient is taken from the same places again."""

    first: ClassVar[type[UpsampleNearest2DBackward0]] = UpsampleNearest2DBackward0
    inputs = ("grad_output",)
    __slots__ = ("_new", "_scales")

    def forward(self, g: Array, shape: Sizes, scales: Scales) -> Array:
        self._new, self._scales = g.shape[2:], scales
        return _summed(g, shape, scales, self.first.middle)

    def backward(self, h: Any) -> Any:
        if isinstance(h, Variable):
            return apply1(self.first, h, self._new, self._scales)
        return h[(..., *_sources(h.shape[2:], self._new, self._scales, self.first.middle))]


class UpsampleNearest1DBackward0(UpsampleNearest2DBackward0):
    """The same for lines."""

    names = ("scales",)


class UpsampleNearest1DBackwardBackward0(UpsampleNearest2DBackwardBackward0):
    """The same for lines."""

    first = UpsampleNearest1DBackward0


class UpsampleNearestExact2DBackward0(UpsampleNearest2DBackward0):
    """The same, where a new element lies with its middle in the old one, and not with its start."""

    middle = 0.5


class UpsampleNearestExact2DBackwardBackward0(UpsampleNearest2DBackwardBackward0):
    """The gradient of that."""

    first = UpsampleNearestExact2DBackward0


class UpsampleNearestExact1DBackward0(UpsampleNearest1DBackward0):
    """The same for lines."""

    middle = 0.5


class UpsampleNearestExact1DBackwardBackward0(UpsampleNearest2DBackwardBackward0):
    """The gradient of that."""

    first = UpsampleNearestExact1DBackward0


UpsampleNearestExact2DBackward0.again = UpsampleNearestExact2DBackwardBackward0
UpsampleNearestExact1DBackward0.again = UpsampleNearestExact1DBackwardBackward0
UpsampleNearest2DBackward0.again = UpsampleNearest2DBackwardBackward0
UpsampleNearest1DBackward0.again = UpsampleNearest1DBackwardBackward0
NEAREST: dict[tuple[str, int], type[UpsampleNearest2DBackward0]] = {
    ("nearest", 1): UpsampleNearest1DBackward0,
    ("nearest", 2): UpsampleNearest2DBackward0,
    ("nearest-exact", 1): UpsampleNearestExact1DBackward0,
    ("nearest-exact", 2): UpsampleNearestExact2DBackward0,
}


@composed
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Lines (N, C, L) or pictures (N, C, H, W) in another size.

    `mode` is "nearest", "nearest-exact", "area", "linear" for lines, "bilinear" or "bicubic" for pictures; by the
    last two, `antialias` has what becomes smaller be a mean of all that it covers. Raises NotImplementedError for
    volumes.
    """
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    sizes = input._array.shape[2:]
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = size if size is not None else scale_factor
    if size is not None and not all(isinstance(one, int | np.integer | Variable) for one in _listed(size)):
        kinds = ", ".join(str(type(one)) for one in _listed(size))
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types [{kinds}]"
        )
    if isinstance(given, tuple | list) and len(given) != len(sizes):
        _mismatched(sizes, given, size is not None)
    each = tuple(given) if isinstance(given, tuple | list) else (given,) * len(sizes)
    known = len(sizes) in (1, 2) if mode == "area" else (mode, len(sizes)) in NEAREST or (mode, len(sizes)) in BY_MODE
    if antialias and (mode not in ANTIALIASED or len(sizes) != 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if not known:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input._array.ndim}D) for the modes: "
            f"{MODES} (got {mode})"
        )
    no_scales: Scales = (None,) * len(sizes)
    if size is not None:
        new, scales = tuple(int(one) if is_tensor(one) else one for one in each), no_scales
    else:
        new = tuple(math.floor(one * float(scale)) for one, scale in zip(sizes, each, strict=True))
        scales = no_scales if recompute_scale_factor else tuple(float(scale) for scale in each)
    if mode == "area":
        return (adaptive_avg_pool1d if len(sizes) == 1 else adaptive_avg_pool2d)(input, new)
    _check_sizes(input, new)
    smooth = ANTIALIASED[mode] if antialias else BY_MODE.get((mode, len(sizes)))
    if antialias and input._array.dtype != np.uint8:
        of_kind("f", input._array, "compute_index_ranges_weights", least=4)
    elif input._array.dtype != np.uint8:
        of_kind("fV", input._array, KERNELS[mode, len(sizes)])
    if smooth is not None:
        return apply1(smooth, input, new, bool(align_corners), scales)
    return apply1(NEAREST[mode, len(sizes)], input, new, scales)


KERNELS = {
    ("nearest", 1): "compute_indices_weights_nearest",
    ("nearest-exact", 1): "compute_indices_weights_nearest",
    ("linear", 1): "compute_indices_weights_linear",
    ("nearest", 2): "upsample_nearest2d_channels_last",
    ("nearest-exact", 2): "upsample_nearest2d_channels_last",
    ("bilinear", 2): "upsample_bilinear2d_channels_last",
    ("bicubic", 2): "compute_indices_weights_cubic",
}
"""What PyTorch's kernels are called that refuse whole numbers."""


def _listed(size: Any) -> list[Any]:
    return list(size) if isinstance(size, tuple | list) else [size]


def _check_sizes(input: Tensor, new: Sizes) -> None:
    """Raise RuntimeError for pictures without channels, and for what has no height or width, or would have none."""
    shape, letters = input._array.shape, "HW"[-len(new) :]
    old = shape[2:]
    if min(*old, *new) <= 0:
        before, after = (
            "(" + ", ".join(f"{letter}: {size}" for letter, size in zip(letters, each, strict=True)) + ")"
            for each in (old, new)
        )
        between = " and output " if len(new) == 1 else " output "
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input {before}{between}{after}")
    if not shape[1]:
        ndim = len(shape)
        raise RuntimeError(f"Non-empty {ndim}D data tensor expected but got a tensor with sizes {list(shape)}")


def _mismatched(sizes: Sizes, given: Any, is_size: bool) -> None:
    what = f"output size of {given}" if is_size else f"scale_factor of {given}"
    form = "output size in (o1, o2, ...,oK) format" if is_size else "scale_factor in (s1, s2, ...,sK) format"
    raise ValueError(
        "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
        f"{list(sizes)} and {what}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and {form}."
    )
