"""Where gradients meet: what came to a node in the pass that it ran in, and whether that adds up."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from autograd_lab.events import TensorDetached, Value
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.kit.figure import is_bad, norm_of, numbers_of

CLOSE = 1e-4
"""So far, relative to what was added, a sum may be from its parts."""


class Arrival(NamedTuple):
    """A gradient that came along an edge of a node."""

    node: str
    edge: int
    value: Value


class Meetings:
    """For each output of each node, the edges by which gradients come to it."""

    def __init__(self, history: History) -> None:
        self._edges: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
        for op in history.ops.values():
            edges = () if isinstance(op.event, TensorDetached) or op.node is None else op.event.edges
            for number, edge in enumerate(edges):
                if edge is not None and op.node is not None:
                    self._edges[edge.node, edge.index].append((op.node, number))

    def at(self, state: GraphState, node: str, index: int = 0) -> list[Arrival]:
        """What has come to an output of a node in the pass that last reached it, in the order of the forward pass."""
        passed = state.nodes[node].passed if node in state.nodes else 0
        found = []
        for source, edge in self._edges.get((node, index), ()):
            there = state.nodes.get(source)
            if there is not None and there.passed == passed and edge < len(there.sent):
                value = there.sent[edge]
                found += [] if value is None else [Arrival(source, edge, value)]
        return found


def adds_up(parts: Sequence[Value], total: Value | None) -> bool:
    """Whether parts are known to make a total, within rounding; of large arrays their means and norms are compared."""
    if total is None or len(parts) < 2 or any(map(is_bad, (*parts, total))):
        return False
    terms, whole = [numbers_of(part) for part in parts], numbers_of(total)
    if whole is None or any(term is None for term in terms):
        return _means_add_up(parts, total)
    rows = [term or [] for term in terms]
    if any(len(row) != len(whole) for row in rows):
        return False
    return all(_close([row[place] for row in rows], number) for place, number in enumerate(whole))


def _means_add_up(parts: Sequence[Value], total: Value) -> bool:
    means, norms = [part.mean for part in parts], [norm_of(part) for part in parts]
    whole, norm = total.mean, norm_of(total)
    if whole is None or norm is None or any(each is None for each in (*means, *norms)):
        return False
    is_long_enough = norm <= (1 + CLOSE) * math.fsum(each or 0 for each in norms)
    return is_long_enough and _close([each or 0.0 for each in means], whole)


def _close(parts: Sequence[float], total: float) -> bool:
    return abs(math.fsum(parts) - total) <= CLOSE * math.fsum(map(abs, (*parts, total)))
