"""Signposts: where on its line each line's number stands, so that no number hides a box or another number.

It knows nothing of autograd: a line is a route, a number a width and a height.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from autograd_lab.view.layout.boxes import Point, Route
from autograd_lab.view.layout.nearby import Area, Nearby, meet


class Polyline(list[Point]):
    """Points that straight pieces join."""

    @cached_property
    def reached(self) -> list[float]:
        """How far each point is from the first, along the line."""
        pieces = (math.hypot(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in itertools.pairwise(self))
        return list(itertools.accumulate(pieces, initial=0.0))


Passing = tuple[Area, Polyline]
"""A line, and the area that it spans."""
SHARES = (0.5, *(0.5 + side * 0.04 * step for step in range(1, 10) for side in (-1, 1)))
"""How far along its line a number may stand, in the order in which the places are tried."""
MANY = 400
"""Of more lines than these, whichever of them a number hides does not matter."""
PIECES = 12
"""A curve is taken as so many straight pieces."""
HIDDEN, CROSSED, HEADED, ASIDE = 2.0, 0.4, 0.5, 0.1
"""How bad it is that a number hides a box or another number, or a line, or the head of an arrow, or stands aside of the
middle of its line."""
TAB = 10.0
"""So much of a number that stands aside of an upright line lies on the line, px: it is still seen whose it is."""
HEAD = 12.0
"""Length of the head of an arrow, at the start of a line, px."""


def signposts(
    routes: Mapping[str, Route], sizes: Mapping[str, tuple[float, float]], boxes: Iterable[Area]
) -> dict[str, Point]:
    """The middle of each number, for the lines that have one.

    Lines that have least room are served first. Where no place is free, it is the one that hides least.
    """
    lines = {name: polyline(route) for name, route in routes.items()}
    spans = {name: span(line) for name, line in lines.items()}
    passing = Nearby((spans[name], line) for name, line in lines.items() if len(lines) <= MANY)
    taken = Nearby((area, area) for area in boxes)
    heads = Nearby((area, area) for area in map(_head, lines.values()) if len(lines) <= MANY)
    found: dict[str, Point] = {}
    for name in sorted(sizes, key=lambda name: (length(lines[name]) - sizes[name][0], name)):
        width, height = sizes[name]
        left, top, right, bottom = spans[name]
        near = (left - width, top - height, right + width, bottom + height)
        others = [pair for pair in passing.meeting(near) if pair[1] is not lines[name]]
        hidden = [area for area, _ in taken.meeting(near)], [area for area, _ in heads.meeting(near)]
        found[name] = _best(lines[name], sizes[name], *hidden, others)
        area = _around(found[name], sizes[name])
        taken.add(area, area)
    return found


def _best(
    line: Polyline,
    size: tuple[float, float],
    hidden: Sequence[Area],
    heads: Sequence[Area],
    others: Sequence[Passing],
) -> Point:
    """The first place on a line that costs nothing, else the one that costs least."""
    best, least = line[0], math.inf
    for point, extra in _places(line, size):
        area = _around(point, size)
        cost = extra + HIDDEN * _hidden(area, hidden)
        cost += HEADED * any(meet(area, head) for head in heads) if cost < least else 0.0
        cost += CROSSED * _crossed(area, others) if cost < least else 0.0
        if cost < least:
            best, least = point, cost
        if not cost:
            break
    return best


def _places(line: Polyline, size: tuple[float, float]) -> Iterator[tuple[Point, float]]:
    """Where a number may stand, and what that costs: in the middle of its line, or aside where the line is upright."""
    yield from ((at(line, share), 0.0) for share in SHARES)
    aside = size[0] / 2 - TAB
    for share in SHARES:
        x, y = at(line, share)
        (x0, y0), (x1, y1) = (at(line, min(1.0, max(0.0, share + step))) for step in (-0.02, 0.02))
        if abs(y1 - y0) > 2 * abs(x1 - x0) and aside > 0:
            yield from (((x + side * aside, y), ASIDE) for side in (-1, 1))


def _head(line: Polyline) -> Area:
    """About where the head of the arrow is at the start of a line."""
    return _around(at(line, min(1.0, HEAD / 2 / (length(line) or 1.0))), (HEAD, HEAD))


def span(line: Sequence[Point]) -> Area:
    """The area that a line spans; not quite flat, so that it overlaps with what lies on it."""
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return min(xs) - 0.5, min(ys) - 0.5, max(xs) + 0.5, max(ys) + 0.5


def polyline(route: Route) -> Polyline:
    """A route of cubic Béziers as points that straight pieces join."""
    points = Polyline([route[0]])
    for number in range(1, len(route), 3):
        corners = (points[-1], *route[number : number + 3])
        if _is_straight(corners):
            points.append(corners[3])
        else:
            points += [_bezier(corners, step / PIECES) for step in range(1, PIECES + 1)]
    return points


def at(line: Polyline, share: float) -> Point:
    """The point that is this share of a line's length away from its start."""
    far = share * length(line)
    end = bisect_left(line.reached, far, lo=1)
    if end == len(line):
        return line[-1]
    (x0, y0), (x1, y1), begun = line[end - 1], line[end], line.reached[end - 1]
    part = (far - begun) / (line.reached[end] - begun or 1.0)
    return x0 + (x1 - x0) * part, y0 + (y1 - y0) * part


def _hidden(area: Area, taken: Sequence[Area]) -> float:
    """How many others an area hides, and how much of them."""
    size = (area[2] - area[0]) * (area[3] - area[1]) or 1.0
    return sum(1 + overlap / size for other in taken if (overlap := _overlap(area, other)))


def _crossed(area: Area, others: Sequence[Passing]) -> int:
    """How many lines come into an area."""
    near = (line for around, line in others if meet(area, around))
    return sum(any(touches(area, a, b) for a, b in itertools.pairwise(line)) for line in near)


def _around(point: Point, size: tuple[float, float]) -> Area:
    (x, y), (width, height) = point, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: Area, other: Area) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if across > 0 and down > 0 else 0.0


def touches(area: Area, start: Point, end: Point) -> bool:
    """Whether a straight piece comes into an area: its part inside of the area's sides is not empty."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        low, high, begin, way = area[axis], area[axis + 2], start[axis], end[axis] - start[axis]
        if not way:
            if not low < begin < high:
                return False
            continue
        into, out = (low - begin) / way, (high - begin) / way
        if into > out:
            into, out = out, into
        first, last = (into if into > first else first), (out if out < last else last)
        if first >= last:
            return False
    return True


def _is_straight(corners: Sequence[Point]) -> bool:
    (x0, y0), *middle, (x1, y1) = corners
    return all(abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) < 1e-6 * (abs(x1 - x0) + abs(y1 - y0) + 1)
               for x, y in middle)  # fmt: skip


def _bezier(corners: Sequence[Point], t: float) -> Point:
    weights = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
    x = sum(weight * corner[0] for weight, corner in zip(weights, corners, strict=True))
    y = sum(weight * corner[1] for weight, corner in zip(weights, corners, strict=True))
    return x, y


def length(line: Polyline) -> float:
    """How long a line is."""
    return line.reached[-1]
