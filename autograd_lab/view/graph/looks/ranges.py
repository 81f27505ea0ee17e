"""The ranges that the tiles and bars of a picture share: the largest magnitude of each kind, over all steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import Face
from autograd_lab.view.graph.faces.saying import gradients_of
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.looks.tile_look import Ranges
from autograd_lab.view.kit.reading import matrix_of, norm_of
from autograd_lab.view.kit.unknown import or_else


def ranges_of(choice: Choice) -> Ranges:
    """Ranges from what is drawn as a tile or a bar, and from nothing else: it would make all tiles pale."""
    weights: list[Value] = []
    values: list[Value] = []
    gradients: list[Value] = []
    for card, face, history in _drawn(choice):
        if face.item("tile") is not None and card.box is not None:
            (weights if card.kind == "leaf" else values).extend(card.box.values)
            gradients += gradients_of(card, history)
        if face.item("param0") is not None:
            weights += [value for box in card.params for value in box.values]
            gradients += [value for box in card.params for value in box.grads]
    barred = [box for card, face, _ in _drawn(choice) if card.params and face.item("bars") is not None
              for box in card.params]  # fmt: skip
    return Ranges(
        range_of(weights), range_of(values), range_of(gradients),
        _norm(value for box in barred for value in box.values), _norm(value for box in barred for value in box.grads),
    )  # fmt: skip


def _drawn(choice: Choice) -> Iterator[tuple[Card, Face, History]]:
    """All cards that share ranges, each with its face and its history."""
    for each in (choice, *choice.beside):
        for name, card in each.cards.cards.items():
            yield card, each.faces[name], each.cards.history


def _norm(values: Iterable[Value]) -> float:
    return max((norm for value in values if (norm := norm_of(value))), default=0.0) or 1.0


def range_of(values: Iterable[Value]) -> float:
    """The largest magnitude in any of some values' tiles; 1 if there is none."""
    return max(map(_largest, values), default=0.0) or 1.0


@or_else(0.0)
def _largest(value: Value) -> float:
    numbers = (number for row in matrix_of(value)[0] for number in row)
    return max((abs(float(n)) for n in numbers if n is not None and math.isfinite(n)), default=0.0)
