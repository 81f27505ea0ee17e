"""Which cards have turned from one status to another: a line shows how far the card has come that it leads to.

A card may hide thousands of nodes, and each event at one of them could make it turn; hardly any does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.looks.now import Onlooker


def turn_of(card: Card) -> str:
    """The key of the status of a card."""
    return f"turn{id(card)}"


class Turning:
    """Compares the statuses of some cards with what they were when they were asked about before."""

    def __init__(self, onlooker: Onlooker, cards: Iterable[Card]) -> None:
        self._onlooker = onlooker
        self._cards: dict[str, dict[int, Card]] = defaultdict(dict)
        self._last: dict[int, str] = {}
        self._lit: dict[int, Card] = {}
        for card in cards:
            for op in card.ops:
                self._cards[op.node or ""][id(card)] = self._cards[f"step{op.born}"][id(card)] = card

    def turned(self, keys: Iterable[str] | None, state: GraphState) -> Iterator[str]:
        """The keys of those that have turned, of the cards that something with one of these keys belongs to; if that
        can be anything, it is no more known what they were. What flew to a card at the step before has arrived now.
        """
        if keys is None:
            self._last.clear()
            self._lit.clear()
            return
        now = self._onlooker.at(state)
        reached = {name: card for key in keys for name, card in self._cards.get(key, {}).items()}
        asked, self._lit = self._lit | reached, reached
        for name, card in asked.items():
            status = now.status(card)
            if self._last.get(name) != status:
                self._last[name] = status
                yield turn_of(card)
