"""A long left-to-right layout cut into rows, as text is: a picture three times as wide as high serves no projector.

It is cut between ranks, near even widths, where few lines cross. A line that crosses runs on to the right margin, down
and back to the left margin in the lane between the rows, and goes on where it was cut. A box that no line leads to goes
to the row of its users.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from dataclasses import replace
from itertools import pairwise

from autograd_lab.view.layout.boxes import Box, Layout, Link, Point, Route

LANE = 14.0
"""Distance between two lines in the lane between rows, px."""
TURN = 7.0
"""Radius of a corner, px."""
SLACK = 1.1
LONG = 1450.0
"""A row is at most about so long, px."""


def in_rows(layout: Layout, boxes: list[Box], links: list[Link], longest: float = LONG) -> Layout:
    """The layout in as many rows as it takes, if it is longer than `longest` px by more than a tenth."""
    if layout.width <= longest * SLACK:
        return layout
    cuts = _cuts(layout, boxes, links, longest)
    return _Rows(layout, boxes, links, cuts).layout() if cuts else layout


def _cuts(layout: Layout, boxes: list[Box], links: list[Link], longest: float) -> list[float]:
    """The x at which to cut: in gaps through all of the picture, near even widths, rather where few lines cross."""
    gaps = _gaps(layout, boxes, links)
    count = -(-layout.width // (longest * SLACK))
    even = layout.width / count
    cuts: list[float] = []
    for number in range(1, int(count)):
        aim = even * number
        near = [(abs(x - aim) / even + 0.12 * lines, x) for x, lines in gaps if abs(x - aim) < even * 0.3]
        if near and (not cuts or min(near)[1] > cuts[-1]):
            cuts.append(min(near)[1])
    return cuts


def _gaps(layout: Layout, boxes: list[Box], links: list[Link]) -> list[tuple[float, int]]:
    """Each x right behind a column of boxes where no box stands, with the number of lines that pass it."""
    spans = sorted((layout.places[box.id][0], layout.places[box.id][0] + box.width) for box in boxes)
    begins = sorted(layout.places[link.source][0] for link in links)
    ends = sorted(layout.places[link.target][0] for link in links)
    gaps, right = [], 0.0
    for left, end in spans:
        if right and right + 8 < left:
            gaps.append((right + 4, bisect(begins, right) - bisect(ends, right)))
        right = max(right, end)
    return gaps


class _Rows:
    """The geometry of one cutting."""

    def __init__(self, layout: Layout, boxes: list[Box], links: list[Link], cuts: list[float]) -> None:
        self._old = layout
        self._cuts = [*cuts, layout.width + 1]
        self._boxes = boxes
        self._row_of = {box.id: self._row(layout.places[box.id][0] + box.width / 2) for box in boxes}
        self._carry_over(links)
        self._splits = [self._split(row, cut) for row, cut in enumerate(self._cuts)]
        self._pieces = {link.id: self._cut(link, layout.routes[link.id]) for link in links if link.id in layout.routes}
        self._crossers = self._count_crossers()
        self._shifts = self._stack()

    def layout(self) -> Layout:
        places = {name: self._moved((x, y), self._row_of[name]) for name, (x, y) in self._old.places.items()}
        taken: Counter[int] = Counter()
        routes = {name: self._joined(pieces, taken) for name, pieces in self._pieces.items()}
        right = self._right + LANE * (max(self._crossers.values(), default=0) + 1)
        return replace(self._old, places=places, routes=routes, width=round(right, 2), height=round(self._bottom, 2))

    def _row(self, x: float) -> int:
        return next(number for number, cut in enumerate(self._cuts) if x < cut)

    def _carry_over(self, links: list[Link]) -> None:
        """Move boxes that no line leads to; only those of a row's last column, where no line can run in their place."""
        last: dict[int, int] = {}
        for name, row in self._row_of.items():
            last[row] = max(last.get(row, 0), self._old.ranks.get(name, 0))
        targets: dict[str, set[int]] = {}
        for link in links:
            targets.setdefault(link.source, set()).add(self._row_of[link.target])
        arrived_at = {link.target for link in links}
        for source, rows in targets.items():
            row = self._row_of[source]
            if source not in arrived_at and min(rows) == row + 1 and self._old.ranks.get(source) == last[row]:
                self._row_of[source] = row + 1

    def _split(self, row: int, cut: float) -> float:
        """Where lines leave a row: at its cut, but before boxes that were moved on, between which they know the way."""
        moved = [x for name, (x, _) in self._old.places.items() if self._row_of[name] == row + 1 and x < cut]
        return min([cut, *moved])

    def _cut(self, link: Link, route: Route) -> list[tuple[int, Route]]:
        """The pieces of a route, each with its row."""
        pieces: list[tuple[int, Route]] = []
        rest = route
        for row in range(self._row_of[link.source], self._row_of[link.target]):
            before, rest = split_at(rest, self._splits[row])
            pieces.append((row, before))
        last = self._row_of[link.target]
        return [*pieces, (last, self._straightened(rest, last) if pieces else rest)]

    def _straightened(self, piece: Route, row: int) -> Route:
        """The last piece of a route without the ways round what stands in the rows before, if nothing is in its way."""
        (left, _), (right, y) = piece[0], piece[-1]
        for box in self._boxes:
            if self._row_of[box.id] == row and self._old.places[box.id][0] < right:
                top, bottom = self._span(box)
                if top - TURN < y < bottom + TURN:
                    return piece
        return ((left, y), *_line((left, y), (right, y)))

    def _count_crossers(self) -> Counter[int]:
        return Counter(row for pieces in self._pieces.values() for row, _ in pieces[:-1])

    def _stack(self) -> list[Point]:
        """How far each row moves: to the left margin, and below the row above it and its lane."""
        rows = range(len(self._cuts))
        tops, bottoms = [0.0] * len(rows), [0.0] * len(rows)
        ys: list[list[float]] = [[] for _ in rows]
        for box in self._boxes:
            ys[self._row_of[box.id]] += self._span(box)
        for pieces in self._pieces.values():
            for row, piece in pieces:
                ys[row] += [y for _, y in piece]
        for row in rows:
            tops[row], bottoms[row] = min(ys[row], default=0.0), max(ys[row], default=0.0)
        starts = [TURN, *self._cuts[:-1]]
        for box in self._boxes:
            row = self._row_of[box.id]
            starts[row] = min(starts[row], self._old.places[box.id][0] - TURN)
        margin = LANE * (max(self._crossers.values(), default=0) + 1)
        shifts, y, self._right = [], 0.0, 0.0
        self._lanes: list[float] = []
        for row in rows:
            shifts.append(((margin if row else 0.0) - starts[row], y - tops[row]))
            self._right = max(self._right, min(self._cuts[row], self._old.width) + shifts[row][0])
            y += bottoms[row] - tops[row] + LANE * 1.5
            self._lanes.append(y)
            y += LANE * (self._crossers[row] + 1.5)
        self._bottom = self._lanes[-1] - LANE * 1.5
        self._margin = margin
        return shifts

    def _span(self, box: Box) -> tuple[float, float]:
        top = self._old.places[box.id][1]
        return top, top + box.height

    def _moved(self, point: Point, row: int) -> Point:
        dx, dy = self._shifts[row]
        return round(point[0] + dx, 2), round(point[1] + dy, 2)

    def _joined(self, pieces: list[tuple[int, Route]], taken: Counter[int]) -> Route:
        """A route of its pieces, led through the lanes; each crosser of a row has a lane of its own."""
        row, piece = pieces[0]
        path = [self._moved(point, row) for point in piece]
        for row, piece in pieces[1:]:
            lane = taken[row - 1]
            taken[row - 1] += 1
            start = self._moved(piece[0], row)
            back = self._crossers[row - 1] - lane
            right, left = self._right + LANE * back, self._margin - LANE * back
            y = self._lanes[row - 1] + LANE * lane
            path += _cornered([path[-1], (right, path[-1][1]), (right, y), (left, y), (left, start[1]), start])
            path += [self._moved(point, row) for point in piece[1:]]
        return tuple(path)


def split_at(route: Route, x: float) -> tuple[Route, Route]:
    """A route that runs from left to right, cut where it passes `x`."""
    for start in range(0, len(route) - 1, 3):
        if route[start + 3][0] >= x:
            first, second = _split(route[start : start + 4], x)
            return (*route[:start], *first), (*second, *route[start + 4 :])
    return route, (route[-1],)


def _split(curve: Route, x: float) -> tuple[Route, Route]:
    """De Casteljau's cut of one cubic Bézier curve at `x`, found by halving."""
    low, high = 0.0, 1.0
    a, b, c, d = (point[0] for point in curve)
    for _ in range(40):
        t = (low + high) / 2
        s = 1 - t
        here = s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d
        low, high = (t, high) if here < x else (low, t)
    return _between(curve, low)


def _between(curve: Route, t: float) -> tuple[Route, Route]:
    levels = [list(curve)]
    while len(levels[-1]) > 1:
        pairs = pairwise(levels[-1])
        levels.append([(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in pairs])
    return tuple(level[0] for level in levels), tuple(level[-1] for level in reversed(levels))


def _cornered(points: list[Point]) -> list[Point]:
    """Straight lines through points with round corners, as Bézier triples that go on from the first point."""
    path: list[Point] = []
    here = points[0]
    for corner, after in pairwise(points[1:]):
        into, out = _towards(corner, here), _towards(corner, after)
        path += [*_line(here, into), corner, corner, out]
        here = out
    return [(round(x, 2), round(y, 2)) for x, y in [*path, *_line(here, points[-1])]]


def _towards(corner: Point, other: Point) -> Point:
    """The point at most a turn away from a corner on the way to another point."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    part = min(TURN, length / 2) / length if length else 0.0
    return corner[0] + dx * part, corner[1] + dy * part


def _line(start: Point, end: Point) -> list[Point]:
    (x0, y0), (x1, y1) = start, end
    return [((2 * x0 + x1) / 3, (2 * y0 + y1) / 3), ((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3), end]
