"""Results that have no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.exact.elementless import answer
from autograd_lab.engine.modes.grad_mode import is_grad_enabled

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def from_history(name: str, array: Any, *operands: Any) -> Tensor:
    """A result that has no gradient, but that PyTorch computes by ops which have one."""
    ask_history(*operands)
    return answered(name, array, *operands)


def ask_history(*operands: Any) -> None:
    """Ask for where gradients would go, as an op that is recorded does. Raises RuntimeError for views that lost it."""
    if is_grad_enabled():
        for one in operands:
            if isinstance(one, Variable) and one._needs:
                edge_of(one)


def answered(name: str, array: Any, *operands: Any) -> Tensor:
    """A result that has no gradient, told to the recorder."""
    if seams.carry is None:
        out = wrap(np.asanyarray(array))
    else:
        out = mapping.hand_on(wrap(answer(np.asarray(array), operands)), *operands)
    if listening.active is not None:
        listening.active.op_applied(None, name, operands, (out,))
    return out
