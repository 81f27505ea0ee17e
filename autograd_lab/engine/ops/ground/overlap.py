"""Where an `out` may not lie: on itself, several elements being one, and on what is read meanwhile."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograd_lab.engine.exact.aliasing import SHARED, Geometry, is_shared
from autograd_lab.engine.numbers.dtypes import Array

OVERLAPPING = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
ANYWHERE = """
amax amin bmm count_nonzero cummax cummin empty eye float_power full histc matmul mv nansum narrow_copy ones prod std
sum tril triu var zeros
"""
"""Functions that do not ask where their `out` lies."""
APART_NAMES = """
cat column_stack concat concatenate cross diff dstack gather hstack index_select kron kthvalue masked_select row_stack
stack take take_along_dim vstack
"""
APART = frozenset(APART_NAMES.split())
"""Those whose `out` may not be an operand either."""
OVER_INPUTS = """
addbmm addmm addmv arange baddbmm bernoulli diag expand_copy inner inverse linspace log_softmax logspace logsumexp mean
mm nanmean nanquantile norm quantile rand randint randn select_copy softmax tensordot
"""
"""Those whose `out` may lie on operands, as long as no two of its elements are one."""


_ANYWHERE, _OVER_INPUTS = frozenset(ANYWHERE.split()), frozenset(OVER_INPUTS.split())


INTO_A_COPY = {"index_add", "index_copy", "index_reduce", "scatter", "scatter_add", "scatter_reduce"}
"""Those whose `out` may be the first operand, of which it is a copy, and no other."""


def check_output(name: str, x: Array, inputs: Iterable[Array]) -> None:
    """Raise RuntimeError for an `out` that the function of this name does not write to."""
    if name in _ANYWHERE:
        return
    if is_shared(x):
        raise RuntimeError(SHARED)
    if name in _OVER_INPUTS:
        return
    for at, y in enumerate(inputs):
        apart = name in APART or (at > 0 and name in INTO_A_COPY)
        if np.may_share_memory(x, y) and dense(x) and dense(y) and (apart or not _are_same(x, y)):
            raise RuntimeError(OVERLAPPING)


def _are_same(x: Array, y: Array) -> bool:
    """Whether two arrays lie in one memory in the same way, but for dimensions of one element."""
    return byte_bounds(x) == byte_bounds(y) and _long(x) == _long(y)


def _long(x: Array) -> list[tuple[int, int]]:
    return [(size, step) for size, step in zip(x.shape, x.strides, strict=True) if size != 1]


def dense(x: Array) -> bool:
    """True if the elements fill a stretch of memory, in whatever order."""
    return x.size > 0 and Geometry(x, x).extent() == x.size and not is_shared(x)
