"""Where gradients meet: what came to a node in the pass that it ran in, and whether that adds up."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from autograd_lab.events import TensorDetached, Value
from autograd_lab.view.graph.facts.changes import Changes
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
        self._known: dict[tuple[str, int], Meeting] = {}
        for op in history.ops.values():
            edges = () if isinstance(op.event, TensorDetached) or op.node is None else op.event.edges
            for number, edge in enumerate(edges):
                if edge is not None and op.node is not None:
                    self._edges[edge.node, edge.index].append((op.node, number))

    def at(self, state: GraphState, node: str, index: int = 0) -> list[Arrival]:
        """What has come to an output of a node in the pass that last reached it, in the order of the forward pass."""
        found = self._found(state, node, index)
        return [found[place] for place in sorted(found)]

    def count(self, state: GraphState, node: str, index: int = 0) -> int:
        """How much has come there; asked for at every step, also of a leaf that has thousands of uses."""
        return len(self._found(state, node, index))

    def _found(self, state: GraphState, node: str, index: int) -> dict[int, Arrival]:
        key = node, index
        if key not in self._edges:
            return {}
        if key not in self._known:
            self._known[key] = Meeting(self._edges[key])
        return self._known[key].at(state, state.nodes[node].passed if node in state.nodes else 0)


class Meeting:
    """What comes to one output of a node, kept from state to state."""

    def __init__(self, edges: Sequence[tuple[str, int]]) -> None:
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, (source, edge) in enumerate(edges):
            self._places[source].append((place, edge))
        self._changes = Changes(self._places)
        self._passed: int | None = None
        self._found: dict[int, Arrival] = {}

    def at(self, state: GraphState, passed: int) -> dict[int, Arrival]:
        """What has come in a pass, by the places of the edges in the order of the forward pass."""
        if passed != self._passed:
            self._passed, self._found = passed, {}
            self._changes.forget()
        for source in self._changes.until(state):
            there = state.nodes.get(source)
            for place, edge in self._places[source]:
                is_there = there is not None and there.passed == passed and edge < len(there.sent)
                value = there.sent[edge] if there is not None and is_there else None
                if value is None:
                    self._found.pop(place, None)
                else:
                    self._found[place] = Arrival(source, edge, value)
        return self._found


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
