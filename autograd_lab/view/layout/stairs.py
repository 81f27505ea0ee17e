"""Stairs and zigzag: forms in which columns overlap, since width is what a slide lacks.

On stairs, a skip runs straight at its own height, and what it skips stands one step lower: a U for a U-Net, a line with
hanging blocks for residual ones. In a zigzag, a chain goes down and up, so that it takes little more than half its
length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf

from autograd_lab.view.layout.boxes import Box, Link, Point, Route
from autograd_lab.view.layout.guests import Row, seated
from autograd_lab.view.layout.placed import Placed, framed
from autograd_lab.view.layout.ranked import ALIKE
from autograd_lab.view.layout.spine import Known, Spine, spine_of
from autograd_lab.view.layout.steps import Steps, axes, carried_places, lefts
from autograd_lab.view.layout.strokes import bent
from autograd_lab.view.layout.tributaries import Tributaries, joined, parted

LONG = 6
"""Boxes that a chain has at least for a zigzag."""


def stairs(
    boxes: Iterable[Box],
    links: Iterable[Link],
    *,
    gap: float,
    clear: float,
    heads: Collection[str] = frozenset(),
    above: bool = False,
    number: float = 0.0,
    thick: Mapping[str, float] = ALIKE,
    most: float = inf,
    known: Known | None = None,
) -> Placed | None:
    """A spine with nested skips, or skips in a row; None if the graph has not that shape, or has no skip.

    What would be wider than `most` px is given up; spines that are `known` are not looked for again.

    `gap` px are between boxes that a level line joins, `clear` px between an upright line and the box that it turns to.
    Levels are `number` px apart at least where lines of two of them dock side by side.
    `heads` only begin lines, and the spine need not pass through them; with `above`, what comes in first stands over
    the first box, not before it.
    """
    boxes, links = list(boxes), list(links)
    beside = joined(boxes, links, heads, gap)
    spine = _spine(known, False, beside.boxes, beside.links, beside.heads, above)
    if spine is None or not spine.skips or not beside.fronts.keys() <= {guest.id for guest in spine.guests}:
        return None
    steps = Steps(spine, {box.id: box for box in beside.boxes}, thick, gap, clear, number=number)
    placed = _placed("stairs", spine, beside.links, steps, most)
    if placed is None or placed.is_too_wide or not beside.fronts:
        return placed
    return _parted(placed, beside, boxes, links)


def _spine(
    known: Known | None, is_whole: bool, boxes: Sequence[Box], links: Sequence[Link], heads: Collection[str],
    above: bool,
) -> Spine | None:  # fmt: skip
    """The spine of a graph, looked for once."""
    if known is None:
        return spine_of(boxes, links, heads, above)
    if (above, is_whole) not in known:
        known[above, is_whole] = spine_of(boxes, links, heads, above)
    return known[above, is_whole]


def _parted(placed: Placed, beside: Tributaries, boxes: Iterable[Box], links: Iterable[Link]) -> Placed | None:
    """With tributaries apart from what comes into them; None if a line does not leave one below."""
    by_id, places, routes = {box.id: box for box in boxes}, dict(placed.places), dict(placed.routes)
    parted(beside, by_id, places, routes)
    whole = framed("stairs", by_id, links, places, routes)
    begun = [name for name, (source, _) in whole.ends.items() if source in beside.fronts]
    under = all(_leaves_below(whole, name) for name in begun)
    return whole if under and all(map(whole.is_clear, begun)) else None


def _leaves_below(placed: Placed, link: str) -> bool:
    (x, y), source = placed.routes[link][0], placed.ends[link][0]
    (left, top), box = placed.places[source], placed.boxes[source]
    return left <= x <= left + box.width and abs(y - top - box.height) < 1


def zigzag(
    boxes: Iterable[Box],
    links: Iterable[Link],
    *,
    gap: float,
    clear: float = 24,
    room: float = 0.0,
    heads: Collection[str] = frozenset(),
    thick: Mapping[str, float] = ALIKE,
    most: float = inf,
    known: Known | None = None,
) -> Placed | None:
    """A long chain without skips in two heights, `room` px apart at least; None for any other graph.

    What would be wider than `most` px is given up; spines that are `known` are not looked for again.
    """
    boxes, links = list(boxes), list(links)
    spine = _spine(known, True, boxes, links, heads, above=False)
    if spine is None or spine.skips or len(spine.way) < LONG:
        return None
    front = spine.way[0] in heads
    spine = replace(spine, depth=[k % 2 if not front else (k - 1) % 2 if k else 0 for k in range(len(spine.way))])
    steps = Steps(spine, {box.id: box for box in boxes}, thick, gap, clear, room)
    return _placed("zigzag", spine, links, steps, most)


def _placed(form: str, spine: Spine, links: Iterable[Link], steps: Steps, most: float) -> Placed | None:
    rows = seated(spine)
    if rows is None:
        return None
    left = lefts(steps, *rows)
    if max(x + steps.at(k).width for k, x in enumerate(left)) - min(left) > most:
        return Placed(form, {}, {}, inf, inf)
    axis, top, bottom = axes(steps)
    places = {name: (left[k], axis[spine.depth[k]] - steps.at(k).height / 2) for k, name in enumerate(spine.way)}
    routes: dict[str, Route] = {}
    for number in range(len(spine.runs)):
        _run(steps, number, axis, places, routes)
    for guests, sign, edge in ((rows[0], -1, top), (rows[1], 1, bottom)):
        row = Row(steps, guests, sign, edge, places)
        row.place()
        routes |= row.routes
    return framed(form, steps.boxes, links, places, routes)


def _run(steps: Steps, number: int, axis: list[float], places: dict[str, Point], routes: dict[str, Route]) -> None:
    """Adds the line of a run, and what it carries."""
    run = steps.spine.runs[number]
    first, last = steps.at(run.first), steps.at(run.last)
    y = axis[steps.level(run)] + steps.off[number]
    start, end = (places[first.id][0] + first.width, y), (places[last.id][0], y)
    before: tuple[Point, ...] = (start,)
    after: tuple[Point, ...] = (end,)
    if steps.falls(run):
        start = (places[first.id][0] + steps.leave[number], y)
        before = ((start[0], _under(first, places[first.id], start[0])), start)
    if steps.rises(run):
        end = (places[last.id][0] + steps.arrive[number], y)
        after = (end, (end[0], _under(last, places[last.id], end[0])))
    carried = carried_places(steps, run, start[0], end[0], y)
    places |= carried
    for name, link in zip(run.boxes, run.links, strict=False):
        routes[link] = bent(*before, (carried[name][0], y))
        before = ((carried[name][0] + steps.boxes[name].width, y),)
    routes[run.links[-1]] = bent(*before, *after)


def _under(box: Box, place: Point, x: float) -> float:
    """Where an upright line ends below a box: at its outline, or below what hangs there and would hide its end."""
    return place[1] + box.height + (box.hang if x - place[0] < box.hang_width else 0.0)
