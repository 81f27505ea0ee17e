"""Of which dtypes the operands of a convolution have to be, and what PyTorch says if they are not."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, NumpyDtype, of_kind


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
