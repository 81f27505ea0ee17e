"""How pockets look: what the nodes of a card saved, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lab.events import ErrorRaised, SavedFreed, SavedRetained, TensorSaved
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.in_place import OVERWRITTEN, state_of_saved
from autograd_lab.view.graph.facts.state import FREED, RETAINED, Slot
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.kit.part import Look
from autograd_lab.view.languages.speaking import translated

HIDDEN = ("hidden",)
UNPACKED = "unpacked"
"""Of what is freed and never held a tensor, but what a hook had packed."""


@dataclass(frozen=True, slots=True)
class Pocket:
    """A pocket of a card: slot number `slot` of the op's node, or all slots of the card."""

    card: Card
    op: str | None = None
    slot: int = 0


def pocket_look(pocket: Pocket, now: Now, *, engine: bool) -> Look:
    """How a pocket looks now: `title` is what it keeps, `state` what became of it."""
    if pocket.op is None:
        return _all(pocket.card, now)
    op = now.history.ops[pocket.op]
    node = now.state.nodes.get(op.node or "")
    if node is None or pocket.slot >= len(node.slots):
        return Look(HIDDEN)
    slot = node.slots[pocket.slot]
    status = _status(slot, now)
    bare = now.history.watch.is_ever_stale(op.node for op in pocket.card.ops)
    title = _title(slot, status, now, engine=engine and not bare)
    texts = (("title", title), ("state", _words(slot, status, now)))
    emptied = [UNPACKED] * (slot.packed and status == FREED)
    return Look((status, *emptied, *["now"] * _is_lit(op.node or "", pocket.slot, len(node.slots), slot, now)), texts)


def _status(slot: Slot, now: Now) -> str:
    if now.state.is_stale(slot):
        return "stale"
    if slot.packed and slot.status != FREED:
        return "packed"
    return "kept" if slot.status == RETAINED else slot.status


def _words(slot: Slot, status: str, now: Now) -> str:
    return _spoiled(slot, now) if status == "stale" else status if status in (FREED, "kept", "packed") else ""


def _spoiled(slot: Slot, now: Now) -> str:
    """What has become of a value that is not what it was when it was saved."""
    return state_of_saved(now.state.version(slot.tensor or "").op or "")


def _title(slot: Slot, status: str, now: Now, *, engine: bool) -> str:
    """`h v0`, in the engine view `self = h v0`; of what is stale both versions."""
    if slot.packed:
        kept = FREED if status == FREED else "packed"
        return f"{slot.name} = {kept}" if engine else kept
    if slot.tensor is None:
        named = numeral(slot.number) if isinstance(slot.number, float) else str(slot.number)
        return f"{slot.name} = {named}" if engine else named
    box = now.history.box_of(slot.tensor, 0)
    name = now.history.boxes[box].label if box is not None else ""
    kept = f"{name} v{slot.version}" if name else f"v{slot.version}"
    if status == "stale":
        kept += translated(f", is v{now.state.version(slot.tensor).number}")
    elif status == FREED:
        kept = name or slot.name
    return f"{slot.name} = {kept}" if engine else kept


def _all(card: Card, now: Now) -> Look:
    """All slots of a card in one pocket, with a `number` for where its `title` has no room."""
    counts = now.counts(card)
    if not counts.slots:
        return Look(HIDDEN)
    if stale := now.stale(card):
        words = [_spoiled(slot, now) for slot in stale]
        word = OVERWRITTEN if OVERWRITTEN in words else words[0]
        return _counted(("stale",), len(stale), word)
    if not counts.held:
        emptied = [UNPACKED] * (counts.parcels == counts.slots)
        return _counted((FREED, *emptied), counts.slots, "freed")
    word = {counts.kept: "kept", counts.packed: "packed"}.get(counts.held, "saved")
    return _counted((word,), counts.held, word, counts.slots)


def _counted(classes: tuple[str, ...], count: int, word: str, slots: int = 0) -> Look:
    """What a pocket says that counts: `5 of 6 saved` and `5/6`, or `6 saved` and `6`."""
    partly = 0 < count < slots
    title = translated(f"{count} of {slots} {word}" if partly else f"{count} {word}", "pocket")
    return Look(classes, (("title", title), ("number", f"{count}/{slots}" if partly else f"{count}")))


def _is_lit(node: str, number: int, count: int, slot: Slot, now: Now) -> bool:
    """Whether the step is about a slot."""
    event = now.state.event
    if isinstance(event, TensorSaved):
        return event.node == node and number == count - 1
    if isinstance(event, SavedFreed | SavedRetained):
        return event.node == node
    return isinstance(event, ErrorRaised) and event.node == node and event.slot == slot.name
