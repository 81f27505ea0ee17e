"""The graph itself: its nodes and edges, what they save, and word of when several gradients are there."""

from __future__ import annotations

import os
import weakref
from abc import ABC
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

from autograd_lab.engine.core import hooks
from autograd_lab.engine.core.edges import AccumulateGrad, edge_of
from autograd_lab.engine.core.node import Node as NodeOfOurs
from autograd_lab.engine.core.variable import Variable, wrap, wrote
from autograd_lab.engine.exact.gradients import GradientEdge
from autograd_lab.engine.exact.saving import Hook, _pairs, _refusal, disable_saved_tensors_hooks, hold
from autograd_lab.engine.modes.handles import RemovableHandle

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)


class Node(ABC):  # noqa: B024 - it is but a name
    """What all nodes are, in name: none has it among its bases."""

    @classmethod
    def __subclasshook__(cls, subclass: type) -> Any:
        return (cls is Node and issubclass(subclass, NodeOfOurs)) or NotImplemented


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Where the gradient of a tensor comes to. Raises RuntimeError for a tensor that requires none."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*edge_of(tensor))


def increment_version(tensor: Any) -> None:
    """Count a write to one or several tensors that went unnoticed, such as one to `tensor.numpy()`."""
    if not isinstance(tensor, Variable | Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in (tensor,) if isinstance(tensor, Variable) else tensor:
        if not isinstance(each, Variable):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not each.is_inference():  # which counts none
            wrote(each)


class _unsafe_preserve_version_counter:
    """Writes to these tensors inside the block are not counted."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Variable) else tuple(tensors)
        self.versions = [tensor._version for tensor in self.tensors]

    def __enter__(self) -> None:
        """What is to be preserved is known already."""

    def __exit__(self, *_: object) -> None:
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            tensor._cell[0] = version


# --- saved tensors ---------------------------------------------------------------------------------------------------


class saved_tensors_hooks:
    """What ops save inside goes through `pack_hook`, and what backward needs comes from `unpack_hook`.

    Of nested ones the innermost holds. Versions are not checked: what a hook returned may depend on anything.
    """

    def __init__(self, pack_hook: Hook, unpack_hook: Hook) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if (refusal := _refusal.get()) is not None:
            raise RuntimeError(refusal)
        if not callable(self.pack_hook) or not callable(self.unpack_hook):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None"
            )
        hold((*_pairs.get(), (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *_: object) -> None:
        hold(_pairs.get()[:-1])


class save_on_cpu(saved_tensors_hooks):
    """What ops save inside lies in a temporary file until backward needs it: no memory is slower than the CPU's."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(partial(_Offloaded, _File()), _Offloaded.read)


class _File:
    """A nameless temporary file, which is gone from the disk together with this."""

    def __init__(self) -> None:
        import tempfile  # it brings much along, and few want it

        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - it stays open as long as it is needed
        weakref.finalize(self, self.file.close)


class _Offloaded:
    """The elements of a tensor in a file."""

    __slots__ = ("_dtype", "_home", "_place", "_shape", "nbytes")

    def __init__(self, home: _File, tensor: Any) -> None:
        array = tensor._array
        self._home, self._shape, self._dtype, self.nbytes = home, array.shape, array.dtype, array.nbytes
        self._place = home.file.seek(0, os.SEEK_END)
        home.file.write(array.tobytes())

    def read(self) -> Any:
        """The tensor."""
        array = np.empty(self._shape, self._dtype)
        self._home.file.seek(self._place)
        self._home.file.readinto(array.reshape(-1).view(np.uint8).data)
        return wrap(array)


class _AllowMutationOnSavedContext:
    """Copies of what was saved, while they are allowed to be used."""

    def __init__(self) -> None:
        self.cloned: dict[object, Any] | None = {}

    def clear(self) -> None:
        """Forget all copies."""
        if self.cloned:
            self.cloned.clear()

    def pack(self, tensor: Any) -> object:
        """A copy, kept here under a token."""
        token = object()
        assert self.cloned is not None
        self.cloned[token] = tensor.detach().clone()
        return token

    def unpack(self, token: object) -> Any:
        """The copy of that token."""
        if not self.cloned or token not in self.cloned:
            raise AssertionError(OUTSIDE)
        return self.cloned[token]


_mutation_allowed: ContextVar[bool] = ContextVar("mutation_allowed", default=False)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Inside, what was saved may be written to, and backward gives the gradients as if it had not been.

    PyTorch copies a saved tensor when it is written to; here it is copied when it is saved.
    """
    if _mutation_allowed.get():
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()
    token = _mutation_allowed.set(True)
    try:
        with saved_tensors_hooks(context.pack, context.unpack):
            yield context
    finally:
        context.clear()
        _mutation_allowed.reset(token)


# --- several gradients -----------------------------------------------------------------------------------------------


class _MultiHandle(RemovableHandle):
    """Removes several hooks together."""

    def __init__(self, handles: Iterable[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take all of them off."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Have `fn` called once in each backward pass: with the list of all gradients that come, once the last is there
    (None for those that do not come), or, in mode "any", with the first one.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        first = _first_of_each_pass(fn)
        return _MultiHandle(tensor.register_hook(first) for tensor in tensors if tensor.requires_grad)
    if not all(tensor.requires_grad for tensor in tensors):
        raise AssertionError("Expected gradient function to be set")
    gather = _gathering([edge_of(tensor)[0] for tensor in tensors], fn)
    return _MultiHandle([tensor.register_hook(gather(place)) for place, tensor in enumerate(tensors)])


def _first_of_each_pass(fn: Callable[[Any], None]) -> Callable[[Any], None]:
    last: list[Any] = [None]

    def first(gradient: Any) -> None:
        if last[0] is not (now := hooks.current.get()):
            last[0] = now
            fn(gradient)

    return first


LEAF_OF_GRAD = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
    "currently not supported."
)


def _will_run(now: hooks.Pass, node: NodeOfOurs) -> bool:
    """Whether the node is run, or was, in a pass; of a leaf that is asked for it cannot be said."""
    asked_for = any(node is one for one, _ in now.captured or ())
    if asked_for and type(node) is AccumulateGrad:
        raise RuntimeError(LEAF_OF_GRAD)
    alone = now.runs is None and now.roots == (node,)  # which PyTorch does not count
    return asked_for or (not alone and node in (now.missing if now.runs is None else now.runs))


def _gathering(nodes: list[NodeOfOurs], fn: Callable[[Any], None]) -> Callable[[int], Callable[[Any], None]]:
    """Hooks that collect the gradients of each pass; the last that is due hands them over.

    A root that is hooked itself counts for nothing in PyTorch, and what comes after it begins a new list.
    """
    arrived: dict[Any, list[Any]] = defaultdict(lambda: [None] * len(nodes))
    due: dict[Any, int] = {}

    def gather(place: int) -> Callable[[Any], None]:
        def hook(gradient: Any) -> None:
            now = hooks.current.get()
            if now not in due:
                due[now] = sum(_will_run(now, node) for node in nodes)
            arrived[now][place] = gradient
            due[now] -= 1
            if due[now] == 0:
                fn(arrived[now])
                del due[now], arrived[now]

        return hook

    return gather


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Nothing: there are no streams, and so none that do not match."""


set_override_stale_capture_stream = set_warn_on_accumulate_grad_stream_mismatch
