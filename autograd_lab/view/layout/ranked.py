"""Left to right or top down in ranks: the form that takes every graph. Ports are chosen here, so links need none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from autograd_lab.view.layout.boxes import HAIR, Box, Direction, Engine, Layout, Link, Point, Route, beneath, lay_out
from autograd_lab.view.layout.layered.dag import Graph, Wire
from autograd_lab.view.layout.layered.fans import RIBBON_GAP
from autograd_lab.view.layout.layered.packing import least_breadth
from autograd_lab.view.layout.placed import Placed

KINK = 16.0
"""A line between neighbours that is off its level by less than this many px is made level, where its ports may move."""

ALIKE: Mapping[str, float] = MappingProxyType({})
"""Lines of which it is not said how thick they are."""


def ranks(
    boxes: Iterable[Box],
    links: Iterable[Link],
    *,
    direction: Direction = "LR",
    engine: Engine = "layered",
    rank_gap: float = 56,
    box_gap: float = 28,
    thick: Mapping[str, float] = ALIKE,
) -> Placed:
    """Ranks along `direction`; lines dock side by side, `thick` px each, ordered as their other ends stand.

    Boxes come in a topological order; ports of links do not count.
    """
    boxes, links = list(boxes), list(links)
    drawn = lay_out(boxes, links, direction=direction, engine=engine, rank_gap=rank_gap, box_gap=box_gap, thick=thick)
    routes = {**drawn.routes, **_levelled(boxes, links, drawn, direction, thick)}
    ends = {link.id: (link.source, link.target) for link in links}
    by_id = {box.id: box for box in boxes}
    return Placed(direction, drawn.places, routes, drawn.width, drawn.height, boxes=by_id, ends=ends)


def least(boxes: Iterable[Box], links: Iterable[Link], *, gap: float, direction: Direction = "LR") -> float:
    """A length that nothing in ranks is shorter than: that of the longest way, boxes with their gaps."""
    sources: dict[str, list[str]] = defaultdict(list)
    for link in links:
        sources[link.target].append(link.source)
    far: dict[str, float] = {}
    for box in boxes:
        length = box.width if direction == "LR" else box.height + box.hang
        far[box.id] = length + max((far[source] + gap for source in sources[box.id]), default=0.0)
    return max(far.values(), default=0.0)


def least_across(boxes: Sequence[Box], links: Iterable[Link], *, gap: float, direction: Direction = "LR") -> float:
    """What nothing in ranks takes less than, across them: the boxes of one rank with their gaps."""
    index = {box.id: number for number, box in enumerate(boxes)}
    breadths = [box.height + box.hang if direction == "LR" else box.width for box in boxes]
    wires = [Wire(index[link.source], index[link.target], 0.0, 0.0, 0.0) for link in links]
    return least_breadth(Graph([0.0] * len(boxes), breadths, wires), gap)


def _levelled(
    boxes: Sequence[Box], links: Sequence[Link], drawn: Layout, direction: Direction, thick: Mapping[str, float]
) -> dict[str, Route]:
    """Routes for the lines between neighbours that one end has only to step aside a little for to be level."""
    across = 1 if direction == "LR" else 0
    sides = {
        end: _Sides(boxes, [(link.id, getattr(link, end)) for link in links], drawn, across, end)
        for end in ("source", "target")
    }
    routes = {}
    for link in links:
        route = drawn.routes[link.id]
        slant = abs(route[0][across] - route[-1][across])
        if 0 < slant < KINK and drawn.ranks[link.target] == drawn.ranks[link.source] + 1:
            for end, level in (("target", route[0][across]), ("source", route[-1][across])):
                if sides[end].moved(link.id, level, thick):
                    routes[link.id] = _level(route[0], route[-1], across, level)
                    break
    return routes


def _level(start: Point, end: Point, across: int, level: float) -> Route:
    along = [start[1 - across] + (end[1 - across] - start[1 - across]) * share for share in (0, 1 / 3, 2 / 3, 1)]
    return tuple([(round(x, 2), level) if across else (level, round(x, 2)) for x in along])


class _Sides:
    """At which places lines dock at one side of each box, and how far they may move."""

    def __init__(
        self, boxes: Sequence[Box], ends: Sequence[tuple[str, str]], drawn: Layout, across: int, end: str
    ) -> None:
        self._at = {line: drawn.routes[line][0 if end == "source" else -1][across] for line, _ in ends}
        self._low: dict[str, tuple[float, str]] = {}
        self._high: dict[str, tuple[float, str]] = {}
        fans: dict[str, list[str]] = defaultdict(list)
        for line, name in ends:
            fans[name].append(line)
        for box in boxes:
            low, high = _dock(box, across, end)
            at = drawn.places[box.id][across]
            fan = sorted(fans[box.id], key=self._at.__getitem__)
            self._low.update(dict.fromkeys(fan[:1], (at + low, "")))
            self._high.update(dict.fromkeys(fan[-1:], (at + high, "")))
            for a, b in pairwise(fan):
                self._high[a], self._low[b] = (at + high, b), (at + low, a)

    def moved(self, line: str, level: float, thick: Mapping[str, float]) -> bool:
        """Moves the end of a line to a level if its neighbours there leave it that much room."""
        (low, above), (high, below) = self._low[line], self._high[line]
        for other in filter(None, (above, below)):
            need = (thick.get(line, HAIR) + thick.get(other, HAIR)) / 2 + RIBBON_GAP
            low = max(low, self._at[other] + need) if other == above else low
            high = min(high, self._at[other] - need) if other == below else high
        if not low <= level <= high:
            return False
        self._at[line] = level
        return True


def _dock(box: Box, across: int, end: str) -> tuple[float, float]:
    """Between which places of the side lines may dock, from where the box begins."""
    if not across and end == "source":
        return beneath(box)
    side = box.height if across else box.width
    return min(8.0, side / 4), side - min(8.0, side / 4)
