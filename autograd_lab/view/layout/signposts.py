"""Signposts: where on its line each line's number stands, so that no number hides a box or another number.

It knows nothing of autograd: a line is a route, a number a width and a height.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from autograd_lab.view.layout.boxes import Point, Route
from autograd_lab.view.layout.nearby import Area, Nearby

SHARES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)
"""How far along its line a number may stand, in the order in which the places are tried."""
PIECES = 12
"""A curve is taken as so many straight pieces."""
CROSSED = 0.4
"""A number that hides another line is this much worse than one that hides nothing, in units of a hidden number."""


def signposts(
    routes: Mapping[str, Route], sizes: Mapping[str, tuple[float, float]], boxes: Iterable[Area]
) -> dict[str, Point]:
    """The middle of each number, for the lines that have one.

    Lines that have least room are served first. Where no place is free, it is the one that hides least.
    """
    lines = {name: polyline(route) for name, route in routes.items()}
    spans = {name: _span(line) for name, line in lines.items()}
    passing = Nearby((spans[name], line) for name, line in lines.items())
    taken = Nearby((area, area) for area in boxes)
    found: dict[str, Point] = {}
    for name in sorted(sizes, key=lambda name: (length(lines[name]) - sizes[name][0], name)):
        width, height = sizes[name]
        left, top, right, bottom = spans[name]
        near = (left - width, top - height, right + width, bottom + height)
        others = [line for _, line in passing.meeting(near) if line is not lines[name]]
        found[name] = _best(lines[name], sizes[name], [area for area, _ in taken.meeting(near)], others)
        area = _around(found[name], sizes[name])
        taken.add(area, area)
    return found


def _best(
    line: Sequence[Point], size: tuple[float, float], hidden: Sequence[Area], others: Sequence[Sequence[Point]]
) -> Point:
    """The first place on a line that costs nothing, else the one that costs least."""
    best, least = line[0], math.inf
    for share in SHARES:
        point = at(line, share)
        cost = _cost(_around(point, size), hidden, others)
        if cost < least:
            best, least = point, cost
        if not cost:
            break
    return best


def _span(line: Sequence[Point]) -> Area:
    """The area that a line spans; not quite flat, so that it overlaps with what lies on it."""
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return min(xs) - 0.5, min(ys) - 0.5, max(xs) + 0.5, max(ys) + 0.5


def polyline(route: Route) -> list[Point]:
    """A route of cubic Béziers as points that straight pieces join."""
    points = [route[0]]
    for number in range(1, len(route), 3):
        corners = (points[-1], *route[number : number + 3])
        if _is_straight(corners):
            points.append(corners[3])
        else:
            points += [_bezier(corners, step / PIECES) for step in range(1, PIECES + 1)]
    return points


def at(line: Sequence[Point], share: float) -> Point:
    """The point that is this share of a line's length away from its start."""
    rest = share * length(line)
    for (x0, y0), (x1, y1) in itertools.pairwise(line):
        piece = _distance((x0, y0), (x1, y1))
        if piece >= rest and piece:
            part = rest / piece
            return x0 + (x1 - x0) * part, y0 + (y1 - y0) * part
        rest -= piece
    return line[-1]


def _cost(area: Area, taken: Sequence[Area], others: Sequence[Sequence[Point]]) -> float:
    size = (area[2] - area[0]) * (area[3] - area[1]) or 1.0
    hidden = sum(1 + overlap / size for other in taken if (overlap := _overlap(area, other)))
    crossed = sum(any(_touches(area, a, b) for a, b in itertools.pairwise(line)) for line in others)
    return hidden + CROSSED * crossed


def _around(point: Point, size: tuple[float, float]) -> Area:
    (x, y), (width, height) = point, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: Area, other: Area) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if across > 0 and down > 0 else 0.0


def _touches(area: Area, start: Point, end: Point) -> bool:
    """Whether a straight piece comes into an area: its part inside of the area's sides is not empty."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        low, high, begin, way = area[axis], area[axis + 2], start[axis], end[axis] - start[axis]
        if not way:
            if not low < begin < high:
                return False
            continue
        into, out = sorted(((low - begin) / way, (high - begin) / way))
        first, last = max(first, into), min(last, out)
    return first < last


def _is_straight(corners: Sequence[Point]) -> bool:
    (x0, y0), *middle, (x1, y1) = corners
    return all(abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) < 1e-6 * (abs(x1 - x0) + abs(y1 - y0) + 1)
               for x, y in middle)  # fmt: skip


def _bezier(corners: Sequence[Point], t: float) -> Point:
    weights = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
    x = sum(weight * corner[0] for weight, corner in zip(weights, corners, strict=True))
    y = sum(weight * corner[1] for weight, corner in zip(weights, corners, strict=True))
    return x, y


def _distance(one: Point, other: Point) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


def length(line: Sequence[Point]) -> float:
    """How long a line is."""
    return sum(_distance(one, other) for one, other in itertools.pairwise(line))
