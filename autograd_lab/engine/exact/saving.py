"""What nodes keep when the user has a say in it: saved tensors that go through a pair of hooks, *pack* and *unpack*."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from autograd_lab import listening
from autograd_lab.engine.core.node import Kept
from autograd_lab.engine.core.variable import Edge, Variable, extra_of, wrap
from autograd_lab.engine.exact.watchers import unwatch, watch
from autograd_lab.engine.modes import handles
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.listening import PACKED

FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
    "the graph a second time or if you need to access saved variables after calling backward."
)
SET_ALREADY = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)
WRITTEN = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need "
    "to perform in-place operations on the input to a pack hook."
)
ARGUMENTS = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) "
    "-> None"
)
UNCHECKED = [0]
"""The version counter of what is packed: it never moves, since nobody can say what a hook's result depends on."""

Hook = Callable[[Any], Any]

_pairs: ContextVar[tuple[tuple[Hook, Hook], ...]] = ContextVar("saved_tensors_hooks", default=())
_refusal: ContextVar[str | None] = ContextVar("saved_tensors_hooks_refused", default=None)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Have `saved_tensors_hooks` raise RuntimeError with this message, also those that are there already."""
    if _pairs.get():
        raise RuntimeError(error_message)
    token = _refusal.set(error_message)
    try:
        yield
    finally:
        _refusal.reset(token)


class Packed(Kept):
    """What a pack hook returned, in the place of a tensor in `node._saved`.

    It knows what the tensor was in the graph: the leaf's AccumulateGrad, which it keeps alive, or where its gradient
    goes, or None for an output of the node itself, which would close a cycle.
    """

    __slots__ = ("_edge", "_is_leaf", "_needs", "kept", "output", "unpack")

    def __init__(self, tensor: Any, given: Any, output: int | None, pack: Hook, unpack: Hook) -> None:
        handles.asked = True
        self._needs, self._is_leaf = tensor._needs, tensor.is_leaf
        self._edge: Edge | None = None if output is not None or not self._needs else _edge(tensor)
        self.output, self.unpack = output, unpack
        before = given._version
        with listening.paused(), no_grad_quietly():  # nobody has been told of the node yet
            self.kept = pack(given)
        if given._version != before:
            raise RuntimeError(WRITTEN)

    def _unpacked(self) -> Any:
        tensor = self.unpack(self.kept)
        if not isinstance(tensor, Variable):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        return tensor

    @property
    def _array(self) -> Any:
        """The array of the unpacked tensor: what formulas compute with."""
        return self._unpacked()._array

    def seen(self) -> tuple[Any, int]:
        """What can be seen of it without unpacking: what the hook returned, with its version, if that is a tensor."""
        return (self.kept, self.kept._cell[0]) if isinstance(self.kept, Variable) else (PACKED, 0)

    def tensor(self, node: Any) -> Any:
        """The unpacked tensor, with the history that the saved one had; `node` is the one it was saved for."""
        found = self._unpacked()
        if not self._needs:
            return found
        tensor = wrap(found._array, requires_grad=True)
        tensor._cell = found._cell
        if self.output is not None:
            tensor._edge = (node, self.output)
        elif self._is_leaf:
            accumulator = self._edge and self._edge[0]
            extra_of(tensor).accumulator = lambda: accumulator
        else:
            tensor._edge = self._edge
        return tensor


def _edge(tensor: Any) -> Edge:
    """Where the gradient of a tensor goes; a leaf that nothing was recorded with yet is looked at from a view of it."""
    if not tensor.is_leaf:
        return tensor.grad_fn, tensor.output_nr
    extra = tensor._extra
    known = extra and extra.accumulator and extra.accumulator()
    return known or tensor.view_as(tensor).grad_fn.next_functions[0][0], 0


def pack_slots(node: Any, pack: Hook, unpack: Hook) -> None:
    """Pack all that a node has just saved, in PyTorch's order; numbers and what is packed already stay."""
    for position in node.packing_order():
        source, cell = node._saved[3 * position : 3 * position + 2]
        if source is not None and type(cell) is not tuple and type(source) is not Packed:
            _replace(node, position, node._tensor(position), pack, unpack, whole=True)


def _pack(node: Any) -> None:
    if pairs := _pairs.get():
        pack_slots(node, *pairs[-1])


def hold(pairs: tuple[tuple[Hook, Hook], ...]) -> None:
    """From now on nodes are to pack by the last of these pairs of hooks."""
    more = len(pairs) - len(_pairs.get())
    for _ in range(abs(more)):
        watch(_pack) if more > 0 else unwatch(_pack)
    _pairs.set(pairs)


def _replace(node: Any, position: int, tensor: Any, pack: Hook, unpack: Hook, *, whole: bool) -> None:
    source, cell = node._saved[3 * position : 3 * position + 2]
    output = None if isinstance(source, Variable) or type(cell) is tuple else node.output_number(position)
    given = tensor if whole else wrap(tensor._array)
    if given is not tensor:
        given._cell = tensor._cell
    packed = Packed(tensor, given, output, pack, unpack)
    node._saved = (*node._saved[: 3 * position], packed, UNCHECKED, 0, *node._saved[3 * position + 3 :])


class SavedTensor:
    """One saved value of a node as it is kept, `_raw_saved_<name>`: packed, if there are hooks."""

    def __init__(self, *place: Any) -> None:
        if not place:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self._node, self._position = place

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"

    def _kept(self) -> Any:
        saved = self._node._saved
        return saved[3 * self._position] if saved else None

    def register_hooks(self, *hooks: Any) -> None:
        """Pack the saved tensor by the first function, and have backward unpack it by the second."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            given = ", ".join(map(repr, (self, *hooks)))
            raise TypeError(f"{ARGUMENTS}\n\nInvoked with: {given}")
        if self._node._saved is None:
            raise RuntimeError(FREED)
        kept = self._kept()
        if kept is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if type(kept) is Packed:
            raise RuntimeError(SET_ALREADY)
        _replace(self._node, self._position, self._node._tensor(self._position), *hooks, whole=False)

    def unpack(self) -> Any:
        """The tensor, as `_saved_<name>` gives it."""
        return self._node._tensor(self._position)

    @property
    def data(self) -> Any:
        """What is kept: what the pack hook returned, or the tensor; None once it is freed."""
        kept = self._kept()
        if type(kept) is Packed:
            return kept.kept
        return kept if kept is None or isinstance(kept, Variable) else wrap(kept)

    @property
    def unpack_hook(self) -> Hook | None:
        """The function that unpacks, if there are hooks."""
        kept = self._kept()
        return kept.unpack if type(kept) is Packed else None


class _Alone:
    """What stands for the node of a tensor that is saved for nobody."""

    def __init__(self, tensor: Any) -> None:
        self._saved: tuple[Any, ...] = (tensor, tensor._cell, tensor._cell[0])

    def _tensor(self, position: int) -> Any:
        kept = self._saved[0]
        return kept.tensor(cast("Any", self)) if isinstance(kept, Kept) else kept


def saved_alone(tensor: Any, is_output: bool = False) -> SavedTensor:
    """A tensor as a node would save it, through the pair of hooks that holds."""
    node = _Alone(tensor)
    if pairs := _pairs.get():
        _replace(node, 0, tensor, *pairs[-1], whole=True)
    return SavedTensor(node, 0)
