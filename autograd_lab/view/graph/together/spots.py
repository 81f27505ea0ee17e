"""Spots: the places that cards of several recordings have in common, as one graph in which each finds its own.

What is called the same has the same spot. What only one of them has takes a spot that it has no use for, if that takes
from the same cards: where one program calls `relu`, the other may call `tanh`. What is left has a spot of its own, and
leaves a gap in the other pictures; a line that leads past gaps alone goes through them.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from autograd_lab.view.graph.cards.card import Card, Cards, Wire

Called = Callable[[str], Hashable]
"""What an op or a tensor of a recording, by its id, is called in all recordings that are laid out together."""
Link = tuple[str, str, int]
"""Two spots, and which of the lines from the one to the other."""


@dataclass(frozen=True, slots=True)
class Seats:
    """The spots of a recording's cards, of its wires and of the leaves that are its bars, by their own ids."""

    cards: dict[str, str]
    wires: dict[str, str]
    bars: dict[str, str]

    @property
    def own(self) -> dict[str, str]:
        """Its own ids, by spot."""
        return {spot: name for named in (self.cards, self.wires, self.bars) for name, spot in named.items()}


@dataclass
class Common(Cards):
    """Spots as if they were cards: number `number` of the foldings of all.

    `ways` are lines that go through gaps, by the lines that lead there.
    """

    number: int = 0
    ways: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class Spots:
    """All spots of one folding, in an order in which every recording finds its cards in its own order."""

    number: int
    _order: list[str] = field(default_factory=list)
    _known: dict[Hashable, str] = field(default_factory=dict)
    _cards: dict[str, Card] = field(default_factory=dict)
    _links: dict[str, Link] = field(default_factory=dict)
    _near: dict[str, set[str]] = field(default_factory=dict)
    """For each link the spots of all recordings that have it."""
    _uses: dict[tuple[str, str], None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._order)

    def seat(self, cards: Cards, called: Called) -> Seats:
        """Find a spot for all that a recording has."""
        named = self._found(cards, called)
        sources = _sources(cards)
        before = -1
        for name, card in cards.cards.items():
            if name not in named:
                free = self._free(card, {named[each] for each in sources[name]}, named.values())
                named[name] = free or self._new(card, before)
                self._known[_key(card, called)] = named[name]
            before = max(before, self._order.index(named[name]))
        bars = {bar: self._known.setdefault(("bar", called(bar)), f"~~{len(self._known)}") for bar in cards.bars}
        self._uses |= {(named[user], bars[bar]): None for user, bar in cards.uses if bar in bars}
        return Seats(named, self._linked(cards.wires, named), bars)

    def _found(self, cards: Cards, called: Called) -> dict[str, str]:
        """The spots that are known by name, each once."""
        found: dict[str, str] = {}
        taken: set[str] = set()
        for name, card in cards.cards.items():
            spot = self._known.get(_key(card, called))
            if spot is not None and spot not in taken:
                found[name] = spot
                taken.add(spot)
        return found

    def _free(self, card: Card, sources: set[str], taken: Collection[str]) -> str | None:
        """A spot for the same kind of card, which nothing of this recording has: it takes from the same cards, or
        besides from others, or not from all of them."""
        known: dict[str, set[str]] = defaultdict(set)
        for source, target, _ in self._links.values():
            known[target].add(source)
        free = [spot for spot in self._order if spot not in taken and self._cards[spot].kind == card.kind]
        near = [spot for spot in free if sources & known[spot] in (sources, known[spot]) and sources & known[spot]]
        return min(near, key=lambda spot: len(sources ^ known[spot]), default=None)

    def _new(self, card: Card, before: int) -> str:
        """A spot behind another."""
        spot = f"~{len(self._order)}"
        self._order.insert(before + 1, spot)
        self._cards[spot] = card
        return spot

    def _linked(self, wires: Iterable[Wire], named: dict[str, str]) -> dict[str, str]:
        """The names of lines between spots, by a recording's own."""
        seen: Counter[tuple[str, str]] = Counter()
        found = {}
        for wire in wires:
            ends = named[wire.source], named[wire.target]
            found[wire.id] = name = f"{ends[0]}-{ends[1]}.{seen[ends]}"
            self._links[name] = (*ends, seen[ends])
            self._near.setdefault(name, set()).update(named.values())
            seen[ends] += 1
        return found

    def common(self, cards: Cards, seats: Iterable[Seats], *, whole: bool) -> Common | None:
        """The spots that some have, or the `whole` of them, for `cards` of one; None if they cannot be put in order.

        Nor can they if only some have a bar.
        """
        seats = list(seats)
        bars = {tuple(each.bars.values()) for each in seats}
        if len(bars) != 1:
            return None
        spots = set(self._order) if whole else {spot for each in seats for spot in each.cards.values()}
        ways = self._ways() if whole else {}
        links = set(self._links) - set(ways) if whole else {link for each in seats for link in each.wires.values()}
        wires = [Wire(name, *self._links[name][:2], ()) for name in self._links if name in links]
        order = list(_in_order([spot for spot in self._order if spot in spots], wires))
        if len(order) < len(spots):
            return None
        return Common(
            {spot: self._cards[spot] for spot in order}, wires, cards.history, cards.ground, next(iter(bars)),
            {use: () for use in self._uses if use[0] in spots}, update=cards.update, number=self.number, ways=ways,
        )  # fmt: skip

    def _ways(self) -> dict[str, tuple[str, ...]]:
        """For each link that need not be laid out the others on which it goes through gaps, each for one alone."""
        found: dict[str, tuple[str, ...]] = {}
        used: set[str] = set()
        for name, near in self._near.items():
            way = () if name in used else self._way(name, near, {name, *found, *used})
            if len(way) > 1:
                found[name] = way
                used.update(way)
        return found

    def _way(self, name: str, near: set[str], taken: set[str]) -> tuple[str, ...]:
        """The shortest way between the ends of a link that meets none of the spots near it; empty if there is none."""
        source, target, which = self._links[name]
        hops = {link: ends for link, ends in self._links.items() if link not in taken and ends[2] == which}
        ways: dict[str, tuple[str, ...]] = {source: ()}
        for at in (waiting := [source]):
            for link, (start, end, _) in hops.items():
                if start == at and end not in ways and (end == target or end not in near):
                    ways[end] = (*ways[at], link)
                    waiting.append(end)
        return ways.get(target, ())


def _key(card: Card, called: Called) -> Hashable:
    """What a card is known by: the op that makes what it gives on, or its tensor."""
    if card.ops:
        return "op", called(card.ops[-1].id)
    return card.kind, called(card.box.id) if card.box is not None else card.id


def _sources(cards: Cards) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for wire in cards.wires:
        found[wire.target].add(wire.source)
    return found


def _in_order(spots: list[str], wires: Iterable[Wire]) -> Iterator[str]:
    """Topologically, else in the order given; what is on a circle, or behind one, is left out."""
    at = {spot: number for number, spot in enumerate(spots)}
    missing = Counter(wire.target for wire in wires)
    users: dict[str, list[str]] = defaultdict(list)
    for wire in wires:
        users[wire.source].append(wire.target)
    ready = [at[spot] for spot in spots if not missing[spot]]
    while ready:
        spot = spots[heapq.heappop(ready)]
        yield spot
        for user in users[spot]:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, at[user])
