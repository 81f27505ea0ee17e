"""Skips inside of a card: what it folds adds what has gone around a layer, as a residual block does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

JOINING = ("add", "cat")
"""Ops at which a skip ends."""

Depths = dict[int | str, int]
"""By where two ways part, an op or a tensor that comes in, through how many layers it is to here at most."""


class Feed(NamedTuple):
    """What an op takes: the op that made it, -1 if that is none of the window, and what it is called."""

    source: int
    box: str


class Skips:
    """Finds them, once for each group of ops: what each takes, and which ops have weights, is known."""

    def __init__(self, bases: Sequence[str], feeds: Sequence[Sequence[Feed]], layers: frozenset[int]) -> None:
        self._bases, self._feeds, self._layers = bases, feeds, layers
        self._known: dict[tuple[int, ...], bool] = {}

    def within(self, places: tuple[int, ...]) -> bool:
        """Whether two ways from one tensor meet in these ops, one of them through more layers than the other."""
        if places not in self._known:
            joins = {place for place in places if self._bases[place] in JOINING}
            self._known[places] = bool(joins) and not self._layers.isdisjoint(places) and self._found(places, joins)
        return self._known[places]

    def _found(self, places: Sequence[int], joins: set[int]) -> bool:
        inside = frozenset(places)
        sources = {
            place: [source if source in inside else box for source, box in self._feeds[place]] for place in places
        }
        users = Counter([it for found in sources.values() for it in found])
        if max(users.values(), default=0) < 2:
            return False
        depths: dict[int | str, Depths] = {}
        for place in sorted(inside):
            ways = [depths.get(it, {}) | ({it: 0} if users[it] > 1 else {}) for it in sources[place]]
            if place in joins and any(_differ(one, other) for one, other in combinations(ways, 2)):
                return True
            layer = int(place in self._layers)
            depths[place] = {it: layer + max(way.get(it, 0) for way in ways) for it in set().union(*ways)}
        return False


def _differ(one: Depths, other: Depths) -> bool:
    return any(one[it] != other[it] for it in one.keys() & other.keys())
