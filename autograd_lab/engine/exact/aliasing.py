"""Views and writes: where a view lies in its base's memory, and what becomes of the history of both after a write."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.node import Node, enter, more_of
from autograd_lab.engine.core.variable import NO_EDGE, Edge, Variable, wrap
from autograd_lab.engine.errors.reasons import short_name
from autograd_lab.engine.numbers.device import owner_of
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, steps

MANY = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output "
    "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
UNDER_NO_GRAD = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
    "tracked) or both outside (if you want the inplace to be tracked)."
)
IN_A_FUNCTION = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)


WHERE = {
    "inference": ("inference mode", "in normal mode", UNDER_NO_GRAD.replace("no_grad", "inference_mode")),
    "no_grad": ("no_grad mode", "with grad mode enabled", UNDER_NO_GRAD),
    "many": ("no_grad mode", "with grad mode enabled", MANY),
}
"""By what a view is: in which mode it came to be without a node, how that mode ended, and why it is not written to."""


def refuse_view(view: Variable, what: str) -> None:
    """Raise RuntimeError if the view is of a kind whose history cannot be made anew after a write."""
    extra = view._extra
    if extra is None or extra.base is None or extra.creation == "default":
        return
    inside, enabled, reason = WHERE.get(extra.creation, ("no_grad mode", "with grad mode enabled", IN_A_FUNCTION))
    made = extra.edge and f"Output {extra.edge[1]} of {short_name(extra.edge[0])} is a view"
    if made is not None and extra.creation not in ("inference", "no_grad"):
        raise RuntimeError(f"{made} {what}. {reason}")
    created = f"{made} of a view which was created in" if made else "A view was created in"
    raise RuntimeError(f"{created} {inside} {what} {enabled}. {reason}")


def address(array: Array) -> int:
    """Where in memory an array's first element lies."""
    where: int = array.__array_interface__["data"][0]
    return where


def blank(size: int, dtype: NumpyDtype) -> Array:
    """Zeros, one after another in memory that is new."""
    return np.zeros(size, dtype)


SHARED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


class Geometry:
    """Where elements lie in memory, counted in elements from the first one of a base."""

    __slots__ = ("offset", "shape", "strides")

    def __init__(self, array: Array, base: Array) -> None:
        step = array.itemsize
        self.shape = array.shape
        self.strides = steps(array)
        offset = (address(array) - address(base)) // step
        self.offset = offset if np.may_share_memory(array, base) or not array.size else 0  # 0: `.data` was replaced

    def extent(self) -> int:
        """How many elements the memory must have that holds all of these."""
        reach = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))
        return 0 if 0 in self.shape else self.offset + reach + 1

    def look(self, memory: Array) -> Array:
        """A flat array's elements, seen in this way."""
        return strided(memory, self.shape, self.strides, self.offset)

    def moved(self, by: int) -> Geometry:
        """The same, so many elements further on."""
        if not by:
            return self
        other = object.__new__(Geometry)
        other.shape, other.strides, other.offset = self.shape, self.strides, self.offset + by
        return other

    def may_overlap(self) -> bool:
        """Whether two elements may lie at one place: strides that do not reach past what the smaller ones cover."""
        reach = 0
        for stride, size in sorted(zip(self.strides, self.shape, strict=True)):
            if size > 1 and stride <= reach:
                return True
            reach += (size - 1) * stride
        return False

    def places(self, extent: int) -> Array:
        """Where in a flat array each element lies, in the elements' order."""
        return self.look(np.arange(extent)).reshape(-1)


def strided(memory: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
    """A view of a flat array, with strides and offset counted in elements. Raises RuntimeError if it leads outside."""
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if last >= memory.size and 0 not in shape:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, and itemsize "
            f"{memory.itemsize} requiring a storage size of {(last + 1) * memory.itemsize} are out of bounds for "
            f"storage of size {memory.nbytes}"
        )
    steps = [stride * memory.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(memory[offset:], shape, steps)


def expanded_strides(x: Array, shape: tuple[int, ...]) -> tuple[int, ...]:
    """0 where elements are repeated; a new dimension of one element steps over all that is behind it."""
    if not x.ndim:
        return (0,) * len(shape)
    strides: list[int] = []
    new = len(shape) - x.ndim
    for d in reversed(range(len(shape))):
        size, stride = (x.shape[d - new], x.strides[d - new]) if d >= new else (1, shape[d + 1] * strides[-1])
        strides.append(stride if size == shape[d] else 0)
    return tuple(reversed(strides))


def expanded(x: Array, shape: tuple[int, ...]) -> Array:
    """`x` repeated along new or one-element dimensions, in the same memory, to be written to where `x` may be."""
    strides = expanded_strides(x, shape)
    if type(x) is np.ndarray and x.flags.c_contiguous:
        return np.ndarray(shape, x.dtype, x, 0, strides)  # which takes a fifth of the time
    return np.lib.stride_tricks.as_strided(x, shape, strides, subok=True)


class AsStridedBackward0(Node):
    """A view of a base, given by strides: the gradient is put where the view lies, among zeros.

    It takes the place of all ops between a base and its view once the base has been written to.
    """

    __slots__ = ("_base", "_view", "size", "storage_offset", "stride")
    tangent = "linear"

    def forward(
        self, x: Array, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None
    ) -> Array:
        memory = flat_memory(x)
        start = (address(x) - address(memory)) // x.itemsize if storage_offset is None else storage_offset
        array = strided(memory, size, stride, start)
        self.lay(array, x)
        return array

    def lay(self, view: Array, base: Array) -> None:
        """Note where the view and its base lie."""
        self._base, self._view = Geometry(base, base), Geometry(view, base)
        self.size, self.stride, self.storage_offset = view.shape, self._view.strides, self._view.offset

    def backward(self, g: Any) -> Any:
        start = min(self._view.offset, 0)  # a view may begin before its base does
        base, view = self._base.moved(-start), self._view.moved(-start)
        if 0 in g.shape or 0 in base.shape:
            return wrap(np.zeros(base.shape, self.dtype)) if isinstance(g, Variable) else np.zeros(base.shape, g.dtype)
        extent = max(base.extent(), view.extent())
        flat = _recorded(g, view, extent) if isinstance(g, Variable) else _scattered(g, view, extent)
        if base.may_overlap():
            often = np.maximum(np.bincount(base.places(extent)), 1).astype(self.dtype)
            often = np.pad(often, (0, extent - len(often)), constant_values=1)
            flat = flat / (wrap(often) if isinstance(g, Variable) else often)
        return flat.as_strided(base.shape, base.strides, base.offset) if isinstance(g, Variable) else base.look(flat)


def _scattered(g: Array, view: Geometry, extent: int) -> Array:
    """A gradient in the memory that its tensor looked at: a sum, where several elements are one there."""
    memory = blank(extent, g.dtype)
    if view.may_overlap():
        np.add.at(memory, view.places(extent), np.reshape(g, -1))
    else:
        view.look(memory)[...] = g
    return memory


def _recorded(g: Any, view: Geometry, extent: int) -> Any:
    """The same of a gradient that is recorded itself."""
    memory: Any = wrap(np.zeros(extent, g._array.dtype))
    if view.may_overlap():
        return memory.index_add(0, wrap(view.places(extent)), g.reshape(-1))
    memory.as_strided(view.shape, view.strides, view.offset).copy_(g)
    return memory


def flat_memory(x: Array) -> Array:
    """All the memory that an array lies in, one element after another."""
    owner = owner_of(x)
    if owner.dtype != x.dtype or not x.size:
        return np.lib.stride_tricks.as_strided(x, (Geometry(x, x).extent(),), (x.itemsize,))
    return np.lib.stride_tricks.as_strided(owner, (owner.size,), (owner.itemsize,))


def _join(node: Node, output: Variable, next_functions: tuple[Edge, ...]) -> None:
    """Put a node into the graph that is recorded without going through `apply`."""
    node.next_functions = next_functions
    node._saved = ()
    enter(node, output)
    if seams.on_recorded is not None:
        seams.on_recorded(node)


def _through_base(view: Variable, base: Variable) -> Edge:
    refuse_view(view, "and its base or another view of its base has been modified inplace")
    node = AsStridedBackward0()
    node.lay(view._array, base._array)
    _join(node, view, (edge_of(base) if base._needs else NO_EDGE,))
    return node, 0


def is_shared(x: Array) -> bool:
    """Whether some elements are one in memory, as far as one sees that at once."""
    return any(step == 0 and size > 1 for step, size in zip(x.strides, x.shape, strict=True)) and x.size > 0


class CopySlices(Node):
    """What a write to a view does to its base: the gradient passes by, except where the view lies.

    There it goes through the node of the op that wrote. That node is what is saved here: it goes when slots are freed,
    even if it has none, and with it what only that node led to.
    """

    __slots__ = ("_base", "_view")
    _base: Geometry
    _view: Geometry

    op = "copy_slices"

    def name(self) -> str:
        """The name that PyTorch gives it, with its namespace."""
        return "torch::autograd::CopySlices"

    def _inner(self) -> Node:
        """The node of the op that wrote."""
        if self._saved is None:
            raise self._second_time()
        inner: Node = self._saved[0]
        return inner

    def arrays(self) -> Sequence[Any]:
        """The op that wrote, and what it has saved."""
        inner = self._inner()
        return [inner, *inner.arrays()]

    def tensors(self) -> list[Any]:
        """The op that wrote, and what it has saved, as tensors."""
        inner = self._inner()
        return [inner, *inner.tensors()]

    def saved_slots(self) -> list[tuple[str, Any, Any, int]]:
        """The slots of the op that wrote."""
        return [] if self._saved is None else self._inner().saved_slots()

    def unusable_slot(self) -> str | None:
        """The first slot of the op that wrote which backward cannot have."""
        return None if self._saved is None else self._inner().unusable_slot()

    def backward(self, g: Any, inner: Node, *saved: Any) -> Any:
        if isinstance(g, Variable):
            whole: Any = wrap(self._base.look(np.zeros(self._base.extent(), g._array.dtype)))
            whole.copy_(g)
            part = whole.as_strided(self._view.shape, self._view.strides, self._view.offset)
            first, *rest = _vector(inner.backward(part.clone(), *saved))
            part.copy_(first) if first is not None else part.zero_()
            return None if self.next_functions[0][0] is None else whole, *rest
        memory = blank(self._base.extent(), g.dtype)
        whole, part = self._base.look(memory), self._view.look(memory)
        whole[...] = g
        first, *rest = _vector(inner.backward(part.copy()[()], *saved))
        if first is not None and is_shared(part):
            raise RuntimeError(SHARED)
        part[...] = 0 if first is None else first
        return None if self.next_functions[0][0] is None else whole, *rest


def _vector(sent: Any) -> tuple[Any, ...]:
    return sent if type(sent) is tuple else (sent,)


def is_view(tensor: Variable) -> bool:
    """Whether the tensor lies in the memory of another one, its base."""
    return tensor._extra is not None and tensor._extra.base is not None


def has_node(tensor: Variable) -> bool:
    """Whether a node made the tensor, so far: that a write to its base has made another is not looked for."""
    return tensor._edge is not None or (tensor._extra is not None and tensor._extra.edge is not None)


def rebase(tensor: Variable, node: Node, others: tuple[Any, ...]) -> None:
    """Give a tensor that an op has written to that op's node as its history; through its base if it is a view.

    `others` are the operands of the op beside the tensor itself: a recorder is told of the write to the base.
    """
    extra = tensor._extra
    if extra is not None and extra.base is not None:
        base = extra.base
        copy = CopySlices()
        copy._base, copy._view = Geometry(base._array, base._array), Geometry(tensor._array, base._array)
        _join(copy, base, (edge_of(base) if base._needs else NO_EDGE, *node.next_functions[1:]))
        copy._saved = (node,)
        settle(base, copy)
        if listening.active is not None:
            listening.active.op_applied(copy, copy.name(), (base, *others), (base,), True)
        edge_of(tensor)
    else:
        settle(tensor, node)


def settle(tensor: Variable, node: Node, *, is_written: bool = True) -> None:
    """Give a tensor that is no view, and its views with it, an op's node as its history.

    What it keeps is the gradient of what was written, but, as in PyTorch, still that of what it was before it was only
    shown in another way.
    """
    extra = tensor._extra
    if is_written and extra is not None and extra.retained:
        _move_retained(tensor, node)
    tensor._edge, tensor._needs = (node, 0), True
    tell_views(tensor)


def tell_views(base: Variable) -> None:
    """Have the views that no op was recorded for require grad as their base does: PyTorch asks it each time.

    A view that has been given a node, since its base was written to, keeps that.
    """
    for reference in (base._extra and base._extra.views) or ():
        if (view := reference()) is not None:
            view._needs = base._needs or has_node(view)


def _move_retained(tensor: Variable, node: Node) -> None:
    assert tensor._edge is not None
    old, nr = tensor._edge
    if more_of(old).retained.pop(nr, None) is not None:  # else it was shown in another way since
        more_of(node).retained[0] = weakref.ref(tensor)


seams.through_base = _through_base
