"""`Variable`: an array and its autograd state, as far as ops, nodes and the backward loop need to know of a tensor.

What a user can do with one is `Tensor`, in tensor.py, which comes last and registers itself here as the class of all
results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from autograd_lab.engine.modes import inference
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.whose import place

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor as TensorType

__all__ = ["is_tensor"]

Edge = tuple[Any, int]
"""A node, or None, and which of its outputs the gradient is for."""

NO_EDGE: Edge = (None, 0)


class Variable:
    """The state of a tensor.

    `_cell` is the version counter, a list of the version and the place in the user's program that wrote last, if any
    did; views and `detach()` share it. `_edge` is where the gradient of a computed tensor goes; a leaf's and a view's
    are found by `edges.edge_of`. `_uid` is left unset until somebody listens.
    """

    __slots__ = ("__weakref__", "_array", "_cell", "_edge", "_extra", "_grad", "_needs", "_uid")

    _array: Array
    _cell: list[Any]
    _grad: Any
    _needs: bool
    _edge: Edge | None
    _extra: Extra | None
    _uid: int

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Formulas that find a Variable have a Tensor, with all that it can do."""


class Extra:
    """What few tensors have: a leaf's AccumulateGrad (a weak reference), hooks, and what a view is a view of.

    A view's `edge` holds while its counter stands at `edge_version`; after that its history is made anew from `base`.
    `creation` is "default", or tells why the view must not be written to: "no_grad", "many", "custom". A tensor that
    requires no gradient knows its `views` (weakly), which may come to require one with it. `tangents` are those of
    forward mode, by level; `examples`: see `exact.mapping`. `grad_dtype` is that of a leaf's gradient: () if its own.
    """

    __slots__ = (
        "accumulator", "base", "creation", "edge", "edge_version", "examples", "grad_dtype", "hooks", "post_hooks",
        "retained", "tangents", "views",
    )  # fmt: skip

    def __init__(self) -> None:
        self.accumulator: Any = None
        self.base: Any = None
        self.creation = "default"
        self.edge: Edge | None = None
        self.edge_version = 0
        self.examples: Any = None
        self.grad_dtype: Any = ()
        self.hooks: Any = None
        self.post_hooks: Any = None
        self.retained: Any = None
        self.tangents: Any = None
        self.views: set[Any] | None = None


def extra_of(tensor: Variable) -> Extra:
    """The tensor's extra, made if it has none yet."""
    if tensor._extra is None:
        tensor._extra = Extra()
    return tensor._extra


Tensor: Any = Variable
"""The class of all results. tensor.py puts the real one here: it needs the ops, and they need it."""

_new: Any = object.__new__


def wrap(array: Array, requires_grad: bool = False) -> TensorType:
    """A new leaf tensor around an array, which it shares."""
    tensor: TensorType = _new(Tensor)
    tensor._array = array
    tensor._cell = [0] if not inference.users else inference.new_cell()
    tensor._grad = None
    tensor._needs = requires_grad
    tensor._edge = None
    tensor._extra = None
    return tensor


def wrap_any(value: Any) -> Any:
    """A gradient as a tensor: arrays and numpy scalars are wrapped, tensors and None are themselves."""
    if value is None or isinstance(value, Variable):
        return value
    array = np.asanyarray(value)
    return wrap(array if array.flags.writeable or array.size > 1 else array.copy())


def alias(source: Variable, *, share_version: bool) -> TensorType:
    """A new leaf tensor on the same memory, that requires no gradient."""
    tensor = wrap(source._array)
    counted = source._cell if share_version else [0]
    tensor._cell = inference.DetachedCell() if inference.is_inference(source) else counted
    return tensor


def wrote(tensor: Variable, above: int = 0) -> None:
    """Move the tensor's version, and note who did it: nobody in so many frames `above` the caller's."""
    cell = tensor._cell
    if type(cell) is list:
        code, at = place(1 + above)
        cell[:] = cell[0] + 1, code, at
    else:
        inference.check_write(tensor)


def is_tensor(obj: object) -> TypeGuard[TensorType]:
    """True if `obj` is a tensor."""
    return isinstance(obj, Variable)
