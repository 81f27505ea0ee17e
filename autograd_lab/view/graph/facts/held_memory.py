"""The bytes that a graph holds for backward: memory, which is held once however many slots lead to it.

In real PyTorch both slots of `x * x` are the same storage, and `del x` frees nothing while the graph lives. So each
storage counts once, and that of a leaf counts too: the graph holds it, though nobody took new memory for it. Of a
storage counts the largest tensor that is saved, since a trace tells how large tensors are, not storages. A number lies
in its node, and counts by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.state import GraphState, Slot
from autograd_lab.view.kit.changing import replace

Sizes = Mapping[int, int]
"""How many slots hold so many bytes of a storage."""


def held_with(state: GraphState, slot: Slot) -> GraphState:
    """The state after a slot was filled."""
    return _counted(state, slot, 1)


def held_without(state: GraphState, slot: Slot) -> GraphState:
    """The state after a slot was emptied."""
    return _counted(state, slot, -1)


def _counted(state: GraphState, slot: Slot, change: int) -> GraphState:
    if slot.storage is None:  # a number, which lies in its node
        return _grown(state, slot.device, change * slot.nbytes)
    before: Sizes = state.holds.get(slot.storage, {})
    after = {**before, slot.nbytes: before.get(slot.nbytes, 0) + change}
    after = {size: count for size, count in after.items() if count}
    state = replace(state, holds=state.holds.set(slot.storage, after))
    return _grown(state, slot.device, max(after, default=0) - max(before, default=0))


def _grown(state: GraphState, device: str, nbytes: int) -> GraphState:
    if not nbytes:
        return state
    held_on = {**state.held_on, device: state.held_on.get(device, 0) + nbytes}
    return replace(state, held=state.held + nbytes, held_on=held_on)


def bytes_in(memory: Iterable[tuple[str | None, int]]) -> int:
    """The bytes of some storages, each counted once, and of numbers, which have none.

    >>> bytes_in([("s0", 4), ("s0", 4), ("s1", 8), (None, 8)])
    20
    """
    found: dict[str, int] = {}
    numbers = 0
    for storage, nbytes in memory:
        if storage is None:
            numbers += nbytes
        else:
            found[storage] = max(nbytes, found.get(storage, 0))
    return numbers + sum(found.values())


def bytes_saved(ops: Iterable[Op], history: History) -> int:
    """The bytes that the nodes of some ops save."""
    return bytes_in((_storage(slot.tensor, history), slot.nbytes) for op in ops for slot in op.slots)


def _storage(tensor: str | None, history: History) -> str | None:
    """The storage of a saved tensor; where nobody met it, the tensor stands for it."""
    box = history.boxes.get(history.box_of(tensor) or "") if tensor is not None else None
    return tensor if box is None else box.facts.storage
