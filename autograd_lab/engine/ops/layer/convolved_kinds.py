"""Of which dtypes the operands of a convolution have to be, and what PyTorch says if they are not."""

from __future__ import annotations

import numpy as np

from autograd_lab.engine.errors.operands import check_same_dtype
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, NumpyDtype
from autograd_lab.engine.ops.ground.writing import check_cast


def check_dtypes(x: Array, w: Array, b: Array | None, groups: int, transposed: bool) -> None:
    """Raise PyTorch's error unless input, weight and bias are of one dtype: which text that is depends on the sizes.

    A transposed convolution that is left to no library takes a bias of any dtype that can be added to its result.
    """
    if not transposed:
        _check_bias(x, b)
    if x.size:  # what has no elements is not computed
        _check_computed(x, w, b, groups)
    if transposed and b is not None:
        check_cast(x, b)


def _check_computed(x: Array, w: Array, b: Array | None, groups: int) -> None:
    if _worth_a_library(x, w, groups):
        for name, one in (("weight", w), ("bias", b)):
            if one is not None and one.dtype is not x.dtype:
                raise RuntimeError(
                    f"Input type ({_told(x.dtype)}) and {name} type ({_told(one.dtype)}) should be the same or input "
                    f"should be a MKLDNN tensor and {name} is a dense tensor"
                )
    check_same_dtype(x.dtype, w.dtype)


def _check_bias(x: Array, b: Array | None) -> None:
    if b is not None and b.dtype is not x.dtype:
        first, second = BY_NUMPY[x.dtype].cpp, BY_NUMPY[b.dtype].cpp
        raise RuntimeError(f"Input type ({first}) and bias type ({second}) should be the same")


def _told(kind: NumpyDtype) -> str:
    title = BY_NUMPY[kind].title
    return "CPUBFloat16Type" if title == "BFloat16" else f"torch.{title}Tensor"


def _worth_a_library(x: Array, w: Array, groups: int) -> bool:
    """Whether PyTorch leaves this convolution to a library, whose texts are others: not if it is small."""
    if x.dtype != np.float32:
        return BY_NUMPY[x.dtype].name == "bfloat16"
    wide = w.ndim > 3 and min(w.shape[-2:]) > 3
    return groups > 1 or wide or len(x) > 1 or x.size > 20480
