"""Nesting: folding on where no rule finds anything, innermost levels first, so that no picture falls down a cliff.

Of all wires that may be contracted, those go first whose ends have the fewest other neighbours: in a U that is its
deepest level. Wires of one kind go together, so that alike blocks stay alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from autograd_lab.view.graph.cards.groups import Groups

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
    _, a, b = min(ranked)
    kind = _kind(groups, a), _kind(groups, b)
    return [(one, other) for _, one, other in ranked if (_kind(groups, one), _kind(groups, other)) == kind]


def _rank(groups: Groups, a: int, b: int) -> tuple[bool, int, int, int]:
    """Not the ends of the graph; few neighbours, few ops; what runs first."""
    one, other = groups.all[a], groups.all[b]
    at_end = not one.sources or not other.users
    neighbours = len((one.users | one.sources | other.users | other.sources) - {a, b})
    return at_end, neighbours, len(one.places) + len(other.places), -one.last


def _kind(groups: Groups, number: int) -> Hashable:
    group, ops = groups.all[number], groups.ground.ops
    return group.weighted, tuple(ops[place].name for place in sorted(group.places))
