"""The course of a line: a start, then triples of two control points and an end, as layouts give it."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from autograd_lab.view.kit.pen import Path, path_of
from autograd_lab.view.kit.shapes.stroke import at

Point = tuple[float, float]
Bend = tuple[Point, Point, Point, Point]
TURN = 1.25
"""A last piece that is longer than what is cut off by this factor still turns to the end as it did."""

__all__ = ["Bend", "Path", "Point", "backward", "bends", "course", "halves", "middle", "path_of", "shortened"]


def backward(route: Path) -> Path:
    """The same course from its end to its start: gradients travel against the program."""
    return tuple(reversed(route))


def bends(route: Path) -> list[Bend]:
    """The pieces of a course, each a cubic."""
    ends = route[::3]
    return [(start, route[3 * i + 1], route[3 * i + 2], ends[i + 1]) for i, start in enumerate(ends[:-1])]


def course(route: Path) -> str:
    """A route as the `d` of a path."""
    (start, *rest) = route
    return f"M{at(*start)}" + (f"C{' '.join([at(*point) for point in rest])}" if rest else "")


@lru_cache(maxsize=256)
def halves(route: Path, part: float) -> tuple[Path, Path]:
    """What lies before and after this part (0 to 1) of the course; a line is asked for it at each of its looks."""
    pieces = bends(route)
    if not pieces:
        return route, route
    lengths = [_length(piece) for piece in pieces]
    left = min(max(part, 0.0), 1.0) * sum(lengths)
    index = 0
    while index < len(pieces) - 1 and left > lengths[index]:
        left -= lengths[index]
        index += 1
    first, second = _split(pieces[index], _time(pieces[index], left, lengths[index]))
    return (*route[: 3 * index], *first), (*second, *route[3 * index + 4 :])


def middle(route: Path, part: float = 0.5) -> Point:
    """The point at this part of the course."""
    return halves(route, part)[0][-1]


def shortened(route: Path, by: float) -> tuple[Path, Point]:
    """The course without its last px, and the direction at its end, of length 1.

    Where its last piece is shorter than that, what is before it is bent to end there, too: it never turns back.

    >>> shortened(((0, 0), (1, 0), (9, 0), (10, 0)), 2)
    (((0, 0), (1, 0), (7.0, 0.0), (8.0, 0.0)), (1.0, 0.0))
    """
    if len(route) < 4:
        return route, (1.0, 0.0)
    (x, y) = route[-1]
    before = next((point for point in reversed(route[:-1]) if math.dist(point, route[-1]) > 1e-6), (x - 1, y))
    long = math.dist(before, (x, y))
    ux, uy = (x - before[0]) / long, (y - before[1]) / long
    end = (x - by * ux, y - by * uy)
    if len(route) > 4 and math.dist(route[-4], route[-1]) < by * TURN:
        rest = _until(route, 2 * by)
        return (*rest, *_turned(rest[-2], rest[-1], end, (ux, uy)), end), (ux, uy)
    control = (route[-2][0] - by * ux, route[-2][1] - by * uy)
    return (*route[:-3], *_within(route[-4], route[-3], control, end), end), (ux, uy)


def _within(start: Point, lead: Point, trail: Point, end: Point) -> tuple[Point, Point]:
    """The controls of a piece, no further from its ends than these are from each other: a straight one stays one."""
    longest = max(math.dist(start, lead), math.dist(trail, end))
    part = min(1.0, math.dist(start, end) / longest) if longest else 1.0
    if part == 1.0:
        return lead, trail
    near = (start[0] + part * (lead[0] - start[0]), start[1] + part * (lead[1] - start[1]))
    return near, (end[0] + part * (trail[0] - end[0]), end[1] + part * (trail[1] - end[1]))


def _turned(before: Point, start: Point, end: Point, way: Point) -> tuple[Point, Point]:
    """The controls of a bend that goes on as what is `before` its start, and comes to its end along a direction."""
    lead, long = math.dist(start, end) / 3, math.dist(before, start) or 1.0
    along = lead * (start[0] - before[0]) / long, lead * (start[1] - before[1]) / long
    return (start[0] + along[0], start[1] + along[1]), (end[0] - lead * way[0], end[1] - lead * way[1])


def _until(route: Path, by: float) -> Path:
    """The course without its last px along itself, but at least its first half."""
    whole = sum(_length(piece) for piece in bends(route))
    return halves(route, max(0.5, 1 - by / whole) if whole else 1.0)[0]


def _split(bend: Bend, time: float) -> tuple[Bend, Bend]:
    def between(one: Point, other: Point) -> Point:
        return one[0] + (other[0] - one[0]) * time, one[1] + (other[1] - one[1]) * time

    a, b, c, d = bend
    ab, bc, cd = between(a, b), between(b, c), between(c, d)
    abc, bcd = between(ab, bc), between(bc, cd)
    here = between(abc, bcd)
    return (a, ab, abc, here), (here, bcd, cd, d)


@lru_cache(4096)
def _steps(bend: Bend, count: int = 24) -> tuple[float, ...]:
    """Lengths from the start after each of so many equal times."""
    points = [_split(bend, step / count)[0][-1] for step in range(count + 1)]
    lengths = [0.0]
    for one, other in pairwise(points):
        lengths.append(lengths[-1] + math.dist(one, other))
    return tuple(lengths)


def _length(bend: Bend) -> float:
    return _steps(bend)[-1]


def _time(bend: Bend, length: float, whole: float) -> float:
    if whole <= 0:
        return 0.0
    steps = _steps(bend)
    for index, (low, high) in enumerate(pairwise(steps)):
        if length <= high:
            return (index + ((length - low) / (high - low) if high > low else 0)) / (len(steps) - 1)
    return 1.0
