"""Of which dtypes the operands of a convolution have to be, and what PyTorch says if they are not."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array


def check_library(x: Array, w: Array, b: Array | None, groups: int) -> None:
    """Raise PyTorch's error unless input, weight and bias are of one dtype, where it leaves them to a library."""
    if x.dtype != np.float32 or not _worth_a_library(x, w, groups):
        return
    for name, one in (("weight", w), ("bias", b)):
        if one is not None and one.dtype is not x.dtype:
            kind = "CPUBoolType" if one.dtype == np.bool_ else f"torch.{BY_NUMPY[one.dtype].title}Tensor"
            raise RuntimeError(
                f"Input type (torch.FloatTensor) and {name} type ({kind}) should be the same or input should be a "
                f"MKLDNN tensor and {name} is a dense tensor"
            )


def check_dtypes(x: Array, w: Array) -> None:
    """Raise PyTorch's error unless input and weight are of one dtype, where it computes itself; the bias is added."""
    if x.dtype is not w.dtype:
        first, second = BY_NUMPY[x.dtype].title, BY_NUMPY[w.dtype].title
        raise RuntimeError(f"expected scalar type {first} but found {second}")


def check_bias(x: Array, b: Array | None) -> None:
    """Raise PyTorch's error unless input and bias are of one dtype: of a convolution that is asked first of all."""
    if b is not None and b.dtype is not x.dtype:
        first, second = BY_NUMPY[x.dtype].cpp, BY_NUMPY[b.dtype].cpp
        raise RuntimeError(f"Input type ({first}) and bias type ({second}) should be the same")


def _worth_a_library(x: Array, w: Array, groups: int) -> bool:
    """Whether PyTorch leaves this convolution to a library, whose texts are others: not if it is small."""
    wide = w.ndim > 3 and min(w.shape[-2:]) > 3
    return groups > 1 or wide or len(x) > 1 or x.size > 20480
