"""Edges: where the gradient of a tensor goes. To the node that made it, to its AccumulateGrad, or through its base."""

from __future__ import annotations

import weakref
from typing import Any

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.node import LEAF, Node, more_of
from autograd_lab.engine.core.variable import NO_EDGE, Edge, Extra, Variable, extra_of


class AccumulateGrad(Node):
    """Where the gradient of a leaf arrives. It holds its leaf; the leaf holds it weakly, so that no cycle is closed."""

    __slots__ = ("_leaf",)
    _leaf: Any

    inputs = ()

    def name(self) -> str:
        """The name that PyTorch gives it, with its namespace."""
        return "torch::autograd::AccumulateGrad"

    @property
    def variable(self) -> Any:
        """The leaf."""
        return self._leaf

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "variable"]


def _new_accumulator(leaf: Any) -> AccumulateGrad:
    node = AccumulateGrad()
    node._leaf = leaf
    node.next_functions = ()
    node._saved = ()
    node.seq = LEAF
    node.shape = leaf._array.shape
    node._more = None
    extra = extra_of(leaf)
    node.dtype = leaf._array.dtype if extra.grad_dtype == () else extra.grad_dtype
    extra.accumulator = weakref.ref(node)
    return node


def be_leaf(view: Variable) -> None:
    """From now on a view that no op was recorded for requires grad of itself, whatever its base does."""
    if extra_of(view).accumulator is None:
        _new_accumulator(view)


def is_computed(tensor: Variable) -> bool:
    """True unless the tensor is a leaf: a recorded op made it, or wrote to its base since it became a view."""
    if tensor._edge is not None:
        return True
    extra = tensor._extra
    return extra is not None and extra.base is not None and (extra.edge is not None or _is_stale(tensor, extra))


def edge_of(tensor: Variable) -> Edge:
    """Where the gradient of a tensor that requires one goes."""
    if tensor._edge is not None:
        return tensor._edge
    extra = tensor._extra
    if extra is None or extra.base is None:
        known = None if extra is None or extra.accumulator is None else extra.accumulator()
        return known or _new_accumulator(tensor), 0
    if _is_stale(tensor, extra):
        old, extra.edge, extra.edge_version = extra.edge, seams.through_base(tensor, extra.base), tensor._cell[0]
        if listening.active is not None:
            listening.active.op_applied(extra.edge[0], extra.edge[0].name(), (extra.base,), (tensor,))
            listening.active.step_applied()
        if extra.retained and old is not None:
            more_of(old[0]).retained.pop(old[1], None)
            more_of(extra.edge[0]).retained[0] = weakref.ref(tensor)
    if extra.edge is not None:
        return extra.edge
    if extra.base._needs and extra.accumulator is None:
        return NO_EDGE  # unrecorded, it requires grad only as its base does, and leads nowhere
    return (extra.accumulator and extra.accumulator()) or _new_accumulator(tensor), 0


def _is_stale(view: Variable, extra: Extra) -> bool:
    return (extra.edge is not None or bool(extra.base._needs)) and extra.edge_version != view._cell[0]
