"""Sharing: which cards use the same weights."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.view.graph.cards.card import Card, Share

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def share_out(cards: Sequence[Card]) -> None:
    """Tell cards that use the same weights of each other: by the first of their weights that others use too.

    Turns of a loop share by their bars.
    """
    users: dict[str, list[Card]] = {}
    for card in cards:
        for box in card.params if card.kind != "turn" else ():
            users.setdefault(box.facts.id, []).append(card)
    marks: dict[int, str] = {}
    for card in cards:
        sharing = next((users[box.facts.id] for box in card.params if len(users.get(box.facts.id, ())) > 1), None)
        if sharing is not None and card.kind != "turn":
            names = {other.call.name for other in sharing if other.call is not None}
            which = next(number for number, other in enumerate(sharing, 1) if other is card)
            mark = marks.setdefault(id(sharing[0]), MARKS[len(marks) % len(MARKS)])
            card.share = Share(which, len(sharing), len(names) == 1, mark)
