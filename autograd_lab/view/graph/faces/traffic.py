"""Traffic: what ever travels along the edges of a graph, measured once for all foldings and styles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import label_of, norm_of, scalar_of

Edge = tuple[str, int]
EVER = 6
"""So many of the gradients of an edge are measured as text."""
UNIT = 100.0
"""Texts are measured at this size, px."""


class Load(NamedTuple):
    """What an edge ever carries: largest and smallest magnitude, the widest number at size 100, whether it is one."""

    largest: float
    smallest: float
    width: float
    is_number: bool


class Carried(NamedTuple):
    """What the lines of a folding ever carry: of each wire the loads that say all, one for numbers and one for norms;
    largest and smallest magnitude of all, in lanes, too."""

    wires: dict[str, list[Load]]
    largest: float
    smallest: float


class Traffic:
    """The loads of all edges of a history."""

    def __init__(self, history: History) -> None:
        self._sent = history.sent
        self._known: dict[Edge, Load | None] = {}
        self._carried: tuple[Cards | None, Carried] = None, Carried({}, 0.0, 0.0)

    def load(self, edge: Edge) -> Load | None:
        """The load of an edge; None if nothing ever travels along it."""
        if edge not in self._known:
            self._known[edge] = self._load(edge)
        return self._known[edge]

    def _load(self, edge: Edge) -> Load | None:
        values = self._sent.get(edge)
        if not values:
            return None
        norms = [norm for value in values if (norm := norm_of(value))]
        return Load(
            max(norms, default=0.0),
            min(norms, default=0.0),
            max(text_width(label_of(value), UNIT, bold=True) for value in values[:EVER]),
            any(scalar_of(value) is not None for value in values[:EVER]),
        )

    def loads(self, edges: Iterable[Edge]) -> Iterator[Load]:
        """The loads of those edges that ever carry anything."""
        return (load for edge in edges if (load := self.load(edge)) is not None)

    def on(self, cards: Cards) -> Carried:
        """What a folding ever carries, found once for all styles."""
        if self._carried[0] is not cards:
            self._carried = cards, self._on(cards)
        return self._carried[1]

    def _on(self, cards: Cards) -> Carried:
        wires = {wire.id: _summed(list(self.loads(wire.edges))) for wire in cards.wires}
        found = [load for loads in wires.values() for load in loads]
        found += [load for edges in cards.uses.values() for load in self.loads(edges)]
        smallest = min((load.smallest for load in found if load.smallest), default=0.0)
        return Carried(wires, max((load.largest for load in found), default=0.0), smallest)


def _summed(loads: list[Load]) -> list[Load]:
    """One load for all that are numbers, and one for all that are not."""
    if len(loads) < 2:
        return loads
    numbers, norms = [each for each in loads if each.is_number], [each for each in loads if not each.is_number]
    return [_sum(alike) for alike in (numbers, norms) if alike]


def _sum(alike: list[Load]) -> Load:
    largest, smallest, widths, are_numbers = zip(*alike, strict=True)
    return Load(max(largest), min(filter(None, smallest), default=0.0), max(widths), are_numbers[0])
