"""How the errors of a batch become one number, in PyTorch's numbers and words, older ones included."""

from __future__ import annotations

import warnings

from autograd_lab.engine.ops.loss.common import reduction_of
from autograd_lab.whose import users_level


def get_enum(reduction: str) -> int:
    """The number of a reduction. Raises ValueError for what is none."""
    return reduction_of(reduction)


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """What two older arguments say, with a warning that they are old."""
    averaged = "sum" if size_average is False else "mean"
    reduction = "none" if reduce is False else averaged
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            UserWarning,
            stacklevel=users_level(),
        )
    return reduction


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The same as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
