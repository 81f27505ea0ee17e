"""A guest: one of the recordings that are laid out together."""

from __future__ import annotations

from itertools import count

from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import Face, Style
from autograd_lab.view.graph.faces.forms import Forms, Pane
from autograd_lab.view.graph.pictured import Choices
from autograd_lab.view.graph.together.spots import Called


class Guest:
    """A recording in a company: what may be drawn of it, and what its ops and tensors are called there."""

    def __init__(self, choices: Choices, called: Called) -> None:
        self._choices, self.called = choices, called
        self._waiting = choices.foldings()
        self._foldings: list[Cards] = []

    def folding(self, number: int) -> Cards | None:
        """One of its foldings, the finest first; None if there are not so many."""
        while len(self._foldings) <= number and (cards := next(self._waiting, None)) is not None:
            self._foldings.append(cards)
        return self._foldings[number] if number < len(self._foldings) else None

    def best(self, pane: Pane, form: str, number: int | None) -> Choice:
        """The best picture of it by itself, of all foldings or of one."""
        return self._choices.best(pane, form, None if number is None else self.folding(number))

    def number_of(self, cards: Cards) -> int | None:
        """Which folding that is, if it is one."""
        for number in count():
            found = self.folding(number)
            if found is None or found.pieces == cards.pieces:
                return None if found is None else number
        return None

    def spelt_out(self, number: int, style: Style, name: str) -> Face:
        """The face of a card that is a sign alone, with all that it says."""
        return self._choices.faces.spelt_out(self._foldings[number], style, name)

    def forms(self, number: int, style: Style) -> Forms:
        """One of its foldings in one style."""
        return self._choices.forms(self._foldings[number], style)
