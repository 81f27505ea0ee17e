"""The bytes that a graph holds for backward: memory, which is held once however many slots lead to it.

In real PyTorch both slots of `x * x` are the same storage, and `del x` frees nothing while the graph lives. So each
storage counts once, and that of a leaf counts too: the graph holds it, though nobody took new memory for it. Of a
storage counts the largest tensor that is saved, since a trace tells how large tensors are, not storages.
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
    if slot.storage is None or not slot.nbytes:
        return state
    before: Sizes = state.holds.get(slot.storage, {})
    after = {**before, slot.nbytes: before.get(slot.nbytes, 0) + change}
    after = {size: count for size, count in after.items() if count}
    grown = max(after, default=0) - max(before, default=0)
    state = replace(state, holds=state.holds.set(slot.storage, after))
    if not grown:
        return state
    held_on = {**state.held_on, slot.device: state.held_on.get(slot.device, 0) + grown}
    return replace(state, held=state.held + grown, held_on=held_on)


def bytes_in(memory: Iterable[tuple[str | None, int]]) -> int:
    """The bytes of some storages, each counted once.

    >>> bytes_in([("s0", 4), ("s0", 4), ("s1", 8)])
    12
    """
    found: dict[str | None, int] = {}
    for storage, nbytes in memory:
        found[storage] = max(nbytes, found.get(storage, 0))
    return sum(found.values())


def bytes_saved(ops: Iterable[Op], history: History) -> int:
    """The bytes that the nodes of some ops save."""
    slots = [slot for op in ops for slot in op.slots if slot.tensor is not None]
    boxes = [history.boxes.get(history.box_of(slot.tensor or "") or "") for slot in slots]
    storages = [slot.tensor if box is None else box.facts.storage for slot, box in zip(slots, boxes, strict=True)]
    return bytes_in(zip(storages, (slot.nbytes for slot in slots), strict=True))
