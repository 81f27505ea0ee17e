"""Fineness: all foldings of a window, from the finest to the coarsest."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.cards.deck import Deck
from autograd_lab.view.graph.cards.ground import Ground, ground_of
from autograd_lab.view.graph.cards.groups import Groups, Piece, Rule, singly
from autograd_lab.view.graph.cards.nesting import nested
from autograd_lab.view.graph.cards.opening import Opening
from autograd_lab.view.graph.cards.rounds import Loop, is_chained, loop_in, turned
from autograd_lab.view.graph.cards.rules import STEPS
from autograd_lab.view.graph.cards.window import Window
from autograd_lab.view.graph.facts.history import History

CLIFF = 0.7
"""A folding with fewer cards than this share of those of the one before: there is something between."""
LINES = 12
"""So many turns of one op each, or turns that share no leaf, are drawn op by op."""
USES = 4
"""So many turns that do not hang on each other are no loop, but uses of one module."""
FEW = 40
LIMITS = (2, 4, 8, sys.maxsize)
"""Where there are few groups, a rule joins small ones first, since one step might leave nothing of the picture."""
WORTH = 3
"""To see one level of modules more is worth so many cards, which are folded around them."""
HALF = 0.5
"""What a container calls, in its place, is half a level more; a stack hides as much as a level does."""
SMALLER = 0.9
"""Each of what is between has about this share of the cards of the one before."""

Pieces = tuple[Piece, ...]
Step = tuple[Pieces, str, bool]
"""Pieces, what was done, and whether the rules find nothing more."""
Level = tuple[float, Step]
"""A step, and how many levels of modules are open in it."""


@dataclass(frozen=True, slots=True)
class Folding:
    """One way to fold: so many cards, what was done, the pieces; whether the rules find nothing more in it.

    `level` is how many levels of modules are open.
    """

    count: int
    note: str
    pieces: Pieces
    exhausted: bool = False
    level: float = 0.0
    deck: Deck | None = field(default=None, compare=False, repr=False)
    """What makes its cards, if they were counted."""

    def cards(self, ground: Ground) -> Cards:
        """Its cards."""
        deck = self.deck or Deck(ground, self.pieces)
        return replace(deck.cards(self.note), level=self.level)


def foldings(history: History, window: Window, asked: Asked | None = None, most: int | None = None) -> Iterator[Cards]:
    """What may be drawn of a window, lazily: from the finest to the coarsest.

    Those with more cards than `most` are passed over, unless nothing has fewer. Raises ValueError for a path to expand
    that no module has.
    """
    asked, ground = asked or Asked(), ground_of(history, window)
    if not asked.fold or not window.ops:
        yield Deck(ground, singly(range(len(window.ops)))).cards()
        return
    finding = _Finding(ground, asked, most)
    seen: set[Pieces] = set()
    latest = None
    for folding in finding.all():
        latest = folding
        if folding.pieces not in seen and (most is None or folding.count <= most):
            seen.add(folding.pieces)
            yield folding.cards(ground)
    if not seen and latest is not None:
        yield replace(latest, level=0.0).cards(ground)


def all_pieces(ground: Ground, asked: Asked) -> Iterator[Pieces]:
    """The pieces of all foldings, from the finest to the coarsest."""
    return (folding.pieces for folding in _Finding(ground, asked, None).all())


class _Finding:
    """Finds all foldings of one window."""

    def __init__(self, ground: Ground, asked: Asked, most: int | None) -> None:
        self._ground, self._asked, self._most = ground, asked, most
        self._opening = Opening(ground, asked)

    def all(self) -> Iterator[Folding]:
        """The finest at once; the others, once all are known, by the number of their cards."""
        finest = self._pieces_at(self._finest)
        loop = self._loop(finest)
        if loop is None:
            yield self._folding(finest, "")
            yield from _without_cliffs(self._ground, self._by_count(self._at_all_depths()))
            return
        turning = self._by_count(self._in_turns(finest, loop))
        yield from turning
        coarser = self._by_count(self._at_all_depths(), turning[-1].count - 1 if turning else None)
        yield from _without_cliffs(self._ground, [*turning[-1:], *coarser])

    @property
    def _finest(self) -> int:
        depth = self._asked.depth
        return self._opening.levels if depth is None else depth

    def _pieces_at(self, depth: int, *, stacked: bool = False, contained: bool = False) -> Pieces:
        return tuple(self._opening.at(depth, stacked=stacked, contained=contained))

    def _loop(self, finest: Pieces) -> Loop | None:
        """The loop that most of the graph is, if any, unless a user wants modules or a depth of them open."""
        if self._asked.depth is not None or self._asked.expand:
            return None
        loop = loop_in(self._ground, finest)
        if loop is None or 2 * loop.turns * loop.period < len(finest):
            return None
        if loop.period == 1 and loop.turns <= LINES and not finest[loop.start].weighted:
            return None
        if loop.turns <= USES and not is_chained(self._ground, finest, loop):
            return None
        bars = Deck(self._ground, self._with_turns(finest, loop, 1, self._beside(finest, loop, self._finest))).bars
        return loop if bars or loop.turns > LINES else None

    def _folding(self, pieces: Pieces, note: str, exhausted: bool = False) -> Folding:
        """What is known of these pieces; that there are too many cards is known without counting the leaves."""
        many = self._most is not None and len(pieces) > self._most
        deck = None if many else Deck(self._ground, pieces)
        return Folding(len(pieces) if deck is None else len(deck), note, pieces, exhausted, deck=deck)

    def _by_count(self, found: Iterator[Level], below: int | None = None) -> list[Folding]:
        """The foldings from fine to coarse; of those with the same pieces the one that was found first."""
        known: dict[Pieces, Folding] = {}
        for level, (pieces, note, exhausted) in found:
            if pieces not in known:
                known[pieces] = replace(self._folding(pieces, note, exhausted), level=level)
        fitting = [one for one in known.values() if below is None or one.count <= below]
        return sorted(fitting, key=lambda folding: -folding.count - WORTH * folding.level)

    def _at_all_depths(self) -> Iterator[Level]:
        for depth in range(self._finest, -1 if self._asked.depth is None else self._finest - 1, -1):
            closing = [f"modules closed at depth {depth}"] if depth < self._opening.levels else []
            for contained in (True, False)[not self._opening.contains_others(depth) :]:
                for stacked in (False, True)[: 1 + bool(self._opening.rows)]:
                    stacks = ["alike modules in a row as one"] if stacked else []
                    pieces = self._pieces_at(depth, stacked=stacked, contained=contained)
                    level = depth + HALF * contained - stacked
                    yield from ((level, step) for step in self._steps(pieces, [*closing, *stacks]))

    def _steps(self, pieces: Pieces, notes: Sequence[str]) -> Iterator[Step]:
        """What the rules make of these pieces, one after the other."""
        groups, done = Groups(self._ground, pieces), []
        note = "; ".join(notes)
        for name, rule in STEPS.items():
            if not groups.finds(rule):
                continue
            for limit in LIMITS if len(groups) <= FEW else LIMITS[-1:]:
                if groups.contract(rule if limit == LIMITS[-1] else _limited(rule, limit)):
                    yield pieces, note, False
                    done += [] if name in done else [name]
                    pieces, note = groups.pieces(), "; ".join([*notes, f"folded: {', '.join(done)}"])
        yield pieces, note, True

    def _in_turns(self, finest: Pieces, loop: Loop) -> Iterator[Level]:
        """A loop in turns, and what is around it in steps; then more turns to a card."""
        beside = {depth: self._beside(finest, loop, depth) for depth in range(self._finest, -1, -1)}
        for size in loop.sizes(self._most):
            note = "one card for each turn" if size == 1 else f"{size} turns to a card"
            for others in beside.values():
                yield from ((0.0, step) for step in self._steps(self._with_turns(finest, loop, size, others), [note]))

    def _with_turns(self, finest: Pieces, loop: Loop, size: int, beside: Sequence[Piece]) -> Pieces:
        """The turns of a loop, and what is beside it."""
        return tuple(sorted([*turned(finest, loop, size), *beside], key=lambda piece: piece.places[0]))

    def _beside(self, finest: Pieces, loop: Loop, depth: int) -> list[Piece]:
        """The modules around a loop as they are closed at a depth, if no turn is in them, and what is in none."""
        inside = {place for piece in finest[loop.start : loop.end] for place in piece.places}
        around = [piece for piece in self._opening.at(depth) if inside.isdisjoint(piece.places)]
        covered = inside.union(*(piece.places for piece in around))
        return around + [piece for piece in finest if covered.isdisjoint(piece.places)]


def _limited(rule: Rule, limit: int) -> Rule:
    """The same rule, as long as no group gets larger than that."""
    return lambda a, b: len(a.places) + len(b.places) <= limit and rule(a, b)


def _without_cliffs(ground: Ground, found: Sequence[Folding]) -> Iterator[Folding]:
    """These foldings; where one has far fewer cards than the one before, with others between, and down to the last."""
    for number, folding in enumerate(found):
        yield folding
        floor = found[number + 1].count if number + 1 < len(found) else 1
        if folding.exhausted and floor < CLIFF * folding.count:
            yield from _between(ground, folding, floor)


def _between(ground: Ground, above: Folding, floor: int) -> Iterator[Folding]:
    """Foldings of a folding, with at least so many cards."""
    count = above.count
    for groups in nested(Groups(ground, above.pieces)):
        pieces = groups.pieces()
        note = f"{above.note}; inner levels".lstrip("; ")
        deck = Deck(ground, pieces)
        folding = Folding(len(deck), note, pieces, level=above.level, deck=deck)
        if folding.count < floor:
            return
        if folding.count <= max(SMALLER * count, 1) or folding.count < 10:
            yield folding
            count = folding.count
