"""The ranges that the tiles and bars of a picture share: the largest magnitude of each kind, over all steps.

Where values, or weights, are of quite different size, each tensor has its own; gradients always share one, for that
they fade is what one should see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import Face
from autograd_lab.view.graph.faces.saying import gradients_of
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.looks.tile_look import BAR_DECADES, Ranges, largest_in, range_of
from autograd_lab.view.kit.reading import norm_of

ROOM = 1.15
"""So many times as much as they are apart, for the least of them to be seen to be higher than nothing."""
PALE = 4.0
"""A tile whose numbers are so many times smaller than the range is pale."""


def ranges_of(choice: Choice) -> Ranges:
    """Ranges from what is drawn as a tile or a bar, and from nothing else: it would make all tiles pale."""
    sizes: dict[str, list[float]] = {"weight": [], "value": []}
    gradients: list[Value] = []
    for card, face, history in _drawn(choice):
        if face.item("tile") is not None and card.box is not None:
            sizes["weight" if card.kind == "leaf" else "value"].append(_largest(card.box.values))
            gradients += gradients_of(card, history)
        if face.item("param0") is not None:
            sizes["weight"] += [_largest(box.values) for box in card.params]
            gradients += [value for box in card.params for value in box.grads]
    for each in (choice, *choice.beside):
        for box in map(each.cards.history.boxes.__getitem__, each.cards.bars):
            sizes["weight"].append(_largest(box.values))
            gradients += box.grads
    barred = [box for card, face, _ in _drawn(choice) if card.params and face.item("bars") is not None
              for box in card.params]  # fmt: skip
    return Ranges(
        max(sizes["weight"], default=0.0) or 1.0, max(sizes["value"], default=0.0) or 1.0, range_of(gradients),
        _norm(value for box in barred for value in box.values), _norm(value for box in barred for value in box.grads),
        _decades(value for box in barred for value in box.grads),
        frozenset(kind for kind, found in sizes.items() if _is_wide(found) and not choice.beside),
    )  # fmt: skip


def _drawn(choice: Choice) -> Iterator[tuple[Card, Face, History]]:
    """All cards that share ranges, each with its face and its history."""
    for each in (choice, *choice.beside):
        for name, card in each.cards.cards.items():
            yield card, each.faces[name], each.cards.history


def _largest(values: Iterable[Value]) -> float:
    return max(map(largest_in, values), default=0.0)


def _is_wide(sizes: Iterable[float]) -> bool:
    """Whether tensors are of so different size that on one range some would be pale."""
    known = [size for size in sizes if size]
    return bool(known) and max(known) > PALE * min(known)


def _norm(values: Iterable[Value]) -> float:
    return max((norm for value in values if (norm := norm_of(value))), default=0.0) or 1.0


def _decades(values: Iterable[Value]) -> float:
    """How many powers of ten bars of these have to tell apart: a little more than they are apart."""
    norms = [norm for value in values if (norm := norm_of(value)) and math.isfinite(norm)]
    apart = math.log10(max(norms) / min(norms)) if norms else 0.0
    return max(BAR_DECADES, ROOM * apart)
