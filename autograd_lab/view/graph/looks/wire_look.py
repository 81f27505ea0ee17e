"""How a wire looks: what has gone along it backward, how much of it, and of which sign."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lab.events import ErrorRaised, Value
from autograd_lab.view.graph.cards.card import Cards, Wire
from autograd_lab.view.graph.cards.destination import handed_to, handing_passes, weight_on
from autograd_lab.view.graph.cards.hooked import hook_on
from autograd_lab.view.graph.cards.written import is_write
from autograd_lab.view.graph.facts.history import Box
from autograd_lab.view.graph.facts.hooking import HOOK, word_for
from autograd_lab.view.graph.looks.flows import Flows
from autograd_lab.view.graph.looks.now import COMING, FAILED, PARTLY, READY, RUNNING, WAITING, Now
from autograd_lab.view.kit.figure import sum_of_numbers
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import label_of, norm_of, sign_class
from autograd_lab.view.kit.shapes.width import Widths

UNDER_WAY = (WAITING, READY, RUNNING, PARTLY)
"""What a card is whose gradients will go on along its wires."""
PLAIN = "nothing"
"""A wire along which no gradient can go."""


@dataclass(frozen=True, slots=True)
class WireLooks:
    """Looks at the wires of a picture, whose widths tell magnitudes."""

    cards: Cards
    widths: Widths
    _flows: dict[str, Flows] = field(default_factory=dict, repr=False)
    _sums: dict[str, tuple[list[Value], Value | None]] = field(default_factory=dict, repr=False)
    _beginnings: dict[str, int] = field(default_factory=dict, repr=False)
    _views: dict[str, tuple[Box, ...] | None] = field(default_factory=dict, repr=False)
    _weights: dict[str, str] = field(default_factory=dict, repr=False)

    def at(self, wire: Wire, now: Now) -> Look:
        """How a wire looks now; `width` is that of the line in px, `label` what it carries."""
        target = self.cards.cards[wire.target]
        if self._begins(wire) > now.state.step:
            return Look((COMING,))
        if not wire.edges:
            is_cut = any(op.node is not None for op in self.cards.cards[wire.source].ops)
            return Look((PLAIN, *["cut"] * is_cut))
        value = self.carried(wire, now)
        if value is None:
            state = self._empty(wire, now)
            return Look((state, *["shared"] * (state == "open" and self._is_shared(wire, now))))
        is_flying = now.flying in wire.edges
        classes = ["sent", sign_class(value)]
        classes += ["flying", "now"] * is_flying + ["second"] * target.second
        label = label_of(value)
        passes = self._passes(wire, now)
        classes += ["earlier"] * now.is_earlier(passes, self.cards.recorded_pass)
        if not passes.isdisjoint(handing_passes(wire, self.cards)):
            label, classes = f"{label}{handed_to(value, self.cards)}", [*classes, "handed"]
        label = f"{self._weight(wire)}{label}"
        texts = (("label", label), ("width", self._width(value)))
        return Look(tuple(classes), texts + self._hooked(wire, value, now))

    def _passes(self, wire: Wire, now: Now) -> set[int]:
        """The passes of what came along a wire, if anything hangs on them."""
        if self.cards.recorded_pass is None and now.state.error is None and not handing_passes(wire, self.cards):
            return set()
        return {now.state.nodes[node].passed for node, _ in wire.edges if node in now.state.nodes}

    def _weight(self, wire: Wire) -> str:
        if wire.id not in self._weights:
            self._weights[wire.id] = f"{name} " if (name := weight_on(wire, self.cards)) else ""
        return self._weights[wire.id]

    def _width(self, value: Value) -> str:
        return f"{self.widths(norm_of(value) or 0.0):.2f}".rstrip("0").rstrip(".")

    def _hooked(self, wire: Wire, value: Value, now: Now) -> tuple[tuple[str, str], ...]:
        """What a hook on a wire has done, and what it has made of the gradient; until it runs, that it is there."""
        calls = hook_on(wire, self.cards)
        if not calls:
            return ()
        done = [call.event for call in calls if call.step <= now.state.step and call.event.before == value]
        if not done:
            return (("hook", HOOK),)
        texts = (("hook", word_for(calls)),)
        after = done[-1].after if done[-1].after is not None else value
        return (*texts, ("after", label_of(after)), ("wide", self._width(after)), ("sign", sign_class(after)))

    def carried(self, wire: Wire, now: Now) -> Value | None:
        """The gradient that has come along a wire; of several edges their sum, where it is known, or the largest."""
        if wire.id not in self._flows:
            self._flows[wire.id] = Flows([wire.edges])
        flows = self._flows[wire.id]
        (largest,) = flows.largest(now)
        if largest is None or flows.count(0) < 2:
            return None if largest is None else largest[-1]
        source = self.cards.cards.get(wire.source)
        if source is None or len(self.cards.wires_from(wire.source)) > 1:
            return self._sum(wire, flows.values(0)) or largest[-1]
        return (now.gathered(source) if source.ops else now.gathered_at(source)) or largest[-1]

    def _sum(self, wire: Wire, values: list[Value]) -> Value | None:
        """What all that came along a wire adds up to, if it is numbers; it is added up once for each list of values."""
        known = self._sums.get(wire.id)
        if known is None or known[0] is not values:
            known = self._sums[wire.id] = values, sum_of_numbers(values)
        return known[1]

    def _is_shared(self, wire: Wire, now: Now) -> bool:
        """Whether the target only looks at the bytes of what comes in, as it is: it is a view, or several."""
        views = self.views(wire)
        return views is not None and not any(map(now.is_over, views))  # what was written shows what was before

    def views(self, wire: Wire) -> tuple[Box, ...] | None:
        """What the target makes that begins another life at some time; None if it is no view of what comes in."""
        if wire.id not in self._views:
            self._views[wire.id] = self._viewed(wire)
        return self._views[wire.id]

    def _viewed(self, wire: Wire) -> tuple[Box, ...] | None:
        ops, history = self.cards.cards[wire.target].ops, self.cards.history
        if not ops or wire.box not in history.boxes or any(is_write(op) for op in ops):
            return None
        made = [history.boxes[box] for op in ops for box in op.outputs]
        storage = history.boxes[wire.box].facts.storage
        if any(box.facts.storage != storage for box in made):
            return None
        return tuple(box for box in made if history.lives[box.facts.id][-1] != box.id)

    def _begins(self, wire: Wire) -> int:
        """The step from which on both ends of a wire are there, and an op in its target that takes what it brings."""
        if wire.id not in self._beginnings:
            self._beginnings[wire.id] = self._beginning(wire)
        return self._beginnings[wire.id]

    def _beginning(self, wire: Wire) -> int:
        ends = (card for name in (wire.source, wire.target) if (card := self.cards.cards.get(name)) is not None)
        steps = [card.ops[0].born if card.ops else card.box.born if card.box else 0 for card in ends]
        nodes = {node for node, _ in wire.edges}
        takers = (op.born for op in self.cards.cards[wire.target].ops if op.node in nodes)
        return max(*steps, min(takers, default=0))

    def _empty(self, wire: Wire, now: Now) -> str:
        """What a wire is along which nothing has come: open, blocked by an error, or cut off."""
        error = now.state.error
        if isinstance(error, ErrorRaised) and now.status(self.cards.cards[wire.target]) == FAILED:
            return "blocked"
        if not now.state.in_backward:
            return "spent" if all(now.freed(node) for node, _ in wire.edges) else "open"
        status = now.status(self.cards.cards[wire.target])
        return "waiting" if status in UNDER_WAY and now.may_come(wire.edges) else "open"
