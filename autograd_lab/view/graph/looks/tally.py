"""Tallies: what the nodes of a card add up to, kept from state to state.

A card may hide thousands of nodes, of which an event changes one or two; so the sum is kept, and corrected where a node
is another object than before.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, sub
from typing import NamedTuple

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.changes import Changes
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import EVALUATED, FREED, RETAINED, GraphState, NodeState, is_kept
from autograd_lab.view.kit.table import blocks_of


class Counts(NamedTuple):
    """How many nodes there are, have run, are released, and have a gradient; how many tensors they saved and hold;
    how many of these they keep since a pass retained the graph, and how many a hook has packed; how many it packed at
    all."""

    nodes: int = 0
    ran: int = 0
    released: int = 0
    met: int = 0
    slots: int = 0
    held: int = 0
    kept: int = 0
    packed: int = 0
    parcels: int = 0

    def plus(self, other: Counts, sign: int = 1) -> Counts:
        """The sum, or the difference."""
        return Counts(*map(add if sign > 0 else sub, self, other))


NOTHING = Counts()
Seen = Callable[[str], NodeState | None]


class Tally:
    """Adds up the nodes of one card, in any state of one trace."""

    def __init__(self, card: Card, history: History) -> None:
        self.answer: tuple[tuple[object, ...], tuple[object, ...], str] | None = None
        """What was found out of the card, after what tells at once that it still holds, and what it depends on."""
        self.blocks = blocks_of("t", (box.facts.id for box in card.params))
        self.card = card  # which keeps its place in memory
        self.nodes = frozenset(op.node for op in card.ops if op.node is not None)
        self._returning, self._due = history.returning, dict[int, int]()
        self.suspects = [node for node in self.nodes if node in history.watch.stale]
        self._order = {op.node: place for place, op in enumerate(card.ops) if op.node is not None}
        self.births = frozenset(op.born for op in card.ops)
        self._changes = Changes(self._order)
        self._mode: object = None
        self._state: GraphState | None = None

    def due(self, number: int) -> int:
        """How many of the nodes run in a pass: those that it asks for, or all, if it breaks off."""
        if number not in self._due:
            asked = self._returning.ran.get(number, set()) if number in self._returning.over else self.nodes
            self._due[number] = len(self.nodes & asked)
        return self._due[number]

    def at(self, state: GraphState, seen: Seen, target: str | None) -> tuple[Counts, tuple[int, int]]:
        """The sum, and of the last op to which gradients came how many of how many have arrived.

        `seen` gives a node as it counts now; to `target` a gradient is still on its way.
        """
        if state is not self._state:  # one picture asks several times about each
            self._state = state
            self._see(state, seen, target)
        return self._sum, (0, 0) if self._last is None else self._arrived[self._last]

    def _see(self, state: GraphState, seen: Seen, target: str | None) -> None:
        mode = (state.in_backward, state.current)
        if mode != self._mode:  # on which the counts of all nodes depend
            self._mode, self._sum = mode, NOTHING
            self._changes.forget()
            self._parts: dict[str, Counts] = {}
            self._arrived: dict[str, tuple[int, int]] = {}
            self._special: str | None = None
            self._last: str | None = None
        for name in self._changes.until(state):
            self._put(name, seen(name))
        for special in {self._special, target}:
            if special is not None and special in self._order:
                self._put(special, seen(special))
        self._special = target

    def _put(self, name: str, node: NodeState | None) -> None:
        new, old = NOTHING if node is None else _counts(node), self._parts.get(name, NOTHING)
        if new != old:
            self._sum, self._parts[name] = self._sum.plus(old, -1).plus(new), new
        if node is not None and node.arrived:
            self._arrived[name] = node.arrived, node.expected
            if self._last is None or self._order[name] > self._order[self._last]:
                self._last = name
        elif self._arrived.pop(name, None) is not None and name == self._last:
            self._last = max(self._arrived, key=self._order.__getitem__) if self._arrived else None


def _counts(node: NodeState) -> Counts:
    slots = held = kept = packed = parcels = 0
    for slot in node.slots:
        if is_kept(slot):
            slots, parcels = slots + 1, parcels + slot.packed
            if slot.status != FREED:
                held, kept, packed = held + 1, kept + (slot.status == RETAINED), packed + slot.packed
    met = node.status is not None and bool(node.gathered)
    return Counts(1, node.status == EVALUATED, node.released, met, slots, held, kept, packed, parcels)
