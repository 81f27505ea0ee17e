"""Headlines for a picture in which several ops are drawn as one: a step inside of a card is told as what the card does.

Only what teaches nothing by itself is told so; a lesson stays a lesson.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from dataclasses import replace
from functools import cached_property

from autograd_lab import events as e
from autograd_lab.view.graph.cards.card import Card, Cards, Wire
from autograd_lab.view.graph.cards.junctions import junctions_of
from autograd_lab.view.graph.cards.names import TO, Names
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.looks.now import DONE, Now, Onlooker
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.graph.words.seen import Seen, given_by
from autograd_lab.view.kit.figure import figure, listed, norm_of
from autograd_lab.view.kit.headline import Headline, said
from autograd_lab.view.kit.reading import label_of

FEW = 4
"""So many things that a gradient goes on to are named."""
WEIGHTS, LEAVES = "its weights", "its leaves"
LONG = 24
"""Characters of a title that may stand several times in a sentence."""
LONGER = 36
"""Characters that the names of what it was made of may have together."""
LITTLE = 1000.0
"""A card out of which a gradient comes so many times smaller than it went in lets little past."""


class CardHeadlines:
    """Says what the steps of a trace teach whoever sees these cards."""

    def __init__(self, headlines: Headlines, cards: Cards, onlooker: Onlooker | None = None) -> None:
        self._headlines, self._cards = headlines, cards
        self._titles: dict[str, str] = {}
        self._onlooker = onlooker or Onlooker(cards.history)

    def at(self, state: GraphState) -> Headline:
        """The headline of the step that led to `state`."""
        return self.told(state, self._headlines.at(state))

    def of_still(self, state: GraphState) -> Headline:
        """The same for a picture that stands alone: what it shows says more than that a step is taken like many."""
        found = self.at(state)
        return ((self._narrow(state, found) or self._stands(state, found)) if found.is_routine else None) or found

    def _stands(self, state: GraphState, found: Headline) -> Headline | None:
        """Where backward stands: what the card has got, and whose gradients follow from it."""
        event = state.event
        if not isinstance(event, e.NodeVisited | e.NodeEvaluated | e.SavedFreed):
            return None
        card, now = self._card_of.get(event.node), self._now(state)
        gradient = now.gathered(card) if card is not None else None
        if card is None or gradient is None:
            return None
        title = self._made(card)
        into = [wire for wire in self._cards.wires if wire.target == card.id and wire.edges]
        sources = [self._brought(wire) for wire in into if not _has_come(wire, now) and now.comes(wire.edges)]
        ways = [edges for (user, _), edges in self._cards.uses.items() if user == card.id]
        learns = bool(card.params) and (not ways or any(map(now.comes, ways)))
        sources = [*[self._own(card)] * learns, *dict.fromkeys(sources)]
        has = "have their" if title.startswith("turns ") else "has its"
        short = f"{title} {has} gradient, {label_of(gradient)}"
        if not sources or len(sources) > FEW or not _is_word(title):
            return None
        are_many = len(sources) > 1 or learns
        follow = f"{'those' if are_many else 'that'} of {listed(sources, FEW)} come{'s' * (not are_many)} from it"
        are_told = all(map(_is_word, sources))
        text = f"{short}: {follow}" if are_told else short
        sub = said(_chain_rule(title, sources, is_one=not are_many)) if len(card.ops) > 1 and are_told else found.sub
        return Headline(text, short, sub, is_routine=True)

    def _brought(self, wire: Wire) -> str:
        """What is said of what a wire brings: its card, or of one that makes several things, which of them."""
        source, box = self._cards.cards[wire.source], self._cards.history.boxes.get(wire.box)
        return (self._names.value(box) if source.parts and box is not None else "") or self._made(source)

    def _made(self, card: Card) -> str:
        """What is said of what a card gives on: if a module's activation is in its card, and is not of one row with it,
        `relu(fc1)`; of turns by what counts them that they are turns."""
        title, after = self._title(card), self._after(card)
        if card.kind == "turn" and self._names.is_counted(card):
            return f"turn{'s' * (card.turns > 1)} {title}" if not title.startswith("turn") else title
        return f"{after}({title})" if after else title

    def _after(self, card: Card) -> str:
        """What a module's card does after the module, if its title does not say so."""
        return "" if TO in self._title(card) else self._names.after(card)

    def _own(self, card: Card) -> str:
        """What is said of the leaves in a card."""
        if card.call is None:
            return LEAVES
        return f"{self._title(card)}'s weights" if self._after(card) else WEIGHTS

    @cached_property
    def _card_of(self) -> dict[str, Card]:
        """The card that each node lies in."""
        return {op.node: card for card in self._cards.cards.values() for op in card.ops if op.node is not None}

    def told(self, state: GraphState, found: Headline) -> Headline:
        """The headline in the place of one that knows nothing of cards."""
        if found.is_routine:
            return self._on_card(state, found) or found
        if found.is_of_turns:
            return self._seen.turns(self._now(state)) or found
        if found.is_weak:
            return self._seen_in(state) or self._narrow(state, found) or found
        return self._placed(state, found)

    def _seen_in(self, state: GraphState) -> Headline | None:
        """What the lines of this picture teach."""
        now = self._now(state)
        return self._seen.skip(now) or self._seen.shares(now)

    def _now(self, state: GraphState) -> Now:
        return self._onlooker.at(state)

    @cached_property
    def _seen(self) -> Seen:
        return Seen(self._cards, self._title)

    def _placed(self, state: GraphState, found: Headline) -> Headline:
        """A lesson of gradients that meet: at a card by what stands on it, and inside of one as what the card does."""
        event = state.event
        if isinstance(event, e.GradientSent):
            edge = state.nodes[event.node].edges[event.edge]
            target = self._folded.get(edge.node if edge is not None else "")
            if target is not None and target is self._folded.get(event.node):
                return self._backward(target, state, found) or found
            found = found if target is None else self._headlines.meeting(state, self._given(target)) or found
            ends = self._ends(state, event)
            if ends is not None and found.sub:
                return replace(found, sub=said(found.sub[0], f" travels from {ends[0]} to {ends[1]}"))
        elif isinstance(event, e.GradientsAdded) and (card := self._folded.get(event.node)) is not None:
            if event.node not in self._junctions:
                return self._backward(card, state, found) or found
            return self._headlines.meeting(state, self._given(card)) or found
        return found

    def _given(self, card: Card) -> str:
        return given_by(card, self._title(card), self._names)

    @cached_property
    def _junctions(self) -> frozenset[str]:
        return junctions_of(self._cards)

    def _on_card(self, state: GraphState, found: Headline) -> Headline | None:
        """What the card does in which the step is; None where it is not inside of one."""
        event = state.event
        match event:
            case e.OpApplied(node=node) | e.TensorSaved(node=node) if node is not None:
                return self._forward(self._folded.get(node), state, found)
            case e.GradientSent():
                return self._sent(event, state, found)
            case e.NodeVisited(node=node) | e.NodeEvaluated(node=node) | e.SavedFreed(node=node):
                return self._backward(self._folded.get(node), state, found)
        return None

    def _narrow(self, state: GraphState, found: Headline) -> Headline | None:
        """The card that has run and let least of its gradient past, if that is very little."""
        now = self._now(state)
        arrived: dict[str, float] = defaultdict(float)
        left: dict[str, float] = defaultdict(float)
        for wire in self._cards.wires:
            flow = self._seen.carried(wire, now)
            norm = (norm_of(flow) or 0.0) if flow is not None else 0.0
            arrived[wire.source] = math.hypot(arrived[wire.source], norm)
            left[wire.target] = math.hypot(left[wire.target], norm)
        shares = {card: arrived[card] / left[card] for card in arrived if left[card] > 0}
        narrowest = max(shares, key=shares.__getitem__, default="")
        if not narrowest or shares[narrowest] < LITTLE or now.status(self._cards.cards[narrowest]) != DONE:
            return None
        came, went = arrived[narrowest], left[narrowest]
        short = f"{self._title(self._cards.cards[narrowest])} lets little past"
        return Headline(f"{short}: {figure(came, 2)} arrives, {figure(went, 2)} leaves", short, found.sub)

    @cached_property
    def _folded(self) -> dict[str, Card]:
        """The card that each node lies in, if that hides several."""
        cards = [card for card in self._cards.cards.values() if len(card.ops) > 1]
        return {op.node: card for card in cards for op in card.ops if op.node is not None}

    @cached_property
    def _names(self) -> Names:
        return Names(self._cards)

    def _title(self, card: Card) -> str:
        if card.id not in self._titles:
            self._titles[card.id] = self._headlines.called.path(self._names.of(card).title)
        return self._titles[card.id]

    def _forward(self, card: Card | None, state: GraphState, found: Headline) -> Headline | None:
        if card is None:
            return None
        run = bisect_right(card.ops, state.step, key=lambda op: op.born)
        return self._told(card, "runs forward", run, len(card.ops), found)

    def _backward(self, card: Card | None, state: GraphState, found: Headline) -> Headline | None:
        if card is None:
            return None
        counts = self._now(state).counts(card)
        return self._told(card, "runs backward", counts.ran, counts.nodes, found)

    def _told(self, card: Card, does: str, done: int, count: int, found: Headline) -> Headline:
        short = f"{self._title(card)} {does}"
        return Headline(f"{short}: {done} of {count} ops", short, said(found.text), is_routine=True)

    def _sent(self, event: e.GradientSent, state: GraphState, found: Headline) -> Headline | None:
        ends = self._ends(state, event)
        if ends is None:
            return self._backward(self._folded.get(event.node), state, found)
        text = f"The gradient travels from {ends[0]} to {ends[1]}"
        return Headline(text, f"{ends[1]} receives its gradient", found.sub, is_routine=True)

    def _ends(self, state: GraphState, event: e.GradientSent) -> tuple[str, str] | None:
        """What a gradient goes between; None where that is within one card, or where words know as much as cards do."""
        edge = state.nodes[event.node].edges[event.edge]
        nodes = (event.node, edge.node if edge is not None else "")
        cards = [self._card_of.get(node) for node in nodes]
        if cards[0] is cards[1] or not (any(node in self._folded for node in nodes) or self._is_within(cards[0])):
            return None
        one, other = (self._at(card, node) for card, node in zip(cards, nodes, strict=True))
        return one, other

    def _is_within(self, card: Card | None) -> bool:
        """Whether a card is of one op of a module's, which is `add in blocks.0` in words, and a value's name on it."""
        if card is None or not card.ops or not _is_word(self._title(card)):
            return False
        return self._headlines.called.call(card.ops[-1]) is not None

    def _at(self, card: Card | None, node: str) -> str:
        """What is said of a node of a card: what the card gives on is its last one's."""
        if card is None or not _is_word(self._title(card)):
            return self._headlines.called.node(node)
        return self._made(card) if node == card.ops[-1].node else self._title(card)


def _is_word(title: str) -> bool:
    """Whether a title can stand in a sentence, as a sign or what begins with one cannot."""
    return title[:1].isalnum() or title[:1] == "_"


def _chain_rule(title: str, sources: list[str], *, is_one: bool) -> str:
    """How the gradients that go on come of the one that has arrived."""
    name = title if len(title) <= LONG else "the value here"
    told = listed(sources, FEW)
    if len(told) > LONGER:
        return "chain rule: all that comes from it is this, times a rate of change"
    return f"chain rule: {told} get{'s' * is_one} this, times how fast {name} changes with {told if is_one else 'them'}"


def _has_come(wire: Wire, now: Now) -> bool:
    """Whether all gradients have arrived that go along a wire."""
    return all(edge != now.flying and now.sent(edge) is not None for edge in wire.edges)
