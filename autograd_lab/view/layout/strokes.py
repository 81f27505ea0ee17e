"""Lines as cubic Bézier paths: straight, with round corners, or as an S from one vertical to another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import dist

from autograd_lab.view.layout.boxes import Point, Route

RADIUS = 44.0
"""Of the quarter ellipse at a corner, at most, px."""

TIP = 8.0
"""How much stays straight before the end of a line, where there is room, for an arrow head; px."""

ARC = 0.5523
"""How far the controls of a quarter ellipse are on the way to its corner."""


def straight(start: Point, end: Point) -> Route:
    """A straight line, without its start."""
    return between(start, end, 1 / 3), between(start, end, 2 / 3), end


def between(start: Point, end: Point, share: float) -> Point:
    """A point on the way from one to the other."""
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def bent(*corners: Point) -> Route:
    """A line through points, level and upright in turn, with quarter ellipses for corners.

    >>> bent((0, 0), (90, 0))
    ((0, 0), (30.0, 0.0), (60.0, 0.0), (90, 0))
    >>> bent((0, 0), (0, 100), (100, 100))[3:7:3]
    ((0.0, 56.0), (44.0, 100.0))
    """
    cuts = [dist(a, b) for a, b in pairwise(corners)]
    path: list[Point] = [corners[0]]
    for k in range(1, len(corners) - 1):
        before = min(RADIUS, cuts[k - 1] * (1.0 if k == 1 else 0.5))
        last = k == len(corners) - 2
        after = min(RADIUS, max(cuts[k] - TIP, 0.6 * cuts[k]) if last else cuts[k] * 0.5)
        corner = corners[k]
        into = between(corner, corners[k - 1], before / cuts[k - 1]) if cuts[k - 1] else corner
        out = between(corner, corners[k + 1], after / cuts[k]) if cuts[k] else corner
        if dist(path[-1], into) > 0.01:
            path += straight(path[-1], into)
        path += (between(path[-1], corner, ARC), between(out, corner, ARC), out)
    if dist(path[-1], corners[-1]) > 0.01 or len(path) == 1:
        path += straight(path[-1], corners[-1])
    return tuple(path)


def plunge(start: Point, end: Point, turn: float) -> Route:
    """From a point upright to a height, swinging on the way to where it then runs upright to its end."""
    (x, y), (to_x, _) = start, end
    if abs(x - to_x) < 0.01:
        return start, *straight(start, end)
    middle = (y + turn) / 2
    path = (start, (x, middle), (to_x, middle), (to_x, turn))
    return path if abs(turn - end[1]) < 0.01 else (*path, *straight(path[-1], end))


def through(routes: Sequence[Route]) -> Route:
    """One line of several, which are joined as smoothly as they end and begin.

    >>> through([((0, 0), (3, 0), (6, 0), (9, 0)), ((12, 0), (15, 0), (18, 0), (21, 0))])[3:7]
    ((9, 0), (10.0, 0.0), (11.0, 0.0), (12, 0))
    """
    path = list(routes[0])
    for route in routes[1:]:
        third = dist(path[-1], route[0]) / 3
        path += (_beyond(path[-2], path[-1], third), _beyond(route[1], route[0], third), *route)
    return tuple(path)


def _beyond(before: Point, point: Point, px: float) -> Point:
    """The point so many px farther on the line through two others."""
    length = dist(before, point)
    return between(point, (2 * point[0] - before[0], 2 * point[1] - before[1]), px / length) if length else point
