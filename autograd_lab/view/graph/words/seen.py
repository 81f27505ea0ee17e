"""Lessons that are seen in a picture as it is: they name its cards, and tell the numbers that stand on its lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card, Cards, Wire
from autograd_lab.view.graph.cards.names import Names
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.looks.wire_look import WireLooks
from autograd_lab.view.graph.words.branch import Branches
from autograd_lab.view.graph.words.fading import verb_for
from autograd_lab.view.kit.figure import figure, norm_of, number_of, often
from autograd_lab.view.kit.headline import Headline, said
from autograd_lab.view.kit.reading import label_of
from autograd_lab.view.kit.shapes.width import widths
from autograd_lab.view.kit.signs import base_of

FEW = 4
"""So many ways are told one by one."""
SMALLEST = {"float32": 2.0**-149, "float64": 2.0**-1074, "bfloat16": 2.0**-133, "float16": 2.0**-24}
"""The smallest positive number of each type."""
ON_A_WAY = 5
"""Of more numbers along a loop some are told."""


class Skip(NamedTuple):
    """A way around a block: the card that it leaves, and the wires into the sum and into the block."""

    source: Card
    over: Wire
    through: Wire


@dataclass(frozen=True)
class Seen:
    """Finds lessons in a picture; `title` is what stands on a card."""

    cards: Cards
    title: Callable[[Card], str]

    def turns(self, now: Now) -> Headline | None:
        """How the gradient of what goes from turn to turn fades, by the lines between the cards of a loop."""
        wires = list(self._between_turns(now))
        flows = [value for wire in wires if (value := self.carried(wire, now)) is not None]
        norms = [norm_of(value) for value in flows]
        if len(flows) < 2 or len(flows) < len(wires) or norms[-1] is None or not norms[0]:
            return None
        verb, name = verb_for(norms[0], norms[-1]), self._name(wires[0])
        if not verb:
            return None
        labels = [label_of(value) for value in flows]
        told = " → ".join(labels if len(labels) <= ON_A_WAY else [*labels[:2], "…", *labels[-2:]])
        whose = f"{name}'s gradient {verb}" if name else f"The gradient {verb}"
        count = sum(self.cards.cards[wire.source].turns for wire in wires[:-1])  # those between the lines
        sub = f"on its lines, back over {count} turn{'s' * (count > 1)}: {told}"
        if 0.0 in norms:
            sub = f"{told}: {self._of_zero(min(norm for norm in norms if norm), wires[0])}"
        ends = f"{labels[0]} → {labels[-1]}"
        return Headline(f"{whose} on its way back: {ends}", f"{whose}: {ends}", said(sub))

    def _of_zero(self, least: float, wire: Wire) -> str:
        """Why a gradient is exactly 0 beyond a line where so little is left of it."""
        dtype = self.cards.history.boxes[wire.box].facts.dtype.removeprefix("torch.")
        end = SMALLEST.get(dtype)
        if end is None or least > end**0.5:
            return "there it is exactly 0"
        return f"exactly 0, since {dtype} has no number between 0 and {figure(end, 2)}"

    def _between_turns(self, now: Now) -> Iterator[Wire]:
        """The wire that leaves the last turn, and those between turns that bring the same, from the last on."""
        turns = sorted((c for c in self.cards.cards.values() if c.kind == "turn"), key=lambda card: -card.turn)
        if len(turns) < 2:
            return
        inside = {card.id for card in turns}
        out = [w for w in self._live(turns[0], now) if w.target not in inside]
        names = {self._name(wire) for wire in out}
        if len(out) == 1:
            yield out[0]
        for later, card in pairwise(turns):
            here = [wire for wire in self._live(card, now, any_edge=True) if wire.target == later.id]
            yield from ([w for w in here if self._name(w) in names] or here)[:1]

    def _addition(self, skip: Skip) -> str:
        """What is said of the sum that a skip ends in."""
        title = self.title(self.cards.cards[skip.over.target])
        return f"the addition in {title}" if title[:1].isalnum() else "this addition"

    def skip(self, now: Now) -> Headline | None:
        """How much gradient comes over a skip, and how much through the block that it goes around."""
        found: list[tuple[float, Skip, Value, Value]] = []
        for each in self._skips(now):
            over, through = self.carried(each.over, now), self.carried(each.through, now)
            sizes = norm_of(over), norm_of(through)
            if over is not None and through is not None and sizes[0] and sizes[1]:
                found.append((max(sizes[0] / sizes[1], sizes[1] / sizes[0]), each, over, through))
        if not found:
            return None
        _, best, over, through = max(found, key=lambda each: each[0])
        block = Branches(self.cards, self.title).name(self._between(best))
        short = f"Over the skip {label_of(over)}, through {block} {label_of(through)}"
        text = f"Over the skip comes a gradient of {label_of(over)}, through {block} {label_of(through)}"
        where = self.title(best.source)
        where = where if any(map(str.isalnum, where)) else self._name(best.over) or where
        return Headline(
            text, short, said(f"{self._addition(best)} passes its gradient on as it is; at {where} the two add")
        )

    def _skips(self, now: Now) -> Iterator[Skip]:
        for card in self.cards.cards.values():
            wires = list(self._live(card, now))
            for over in wires if len(wires) == 2 else ():
                through = wires[1 - wires.index(over)]
                if self._is_sum(over) and over.target in self._ahead(through.target):
                    yield Skip(card, over, through)

    def _between(self, skip: Skip) -> list[Card]:
        """The cards that a skip goes around."""
        inside = {skip.through.target, *self._ahead(skip.through.target)} - {skip.over.target}
        return [card for name, card in self.cards.cards.items()
                if name in inside and skip.over.target in self._ahead(name)]  # fmt: skip

    def _is_sum(self, wire: Wire) -> bool:
        """Whether what a wire brings is added to something."""
        history = self.cards.history
        ops = [history.ops[history.op_of_node[node]] for node, _ in wire.edges if node in history.op_of_node]
        return len(ops) == 1 and base_of(ops[0].name) == "add"

    def _ahead(self, card: str) -> set[str]:
        """The cards that a card leads to."""
        after: dict[str, list[str]] = defaultdict(list)
        for wire in self.cards.wires:
            if wire.edges:
                after[wire.source].append(wire.target)
        found, waiting = set[str](), [card]
        while waiting:
            for target in after[waiting.pop()]:
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return found

    def shares(self, now: Now) -> Headline | None:
        """Which uses of a leaf, or else of something made, bring how much of its gradient."""
        found = [(card, flows) for card in self.cards.cards.values() if (flows := self._arrivals(card, now))]
        if not found:
            return None
        card, flows = max(found, key=lambda each: (each[0].kind == "leaf", len(each[1]), _ratio(each[1])))
        flows.sort(key=lambda each: -(norm_of(each[1]) or 0.0))
        name, labels = given_by(card, self.title(card), Names(self.cards)), [label_of(value) for _, value in flows]
        told = [f"{label} through {title}" for (title, _), label in zip(flows, labels, strict=True)]
        whole = now.gathered(card) if card.ops else now.gathered_at(card)
        total = "which add" if whole is None else f"in all {label_of(whole)}"
        short = f"{name} gets {' and '.join([', '.join(labels[:-1]), labels[-1]])}, {total}"
        text = f"{name} gets {' and '.join([', '.join(told[:-1]), told[-1]])}"
        sub = said(f"{name} is used {often(len(flows))}: the gradients add, element by element")
        return Headline(text, short, sub)

    def _arrivals(self, card: Card, now: Now) -> list[tuple[str, Value]]:
        """What comes to a card, with the titles that it comes through, if it is one thing of which that can be said."""
        wires = list(self._live(card, now))
        titles = [self.title(self.cards.cards[wire.target]) for wire in wires]
        flows = [value for wire in wires if (value := self.carried(wire, now)) is not None]
        if not 2 <= len(flows) <= FEW or any(number_of(value) is not None for value in flows):
            return []
        if card.kind != "leaf":
            is_one = len({wire.box for wire in wires}) == 1 and card.kind != "turn" and card.share is None
            are_named = all(any(map(str.isalnum, title)) for title in (self.title(card), *titles))
            if not is_one or not are_named or len(set(titles)) < len(titles):
                return []
        return list(zip(titles, flows, strict=True))

    def _live(self, card: Card, now: Now, *, any_edge: bool = False) -> Iterator[Wire]:
        """The wires from a card along which a gradient has come in the last pass that did, or could have in any."""
        wires = [wire for wire in self.cards.wires_from(card.id) if wire.edges]
        if any_edge:
            yield from wires
            return
        live = [wire for wire in wires if self.carried(wire, now) is not None]
        last = max((_passed(wire, now) for wire in live), default=0)
        yield from (wire for wire in live if _passed(wire, now) == last)

    def carried(self, wire: Wire, now: Now) -> Value | None:
        """The gradient that stands on a line."""
        return WireLooks(self.cards, widths(())).carried(wire, now)

    def _name(self, wire: Wire) -> str:
        """The bare name of what a wire brings."""
        box = self.cards.history.boxes.get(wire.box)
        return (box.facts.name or "") if box is not None else ""


def given_by(card: Card, title: str, names: Names) -> str:
    """What is said of what a card makes: it is not the module that is used, but what comes of it."""
    if card.call is None or card.kind not in ("module", "stack"):
        return title
    value = names.value(card.box) if card.box is not None else ""
    return value if value == title else f"{value} from {title}" if value else f"what comes from {title}"


def _passed(wire: Wire, now: Now) -> int:
    """The number of the last pass in which what takes a wire was; what comes in different passes does not meet."""
    return max((now.state.nodes[node].passed for node, _ in wire.edges if node in now.state.nodes), default=0)


def _ratio(flows: list[tuple[str, Value]]) -> float:
    """How many times the largest of some gradients is the smallest."""
    norms = [norm_of(value) or 0.0 for _, value in flows]
    return max(norms) / min(norms) if min(norms) else 0.0
