"""How a card looks: its state as class names, and what stands at each place of its face."""

from __future__ import annotations

import math
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
from autograd_lab.view.graph.cards.card import Card, Cards, Wire
from autograd_lab.view.graph.cards.written import is_rewritten
from autograd_lab.view.graph.faces.face import Face, Item
from autograd_lab.view.graph.faces.module_face import MOST_BARS, is_upright, names_of
from autograd_lab.view.graph.looks.now import COMING, DONE, FAILED, PARTLY, READY, RECORDED, RUNNING, WAITING, Now
from autograd_lab.view.graph.looks.tile_look import tile_text
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import norm_of, reading, short, sign_class, sign_of

WORDS = {DONE: "done", RUNNING: "running", READY: "ready", FAILED: "stopped"}
PYTORCHS = ("BackwardHookFunctionBackward", "CheckpointFunctionBackward")
"""Functions that PyTorch has written in Python."""
BAR_DECADES = 4.0
"""Bars of norms reach over so many decades."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The largest magnitude of each kind of tile in a picture, and of each kind of bar."""

    weight: float = 1.0
    value: float = 1.0
    gradient: float = 1.0
    weight_norm: float = 1.0
    gradient_norm: float = 1.0


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
        said = _Card(self, card, status, grad, now)
        texts = _texts(face, said.role)
        classes = [card.kind, status, *_hue(grad), *["joint"] * face.is_joint, *["now"] * _is_lit(card, now)]
        classes += (
            ["stale"] * (status != FAILED and now.is_stale(card)) + ["second"] * card.second + ["own"] * _is_own(card)
        )
        return Look(tuple(classes), texts + _version(card, now))

    def _still(self, card: Card, face: Face, now: Now) -> Look:
        """A leaf, or data: it is there from the start, since the program has it before its first op."""
        assert card.box is not None
        box, born = card.box, card.box.born <= now.state.step
        if card.kind == "data":
            value = now.value(box)
            said = _said(value, card, now)
            texts = _texts(face, lambda item: (item.role == "words" and said) or item.text)
            return Look(("constant", *[COMING] * (not born)), texts)
        grad = now.stored(box) if born else None
        leaf = _Leaf(self, card, grad, now)
        state = COMING if not born else RUNNING if now.is_arriving(box) else "set" if grad is not None else "unset"
        lit = _touches(box.facts.id, now) or now.state.step == box.born
        return Look(("leaf", state, *_hue(grad), *["now"] * lit), _texts(face, leaf.role) + _version(card, now))

    def tile(self, value: Value | None, kind: str, *, upright: bool = False) -> str:
        """A tile's text on the range of its kind."""
        return tile_text(value, getattr(self.ranges, kind), upright=upright)


def _texts(face: Face, role: Callable[[Item], str]) -> tuple[tuple[str, str], ...]:
    return tuple((item.role, text) for item in face.items if (text := role(item)))


@dataclass(frozen=True, slots=True)
class _Card:
    """What stands on a card of operations, by the role of an item."""

    looks: CardLooks
    card: Card
    status: str
    grad: Value | None
    now: Now

    def role(self, item: Item) -> str:
        say = getattr(self, f"_{item.role}", None)
        if say is not None:
            return str(say(item))
        if "param" in item.role:
            return self._weight(item)
        return item.text

    @property
    def _value_now(self) -> Value | None:
        return self.now.value(self.card.box) if self.status != COMING else None

    def _value(self, item: Item) -> str:
        return _said(self._value_now, self.card, self.now)

    def _beside(self, item: Item) -> str:
        """Where it is, its hooks, its `.grad`, if the program asked to keep that, and who wrote it unseen."""
        if self.status == COMING or self.card.box is None:
            return item.text
        grad = self.now.stored(self.card.box)
        kept = "" if grad is None else f".grad {reading(grad, 3)}"
        return " · ".join(filter(None, (item.text, kept, self.now.changed(self.card.box))))

    @property
    def _is_rewritten(self) -> bool:
        """Whether the last of the card's ops has written in place."""
        return self.card.ops[-1].born <= self.now.state.step

    @property
    def _before(self) -> str:
        """What the tensor held before the last op wrote it, as far as it has been made."""
        boxes = (self.now.history.boxes[use.box] for use in self.card.ops[-1].uses if use.box)
        box = next(boxes, None)
        return "" if box is None or box.born > self.now.state.step else reading(self.now.value(box))

    def _old(self, item: Item) -> str:
        return self._before if self._is_rewritten else ""

    def _formula(self, item: Item) -> str:
        return item.text if self._is_rewritten or self.status == COMING else ""

    def _was(self, item: Item) -> str:
        """What made the tensor, until it is written."""
        return "" if self._is_rewritten or self.status == COMING else item.text

    def _first(self, item: Item) -> str:
        return "" if self._is_rewritten else self._before

    def _grad(self, item: Item) -> str:
        if self.status == FAILED:
            return "stopped"
        if self.grad is not None:
            text = reading(self.grad, 3)
            return f"‖∂‖ {text.strip('‖')}" if text.startswith("‖") else f"∂ {text}"
        if self.status in (WAITING, PARTLY):
            return self._progress()
        return self._line if self.status == RECORDED else ""

    @property
    def _line(self) -> str:
        """The line that has written the tensor in place."""
        where = self.card.ops[-1].event.where
        is_told = where is not None and is_rewritten(self.card.ops) and self._is_rewritten
        return f"line {where.line}" if where is not None and is_told else ""

    def _word(self, item: Item) -> str:
        return WORDS.get(self.status, "") or (self._progress() if self.status in (WAITING, PARTLY) else "")

    def _progress(self) -> str:
        """How many of the gradients have arrived, or of the ops have run."""
        if self.status == PARTLY:
            nodes = [node for op in self.card.ops if (node := self.now.node(op.node)) is not None]
            return f"{sum(node.status == 'evaluated' for node in nodes)} of {len(nodes)}"
        arrived, expected = self.now.count(self.card)
        return f"{arrived} of {expected}" if expected > 1 else ""

    def _tile(self, item: Item) -> str:
        return self.looks.tile(_known(self._value_now, self.card, self.now), "value")

    def _gtile(self, item: Item) -> str:
        return self.looks.tile(self.grad, "gradient")

    def _glabel(self, item: Item) -> str:
        """`.grad`, and the norm of those of all weights together."""
        norms = [norm_of(grad) for box in self.card.params if (grad := self.now.stored(box)) is not None]
        known = [norm for norm in norms if norm is not None]
        return f".grad ‖{short(math.hypot(*known), 2)}‖" if known else ".grad none"

    def _label(self, item: Item) -> str:
        return names_of(self.card.params)

    def _weight(self, item: Item) -> str:
        box = self.card.params[int(item.role[-1])]
        upright = is_upright(box, self.card.params)
        if item.role.startswith("g"):
            return self.looks.tile(self.now.stored(box), "gradient", upright=upright)
        return self.looks.tile(self.now.value(box) or box.values[0], "weight", upright=upright)

    def _bars(self, item: Item) -> str:
        """Heights of pairs of bars, in hundredths of the room: a weight's norm, and that of its gradient."""
        tops = self.looks.ranges.weight_norm, self.looks.ranges.gradient_norm
        pairs = []
        for box in self.card.params[:MOST_BARS]:
            norms = norm_of(self.now.value(box) or box.values[0]), norm_of(self.now.stored(box))
            pairs.append(",".join(str(_height(norm, top)) for norm, top in zip(norms, tops, strict=True)))
        return " ".join(pairs)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """What stands on a leaf, by the role of an item."""

    looks: CardLooks
    card: Card
    grad: Value | None
    now: Now

    def role(self, item: Item) -> str:
        say = getattr(self, f"_{item.role}", None)
        return item.text if say is None else str(say(item))

    def _value(self, item: Item) -> str:
        return _said(self.now.value(self.card.box), self.card, self.now)

    def _beside(self, item: Item) -> str:
        """Where it is, and who wrote it unseen."""
        changed = self.now.changed(self.card.box) if self.card.box is not None else ""
        return " · ".join(filter(None, (item.text, changed)))

    def _tile(self, item: Item) -> str:
        return self.looks.tile(_known(self.now.value(self.card.box), self.card, self.now), "weight")

    def _gtile(self, item: Item) -> str:
        return self.looks.tile(self.grad, "gradient")

    def _grad(self, item: Item) -> str:
        if self.grad is not None:
            return reading(self.grad, 4)
        wires = self._wires
        got = [wire for wire in wires if self.now.delivered(wire.edges)]
        if len(wires) > 1 and got and self.now.state.in_backward:
            return f"none  {len(got)} of {len(wires)}"
        return "none  ←" if got and self.now.state.in_backward else "none"

    @property
    def _wires(self) -> list[Wire]:
        """The wires whose gradients add up to what is stored."""
        return parts_of(self.card, self.looks.cards)

    def _sumbar(self, item: Item) -> str:
        """Parts that have arrived as signed thousandths of the bar, and with a star if more are to come."""
        most = [max((norm_of(v) or 0.0 for v in self._ever(wire.edges)), default=0.0) for wire in self._wires]
        total = sum(most)
        if not total:
            return ""
        parts = []
        for wire, size in zip(self._wires, most, strict=True):
            if found := self.now.delivered(wire.edges):
                parts.append(str(round(1000 * size / total) * sign_of(found[-1])))
        return " ".join(parts + ["*"] * (len(parts) < len(self._wires)))

    def _ever(self, edges: tuple[tuple[str, int], ...]) -> list[Value]:
        return [value for edge in edges for value in self.looks.cards.history.sent.get(edge, ())]

    def _sum(self, item: Item) -> str:
        """The sum in figures, as far as its parts have arrived."""
        parts = [reading(found[-1], 4) for wire in self._wires if (found := self.now.delivered(wire.edges))]
        if not parts or any("‖" in part or " " in part for part in parts):
            return ""
        text = " + ".join(parts).replace("+ −", "− ")
        return text if len(parts) == len(self._wires) else f"{text} + …"


def _known(value: Value | None, card: Card, now: Now) -> Value | None:
    """A value, unless it was written unseen since."""
    return None if value is None or card.box is None or now.changed(card.box) else value


def _said(value: Value | None, card: Card, now: Now) -> str:
    """How a value reads: as a question, if it was written unseen since."""
    return "" if value is None else "?" if _known(value, card, now) is None else reading(value)


def _version(card: Card, now: Now) -> tuple[tuple[str, str], ...]:
    """The version of a tensor that is ever written."""
    if card.box is None or not card.box.versioned or not (version := now.version(card.box)):
        return ()
    return (("version", f"v{version}"),)


def parts_of(card: Card, cards: Cards) -> list[Wire]:
    """The wires that bring a leaf its gradient: with a recorded backward pass, those from that pass."""
    wires = [wire for wire in cards.wires if wire.source == card.id]
    second = {name for name, each in cards.cards.items() if each.second}
    return [wire for wire in wires if wire.target in second] if second else wires


def _hue(value: Value | None) -> list[str]:
    return [] if value is None else [sign_class(value)]


def _height(norm: float | None, top: float) -> int:
    """Height of a bar in hundredths: logarithmic, so that small ones are seen; 0 for what is 0 or none."""
    if not norm or not math.isfinite(norm):
        return 0
    return max(6, round(100 * max(0.0, min(1.0, 1 + math.log10(norm / top) / BAR_DECADES))))


def _is_own(card: Card) -> bool:
    """Whether it is an op of somebody's own: a Function of the program."""
    name = card.ops[0].name if len(card.ops) == 1 and card.ops[0].node is not None else "0"
    return not name[-1:].isdigit() and "::" not in name and name not in PYTORCHS


def _is_lit(card: Card, now: Now) -> bool:
    """Whether the step is about a card."""
    event = now.state.event
    if any(op.born == now.state.step for op in card.ops):
        return True
    if isinstance(event, NodeVisited | NodeEvaluated | HookCalled | TensorSaved):
        return any(op.node == event.node for op in card.ops)
    return card.box is not None and _touches(card.box.facts.id, now)


def _touches(tensor: str, now: Now) -> bool:
    event = now.state.event
    return isinstance(event, TensorModified | GradAccumulated) and event.tensor == tensor
