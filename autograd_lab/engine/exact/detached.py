"""Tensors that were detached in place: nodes that had saved one as an operand refuse it in backward, as in PyTorch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from autograd_lab.engine.core.node import Node, next_sequence
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import guarding

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)
NOBODY_ELSE = 3  # references to a tensor that only a variable has, seen from inside a function that it is given to

_since: dict[int, tuple[ref[Any], int]] = {}
"""By the ids of tensors themselves, weakly, and the number of the first node after each was detached."""


def remember(tensor: Any) -> None:
    """Have nodes refuse the tensor, which is going to be detached, if they have saved it."""
    if tensor._edge is None or sys.getrefcount(tensor) <= NOBODY_ELSE + 1:
        return
    key = id(tensor)
    _since[key] = ref(tensor, lambda _: _forget(key)), next_sequence()
    guarding.put("detached", _guarded)


def _forget(key: int) -> None:
    _since.pop(key, None)
    if not _since:
        guarding.put("detached", None)


class Refused(tuple[Any, ...]):
    """What a node has saved, of which something was detached: to unpack it is an error."""

    def __iter__(self) -> Any:
        raise RuntimeError(DETACHED)


def _guarded(evaluate: Callable[..., Sequence[Any]]) -> Callable[..., Sequence[Any]]:
    def evaluate_guarded(node: Node, *args: Any) -> Sequence[Any]:
        saved = node._saved or ()
        if not any(isinstance(source, Variable) and _was_detached(source, node) for source in saved[::3]):
            return evaluate(node, *args)
        node._saved = Refused(saved)  # its formula alone may not run: hooks do, and gradients are captured
        try:
            return evaluate(node, *args)
        finally:
            if type(node._saved) is Refused:
                node._saved = saved

    return evaluate_guarded


def _was_detached(tensor: Any, node: Node) -> bool:
    known = _since.get(id(tensor))
    return known is not None and node.age < known[1] and not hasattr(node, "_forward_cls")  # a Function takes it
