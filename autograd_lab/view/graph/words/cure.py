"""What to do about a graph that a pass needs and that an earlier one has freed, in a few words."""

from __future__ import annotations

from autograd_lab.events import ErrorRaised, Where
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState

CARRIED = "detach what is carried over from turn to turn"
SHARED = "compute it anew in each turn, or add the losses and go back once"
TWICE = "retain_graph=True there keeps it"


def cure_of_freed(history: History, event: ErrorRaised, freed: Where | None, state: GraphState) -> str:
    """By whether the pass that freed it began on the same line, and whether that turn of a loop made it anew."""
    if freed is None or freed != event.where:
        return TWICE
    op = history.ops[history.op_of_node[event.node or ""]]
    alike = (each for each in history.ops.values() if (each.name, each.event.where) == (op.name, op.event.where))
    others = [each.node for each in alike if each is not op and each.node is not None]
    is_anew = any(node in state.nodes and state.nodes[node].passed == state.current for node in others)
    return CARRIED if is_anew else SHARED
