"""The lines of a program that are at fault where a saved value is not what it was, or is not there any more."""

from __future__ import annotations

from collections.abc import Iterable

from autograd_lab.events import Where
from autograd_lab.view.graph.facts.in_place import writes_elements
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.kit.unknown import or_else

Culprits = tuple[Where | None, Where | None, Where | None]
"""Where a stale slot was saved, where it was overwritten, and where what backward asks for was freed."""


@or_else((None, None, None))
def culprits_at(state: GraphState, suspects: Iterable[str] | None = None) -> Culprits:
    """The lines that saved and overwrote a stale slot, or that freed what an error asked for: where backward stopped,
    or else the first of the graph; of the nodes `suspects`, if it is known which can have a stale slot."""
    at_fault = None if state.error is None else state.error.node
    stopped = [] if at_fault is None else [state.nodes[at_fault]]
    asked = state.nodes.values() if suspects is None else (state.nodes[n] for n in suspects if n in state.nodes)
    for node in (*stopped, *asked):
        for slot in node.slots:
            if slot.tensor is not None and state.is_stale(slot):
                version = state.spoiled_by(slot)
                return slot.where, version.where if writes_elements(version.op or "") else None, None
            if slot.freed is not None and node in stopped:
                return slot.where, None, slot.freed
    return None, None, None
