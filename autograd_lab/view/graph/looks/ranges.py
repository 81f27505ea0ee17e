"""The ranges that the tiles and bars of a picture share: the largest magnitude of each kind, over all steps."""

from __future__ import annotations

import math
from collections.abc import Iterable

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import Face
from autograd_lab.view.graph.faces.saying import gradients_of
from autograd_lab.view.graph.looks.card_look import Ranges
from autograd_lab.view.kit.reading import matrix_of, norm_of


def ranges_of(choice: Choice) -> Ranges:
    """Ranges from what is drawn as a tile or a bar, and from nothing else: it would make all tiles pale."""
    history = choice.cards.history
    weights: list[Value] = []
    values: list[Value] = []
    gradients: list[Value] = []
    for name, card in choice.cards.cards.items():
        face = choice.faces[name]
        if face.item("tile") is not None and card.box is not None:
            (weights if card.kind == "leaf" else values).extend(card.box.values)
            gradients += gradients_of(card, history)
        if face.item("param0") is not None:
            weights += [value for box in card.params for value in box.values]
            gradients += [value for box in card.params for value in box.grads]
    barred = [box for name, card in choice.cards.cards.items() if _has_bars(card, choice.faces[name])
              for box in card.params]  # fmt: skip
    return Ranges(
        range_of(weights), range_of(values), range_of(gradients),
        _norm(value for box in barred for value in box.values), _norm(value for box in barred for value in box.grads),
    )  # fmt: skip


def _has_bars(card: Card, face: Face) -> bool:
    return bool(card.params) and face.item("bars") is not None


def _norm(values: Iterable[Value]) -> float:
    return max((norm for value in values if (norm := norm_of(value))), default=0.0) or 1.0


def range_of(values: Iterable[Value]) -> float:
    """The largest magnitude in any of some values' tiles; 1 if there is none."""
    found = [
        abs(float(number))
        for value in values
        for row in matrix_of(value)[0]
        for number in row
        if number is not None and math.isfinite(number)
    ]
    return max(found, default=0.0) or 1.0
