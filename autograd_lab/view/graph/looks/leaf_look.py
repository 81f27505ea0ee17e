"""What stands on a leaf: its value, its `.grad`, and how that adds up."""

from __future__ import annotations

import math
from dataclasses import dataclass

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card, Cards, Wire
from autograd_lab.view.graph.cards.hooked import as_far_as
from autograd_lab.view.graph.faces.face import Item
from autograd_lab.view.graph.facts.returning import RETURNED, TO_RETURN
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.looks.tensor_look import known, said, shape_now
from autograd_lab.view.graph.looks.tile_look import LOST, Ranges
from autograd_lab.view.kit.figure import number_of
from autograd_lab.view.kit.reading import norm_of, reading, sign_of
from autograd_lab.view.languages.speaking import translated

CLOSE = 1e-4
"""So far, relative to what was added, a sum may be from its parts."""


@dataclass(slots=True)
class LeafWords:
    """What stands on a leaf, by the role of an item."""

    cards: Cards
    ranges: Ranges
    card: Card
    grad: Value | None
    now: Now
    returned: tuple[Value, bool] | None = None
    """A gradient that is no `.grad`, for the program gets it, and whether it has it by now."""

    def role(self, item: Item) -> str:
        say = getattr(self, f"_{item.role}", None)
        return item.text if say is None else str(say(item))

    def _value(self, item: Item) -> str:
        return said(self.now.value(self.card.box), self.card, self.now)

    def _shape(self, item: Item) -> str:
        return shape_now(self.card, self.now)

    def _beside(self, item: Item) -> str:
        """Where it is, and who wrote it or its `.grad` unseen."""
        assert self.card.box is not None
        grad = self.now.grad_changed(self.card.box)
        text = as_far_as(self.now.state.step, item.text, self.card, self.cards)
        return " · ".join(filter(None, (text, self.now.changed(self.card.box), f".grad {grad}" if grad else "")))

    def _tile(self, item: Item) -> str:
        assert self.card.box is not None
        return self.ranges.tile(known(self.now.value(self.card.box), self.card, self.now), "weight", self.card.box)

    def _gtile(self, item: Item) -> str:
        return self.ranges.tile(self.grad if self._back is None else self._back, "gradient")

    @property
    def _back(self) -> Value | None:
        """The gradient that the program has got."""
        return self.returned[0] if self.returned is not None and self.returned[1] else None

    def _dotgrad(self, item: Item) -> str:
        return item.text if self.returned is None else translated(RETURNED if self.returned[1] else TO_RETURN, "card")

    def _grad(self, item: Item) -> str:
        if self._back is not None:
            return reading(self._back, 4)
        if self.grad is not None:
            return LOST if self._is_lost else reading(self.grad, 4)
        wires = self._wires
        got = [wire for wire in wires if self.now.delivered(wire.edges)]
        if len(wires) > 1 and got and self.now.state.in_backward:
            return f"none  {translated(f'{len(got)} of {len(wires)}')}"
        return "none  ←" if got and self.now.state.in_backward else "none"

    @property
    def _is_lost(self) -> bool:
        """Whether its `.grad` was written unseen since it was stored."""
        return self.card.box is not None and bool(self.now.grad_changed(self.card.box))

    @property
    def _wires(self) -> list[Wire]:
        """The wires whose gradients add up to what is stored: after the pass no others than those that brought one."""
        wires = _parts_of(self.card, self.cards)
        got = [] if self.now.state.in_backward else [wire for wire in wires if self.now.delivered(wire.edges)]
        return got or wires

    def _sumbar(self, item: Item) -> str:
        """Parts as signed thousandths of the bar, those to come with a star: each has its place from the beginning."""
        ever = [
            max(self._ever(wire.edges), key=lambda value: norm_of(value) or 0.0, default=None) for wire in self._wires
        ]
        sizes = [norm_of(value) or 0.0 if value else 0.0 for value in ever]
        total = sum(sizes)
        if not 0 < total < math.inf or self._is_more:  # nothing came, or no number says how much
            return ""
        parts = []
        for wire, value, size in zip(self._wires, ever, sizes, strict=True):
            found = self.now.delivered(wire.edges)
            if found or value:
                star, sign = "" if found else "*", sign_of(found[-1] if found else value)
                parts.append(f"{star}{round(1000 * (size / total)) * sign}")
        return " ".join(parts)

    @property
    def _is_more(self) -> bool:
        """Whether `.grad`, once it is stored, is known to be another number than what the lines show adds up to: an
        earlier pass has added to it, or a hook has changed it.
        """
        numbers = [number_of(each[-1]) for wire in self._wires if (each := self.now.delivered(wire.edges))]
        total = None if self.grad is None or self.now.state.in_backward else number_of(self.grad)
        terms = [number for number in numbers if number is not None]
        if total is None or len(terms) < len(numbers) or not math.isfinite(total):
            return False
        return abs(math.fsum(terms) - total) > CLOSE * math.fsum(map(abs, (*terms, total)))

    def _ever(self, edges: tuple[tuple[str, int], ...]) -> list[Value]:
        return [value for edge in edges for value in self.cards.history.sent.get(edge, ())]

    def _sum(self, item: Item) -> str:
        """The sum in figures, as far as its parts have arrived; dots stand where others will."""
        found = [self.now.delivered(wire.edges) for wire in self._wires]
        parts = [reading(each[-1], 4) if each else "…" for each in found]
        if not any(found) or any("‖" in part or " " in part for part in parts) or self._is_more:
            return ""
        told = [part for part, before in zip(parts, ["", *parts], strict=False) if (part, before) != ("…", "…")]
        return " + ".join(told).replace("+ −", "− ")


def _parts_of(card: Card, cards: Cards) -> list[Wire]:
    """The wires that bring a leaf its gradient: with a recorded backward pass, those from that pass."""
    wires = list(cards.wires_from(card.id))
    second = [wire for wire in wires if cards.cards[wire.target].second]
    return second if cards.has_second else wires
