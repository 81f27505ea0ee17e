"""Results that have no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.exact.elementless import answer

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def answered(name: str, array: Any, *operands: Any) -> Tensor:
    """A result that has no gradient, told to the recorder."""
    out = wrap(np.asanyarray(array) if seams.carry is None else answer(np.asarray(array), operands))
    if listening.active is not None:
        listening.active.op_applied(None, name, operands, (out,))
    return out
