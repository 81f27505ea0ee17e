"""How a card looks: its state as class names, and what stands at each place of its face."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograd_lab.events import (
    GradAccumulated,
    HookCalled,
    NodeEvaluated,
    NodeVisited,
    TensorModified,
    TensorSaved,
    Value,
)
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.faces.face import Face, Item
from autograd_lab.view.graph.looks.leaf_look import LeafWords
from autograd_lab.view.graph.looks.now import COMING, DONE, FAILED, RUNNING, Now
from autograd_lab.view.graph.looks.op_look import OpWords
from autograd_lab.view.graph.looks.tensor_look import said, shape_now
from autograd_lab.view.graph.looks.tile_look import LOST, Ranges
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import sign_class
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.speaking import translated

PYTORCHS = ("BackwardHookFunctionBackward", "CheckpointFunctionBackward")
"""Functions that PyTorch has written in Python."""


@dataclass(frozen=True, slots=True)
class CardLooks:
    """Looks at the cards of a picture, each with its face."""

    cards: Cards
    faces: dict[str, Face]
    ranges: Ranges

    def at(self, name: str, now: Now) -> Look:
        """How a card looks now."""
        card, face = self.cards.cards[name], self.faces[name]
        if card.kind in ("leaf", "data"):
            return self._still(card, face, now)
        status = now.status(card)
        grad = None if status == COMING else now.gathered(card)
        words = OpWords(self.cards, self.ranges, card, status, grad, now, face.item("was") is not None)
        texts = _texts(face, words.role)
        classes = [card.kind, status, *_hue(grad), *["joint"] * face.is_joint, *["now"] * _is_lit(card, now)]
        classes += (
            ["stale"] * (status != FAILED and now.is_stale(card)) + ["second"] * card.second + ["own"] * _is_own(card)
        )
        classes += ["earlier"] * (status == DONE and self._is_earlier(card, now))
        return Look(tuple(classes), texts + _version(card, now))

    def _is_earlier(self, card: Card, now: Now) -> bool:
        """Whether the gradient on a card is of a pass that another has followed, which that of weights may not be."""
        node = now.state.nodes.get(card.ops[-1].node or "")
        return node is not None and not card.params and now.is_earlier({node.passed} - {0}, self.cards.recorded_pass)

    def _still(self, card: Card, face: Face, now: Now) -> Look:
        """A leaf, or data: it is there from the start, since the program has it before its first op."""
        assert card.box is not None
        box, born = card.box, card.box.born <= now.state.step
        if card.kind == "data":
            value = now.value(box)
            words = {"words": said(value, card, now), "shape": shape_now(card, now) or translated("scalar", "card")}
            texts = _texts(face, lambda item: words.get(item.role) or item.text)
            return Look(("constant", *[COMING] * (not born)), texts)
        grad = now.stored(box) if born else None
        returned = now.returned(box) if born and grad is None else None
        leaf = LeafWords(self.cards, self.ranges, card, grad, now, returned)
        state = COMING if not born else RUNNING if now.is_arriving(box) else "set" if grad is not None else "unset"
        if returned is not None and returned[1]:
            state, grad = "returned", returned[0]
        lit = _touches(box.facts.id, now) or now.state.step == box.born
        return Look(("leaf", state, *_hue(grad), *["now"] * lit), _texts(face, leaf.role) + _version(card, now))


def _texts(face: Face, role: Callable[[Item], str]) -> tuple[tuple[str, str], ...]:
    """What stands at each place; a mistake in one text loses no other."""
    return tuple([(item.role, text) for item in face.items if (text := _text(role, item))])


@or_else(LOST)
def _text(role: Callable[[Item], str], item: Item) -> str:
    return role(item)


def _version(card: Card, now: Now) -> tuple[tuple[str, str], ...]:
    """The version of a tensor that is ever written."""
    if card.box is None or not card.box.versioned or not (version := now.version(card.box)):
        return ()
    return (("version", f"v{version}"),)


def _hue(value: Value | None) -> list[str]:
    return [] if value is None else [sign_class(value)]


def _is_own(card: Card) -> bool:
    """Whether it is an op of somebody's own: a Function of the program."""
    name = card.ops[0].name if len(card.ops) == 1 and card.ops[0].node is not None else "0"
    return not name[-1:].isdigit() and "::" not in name and name not in PYTORCHS


def _is_lit(card: Card, now: Now) -> bool:
    """Whether the step is about a card."""
    event = now.state.event
    if now.is_born(card):
        return True
    if isinstance(event, NodeVisited | NodeEvaluated | HookCalled | TensorSaved):
        return now.is_of(card, event.node)
    return card.box is not None and _touches(card.box.facts.id, now)


def _touches(tensor: str, now: Now) -> bool:
    event = now.state.event
    return isinstance(event, TensorModified | GradAccumulated) and event.tensor == tensor
