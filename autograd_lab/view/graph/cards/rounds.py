"""Turns: loops are found by their lines, which come back with a fixed period; each turn, or so many of them, is a card.

The leaves that all turns use are bars below them, so that a recurrent network is seen as one. Blocks of one class that
are called one after the other are no turns: they share their lines, but not their weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from autograd_lab.view.graph.cards.ground import Ground
from autograd_lab.view.graph.cards.groups import Piece

LEAST = 3
"""So many turns are a loop."""
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 50, 100, 200, 500, 1000)
"""So many turns are one card: the first that leaves few enough cards is the best."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The pieces from number `start` on are so many turns, of `period` pieces each."""

    start: int
    turns: int
    period: int

    @property
    def end(self) -> int:
        """The number of the first piece after it."""
        return self.start + self.turns * self.period

    def sizes(self, most: int | None) -> list[int]:
        """How many turns may be one card, so that there are at least two cards and not more than `most`."""
        fitting = [size for size in SIZES if -(-self.turns // size) >= 2]
        return [size for size in fitting if most is None or -(-self.turns // size) <= most]


def loop_in(ground: Ground, pieces: Sequence[Piece]) -> Loop | None:
    """The longest loop, if there is one: pieces that stand at the same places again and again."""
    places = [_place(ground, piece) for piece in pieces]
    last: dict[Hashable, int] = {}
    distances: Counter[int] = Counter()
    for number, place in enumerate(places):
        if place is not None and place in last:
            distances[number - last[place]] += 1
        last[place] = number
    loops = [_run(places, period) for period, _ in distances.most_common(5)]
    found = max((loop for loop in loops if loop is not None), key=lambda one: one.turns * one.period, default=None)
    return None if found is None else _from_its_first_line(ground, pieces, found)


def is_chained(ground: Ground, pieces: Sequence[Piece], loop: Loop) -> bool:
    """Whether any turn takes what another has made: three inputs of one encoder do not."""
    turn_of = {
        place: (number - loop.start) // loop.period
        for number in range(loop.start, loop.end)
        for place in pieces[number].places
    }
    ends = ((turn_of.get(arc.source), turn_of.get(arc.target)) for arc in ground.arcs)
    return any(None not in (one, other) and one != other for one, other in ends)


def turned(pieces: Sequence[Piece], loop: Loop, size: int) -> list[Piece]:
    """The pieces of a loop, so many turns as one."""
    found = []
    for first in range(0, loop.turns, size):
        count = min(size, loop.turns - first)
        start = loop.start + first * loop.period
        inside = pieces[start : start + count * loop.period]
        places = tuple(sorted(place for piece in inside for place in piece.places))
        found.append(Piece(places, "turn", any(p.weighted for p in inside), True, turn=first + 1, turns=count))
    return found


def _place(ground: Ground, piece: Piece) -> Hashable:
    """What a piece has in common with the same one a turn later; None for what has to stay as it is."""
    if piece.fixed:
        return None
    if piece.first is not None:
        call = ground.history.calls[piece.first]
        return call.type, call.name
    op = ground.ops[piece.places[0]]
    where = op.event.where
    return op.name, None if where is None else (where.file, where.line, where.columns)


def _run(places: Sequence[Hashable], period: int) -> Loop | None:
    """The longest run in which each place is that of a period before."""
    best, run = Loop(0, 0, period), 0
    for number in range(period, len(places) + 1):
        if number < len(places) and places[number] is not None and places[number] == places[number - period]:
            run += 1
            continue
        turns = run // period + 1
        if run and turns > best.turns:
            best = Loop(number - run - period, turns, period)
        run = 0
    return best if best.turns >= LEAST else None


def _from_its_first_line(ground: Ground, pieces: Sequence[Piece], loop: Loop) -> Loop:
    """The same loop from where its first line begins: a first turn may lack ops that are found in all others."""
    wheres = [ground.ops[piece.places[0]].event.where for piece in pieces[loop.start : loop.start + loop.period]]
    lines = [-1 if where is None else where.line for where in wheres]
    if len({where.file for where in wheres if where is not None}) != 1 or lines[0] == min(lines):
        return loop
    shift = lines.index(min(lines))
    later = Loop(loop.start + shift, (loop.turns * loop.period - shift) // loop.period, loop.period)
    return later if later.turns >= LEAST else loop
