"""What a form of the picture gives back: where each box stands, and how each line runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from autograd_lab.view.layout.boxes import Box, Link, Point, Route

Area = tuple[float, float, float, float]
Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Placed:
    """Top-left corners of boxes, and links as cubic Bézier paths: a start, then triples of two controls and an end.

    `form` is "LR", "TB", "stairs", "zigzag" or "lanes". `boxes` are those that were placed, `ends` the source and the
    target of each link. Of lanes alone: `bars` are (x, y, width, height), and `drops` run straight down at x from a box
    at y0 to the upper edge of a bar at y1, by (box, bar).
    """

    form: str
    places: dict[str, Point]
    routes: dict[str, Route]
    width: float
    height: float
    bars: dict[str, Area] = field(default_factory=dict)
    drops: dict[Ends, tuple[float, float, float]] = field(default_factory=dict)
    boxes: dict[str, Box] = field(default_factory=dict)
    ends: dict[str, Ends] = field(default_factory=dict)

    @property
    def is_too_wide(self) -> bool:
        """Whether it was given up halfway, since it would be wider than was asked for: then it has no routes."""
        return self.width == inf

    def is_clear(self, link: str) -> bool:
        """Whether a line runs through no box other than those at its ends."""
        points = list(_along(self.routes[link]))
        others = (name for name in self.places if name not in self.ends[link])
        return not any(self._holds(name, point) for name in others for point in points)

    def _holds(self, name: str, point: Point) -> bool:
        """Whether a point is inside of a box, by more than a px."""
        (left, top), box = self.places[name], self.boxes[name]
        is_between = left + 1 < point[0] < left + box.width - 1
        return is_between and top + 1 < point[1] < top + box.height + box.hang - 1


SAMPLES = 16
"""Points of each curve of a line that are looked at."""


def _along(route: Route) -> Iterator[Point]:
    for start in range(0, len(route) - 1, 3):
        curve = route[start : start + 4]
        for step in range(SAMPLES + 1):
            t = step / SAMPLES
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            xs, ys = ([weight * point[axis] for weight, point in zip(weights, curve, strict=True)] for axis in (0, 1))
            yield sum(xs), sum(ys)


def framed(
    form: str,
    boxes: Mapping[str, Box],
    links: Iterable[Link],
    places: Mapping[str, Point],
    routes: Mapping[str, Route],
) -> Placed:
    """What is placed anywhere, moved into the corner, with its size; rounded to hundredths of a px."""
    areas = [(x, y, x + boxes[it].width, y + boxes[it].height + boxes[it].hang) for it, (x, y) in places.items()]
    points = [point for route in routes.values() for point in route]
    left = min([*(area[0] for area in areas), *(x for x, _ in points)], default=0.0)
    top = min([*(area[1] for area in areas), *(y for _, y in points)], default=0.0)
    right = max([*(area[2] for area in areas), *(x for x, _ in points)], default=0.0)
    bottom = max([*(area[3] for area in areas), *(y for _, y in points)], default=0.0)

    def moved(point: Point) -> Point:
        return round(point[0] - left, 2) + 0.0, round(point[1] - top, 2) + 0.0

    return Placed(
        form,
        {name: moved(place) for name, place in places.items()},
        {name: tuple(map(moved, route)) for name, route in routes.items()},
        round(right - left, 2),
        round(bottom - top, 2),
        boxes=dict(boxes),
        ends={link.id: (link.source, link.target) for link in links},
    )
