"""`from_file`: a tensor whose elements are the bytes of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.tensor.factories import made, numpy_dtype

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def from_file(
    filename: str, shared: bool | None = None, size: int | None = 0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The first `size` elements of a file; if `shared`, what is written to the tensor is written to the file."""
    kind = np.dtype(numpy_dtype(dtype, None))
    needed = (size or 0) * kind.itemsize
    try:
        with open(filename, "ab+" if shared else "rb") as file:
            have = file.seek(0, os.SEEK_END)
            if have < needed and not shared:
                raise RuntimeError(
                    f"file <{filename}> size <{have}> is smaller than the required mapping size <{needed}>"
                )
            if have < needed:
                file.truncate(needed)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(
            f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from None
    if needed <= 0:
        return made(np.zeros(0, kind), requires_grad, device)
    array = np.memmap(filename, kind, "r+" if shared else "c", shape=(needed // kind.itemsize,))
    return made(array.view(np.ndarray), requires_grad, device)
