"""Crossings: how tangled a graph is when it is drawn in ranks, however large its boxes are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

from autograd_lab.view.layout.boxes import Box, Link, Point
from autograd_lab.view.layout.nearby import Area, meet
from autograd_lab.view.layout.ranked import ranks
from autograd_lab.view.layout.signposts import polyline, span

SIDE = 60.0
"""Of the boxes that stand for all, px."""


def crossings(names: Iterable[str], links: Iterable[Link]) -> int:
    """How many pairs of lines cross between boxes of one size, which come in a topological order.

    Lines that begin or end at one box do not count: they part there, or meet.
    """
    links = list(links)
    placed = ranks([Box(name, SIDE, SIDE) for name in names], links, rank_gap=SIDE)
    lines = {link.id: polyline(placed.routes[link.id]) for link in links}
    areas = {name: span(line) for name, line in lines.items()}
    pairs = ((a, b) for a, b in combinations(links, 2) if not {a.source, a.target} & {b.source, b.target})
    return sum(_cross(lines[a.id], lines[b.id], areas[a.id], areas[b.id]) for a, b in pairs)


def _cross(one: Sequence[Point], other: Sequence[Point], area: Area, its: Area) -> bool:
    if not meet(area, its):
        return False
    return any(_meet(*a, *b) for a in pairwise(one) for b in pairwise(other))


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two straight pieces cross."""
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
