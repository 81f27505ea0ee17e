"""What all cards of a folding say, and their faces in a style."""

from __future__ import annotations

from collections import Counter

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.names import Names, Words
from autograd_lab.view.graph.faces.face import Face, Style
from autograd_lab.view.graph.faces.input_face import input_face
from autograd_lab.view.graph.faces.leaf_face import leaf_face
from autograd_lab.view.graph.faces.module_face import module_face
from autograd_lab.view.graph.faces.op_face import op_face
from autograd_lab.view.graph.faces.pockets import with_pockets
from autograd_lab.view.graph.faces.saying import Saying, gradients_of
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import reading

LONGEST_POCKET = 10
"""Longer names are not written on pockets."""
SUM_SIZE = 15.0


class Faces:
    """Faces of cards in any style; what the cards say is found once for each folding."""

    def __init__(self, *, engine: bool) -> None:
        self._engine = engine
        self._said: dict[int, dict[str, Saying]] = {}

    def __call__(self, cards: Cards, style: Style) -> dict[str, Face]:
        """The face of each card."""
        if id(cards) not in self._said:
            self._said = {id(cards): sayings(cards, engine=self._engine)}
        return {name: face_of(it, style) for name, it in self._said[id(cards)].items()}


def face_of(it: Saying, style: Style) -> Face:
    """The face of one card."""
    if it.card.kind == "data":
        return input_face(it, style)
    if it.card.kind == "leaf":
        return leaf_face(it, style)
    is_module = it.card.kind in ("module", "stack") or (it.card.kind == "turn" and bool(it.card.params))
    face = module_face(it, style) if is_module else op_face(it, style)
    return with_pockets(face, it.pockets, full=style.full, single=len(it.card.ops) == 1, stale=it.stale)


def sayings(cards: Cards, *, engine: bool) -> dict[str, Saying]:
    """What each card says."""
    uses = Counter(wire.source for wire in cards.wires)
    names = Names(cards)
    return {name: _saying(card, cards, names.of(card), uses[name], engine=engine) for name, card in cards.cards.items()}


def _saying(card: Card, cards: Cards, words: Words, uses: int, *, engine: bool) -> Saying:
    it = Saying(card, words.title, words.formula, values=card.box.values if card.box is not None else [])
    it.grads = gradients_of(card, cards.history)
    it.fine = words.fine if engine and len(card.ops) == 1 else ""
    it.uses = uses if card.kind == "leaf" else 0
    it.sum_width = _sum_width(card, cards) if it.uses > 1 else 0.0
    it.badge = _badge(card)
    it.beside = _beside(card)
    it.times = f"×{card.times}" if card.times > 1 else ""
    it.pockets = _pockets(card, cards, engine=engine)
    it.stale = any(op.node in cards.history.watch.stale for op in card.ops)
    return it


def _sum_width(card: Card, cards: Cards) -> float:
    """Width of the sum in figures, if its parts are numbers."""
    last = [found[-1] for wire in cards.wires if wire.source == card.id and (found := _ever(wire.edges, cards))]
    texts = [reading(value, 4) for value in last]
    if not texts or any("‖" in text or " " in text for text in texts):
        return 0.0
    return text_width(" + ".join(texts), SUM_SIZE)


def _ever(edges: tuple[tuple[str, int], ...], cards: Cards) -> list[Value]:
    return [value for edge in edges for value in cards.history.sent.get(edge, ())]


def _beside(card: Card) -> str:
    """Where a tensor is, if that is not the CPU, with room for a `.grad` that is kept of what is no leaf."""
    if card.box is None:
        return ""
    device = "" if card.box.facts.device == "cpu" else f"on {card.box.facts.device}"
    return device


def _badge(card: Card) -> str:
    """That a module is shared, and which use of it this is."""
    if card.share is None:
        return ""
    return f"use {card.share.which} of {card.share.of}" if card.share.same else "shared weight"


def _pockets(card: Card, cards: Cards, *, engine: bool) -> list[str]:
    """A word for each slot; empty where a name is too long or missing."""
    history, found = cards.history, []
    for op in card.ops:
        for slot in op.slots:
            if slot.tensor is None:
                continue
            box = history.box_of(slot.tensor, 0)
            name = history.boxes[box].label if box is not None else ""
            stale = op.node in history.watch.stale
            short = name if name.isidentifier() and len(name) <= LONGEST_POCKET else ""
            kept = f"{short} v0{', is v1 ' * stale}" if short else ""
            found.append(f"{slot.slot} = {kept}" if engine and kept else kept)
    return found
