"""Sharing: which cards use the same weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from autograd_lab.view.graph.cards.card import Card, Share

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def share_out(cards: Sequence[Card], known: dict[Hashable, Any]) -> list[Card]:
    """Tell cards that use the same weights of each other: by the first of their weights that others use too.

    Turns of a loop share by their bars. What shares is another card, kept among what is `known` for other foldings.
    """
    users: dict[str, list[Card]] = {}
    for card in cards:
        for box in card.params if card.kind != "turn" else ():
            users.setdefault(box.facts.id, []).append(card)
    if all(len(several) == 1 for several in users.values()):
        return list(cards)
    marks: dict[int, str] = {}
    return [_sharing(card, users, marks, known) for card in cards]


def _sharing(card: Card, users: dict[str, list[Card]], marks: dict[int, str], known: dict[Hashable, Any]) -> Card:
    sharing = next((users[box.facts.id] for box in card.params if len(users.get(box.facts.id, ())) > 1), None)
    if sharing is None or card.kind == "turn":
        return card
    names = {other.call.name for other in sharing if other.call is not None}
    which = next(number for number, other in enumerate(sharing, 1) if other is card)
    mark = marks.setdefault(id(sharing[0]), MARKS[len(marks) % len(MARKS)])
    share = Share(which, len(sharing), len(names) == 1, mark)
    key = Share, id(card), share
    if key not in known:
        known[key] = replace(card, share=share)
    found: Card = known[key]
    return found
