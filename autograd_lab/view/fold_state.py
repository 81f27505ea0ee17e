"""What goes on inside of a fold: how far backward has come there, what is still saved, what has gone wrong."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.fold import Fold
from autograd_lab.view.numeral import bytes_text
from autograd_lab.view.state import EVALUATED, FREED, RETAINED, GraphState, NodeState, Slot

Said = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
"""Class names and texts."""


def said_of(fold: Fold, state: GraphState) -> Said:
    """The classes and texts of a fold in a state that has begun to record its ops."""
    names = [node for node in fold.nodes if node in state.nodes]
    nodes = [state.node(node) for node in names]
    slots = [slot for node in nodes for slot in node.slots]
    done = sum(node.status == EVALUATED for node in nodes)
    stopped = state.error.node if state.error is not None and state.error.node in fold.node_set else None
    stale = sum(map(state.is_stale, slots))
    lit = getattr(state.event, "node", None) in fold.node_set or state.step == fold.born
    classes = ["folded", *["evaluated"] * (done == len(nodes) > 0), *["now"] * lit]
    classes += ["stale"] * (stale > 0) + ["failed"] * (stopped is not None)
    details = ((f"detail{number}", text) for number, text in enumerate(fold.details))
    ran = f"backward stopped at {state.nodes[stopped].name}" if stopped else _ran(nodes, names, done, state)
    texts = (("title", fold.title), *details, ("state", ran), ("slots", _held(slots, stale)))
    return tuple(classes), texts


def _ran(nodes: Sequence[NodeState], names: Sequence[str], done: int, state: GraphState) -> str:
    if not nodes:
        return "nothing recorded here"
    if done:
        return f"{done:,} of {len(nodes):,} run backward" + " ✓" * (done == len(nodes))
    if all(node.released for node in nodes):
        return f"{len(nodes):,} released by Python"
    before = max((state.nodes[name].passed for name in names if state.nodes[name].status == EVALUATED), default=0)
    return f"{len(nodes):,} recorded" + (f", ran in pass {before}" if before else "")


def _held(slots: Sequence[Slot], stale: int) -> str:
    held = [slot for slot in slots if slot.status != FREED]
    if stale:
        return f"{stale:,} of {len(held):,} saved value{'s' * (len(held) > 1)} stale"
    if not slots:
        return "nothing saved"
    if not held:
        return f"{len(slots):,} saved value{'s' * (len(slots) > 1)} freed"
    kept = "kept" if all(slot.status == RETAINED for slot in held) else "held"
    count = f"{len(held):,}" if len(held) == len(slots) else f"{len(held):,} of {len(slots):,}"
    return f"{count} saved value{'s' * (len(slots) > 1)} {kept}, {bytes_text(sum(slot.nbytes for slot in held))}"
