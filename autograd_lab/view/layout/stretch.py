"""A picture made larger without changing what stands in it: to fill its room, or because an opened box needs more.

Both axes are stretched by a map that only ever pushes things apart. Boxes move as wholes, lines follow the boxes they
end at, and everything else goes through the map; so nothing comes to overlap, and what was level stays level.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import dist
from typing import NamedTuple

from autograd_lab.view.layout.boxes import Box, Route
from autograd_lab.view.layout.placed import Area, Ends, Placed
from autograd_lab.view.layout.strokes import straight

MOST = 1.9
"""How much a gap may grow when a picture is stretched to its room."""

SAME = 0.02
"""Two places nearer than this many px are one."""


class Ramp(NamedTuple):
    """Between two places, everything is pushed apart by so many px in all."""

    start: float
    end: float
    more: float


class Span(NamedTuple):
    """A box along one axis, before and after; its ports move by `shift`."""

    low: float
    high: float
    new_low: float
    new_high: float
    shift: float

    def moved(self, px: float) -> Span:
        """The same, so many px farther on."""
        return self._replace(new_low=self.new_low + px, new_high=self.new_high + px, shift=self.shift + px)

    def has_edge(self, at: float) -> bool:
        """Whether a place is where the box begins or ends, or beyond, below what hangs there."""
        return not self.low + SAME <= at <= self.high - SAME

    def carried(self, at: float) -> float:
        """Where a place at the outline comes to; what is beyond an edge, below what hangs there, goes with the edge."""
        if at < self.low + SAME:
            return at - self.low + self.new_low
        return at - self.high + self.new_high if at > self.high - SAME else at + self.shift


@dataclass(slots=True)
class Push:
    """A map of one axis that pushes apart, more and more from the beginning on."""

    at: list[float]
    by: list[float]

    def __call__(self, place: float) -> float:
        i = bisect_right(self.at, place)
        if i == 0 or i == len(self.at):
            return place + (self.by[i - 1] if i else 0.0)
        share = (place - self.at[i - 1]) / (self.at[i] - self.at[i - 1])
        return place + self.by[i - 1] + (self.by[i] - self.by[i - 1]) * share


def push_of(ramps: Iterable[Ramp]) -> Push:
    """The map that does what each ramp asks for; where several overlap, what the steepest asks for."""
    ramps = [ramp for ramp in ramps if ramp.end > ramp.start and ramp.more > 0]
    at = sorted({place for ramp in ramps for place in (ramp.start, ramp.end)})
    index = {place: i for i, place in enumerate(at)}
    slopes = [0.0] * max(0, len(at) - 1)
    for ramp in ramps:
        slope = ramp.more / (ramp.end - ramp.start)
        for i in range(index[ramp.start], index[ramp.end]):
            slopes[i] = max(slopes[i], slope)
    by = accumulate(((b - a) * slope for (a, b), slope in zip(pairwise(at), slopes, strict=True)), initial=0.0)
    return Push(at, list(by)[: len(at)])


def stretched(
    placed: Placed,
    room: tuple[float, float] | None = None,
    grown: Mapping[str, tuple[float, float]] | None = None,
) -> Placed:
    """The picture with new sizes for boxes that have `grown`, then stretched towards the shape of its `room`.

    A grown box keeps its ports where they are, seen from its lines, and everything beyond it is pushed away. For the
    room, only gaps grow that no box covers, each by the same share, so that boxes and level lines stay what they are.
    """
    if grown:
        boxes = {name: replace(placed.boxes[name], width=w, height=h) for name, (w, h) in grown.items()}
        placed = _with_room_for(placed, boxes)
    if room is None or not placed.places:
        return placed
    scale = min(room[0] / placed.width, room[1] / placed.height)
    extra = (room[0] / scale - placed.width, room[1] / scale - placed.height)
    pushes = [push_of(_shared(_gaps(placed, axis), extra[axis])) for axis in (0, 1)]
    return redrawn(placed, pushes)


def _with_room_for(placed: Placed, boxes: Mapping[str, Box]) -> Placed:
    """The picture with other boxes of the same names."""
    pushes = []
    for axis in (0, 1):
        old = {name: _outline(placed, placed.boxes[name], axis) for name in boxes}
        new = {name: _outline(placed, box, axis) for name, box in boxes.items()}
        pushes.append(push_of([Ramp(*old[name], new[name][1] - old[name][1]) for name in boxes]))
    return redrawn(placed, pushes, boxes)


def _outline(placed: Placed, box: Box, axis: int) -> tuple[float, float]:
    """From where to where a box is, without what hangs below it."""
    low = placed.places[box.id][axis]
    return low, low + (box.height if axis else box.width)


def _extent(placed: Placed, box: Box, axis: int) -> tuple[float, float]:
    """From where to where a box is, with what hangs below it."""
    low, high = _outline(placed, box, axis)
    return low, high + (box.hang if axis else 0.0)


def _gaps(placed: Placed, axis: int) -> list[tuple[float, float]]:
    """What no box covers, along one axis; nor a bar, from above to below."""
    spans = [_extent(placed, box, axis) for box in placed.boxes.values()]
    spans += [(y, y + height) for _, y, _, height in placed.bars.values()] if axis else []
    spans.sort()
    gaps, end = [], spans[0][1]
    for low, high in spans:
        if low > end + 1:
            gaps.append((end, low))
        end = max(end, high)
    return gaps


def _shared(gaps: Sequence[tuple[float, float]], extra: float) -> list[Ramp]:
    free = sum(b - a for a, b in gaps)
    extra = min(extra, free * (MOST - 1))
    return [Ramp(a, b, extra * (b - a) / free) for a, b in gaps]


def redrawn(
    placed: Placed,
    pushes: Sequence[Push],
    grown: Mapping[str, Box] | None = None,
    aside: Mapping[str, float] | None = None,
) -> Placed:
    """The picture after a push along each axis; some boxes may have another size, or step some px to the right."""
    boxes = {**placed.boxes, **(grown or {})}
    spans = [_spans(placed, boxes, axis, push) for axis, push in enumerate(pushes)]
    for name, px in (aside or {}).items():
        spans[0][name] = spans[0][name].moved(px)
    bars = {name: _bar(bar, pushes) for name, bar in placed.bars.items()}
    drops = {
        (box, bar): (round(x + spans[0][box].shift, 2), round(spans[1][box].carried(y), 2), bars[bar][1])
        for (box, bar), (x, y, _) in placed.drops.items()
    }
    return Placed(
        placed.form,
        {name: (round(spans[0][name].new_low, 2), round(spans[1][name].new_low, 2)) for name in placed.places},
        {name: _route(route, placed.ends[name], spans, pushes) for name, route in placed.routes.items()},
        round(pushes[0](placed.width), 2),
        round(pushes[1](placed.height), 2),
        bars,
        drops,
        boxes,
        placed.ends,
    )


def _bar(bar: Area, pushes: Sequence[Push]) -> Area:
    x, y, width, height = bar
    left, top = pushes[0](x), pushes[1](y)
    return round(left, 2), round(top, 2), round(pushes[0](x + width) - left, 2), height


def _spans(placed: Placed, boxes: Mapping[str, Box], axis: int, push: Push) -> dict[str, Span]:
    """Each box along an axis. It moves as the level does on which its lines run, if it has one, else as its middle."""
    levels = _levels(placed, axis)
    spans = {}
    for name, old in placed.boxes.items():
        low, high = _outline(placed, old, axis)
        first, last = _outline(placed, boxes[name], axis)
        pin = max(low, min(high, levels.get(name, (low + high) / 2)))
        new_low = push(pin) - (pin - low) * (last - first) / (high - low)
        spans[name] = Span(low, high, new_low, new_low + last - first, push(pin) - pin)
    return spans


def _levels(placed: Placed, axis: int) -> dict[str, float]:
    """For each box that a straight line along the other axis joins to others, one place for all of them."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = name = leader[leader[name]]
        return name

    at: dict[str, list[float]] = {}
    flat = [name for name, route in placed.routes.items() if all(abs(p[axis] - route[0][axis]) < SAME for p in route)]
    for name in flat:
        source, target = placed.ends[name]
        leader[find(source)] = find(target)
    for name in flat:
        at.setdefault(find(placed.ends[name][0]), []).append(placed.routes[name][0][axis])
    middle = {name: sum(places) / len(places) for name, places in at.items()}
    return {**_long_starts(placed, axis), **{name: middle[find(name)] for name in list(leader)}}


def _long_starts(placed: Placed, axis: int) -> dict[str, float]:
    """For boxes with a line that keeps the place of its port for long, that place: such a line passes other boxes."""
    at = {}
    for name, route in placed.routes.items():
        for box, way in zip(placed.ends[name], (route, route[::-1]), strict=True):
            if all(abs(point[axis] - way[0][axis]) < SAME for point in way[:4]):
                at[box] = way[0][axis]
    return at


def _route(route: Route, ends: Ends, spans: Sequence[Mapping[str, Span]], pushes: Sequence[Push]) -> Route:
    source, target = ends
    x, y = (
        _carried([point[axis] for point in route], spans[axis][source], spans[axis][target], pushes[axis])
        for axis in (0, 1)
    )
    first, *path, last = [(round(a, 2), round(b, 2)) for a, b in zip(x, y, strict=True)]
    before = (first, *straight(first, path[0])) if dist(first, path[0]) > SAME else (first,)
    after = straight(path[-1], last) if dist(path[-1], last) > SAME else ()
    return (*before, *path[1:], *after)


def _carried(places: Sequence[float], source: Span, target: Span, push: Push) -> list[float]:
    """A line along one axis, between two stubs: from the box that it leaves, and to the one that it comes to.

    As far as a line keeps the place of a port it goes with that box, else with the push. At an edge of its box it
    begins where the push has put that edge, and the stub leads there.
    """
    first = next((i for i, at in enumerate(places) if abs(at - places[0]) > SAME), len(places) - 2)
    last = next((i for i, at in enumerate(reversed(places)) if abs(at - places[-1]) > SAME), 2)
    new = [push(at) for at in places]
    if not source.has_edge(places[0]):
        new[:first] = [source.carried(places[0])] * first
    if not target.has_edge(places[-1]):
        new[len(places) - last :] = [target.carried(places[-1])] * last
    new[0] = _led(places[0], places[1], new[0], new[1])
    new[-1] = _led(places[-1], places[-2], new[-1], new[-2])
    return [source.carried(places[0]), *new, target.carried(places[-1])]


def _led(end: float, turn: float, new_end: float, new_turn: float) -> float:
    """Where a line begins to turn: as far before its turn as it was; beside a box that has grown it is straight."""
    led = new_turn - (turn - end)
    return led if min(new_end, new_turn) <= led <= max(new_end, new_turn) else new_end
