"""Tallies: what the nodes of a card add up to, kept from state to state.

A card may hide thousands of nodes, of which an event changes one or two; so the sum is kept, and corrected where a node
is another object than before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import EVALUATED, FREED, RETAINED, GraphState, NodeState, is_kept
from autograd_lab.view.kit.table import BLOCK, place_of


class Counts(NamedTuple):
    """How many nodes there are, have run, are released, and have a gradient; how many tensors they saved and hold;
    how many of these they keep since a pass retained the graph, and how many a hook has packed."""

    nodes: int = 0
    ran: int = 0
    released: int = 0
    met: int = 0
    slots: int = 0
    held: int = 0
    kept: int = 0
    packed: int = 0

    def plus(self, other: Counts, sign: int = 1) -> Counts:
        """The sum, or the difference."""
        return Counts(*(one + sign * two for one, two in zip(self, other, strict=True)))


NOTHING = Counts()
EMPTY: Sequence[NodeState | None] = (None,) * BLOCK
Seen = Callable[[str], NodeState | None]


class Tally:
    """Adds up the nodes of one card, in any state of one trace."""

    def __init__(self, card: Card, history: History) -> None:
        self.nodes = frozenset(op.node for op in card.ops if op.node is not None)
        self.suspects = [node for node in self.nodes if node in history.watch.stale]
        self._order = {op.node: place for place, op in enumerate(card.ops) if op.node is not None}
        self._places: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for node in self._order:
            block, place = place_of("n", node)
            self._places[block].append((place, node))
        self._mode: object = None

    def at(self, state: GraphState, seen: Seen, target: str | None) -> tuple[Counts, tuple[int, int]]:
        """The sum, and of the last op to which gradients came how many of how many have arrived.

        `seen` gives a node as it counts now; to `target` a gradient is still on its way.
        """
        mode = (state.in_backward, state.current)
        if mode != self._mode:  # on which the counts of all nodes depend
            self._mode, self._sum = mode, NOTHING
            self._blocks: dict[int, Sequence[NodeState | None]] = {}
            self._parts: dict[str, Counts] = {}
            self._arrived: dict[str, tuple[int, int]] = {}
            self._special: str | None = None
        self._compare(state, seen)
        for name in {self._special, target}:
            if name is not None and name in self._order:
                self._put(name, seen(name))
        self._special = target
        last = max(self._arrived, key=self._order.__getitem__, default=None)
        return self._sum, (0, 0) if last is None else self._arrived[last]

    def _compare(self, state: GraphState, seen: Seen) -> None:
        blocks = state.nodes.blocks
        for number, places in self._places.items():
            new = blocks[number] if number < len(blocks) else EMPTY
            old = self._blocks.get(number, EMPTY)
            if new is not old:
                for place, name in places:
                    if new[place] is not old[place]:
                        self._put(name, seen(name))
                self._blocks[number] = new

    def _put(self, name: str, node: NodeState | None) -> None:
        new = NOTHING if node is None else _counts(node)
        self._sum = self._sum.plus(self._parts.get(name, NOTHING), -1).plus(new)
        self._parts[name] = new
        if node is not None and node.arrived:
            self._arrived[name] = node.arrived, node.expected
        else:
            self._arrived.pop(name, None)


def _counts(node: NodeState) -> Counts:
    slots = [slot for slot in node.slots if is_kept(slot)]
    held = [slot for slot in slots if slot.status != FREED]
    kept = sum(slot.status == RETAINED for slot in held)
    met = node.status is not None and bool(node.gathered)
    packed = sum(slot.packed for slot in held)
    return Counts(1, node.status == EVALUATED, node.released, met, len(slots), len(held), kept, packed)
