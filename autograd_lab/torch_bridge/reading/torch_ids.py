"""Who is who among torch's tensors and nodes. Nothing is kept alive, and nothing of ours stays on the user's things."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from autograd_lab.events import Value
from autograd_lab.recording.ids import CPU, Form, Ids, Numbers
from autograd_lab.torch_bridge.internals import address_of, made_by
from autograd_lab.torch_bridge.reading.tensors import (
    device_of,
    dtype_of,
    may_be_asked,
    nbytes_of,
    node_of,
    shape_of,
    snapshot_of,
    version_of,
)
from autograd_lab.whose import PACKAGE


class Mark:
    """Lies in a node's `metadata` while a recording lasts, and dies with the node."""

    __slots__ = ("__weakref__", "id")

    def __init__(self, identity: str) -> None:
        self.id = identity


class _Ref(weakref.ref[Any]):
    """A reference to a tensor, or to a node's mark, that knows whose it was when that is gone."""

    __slots__ = ("address", "id")
    address: int
    id: str


class TorchIds(Ids):
    """Knows tensors by their identity as long as they live, nodes by a mark in their metadata.

    `made` has the tensor that each node made as its output of some number, `blank` the storages to which nobody has
    written: what lies there means nothing.
    """

    def __init__(self, numbers: Numbers) -> None:
        super().__init__(numbers)
        self._key = f"autograd_lab {id(self):#x}"
        self._known: dict[int, _Ref] = {}
        self._marks: dict[str, _Ref] = {}
        self._on_loss, self._on_death = partial(_lost, self._known), self._died  # made once
        self._storages: dict[int, tuple[Any, str, str]] = {}
        self._early: list[int] = []
        self._in_pass = False
        self._own_counters: dict[str, str] = {}
        self._own_storages: dict[str, str] = {}
        self.made: dict[tuple[str, int], _Ref] = {}
        self.blank: set[str] = set()
        self._leaves: tuple[int, dict[int | None, list[weakref.ref[Any]]]] = (-1, {})

    def close(self) -> None:
        """Forget the nodes that are left, and take the marks off them."""
        super().close()
        self._marks.clear()
        todo = [node for tensor in self.living() if (node := _history(tensor)) is not None]
        while todo:
            node = todo.pop()
            if node.metadata.pop(self._key, None) is not None:
                todo += [below for below, _ in node.next_functions if below is not None]

    def living(self) -> Iterator[Any]:
        """The tensors that have been met and are still there."""
        return (tensor for ref in list(self._known.values()) if (tensor := ref()) is not None)

    def tensor(self, tensor: Any) -> str:
        found = self._known.get(id(tensor))
        return self.ref(tensor).id if found is None else found.id

    def first(self, tensor: Any) -> str:
        return self.ref(tensor).id

    def ref(self, tensor: Any) -> _Ref:
        """A weak reference to a tensor, which has its id."""
        address = id(tensor)
        found = self._known.get(address)
        if found is None:
            found = self._known[address] = _Ref(tensor, self._on_loss)
            found.address, found.id = address, self.numbers.tensor()
        return found

    def adopt(self, tensor: Any, identity: str) -> None:
        self.ref(tensor).id = identity

    def knows(self, tensor: Any) -> bool:
        return id(tensor) in self._known

    def node(self, node: Any) -> str:
        notes = node.metadata
        mark = notes.get(self._key)
        if mark is None:
            mark = notes[self._key] = Mark(self.numbers.node())
            if "traceback_" in notes:  # of anomaly mode, which prints it
                notes["traceback_"] = [line for line in notes["traceback_"] if PACKAGE not in line]
            ref = self._marks[mark.id] = _Ref(mark, self._on_death)
            ref.id = mark.id
        return mark.id

    def _died(self, ref: _Ref) -> None:
        identity = ref.id
        if self._marks.pop(identity, None) is not None:
            for number in range(len(self.made)):  # mostly one
                if self.made.pop((identity, number), None) is None:
                    break
            self.released(identity)

    def facts(self, tensor: Any, expression: str | None, storage: str | None = None) -> tuple[Any, ...]:
        identity = self.tensor(tensor)
        _, counter, memory = self.memory(tensor, storage)
        form = self._form(tensor, memory)
        version, value = version_of(tensor), Value() if memory in self.blank else snapshot_of(tensor)
        self.ledger.note(identity, memory, version, value)
        facts = self.described[identity] = (
            identity, expression, *form[:3], tensor.requires_grad, may_be_asked(tensor) and tensor.is_leaf,
            version, memory, counter, form[4], value,
        )  # fmt: skip
        return facts

    def _form(self, tensor: Any, storage: str) -> Form:
        return shape_of(tensor), dtype_of(tensor.dtype), nbytes_of(tensor), storage, device_of(tensor)

    def storage(self, tensor: Any) -> str:
        return self.memory(tensor)[2]

    def lost_facts(self, node: Any) -> tuple[Any, ...]:
        made = made_by(node)
        shape, dtype, device = made[0] if made else ((), torch.float32, CPU)
        size, number = math.prod(shape) * dtype.itemsize, self.numbers.memory()
        identity = self.numbers.tensor()
        return (
            identity, None, shape, dtype_of(dtype), size, True, False, 0, f"s{number}", f"c{number}", device,
            Value(),
        )  # fmt: skip

    def memory(self, tensor: Any, storage: str | None = None) -> tuple[Any, str, str]:
        """The ids of a tensor's version counter and storage; aliases share both unless they were told to be apart."""
        address = _address_of(tensor)
        if address is None:
            number = self.numbers.memory()
            return None, f"c{number}", f"s{number}"
        found = self._storages.get(address)
        if found is None or _is_gone(found[0]):
            found = self._new_memory(address, tensor)
        if not self._own_counters:
            return None, found[1], found[2]
        whose = self.tensor(tensor)
        if whose not in self._own_counters and tensor._is_view() and self.knows(tensor._base):
            whose = self.tensor(tensor._base)
        return None, self._own_counters.get(whose, found[1]), self._own_storages.get(whose, found[2])

    def in_memory_of(self, tensor: Any) -> list[Any]:
        """The tensor if it is known, else the leaves that are known and lie in its memory."""
        if self.knows(tensor):
            return [tensor]
        count = self.numbers.tensors
        if self._leaves[0] != count:
            self._leaves = count, self._leaves_by_memory()
        refs = self._leaves[1].get(_address_of(tensor), ())
        return [leaf for leaf in (ref() for ref in refs) if leaf is not None]

    def _leaves_by_memory(self) -> dict[int | None, list[weakref.ref[Any]]]:
        found: dict[int | None, list[weakref.ref[Any]]] = {}
        for tensor in self.living():
            if may_be_asked(tensor) and tensor.is_leaf and (address := _address_of(tensor)) is not None:
                found.setdefault(address, []).append(weakref.ref(tensor))
        return found

    def renew(self, tensor: Any) -> None:
        """The memory that a tensor has taken over is its own from now on."""
        self._new_memory(address_of(tensor), tensor)

    def _new_memory(self, address: int, tensor: Any) -> tuple[Any, str, str]:
        """Give ids to a storage, which is known by its address as long as a weak reference keeps that its own.

        In a pass that is one to the tensor: torch adds no gradient in place whose storage Python has seen.
        """
        number = self.numbers.memory()
        if self._in_pass:
            self._early.append(address)
        ref = weakref.ref(tensor) if self._in_pass else StorageWeakRef(tensor.untyped_storage())
        found = self._storages[address] = ref, f"c{number}", f"s{number}"
        return found

    def pass_begins(self) -> None:
        """A backward pass runs from now on."""
        self._in_pass = True

    def pass_is_over(self) -> None:
        """No backward pass runs any more."""
        early, self._early, self._in_pass = self._early, [], False
        for address in early:
            ref, counter, memory = self._storages.pop(address, (None, "", ""))
            tensor = ref() if isinstance(ref, weakref.ref) else None
            if tensor is not None:
                self._storages[address] = StorageWeakRef(tensor.untyped_storage()), counter, memory

    def part(self, tensor: Any) -> None:
        """A tensor that lies in the memory of another has nothing to do with it, as far as the program can tell."""
        number = self.numbers.memory()
        self._own_counters[self.tensor(tensor)] = f"c{number}"
        self._own_storages[self.tensor(tensor)] = f"s{number}"

    def set_apart(self, tensor: Any) -> None:
        """A tensor shares memory with others, but counts its own writes: `.data`."""
        self._own_counters[self.tensor(tensor)] = f"c{self.numbers.memory()}"

    def keep_counter(self, tensor: Any) -> None:
        """A tensor's writes are counted as they are now, whosever memory it comes to lie in."""
        if self.knows(tensor):
            self._own_counters[self.tensor(tensor)] = self.memory(tensor)[1]


def _lost(known: dict[int, _Ref], ref: _Ref) -> None:
    known.pop(ref.address, None)


def _address_of(tensor: Any) -> int | None:
    """Where the memory of a tensor is; None of a sparse one, or inside torch.func."""
    try:
        return address_of(tensor)
    except (RuntimeError, NotImplementedError):
        return None


def _is_gone(ref: Any) -> bool:
    return isinstance(ref, weakref.ref) and ref() is None


def _history(tensor: Any) -> Any:
    """A tensor's node, unless to ask for it would make one anew: a view's, after its base was written to."""
    return None if tensor._is_view() and tensor._base is not None else node_of(tensor)
