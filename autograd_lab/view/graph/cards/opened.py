"""Opening: a folding in which one card is replaced by what a finer folding makes of its ops.

A finer folding parts the ops of a card into smaller groups and no others, so what comes of it has no cycle either: one
through the card would be one of the coarser folding, one within it one of the finer.
"""

from __future__ import annotations

from functools import cached_property

from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.deck import Deck
from autograd_lab.view.graph.cards.fineness import Pieces, all_pieces
from autograd_lab.view.graph.cards.ground import ground_of
from autograd_lab.view.graph.cards.groups import Piece, singly
from autograd_lab.view.graph.cards.window import Window
from autograd_lab.view.graph.facts.history import History

MANY = 12
"""An opened card shows so many at most, if there is such a folding."""


class Openings:
    """Opens cards of any folding of a window."""

    def __init__(self, history: History, window: Window, asked: Asked | None = None) -> None:
        self._ground, self._asked = ground_of(history, window), asked or Asked()

    @cached_property
    def _finer(self) -> list[Pieces]:
        """All foldings, from the finest to the coarsest, with every op by itself for the first."""
        return [tuple(singly(range(len(self._ground.ops)))), *all_pieces(self._ground, self._asked)]

    def opened(self, cards: Cards, name: str) -> Cards | None:
        """The cards with those inside of one in its place; None where there are no others inside."""
        card = cards.cards[name]
        if len(card.ops) < 2:
            return None
        inner = self._inner(card)
        rest = tuple(piece for piece in cards.pieces if not set(piece.places) & self._places(card))
        pieces = sorted([*rest, *inner], key=lambda piece: piece.places[0])
        return Deck(self._ground, tuple(pieces)).cards(cards.note)

    def _places(self, card: Card) -> set[int]:
        return {self._ground.places[op.id] for op in card.ops}

    def _inner(self, card: Card) -> list[Piece]:
        """The finest parts of a card that are few enough, else the fewest."""
        places = self._places(card)
        found = [inner for pieces in self._finer if len(inner := _within(pieces, places)) > 1]
        few = (inner for inner in found if len(inner) <= MANY)
        return next(few, None) or min(found, key=len)


def _within(pieces: Pieces, places: set[int]) -> list[Piece]:
    """The pieces that these places are made of; nothing, if one of them is partly elsewhere."""
    touched = [piece for piece in pieces if not places.isdisjoint(piece.places)]
    return touched if all(places.issuperset(piece.places) for piece in touched) else []
