"""How the window of a convolution moves, what its operands have to be, and what PyTorch says if they are not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import check_same_dtype
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array, NumpyDtype, of_kind
from autograd_lab.engine.ops.ground.writing import check_cast
from autograd_lab.engine.ops.layer.padding import constant_pad
from autograd_lab.engine.ops.layer.windows import Sizes, each


class Rule(NamedTuple):
    """How the window moves, one setting for each dimension."""

    stride: Sizes
    padding: Sizes
    dilation: Sizes
    transposed: bool
    output_padding: Sizes
    groups: int


def check_library(x: Array, w: Array, b: Array | None, groups: int) -> None:
    """Raise PyTorch's error unless input, weight and bias are of one dtype, where it leaves them to a library."""
    if not _worth_a_library(x, w, groups):
        return
    for name, one in (("weight", w), ("bias", b)):
        if one is not None and one.dtype is not x.dtype:
            raise RuntimeError(
                f"Input type ({_told(x.dtype)}) and {name} type ({_told(one.dtype)}) should be the same or input "
                f"should be a MKLDNN tensor and {name} is a dense tensor"
            )


def check_bias(x: Array, b: Array | None) -> None:
    """Raise PyTorch's error unless input and bias are of one dtype: of a convolution that is asked first of all."""
    if b is not None and b.dtype is not x.dtype:
        first, second = BY_NUMPY[x.dtype].cpp, BY_NUMPY[b.dtype].cpp
        raise RuntimeError(f"Input type ({first}) and bias type ({second}) should be the same")


def check_kernel(x: Array, transposed: bool) -> None:
    """Raise PyTorch's error for an input of a dtype that its kernel refuses."""
    of_kind("uifV", x, "slow_conv_transpose2d_out_cpu" if transposed else "slow_conv2d_cpu")
    if transposed and x.dtype.kind in "ui":
        of_kind("i", x, "slow_conv_transpose2d_out_cpu", 8)


def _told(kind: NumpyDtype) -> str:
    title = BY_NUMPY[kind].title
    return f"CPU{title}Type" if title in ("BFloat16", "Bool") else f"torch.{title}Tensor"


def _worth_a_library(x: Array, w: Array, groups: int) -> bool:
    """Whether PyTorch leaves this convolution to a library, whose texts are others: not if it is small."""
    if x.dtype != np.float32:
        return bool(x.size) and BY_NUMPY[x.dtype].name == "bfloat16"
    wide = w.ndim > 3 and min(w.shape[-2:]) > 3
    return groups > 1 or wide or len(x) > 1 or x.size > 20480


def by_library(x: Array, w: Array, rule: Rule) -> bool:
    """Whether PyTorch leaves this convolution of float32 to its library: of few examples not if the window is one."""
    if x.dtype is not F32 or w.dtype is not F32 or not x.size or not _worth_a_library(x, w, rule.groups):
        return False
    return len(x) >= 16 or w[0, 0].size > 1 or max(*rule.stride, *rule.dilation) > 1


def in_eights(w: Array, groups: int) -> bool:
    """Whether the library has one order for all gradients: of groups of one channel, or of eight and more."""
    return (w.shape[1] == 1 and len(w) == groups and not groups % 8) or not (w.shape[1] % 8 or len(w) // groups % 8)


def margins(w: Array, padding: Sizes, dilation: Sizes) -> Sizes:
    """How far the windows that saw an element reach beyond the places of the output."""
    return tuple(d * (k - 1) - p for d, k, p in zip(dilation, w.shape[2:], padding, strict=True))


def check_sizes(rule: Rule, n: int, x: Array, w: Array, b: Array | None) -> None:
    """Refuse what does not fit, with PyTorch's words."""
    if w.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    for what in ("stride", "padding", "dilation"):
        given = getattr(rule, what)
        if len(each(given, w.ndim - 2)) != w.ndim - 2:
            raise RuntimeError(
                f"expected {what} to be a single integer value or a list of {w.ndim - 2} values to match the "
                f"convolution dimensions, but got {what}={list(given)}"
            )
    if rule.groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(rule.padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(rule.stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(rule.dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(rule.dilation)}")
    if w.ndim != n + 2:
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    _check_channels(rule, x, w, b)
    padding = each(rule.padding, n)
    wide = [size + 2 * p for size, p in zip(x.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(rule.dilation, w.shape[2:], strict=True)]
    if not rule.transposed and any(size < k for size, k in zip(wide, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, wide))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    (height, width), given = (1, *w.shape[2:])[-2:], (*x.shape[:2], *(1, *x.shape[2:])[-2:])
    if 0 in given[2:]:
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {list(given)}")
    check_library(x, w, b, rule.groups)
    if 0 in (height, width):
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kernel_height: {height} kernel_width: {width}"
        )
    if rule.transposed:
        _check_output_padding(rule)
    if x.size:  # else there is nothing to compute
        check_kernel(x, rule.transposed)
        check_same_dtype(x.dtype, w.dtype)
    if rule.transposed and b is not None:  # it is added to the result
        check_cast(x, b)


def _check_channels(rule: Rule, x: Array, w: Array, b: Array | None) -> None:
    groups, size = rule.groups, list(w.shape)
    if len(w) < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{size} instead"
        )
    if len(w) % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{size}] instead"
        )
    start = f"Given transposed={int(rule.transposed)}" if rule.transposed else f"Given groups={groups}"
    channels = w.shape[0] if rule.transposed else w.shape[1] * groups
    if x.shape[1] != channels:
        raise RuntimeError(
            f"{start}, weight of size {size}, expected input{list(x.shape)} to have {channels} channels, but got "
            f"{x.shape[1]} channels instead"
        )
    made = w.shape[1] * groups if rule.transposed else len(w)
    if b is not None and b.shape != (made,):
        start = f"Given transposed={int(rule.transposed)}, weight" if rule.transposed else "Given weight"
        raise RuntimeError(
            f"{start} of size {size}, expected bias to be 1-dimensional with {made} elements, but got bias of size "
            f"{list(b.shape)} instead"
        )


def _check_output_padding(rule: Rule) -> None:
    if all(extra < max(s, d) for extra, s, d in zip(rule.output_padding, rule.stride, rule.dilation, strict=True)):
        return
    parts = {"output_padding": rule.output_padding, "stride": rule.stride, "dilation": rule.dilation}
    sides = {
        name: each(sizes, 2) if len(sizes) > 1 else (int(name != "output_padding"), *sizes)
        for name, sizes in parts.items()
    }
    told = (f"{name}_{side}: {size}" for name, pair in sides.items() for side, size in zip(SIDES, pair, strict=True))
    raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(told)}")


SIDES = ("height", "width")


COPIED = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def with_margin(x: Any, weight: Any, padding: Any, stride: Sizes, dilation: Sizes) -> tuple[Any, Sizes]:
    """The margin on both sides of each dimension; for "same", what is needed more on one side is added to `x`."""
    if not isinstance(padding, str):
        return x, each(padding, len(stride))
    if padding == "valid":
        return x, (0,)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
    if any(one % 2 for one in total):
        warn_once(COPIED)
        x = constant_pad(x, tuple(side for one in reversed(total) for side in (0, one % 2)))
    return x, tuple(one // 2 for one in total)
