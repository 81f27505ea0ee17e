"""Who is who in a recording: ids of its own for tensors, nodes, version counters and storages, and their facts.

An id is given at first sight and never again to anybody else. Tensors carry the number they are known by in a slot that
the engine leaves to us; nodes are known by their address, until Python says that they are gone. Nothing is kept alive.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from itertools import count
from operator import itemgetter
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.events import Value
from autograd_lab.recording.ledger import Ledger
from autograd_lab.recording.values.snapshot import KEPT, snapshot

Form = tuple[Any, Any, int, str, str]
"""Shape, dtype, bytes, the id of the storage and the device: what a tensor may have others of later, by `t_` or
`x.data = y`."""
form_of: Callable[[tuple[Any, ...]], Form] = itemgetter(2, 3, 4, 8, 10)
"""The form in a tensor's raw facts."""
CPU, META = "cpu", "meta"
"""The devices of tensors of this engine; those on meta have arrays of a kind of their own, without elements."""


def version_of(tensor: Any) -> int:
    """How often a tensor was written to; 0 for one that does not count."""
    cell = tensor._cell
    return int(cell[0]) if type(cell) is list else 0


class Numbers:
    """Counts what has an id in a trace; two engines in one trace count together."""

    def __init__(self) -> None:
        self._nodes, self._memories = count(), count()
        self.memory = self._memories.__next__
        self.tensors = 0

    def tensor(self) -> str:
        """The next tensor's id; `tensors` counts them."""
        self.tensors += 1
        return f"t{self.tensors - 1}"

    def node(self) -> str:
        """The next node's id."""
        return f"n{next(self._nodes)}"


def _unheard(node: str) -> None:
    """Nobody listens for nodes to be released."""


class _NodeRef(weakref.ref[Any]):
    __slots__ = ("address",)
    address: int


class Ids:
    """Gives ids; whoever is called `released` hears the id of a node when Python lets go of it.

    `described` has the raw facts that were told of tensors, in the form that these have by now, `introduced` the nodes
    told of, `ends` the AccumulateGrads to which edges have been told, with the one edge that leads there. `known` has
    the ids of tensors by the numbers that they carry, `nodes` those of nodes by their addresses: who asks often, asks
    these first.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.released: Callable[[str], None] = _unheard
        self.known: dict[int | None, str] = {}
        self.nodes: dict[int, str] = {}
        self._refs: dict[int, _NodeRef] = {}
        self._counters: dict[int, tuple[Any, str, str]] = {}
        self._on_death: Callable[[Any], None] | None = self._gone  # bound once
        self._are_ends: dict[type, bool] = {}
        self.ledger = Ledger()
        self.described: dict[str, tuple[Any, ...]] = {}
        self.introduced: set[str] = set()
        self.ends: dict[str, tuple[str, int, str]] = {}

    def close(self) -> None:
        """Stop waiting for nodes to be released, and let go of whoever heard of it: what is left of a recording goes
        with its trace, at once, which as a circle would lie around until Python looks for circles."""
        self.nodes.clear()
        self._refs.clear()
        self._on_death, self.released = None, _unheard

    def tensor(self, tensor: Any) -> str:
        """The id of a tensor."""
        try:
            return self.known[tensor._uid]
        except (AttributeError, KeyError):
            return self.first(tensor)

    def first(self, tensor: Any) -> str:
        """The id of a tensor that has most likely none yet; for one that has, it takes longer."""
        uid = getattr(tensor, "_uid", None)
        if uid is None:
            uid = tensor._uid = listening.number()
        found = self.known.get(uid)
        if found is None:
            found = self.known[uid] = self.numbers.tensor()
        return found

    def knows(self, tensor: Any) -> bool:
        """Whether a tensor has been met."""
        return getattr(tensor, "_uid", None) in self.known

    def adopt(self, tensor: Any, identity: str) -> None:
        """Another object stands for a tensor that is known."""
        self.known[tensor._uid] = identity

    def node(self, node: Any) -> str:
        """The id of a node, known by its address as long as it lives."""
        address = id(node)
        found = self.nodes.get(address)
        if found is None:
            ref = self._refs[address] = _NodeRef(node, self._on_death)
            ref.address = address
            found = self.nodes[address] = self.numbers.node()
        return found

    def is_end(self, node: Any) -> bool:
        """Whether a node is an AccumulateGrad, as all of its class are (to ask for what is not there takes long)."""
        found = self._are_ends.get(type(node))
        if found is None:
            found = self._are_ends[type(node)] = hasattr(node, "variable")
        return found

    def is_new(self, node: Any) -> bool:
        """Whether a node, which is no AccumulateGrad, has not been told of."""
        return node is not None and not self.is_end(node) and self.node(node) not in self.introduced

    def facts(self, tensor: Any, expression: str | None, storage: str | None = None) -> tuple[Any, ...]:
        """The raw facts of a tensor as it is now; `storage` is whose memory it lies in, when that cannot be seen."""
        array, cell = tensor._array, tensor._cell
        identity = self.first(tensor)
        _, counter, memory = self._counters.get(id(cell)) or self.memory(tensor, storage)
        if (told := self.described.get(identity)) is not None:
            memory = told[8]
        elif storage is not None:
            memory = storage
        shape, dtype, nbytes = array.shape, array.dtype, array.nbytes
        device = CPU if type(array) is np.ndarray else META
        version = int(cell[0]) if type(cell) is list else 0
        value = (array.tobytes(), dtype, shape) if nbytes <= KEPT and device is CPU else snapshot(array)
        ledger = self.ledger
        ledger.entries[identity] = memory, version, value, ledger.writes
        facts = self.described[identity] = (
            identity, expression, shape, dtype, nbytes, tensor.requires_grad, tensor.is_leaf,
            version, memory, counter, device, value,
        )  # fmt: skip
        return facts

    def changes(self, tensor: Any, storage: str | None = None) -> tuple[Any, ...]:
        """The form of a tensor that was told of, as far as it is another now, None for what is as it was; `storage`
        is whose memory it lies in from now on, if it was given other memory."""
        told = self.described.get(identity := self.tensor(tensor))
        if told is None or (form := self._form(tensor, storage or told[8])) == (known := form_of(told)):
            return None, None, None, None, None
        self.described[identity] = (*told[:2], *form[:3], *told[5:8], form[3], told[9], form[4], told[11])
        shape, dtype, *others = (new if new != old else None for new, old in zip(form, known, strict=True))
        return shape, dtype and getattr(dtype, "name", dtype), *others

    def _form(self, tensor: Any, storage: str) -> Form:
        array = tensor._array
        return array.shape, array.dtype, array.nbytes, storage, CPU if type(array) is np.ndarray else META

    def move(self, tensor: Any, source: Any) -> str:
        """A tensor, and every view of it from now on, lies in the memory of another: the id of that storage."""
        cell, counter, _ = self.memory(tensor)
        storage = self.storage(source)
        self._counters[id(cell)] = cell, counter, storage
        return storage

    def storage(self, tensor: Any) -> str:
        """The id of a tensor's storage: the one that was told, for an older view of what has moved is still there."""
        told = self.described.get(self.tensor(tensor))
        return self.memory(tensor)[2] if told is None else told[8]

    def lost_facts(self, node: Any) -> tuple[Any, ...]:
        """The raw facts of what a node made when nobody holds that any more: all but its value."""
        shape, dtype = tuple(getattr(node, "shape", ())), np.dtype(getattr(node, "dtype", np.float32))
        size, number = math.prod(shape) * dtype.itemsize, self.numbers.memory()
        identity = self.numbers.tensor()
        return identity, None, shape, dtype, size, True, False, 0, f"s{number}", f"c{number}", CPU, Value()

    def memory(self, tensor: Any, storage: str | None = None) -> tuple[Any, str, str]:
        """A tensor's counter cell, kept so that its address stays its own, and the ids of counter and storage."""
        cell = tensor._cell
        address = id(cell)
        found = self._counters.get(address)
        if found is None:
            number = self.numbers.memory()
            found = self._counters[address] = cell, f"c{number}", storage or f"s{number}"
        return found

    def _gone(self, ref: Any) -> None:
        node = self.nodes.pop(ref.address, None)
        if node is not None:
            del self._refs[ref.address]
            self.released(node)
