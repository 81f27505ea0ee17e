"""How a lane looks: a weight that every turn of a loop uses, which fills part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Cards, Edges
from autograd_lab.view.graph.facts.history import Box
from autograd_lab.view.graph.looks.flows import Flows
from autograd_lab.view.graph.looks.now import COMING, Now
from autograd_lab.view.graph.looks.tile_look import Ranges
from autograd_lab.view.kit.figure import number_of, sum_of_numbers
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import label_of, norm_of, reading, scalar_of, short
from autograd_lab.view.languages.speaking import translated

MANY = 100
"""Beside a count of so many parts a lane has no room for the word."""


@dataclass(frozen=True, slots=True)
class LaneLooks:
    """Looks at the lanes of a picture, whose tiles share ranges with those of its cards."""

    cards: Cards
    ranges: Ranges = field(default_factory=Ranges)
    _known: dict[str, tuple[Flows, float]] = field(default_factory=dict, repr=False)
    _sums: dict[tuple[str, int], tuple[list[Value], Value | None]] = field(default_factory=dict, repr=False)
    """By bar and use the gradients that were delivered, and their sum."""
    _names: dict[str, str] = field(default_factory=dict, repr=False)

    def at(self, bar: str, now: Now) -> Look:
        """How a lane looks now: `parts` has for each use the height of its part in hundredths, or a dash, and `numbers`
        what it is, where it is one gradient.
        """
        box = self.cards.history.boxes[bar]
        if box.born > now.state.step:
            return Look((COMING,), (("name", self._name(bar)),))
        flows, top = self._range(bar)
        arrived = flows.arrived(now)
        brought = [self._brought(bar, number, now) for number in range(len(arrived))]
        norms = [norm if whole is None else norm_of(whole) for whole, norm in zip(brought, arrived, strict=True)]
        parts = ["-" if norm is None else _height(norm, top) for norm in norms]
        got = flows.come(now)
        grad = now.stored(box)
        said = (
            f".grad {_short(grad)}"
            if grad is not None
            else translated(f"{got} of {flows.most}{' parts' * (flows.most < MANY)}")
        )
        state = "done" if grad is not None else "filling" if got else "empty"
        texts = (
            ("name", self._name(bar)), ("grad", said), ("parts", " ".join(parts)), ("norm", short(norm_of(grad))),
            ("numbers", " ".join("-" if it is None else label_of(it).replace(" ", "") for it in brought)),
            ("signs", " ".join("minus" if it is not None and (number_of(it) or 0.0) < 0 else "plus" for it in brought)),
            *self._held(box, grad, now),
        )  # fmt: skip
        return Look(("lane", state, *["now"] * now.is_arriving(box)), texts)

    def _name(self, bar: str) -> str:
        if bar not in self._names:
            self._names[bar] = self._own_end(bar)
        return self._names[bar]

    def _own_end(self, bar: str) -> str:
        """The end of what a lane is called that no other lane shares."""
        labels = [self.cards.history.boxes[name].label.split(".") for name in self.cards.bars]
        words = self.cards.history.boxes[bar].label.split(".")
        ends = (".".join(words[-count:]) for count in range(1, len(words) + 1))
        alike = Counter(end for each in labels for end in (".".join(each[-n:]) for n in range(1, len(each) + 1)))
        return next((end for end in ends if alike[end] < 2), ".".join(words))

    def _held(self, box: Box, grad: Value | None, now: Now) -> Iterator[tuple[str, str]]:
        """What a lane's weight holds, as a number or as a tile, and beside a tile that of its `.grad`."""
        value = now.value(box) or box.values[0]
        if now.changed(box):
            return
        if scalar_of(value) is not None:
            yield "value", reading(value, 4)
        elif len(box.facts.shape) <= 2:
            yield "tile", self.ranges.tile(value, "weight", box)
            yield "gtile", self.ranges.tile(grad, "gradient")

    def _uses(self, bar: str) -> list[Edges]:
        return [edges for (_, name), edges in self.cards.uses.items() if name == bar]

    def _brought(self, bar: str, number: int, now: Now) -> Value | None:
        """What a use has brought, of several gradients their sum; None where none has come, or that is unknown. It is
        found once for each list of gradients."""
        flows, _ = self._range(bar)
        come = flows.delivered(number, now)
        known = self._sums.get((bar, number))
        if known is None or known[0] is not come:
            whole = come[0] if flows.edges(number) == len(come) == 1 else sum_of_numbers(come)
            known = self._sums[bar, number] = come, whole
        return known[1]

    def _range(self, bar: str) -> tuple[Flows, float]:
        """What comes from each use of a lane's weight, and the largest norm that is ever drawn of any."""
        if bar not in self._known:
            uses = self._uses(bar)
            self._known[bar] = Flows(uses), max(map(self._most, uses), default=0.0)
        return self._known[bar]

    def _most(self, edges: Edges) -> float:
        sent = [values for edge in edges if (values := self.cards.history.sent.get(edge))]
        whole = sum_of_numbers([values[-1] for values in sent]) if len(edges) > 1 else None
        if whole is not None:
            return norm_of(whole) or 0.0
        return max((norm_of(value) or 0.0 for values in sent for value in values), default=0.0)


def _short(grad: Value) -> str:
    """The number, or the norm of several: a lane has no room for more."""
    return reading(grad, 3) if scalar_of(grad) is not None else label_of(grad)


def _height(norm: float, top: float) -> str:
    """Height of a part in hundredths of the lane: parts that add are as high as they are large; the least is seen."""
    return str(min(max(4, round(100 * norm / top)), 100)) if norm and top else "0"
