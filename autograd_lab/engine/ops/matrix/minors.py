"""Whether a matrix is positive definite, and if not, from which leading minor on."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array


def bad_minors(x: Array) -> Array:
    """Of each matrix, the order of the first leading minor that is not positive; 0 if all are."""
    found = np.zeros(x.shape[:-2], np.int64)
    if not _factors(x):
        for at in np.ndindex(found.shape):
            found[at] = _bad_minor(x[at])
    return found


def _bad_minor(x: Array) -> int:
    """The order of the first leading minor that is not positive: from there on, none is; 0 if all are."""
    if _factors(x):
        return 0
    return bisect_left(range(1, len(x) + 1), True, key=lambda size: not _factors(x[:size, :size])) + 1


def _factors(x: Array) -> bool:
    """Whether Cholesky's factorization exists: determinants do not tell, those of large matrices are 0 or infinite."""
    try:
        return not x.size or not np.isnan(np.linalg.cholesky(x).diagonal(axis1=-2, axis2=-1)).any()
    except np.linalg.LinAlgError:
        return False
