"""How a tensor looks on its card: its value, as far as it is known, and its shape."""

from __future__ import annotations

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.saying import shape_text
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.looks.tile_look import LOST
from autograd_lab.view.kit.reading import reading


def known(value: Value | None, card: Card, now: Now) -> Value | None:
    """A value; one that was written unseen since is not known."""
    return Value() if value is not None and card.box is not None and now.changed(card.box) else value


def said(value: Value | None, card: Card, now: Now) -> str:
    """How a value reads: as a question, if it was written unseen since."""
    if value is None or card.box is None:
        return ""
    return LOST if now.changed(card.box) else reading(value)


def shape_now(card: Card, now: Now) -> str:
    """The shape of what a card makes, in its life there; before it is made, that which it will have."""
    assert card.box is not None
    tensor = now.state.tensors.get(card.box.facts.id)
    facts = card.box.at(now.state.step) if tensor is None or tensor.rewrites > card.box.rewrite else tensor.facts
    return shape_text(facts.shape)
