"""What stands on a card of operations: values, gradients, weights, and how far backward has come."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.hooked import as_far_as
from autograd_lab.view.graph.cards.written import is_rewritten
from autograd_lab.view.graph.faces.face import Item
from autograd_lab.view.graph.faces.module_face import MOST_BARS, is_upright, names_of
from autograd_lab.view.graph.facts.history import Box
from autograd_lab.view.graph.looks.now import COMING, DONE, FAILED, PARTLY, READY, RECORDED, RUNNING, WAITING, Now
from autograd_lab.view.graph.looks.tensor_look import known, said, shape_now
from autograd_lab.view.graph.looks.tile_look import BAR_DECADES, LOST, Ranges
from autograd_lab.view.kit.reading import norm_of, reading, short, spoilt_in
from autograd_lab.view.languages.speaking import translated

WORDS = {DONE: "done", RUNNING: "running", READY: "ready", FAILED: "stopped"}


@dataclass(slots=True)
class OpWords:
    """What stands on a card of operations, by the role of an item. One that `has_before` says what made the tensor,
    until it is written in place."""

    cards: Cards
    ranges: Ranges
    card: Card
    status: str
    grad: Value | None
    now: Now
    has_before: bool = False

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
        return said(self._value_now, self.card, self.now)

    def _beside(self, item: Item) -> str:
        """Where it is, its hooks, its `.grad`, if the program asked to keep that, and who wrote it unseen."""
        text = as_far_as(self.now.state.step, item.text, self.card, self.cards)
        if self.status == COMING or self.card.box is None:
            return text
        grad = self.now.stored(self.card.box)
        kept = "" if grad is None else f".grad {self.now.grad_changed(self.card.box) or reading(grad, 3)}"
        return " · ".join(filter(None, (text, kept, self.now.changed(self.card.box))))

    @property
    def _is_rewritten(self) -> bool:
        """Whether the last of the card's ops has written in place."""
        return self.card.ops[-1].born <= self.now.state.step

    @property
    def _value_before(self) -> Value | None:
        """What the tensor held before the last op wrote it, as far as it has been made."""
        boxes = (self.now.history.boxes[use.box] for use in self.card.ops[-1].uses if use.box)
        return self.now.value(next(boxes, None))

    @property
    def _before(self) -> str:
        value = self._value_before
        return "" if value is None else reading(value)

    def _old(self, item: Item) -> str:
        return self._before if self._is_rewritten else ""

    def _formula(self, item: Item) -> str:
        """What made the tensor; of one that is written in place, once it is."""
        waits = self.has_before or (is_rewritten(self.card.ops) and self.status != COMING)
        return "" if waits and not self._is_rewritten else item.text

    def _shape(self, item: Item) -> str:
        return shape_now(self.card, self.now)

    def _was(self, item: Item) -> str:
        """What made the tensor, until it is written."""
        return "" if self._is_rewritten else item.text

    def _first(self, item: Item) -> str:
        return "" if self._is_rewritten else self._before

    def _grad(self, item: Item) -> str:
        if self.status == FAILED:
            return translated("stopped", "card")
        if self.grad is not None:
            text = reading(self.grad, 3)
            return f"‖∂‖ {text.strip('‖')}" if text.startswith("‖") else f"∂ {text}"
        if self.status in (WAITING, PARTLY):
            return self._so_far()
        return self._line if self.status == RECORDED else ""

    @property
    def _line(self) -> str:
        """The line that has written the tensor in place."""
        where = self.card.ops[-1].event.where
        is_told = where is not None and is_rewritten(self.card.ops) and self._is_rewritten
        return f"{translated('line', 'card')} {where.line}" if where is not None and is_told else ""

    def _word(self, item: Item) -> str:
        return translated(WORDS.get(self.status, ""), "card") or (
            self._so_far() if self.status in (WAITING, PARTLY) else ""
        )

    def _so_far(self) -> str:
        """How many of the gradients have arrived, or of the ops have run."""
        if self.status == PARTLY:
            counts = self.now.counts(self.card)
            return translated(f"{counts.ran} of {counts.nodes}")
        arrived, expected = self.now.count(self.card)
        return translated(f"{arrived} of {expected}") if expected > 1 else ""

    def _progress(self, item: Item) -> str:
        """How much of its backward has run, in thousandths."""
        counts = self.now.counts(self.card)
        return f"{1000 * counts.ran // max(1, counts.nodes)}" if self.status != COMING else "0"

    def _tile(self, item: Item) -> str:
        waits = self.card.kind == "op" and is_rewritten(self.card.ops) and not self._is_rewritten
        value = self._value_before if waits else self._value_now
        return self.ranges.tile(known(value, self.card, self.now), "value", *self._lives)

    @property
    def _lives(self) -> Iterator[Box]:
        """Its tensor, and what that was before it was written in place."""
        if self.card.box is not None:
            yield self.card.box
        if self.card.kind == "op" and is_rewritten(self.card.ops):
            yield from [self.now.history.boxes[use.box] for use in self.card.ops[-1].uses if use.box][:1]

    def _gtile(self, item: Item) -> str:
        return self.ranges.tile(self.grad, "gradient")

    def _glabel(self, item: Item) -> str:
        """`.grad`, and the norm of those of all weights together; of weights that others use too what this adds."""
        name = ".grad" if self.card.share is None else "adds"
        grads = [grad for box in self.card.params if (grad := self._brought(box)) is not None]
        if spoilt := spoilt_in(*grads) if grads else "":
            return f"{name} {spoilt}"
        norms = [norm_of(grad) for grad in grads]
        told = [norm for norm in norms if norm is not None]
        if len(told) < len(norms):
            return f"{name} {LOST}"
        return f"{name} ‖{short(math.hypot(*told), 2)}‖" if told else ".grad none"

    def _label(self, item: Item) -> str:
        return names_of(self.card.params)

    def _weight(self, item: Item) -> str:
        box = self.card.params[int(item.role[-1])]
        upright = is_upright(box, self.card.params)
        if item.role.startswith("g"):
            return self.ranges.tile(self._brought(box), "gradient", upright=upright)
        value = self.now.value(box) or box.values[0]
        shown = Value() if self.now.changed(box) else value
        return self.ranges.tile(shown, "weight", box, upright=upright)

    def _brought(self, box: Box) -> Value | None:
        """The `.grad` of a weight; of one that other cards use too what this one has added to it."""
        if self.card.share is None:
            return self.now.stored(box)
        return max(self.now.delivered(self.cards.uses.get((self.card.id, box.id), ())), key=_size, default=None)

    def _bars(self, item: Item) -> str:
        """Heights of pairs of bars, in hundredths of the room: a weight's norm, and that of its gradient."""
        boxes = self.card.params[:MOST_BARS]
        brought = map(self._brought, boxes) if self.card.share is not None else ()
        others = *brought, self.now.state.writes
        return self.now.kept(self.card, others, lambda: " ".join(map(self._pair, boxes)))

    def _pair(self, box: Box) -> str:
        held = self.now.value(box) or box.values[0], self._brought(box)
        ranges = self.ranges
        scales = (ranges.weight_norm, BAR_DECADES), (ranges.gradient_norm, ranges.gradient_decades)
        return ",".join(str(_height(norm_of(value), *scale)) for value, scale in zip(held, scales, strict=True))


def _size(value: Value) -> float:
    """The norm of a gradient; 0 of one that is not known."""
    return norm_of(value) or 0.0


def _height(norm: float | None, top: float, decades: float) -> int:
    """Height of a bar in hundredths: logarithmic, so that small ones are seen; 0 for what is 0 or none."""
    if not norm or not math.isfinite(norm):
        return 0
    return max(6, round(100 * max(0.0, min(1.0, 1 + math.log10(norm / top) / decades))))
