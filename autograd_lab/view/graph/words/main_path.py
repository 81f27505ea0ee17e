"""The path by which most of a gradient came to a leaf, in the names that a program gave."""

from __future__ import annotations

from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.graph.words.meeting import Arrival, Meetings
from autograd_lab.view.kit.figure import norm_of

MOST = 6
"""Of more names on a path the first and the last are told."""


def main_path_to(node: str, state: GraphState, history: History, called: Called, meetings: Meetings) -> str:
    """`loss → out → W`: at each node the edge back that brought most; nothing where there is no name on the path, or
    no other path."""
    names = [called.made_by(node)]
    seen = {node}
    is_one_of_several = False
    while (found := _largest(node, state, meetings)) is not None and found.node not in seen:
        is_one_of_several = is_one_of_several or len(_arrivals(node, state, meetings)) > 1
        node = found.node
        seen.add(node)
        op = history.ops[history.op_of_node[node]]
        boxes = [history.boxes[box] for box in op.outputs]
        call = called.call(op)
        name = called.path(call.name) if call is not None else next((called.box(b) for b in boxes if b.facts.name), "")
        names += [name] * bool(name and name != names[-1])
    if len(names) < 3 or not names[0] or not is_one_of_several:
        return ""
    told = names[::-1]
    return " → ".join(told if len(told) <= MOST else [*told[:2], "…", *told[2 - MOST :]])


def _largest(node: str, state: GraphState, meetings: Meetings) -> Arrival | None:
    return max(_arrivals(node, state, meetings), key=lambda each: norm_of(each.value) or 0.0, default=None)


def _arrivals(node: str, state: GraphState, meetings: Meetings) -> list[Arrival]:
    outputs = range(len(state.nodes[node].gathered) if node in state.nodes else 0)
    return [each for index in outputs for each in meetings.at(state, node, index)]
