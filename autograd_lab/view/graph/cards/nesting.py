"""Nesting: folding on where no rule finds anything, innermost levels first, so that no picture falls down a cliff.

A wire that a skip runs beside goes last of all: the skip would be hidden with it, and it is what the picture is about.
First of the others, a layer goes with the one at which a skip is attached, for an upsampling is part of its step up in
a U. Then those go whose ends have the fewest other neighbours. Wires of one kind go together, so that alike blocks stay
alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from autograd_lab.view.graph.cards.groups import Group, Groups

Pair = tuple[int, int]


def nested(groups: Groups) -> Iterator[Groups]:
    """The groups after each kind of wire is contracted, until nothing is left to be."""
    while pairs := _next(groups):
        joined: set[int] = set()
        for a, b in pairs:
            if not joined & {a, b} and a in groups.all and b in groups.all and groups.allowed(a, b):
                joined |= {a, b}
                groups.join(a, b)
        yield groups


def _next(groups: Groups) -> list[Pair]:
    """The wires of the kind that is to be contracted next."""
    ranked = [
        (_rank(groups, a, b), a, b)
        for a in sorted(groups.all, key=lambda number: groups.all[number].places[0])
        for b in groups.all[a].users
        if groups.allowed(a, b)
    ]
    if not ranked:
        return []
    (hides, *_), a, b = min(ranked)
    kind = _kind(groups, a), _kind(groups, b)
    return [
        (one, other)
        for rank, one, other in ranked
        if rank[0] == hides and (_kind(groups, one), _kind(groups, other)) == kind
    ]


def _rank(groups: Groups, a: int, b: int) -> tuple[bool, bool, bool, int, int, int]:
    """Not what a skip runs beside, nor the ends of the graph, nor the sum of a block and the layer after it; few
    neighbours, few ops; what runs first."""
    one, other = groups.all[a], groups.all[b]
    at_end = not one.sources or not other.users or (one.plain and one.gathers and other.weighted)
    neighbours = len((one.users | one.sources | other.users | other.sources) - {a, b})
    apart = not _is_step_up(groups, one, other)
    return hides_skip(one, other), at_end, apart, neighbours, len(one.places) + len(other.places), -one.last


def hides_skip(a: Group, b: Group) -> bool:
    """Whether something skips a, or skips b: if they were one, that line would run beside the one that it skips."""
    return not a.sources.isdisjoint(b.sources) or not a.users.isdisjoint(b.users)


def _is_step_up(groups: Groups, a: Group, b: Group) -> bool:
    """Whether a and b are layers, and b begins by attaching to what a gives what has skipped it."""
    attaches = len(a.sources) < 2 <= len(b.sources) and groups.ground.bases[min(b.places)] == "cat"
    return a.weighted and b.weighted and attaches


def _kind(groups: Groups, number: int) -> Hashable:
    group, ops = groups.all[number], groups.ground.ops
    return group.weighted, tuple(ops[place].name for place in sorted(group.places))
