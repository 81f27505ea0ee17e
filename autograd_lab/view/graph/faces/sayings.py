"""What all cards of a folding say, and their faces in a style."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.hooked import hooks_on
from autograd_lab.view.graph.cards.names import Names, Words
from autograd_lab.view.graph.cards.written import is_rewritten
from autograd_lab.view.graph.faces.face import FINE, Face, Style
from autograd_lab.view.graph.faces.input_face import input_face
from autograd_lab.view.graph.faces.leaf_face import leaf_face
from autograd_lab.view.graph.faces.module_face import module_face
from autograd_lab.view.graph.faces.op_face import op_face
from autograd_lab.view.graph.faces.pockets import with_pockets
from autograd_lab.view.graph.faces.saying import Saying, gradients_of, overwritten, shape_text, widest
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import is_kept
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import reading
from autograd_lab.view.languages.speaking import translated

LONGEST_POCKET = 10
"""Longer names are not written on pockets."""
SUM_SIZE = 15.0
LONE, TWIN = 32.0, 26.0
"""Height of a card at which one line ends, and what each line beside it adds: numbers stand one below the other; px."""


class Faces:
    """Faces of cards in any style; what the cards say is found once for each folding, and what one says whatever the
    others are, once for all."""

    def __init__(self, *, engine: bool) -> None:
        self._engine = engine
        self._said: tuple[Cards, dict[str, Saying]] | None = None
        self._own: dict[int, Saying] = {}
        self._faces: dict[Hashable, Face] = {}

    def __call__(self, cards: Cards, style: Style) -> dict[str, Face]:
        """The face of each card."""
        return {name: self._face(it, style) for name, it in self._sayings(cards).items()}

    def spelt_out(self, cards: Cards, style: Style, name: str) -> Face:
        """The face of a card that is drawn as a sign alone, with all that it says."""
        return face_of(self._sayings(cards)[name], style, signs=False)

    def _face(self, it: Saying, style: Style) -> Face:
        """The face of a card, which says the same in many foldings."""
        key = (
            id(it.card), style, it.name, it.formula, it.before, it.brief, it.fine, it.badge, it.beside, it.beside_width,
            it.states, it.uses, it.twins, it.sum_width,
        )  # fmt: skip
        if key not in self._faces:
            self._faces[key] = face_of(it, style)
        return self._faces[key]

    def _sayings(self, cards: Cards) -> dict[str, Saying]:
        if self._said is None or self._said[0] is not cards:
            self._said = cards, sayings(cards, engine=self._engine, known=self._own)
        return self._said[1]


def face_of(it: Saying, style: Style, *, signs: bool = True) -> Face:
    """The face of one card; ops may be `signs` alone where room is scarce."""
    if it.card.kind == "data":
        return input_face(it, style)
    if it.card.kind == "leaf":
        return leaf_face(it, style)
    is_module = it.card.kind in ("module", "stack") or bool(it.card.params)
    face = module_face(it, style) if is_module else op_face(it, style, signs=signs)
    face = face.at_least(0, LONE + TWIN * (it.twins - 1))
    return with_pockets(face, it.pockets, it.slots, it.states_of_pockets, full=style.full, single=it.is_one)


def sayings(cards: Cards, *, engine: bool, known: dict[int, Saying]) -> dict[str, Saying]:
    """What each card says; what each says whatever the others are is `known`, or is found and kept there."""
    uses = Counter(wire.source for wire in cards.wires)
    names = Names(cards)
    found = {}
    for name, card in cards.cards.items():
        if id(card) not in known:
            known[id(card)] = _own(card, cards, engine=engine)
        found[name] = _saying(known[id(card)], cards, names.of(card), uses[name], engine=engine)
    for (source, target), count in Counter((wire.source, wire.target) for wire in cards.wires).items():
        for end in (source, target):
            found[end].twins = max(found[end].twins, count)
    return found


def _own(card: Card, cards: Cards, *, engine: bool) -> Saying:
    """What a card says whatever the others are."""
    it = Saying(card, "")
    it.values = card.box.values if card.box is not None and not card.parts else []
    it.grads = gradients_of(card, cards.history) if not card.parts else []
    if it.was:
        it.values = [*it.values, *_before(card, cards.history)]
        it.old = _old(card, cards.history)
    it.badge, it.kept = _badge(card, cards.history.callers), _kept(card)
    it.times = f"×{card.times}" if card.times > 1 else ""
    it.shapes = _shapes(card, cards.history)
    it.pockets, slots = _pockets(card, cards, is_one=it.is_one)
    it.slots = slots if engine else []
    it.returns = card.box is not None and card.box.leaf_node in cards.history.returning.found
    it.packed = any(slot.packed for op in card.ops for slot in op.slots)
    it.stale = any(op.node in cards.history.watch.stale for op in card.ops)
    return it


def _saying(own: Saying, cards: Cards, words: Words, uses: int, *, engine: bool) -> Saying:
    """What a card says among the others of its folding."""
    card = own.card
    uses = uses if card.kind == "leaf" else 0
    title = words.label or (translated(words.title, "card") if card.kind == "turn" else words.title)
    it = Saying(
        card, title, words.formula, words.before, words.brief,
        words.fine if engine and own.is_one else "", own.badge, _beside(card, cards), own.kept,
        states=_states(card, cards), values=own.values, grads=own.grads, old=own.old, uses=uses,
        sum_width=_sum_width(card, cards) if uses > 1 else 0.0, times=own.times, shapes=own.shapes,
        pockets=own.pockets, slots=own.slots, stale=own.stale, packed=own.packed, texts=own.texts, returns=own.returns,
    )  # fmt: skip
    it.beside_width = _beside_width(it, card, cards.history)
    return it


def _before(card: Card, history: History) -> list[Value]:
    """What a tensor held before it was last written."""
    boxes = [history.boxes[use.box] for use in card.ops[-1].uses if use.box]
    return boxes[0].values if boxes else []


def _sum_width(card: Card, cards: Cards) -> float:
    """Width of the sum in figures, if its parts are numbers."""
    last = [found[-1] for wire in cards.wires_from(card.id) if (found := _ever(wire.edges, cards))]
    texts = [reading(value, 4) for value in last]
    if not texts or any("‖" in text or " " in text for text in texts):
        return 0.0
    return text_width(" + ".join(texts), SUM_SIZE)


def _ever(edges: tuple[tuple[str, int], ...], cards: Cards) -> list[Value]:
    return [value for edge in edges for value in cards.history.sent.get(edge, ())]


def _beside(card: Card, cards: Cards) -> str:
    """Where a tensor is, if that is not the CPU, and what hooks did that are not drawn on a line."""
    device = card.box.facts.device if card.box is not None else "cpu"
    hooks = list(dict.fromkeys(hooks.did for hooks in hooks_on(card, cards)))
    return " · ".join(filter(None, ("" if device == "cpu" else f"on {device}", *hooks)))


def _kept(card: Card) -> str:
    """The longest `.grad` that the program asked to keep of what is no leaf."""
    kept = card.box.grads if card.box is not None and card.ops else []
    return max((f".grad {reading(value, 3)}" for value in kept), key=len, default="")


def _beside_width(it: Saying, card: Card, history: History) -> float:
    """Width of all that is ever said beside a value: device and hooks, a `.grad` that is kept, who wrote it unseen."""
    if card.box is None:
        return 0.0
    writers = [f"{'.grad ' * card.box.has_grad}{translated(f'changed via {label}')}" for label in card.box.strangers]
    if any(tensor is None for _, tensor in history.writes.get(card.box.facts.storage, ())):
        writers.append(translated("changed unseen"))
    widths = [widest(texts, FINE) for texts in ([it.beside], [it.kept], writers)]
    return sum(widths) + text_width(" · ", FINE) * (sum(map(bool, widths)) - 1) if any(widths) else 0.0


def _states(card: Card, cards: Cards) -> tuple[str, ...]:
    """How far a card of operations may ever have come, in words: an error stops it, or parts of it have run."""
    nodes = {op.node for op in card.ops}
    stops = [translated("stopped", "card")] * any(node in nodes for node in cards.history.watch.stopped)
    arriving = sum(len(wire.edges) for wire in cards.wires_from(card.id))
    most = max(len(nodes), arriving)
    return (*stops, *[translated(f"{most} of {most}")] * (most > 1))


def _old(card: Card, history: History) -> list[Value]:
    """What a tensor held before the last op of a card wrote it."""
    box = overwritten(card)
    return [] if box is None else history.boxes[box].values


def _shapes(card: Card, history: History) -> list[str]:
    """All shapes that its tensor has, also before it was written."""
    before = overwritten(card) if is_rewritten(card.ops) else None
    boxes = [box for box in (card.box, history.boxes.get(before or "")) if box is not None]
    return list(dict.fromkeys(shape_text(facts.shape) for box in boxes for facts in box.forms))


def _badge(card: Card, callers: Mapping[str, str]) -> str:
    """That a module is shared, and which use of it this is: with the caller's word for it, where that has one."""
    if card.share is None:
        return ""
    if not card.share.same:
        return translated("shared weight")
    caller = callers.get(card.ops[-1].id, "")
    return translated(f"use {card.share.which} of {card.share.of}") + f": {caller}" * bool(caller)


def _pockets(card: Card, cards: Cards, *, is_one: bool) -> tuple[list[str], list[str]]:
    """A word for each slot, also with what the node calls it; empty where a name is too long or missing."""
    if not is_one:  # they are only counted
        count = sum(is_kept(slot) for op in card.ops for slot in op.slots)
        return [""] * count, [""] * count
    history, found, slots = cards.history, [], []
    bare = history.watch.is_ever_stale(op.node for op in card.ops)
    for op in card.ops:
        for slot in op.slots:
            if not is_kept(slot):
                continue
            box = history.box_of(slot.tensor or "", 0)
            name = history.boxes[box].label if box is not None else ""
            stale = op.node in history.watch.stale
            short = name if name.isidentifier() and len(name) <= LONGEST_POCKET else ""
            kept = f"{short} v0{translated(', is v1 ') * stale}" if short else ""
            found.append(kept)
            slots.append(f"{slot.slot} = {kept}" if kept and not bare else kept)
    return found, slots
