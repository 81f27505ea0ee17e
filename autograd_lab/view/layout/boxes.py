"""Boxes and links in, places and routes out: the one function behind which every layout engine stands.

It knows nothing of autograd: a box has a size, a link has two ports. `lay_out` is pure, and the same input gives the
same numbers on every machine (for `engine="dot"`: with the same version of Graphviz).

>>> boxes = [Box("a", 60, 30), Box("y", 60, 30)]
>>> drawn = lay_out(boxes, [Link("a-y", "a", "y", leave=15, arrive=15)], rank_gap=40)
>>> drawn.places
{'a': (0.0, 0.0), 'y': (100.0, 0.0)}
>>> drawn.routes["a-y"][0], drawn.routes["a-y"][-1]
((60.0, 15.0), (100.0, 15.0))
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from autograd_lab.view.layout.graphviz_engine import GraphvizMissing
from autograd_lab.view.layout.graphviz_layout import draw_with_dot
from autograd_lab.view.layout.layered import Docks, Drawing, Graph, Wire, draw

Direction = Literal["LR", "TB"]
Engine = Literal["auto", "layered", "dot"]
Point = tuple[float, float]
Route = tuple[Point, ...]

HAIR = 2.0
"""How thick a line is of which nothing else is said, px."""

CORNER = 8.0
"""How far from the ends of a side lines dock, px."""

LEAST_PITCH = 3.0
"""Lines that would leave a box nearer to each other than this many px share one port, and a lane as far as they can."""

DOT_LIMIT = 1500
"""Boxes beyond which Graphviz would take many seconds, so that our own layout is used in its place."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle to be placed, in px.

    `hang` px hang below its outline, along the first `hang_width` px of its lower edge: other boxes and lines keep
    clear of them, and its own lines begin and end at the outline.
    """

    id: str
    width: float
    height: float
    hang: float = 0.0
    hang_width: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A line from a port of one box to a port of another.

    Left to right, it leaves the right side of the source `leave` px below its top, and arrives at the left side of
    the target `arrive` px below its top. Top down, it leaves the bottom `leave` px right of the left edge and arrives
    at the top `arrive` px right of the left edge. The last `room` px before the target are straight. A line that bends
    between neighbouring ranks has `least` px between them, so that what stands on it leaves some of it to be seen.
    """

    id: str
    source: str
    target: str
    leave: float = 0
    arrive: float = 0
    room: float = 0
    least: float = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """Top-left corners of boxes, and links as cubic Bézier paths: a start, then triples of two controls and an end.

    `engine` is the one that drew, which may not be the one that was asked for; then `notice` says why.
    """

    places: dict[str, Point]
    routes: dict[str, Route]
    width: float
    height: float
    engine: str
    ranks: dict[str, int] = field(default_factory=dict)
    notice: str = ""


class LayoutError(ValueError):
    """The graph cannot be laid out, or the engine asked for is not here; the text says what to do."""


def lay_out(
    boxes: Iterable[Box],
    links: Iterable[Link],
    *,
    direction: Direction = "LR",
    engine: Engine = "auto",
    rank_gap: float = 56,
    box_gap: float = 28,
    thick: Mapping[str, float] | None = None,
) -> Layout:
    """Places for boxes, which come in a topological order, and routes for links, in ranks along `direction`.

        `rank_gap` px at least are between ranks and `box_gap` px between boxes of a rank. "auto" is our own layered
    layout, "dot" is Graphviz. Where it is said how `thick` lines are, in px by id, our own layout chooses the ports:
    side by side, ordered as their other ends. Raises LayoutError for a link that runs against the order, a size or a
    port that makes no sense, or where Graphviz is asked for and missing.
    """
    boxes, links = list(boxes), list(links)
    if direction not in ("LR", "TB") or engine not in ("auto", "layered", "dot"):
        raise LayoutError(f"direction is LR or TB, engine auto, layered or dot; not {direction!r}, {engine!r}")
    index = _index(boxes)
    _check(boxes, links, index, direction)
    flip = direction == "TB"
    graph = Graph(
        length=[box.height + box.hang if flip else box.width for box in boxes],
        breadth=[box.width if flip else box.height + box.hang for box in boxes],
        wires=[Wire(index[it.source], index[it.target], it.leave, it.arrive, it.room, it.least) for it in links],
    )
    if thick is not None:
        graph = _free(graph, boxes, [thick.get(link.id, HAIR) for link in links], flip)
    if engine == "dot" and len(boxes) <= DOT_LIMIT:
        return _named(boxes, links, _by_dot(graph, rank_gap, box_gap), flip, "dot")
    notice = f"{len(boxes):,} boxes are too many for Graphviz (limit {DOT_LIMIT:,}): drawn by our own layout"
    return _named(boxes, links, draw(graph, rank_gap, box_gap), flip, "layered", notice if engine == "dot" else "")


def _free(graph: Graph, boxes: Sequence[Box], thick: Sequence[float], flip: bool) -> Graph:
    """The graph with ports still to be chosen, and a lane for each wire unless too many leave a box for that."""
    leaving = Counter(wire.source for wire in graph.wires)
    docks = [Docks(beneath(box), _inner(box.width)) if flip else Docks(*[_inner(box.height)] * 2) for box in boxes]
    wires = []
    for i, (wire, px) in enumerate(zip(graph.wires, thick, strict=True)):
        (low, high), into = docks[wire.source].leave, docks[wire.target].arrive
        lane = i if leaving[wire.source] <= (high - low) / LEAST_PITCH else -1
        wires.append(wire._replace(leave=(low + high) / 2, arrive=sum(into) / 2, thick=px, lane=lane))
    return replace(graph, wires=wires, docks=docks)


def _inner(side: float) -> tuple[float, float]:
    """The part of a side at which lines dock, clear of its round corners."""
    edge = min(CORNER, side / 4)
    return edge, side - edge


def beneath(box: Box) -> tuple[float, float]:
    """The part of its lower edge at which lines dock, beside what hangs there if that leaves room."""
    low, high = _inner(box.width)
    beside = box.hang_width + CORNER / 2 if box.hang else 0.0
    return (beside, high) if low < beside <= high - CORNER else (low, high)


def _by_dot(graph: Graph, rank_gap: float, box_gap: float) -> Drawing:
    try:
        return draw_with_dot(graph, rank_gap, box_gap)
    except GraphvizMissing as error:
        raise LayoutError(str(error)) from error


def _named(
    boxes: Sequence[Box], links: Sequence[Link], drawing: Drawing, flip: bool, engine: str, notice: str = ""
) -> Layout:
    """A drawing with names for numbers, x and y for along and across."""
    width, height = _turned([(drawing.length, drawing.breadth)], flip)[0]
    hang = {box.id: box.hang if flip else 0.0 for box in boxes}
    routes = [_from_outline(route, hang[link.source]) for link, route in zip(links, drawing.routes, strict=True)]
    return Layout(
        places={box.id: place for box, place in zip(boxes, _turned(drawing.places, flip), strict=True)},
        routes={link.id: _turned(route, flip) for link, route in zip(links, routes, strict=True)},
        width=width,
        height=height,
        engine=engine,
        ranks={box.id: rank for box, rank in zip(boxes, drawing.ranks, strict=True)},
        notice=notice,
    )


def _from_outline(route: list[Point], hang: float) -> list[Point]:
    """A route (along, across) that begins at the outline of a box, straight past what hangs below it."""
    if not hang:
        return route
    along, across = route[0]
    return [(along - hang * share, across) for share in (1.0, 2 / 3, 1 / 3)] + route


def _turned(points: Sequence[Point], flip: bool) -> Route:
    """Points (along, across) as (x, y), rounded; + 0.0 makes a plain zero of -0.0."""
    if flip:
        return tuple([(round(across, 2) + 0.0, round(along, 2) + 0.0) for along, across in points])
    return tuple([(round(along, 2) + 0.0, round(across, 2) + 0.0) for along, across in points])


def _index(boxes: Sequence[Box]) -> dict[str, int]:
    index = {box.id: i for i, box in enumerate(boxes)}
    if len(index) < len(boxes):
        twice = next(box.id for i, box in enumerate(boxes) if index[box.id] != i)
        raise LayoutError(f"two boxes have the id {twice!r}; give each its own")
    return index


def _check(boxes: Sequence[Box], links: Sequence[Link], index: dict[str, int], direction: Direction) -> None:
    for box in boxes:
        if not (0 < box.width < math.inf and 0 < box.height < math.inf):
            raise LayoutError(f"box {box.id!r} has the size {box.width} × {box.height}; both sides must be positive")
        if not (0 <= box.hang < math.inf and 0 <= box.hang_width < math.inf):
            raise LayoutError(f"box {box.id!r} has a hang of {box.hang_width} × {box.hang}; it must be zero or more")
    if len({link.id for link in links}) < len(links):
        raise LayoutError("two links have the same id; give each its own")
    breadth = [box.height if direction == "LR" else box.width for box in boxes]
    for link in links:
        for end in (link.source, link.target):
            if end not in index:
                raise LayoutError(f"link {link.id!r} names a box {end!r} that is not among the boxes")
        source, target = index[link.source], index[link.target]
        if source >= target:
            raise LayoutError(f"link {link.id!r} runs from {link.source!r} to itself or an earlier box; sort the boxes")
        if not (0 <= link.leave <= breadth[source] and 0 <= link.arrive <= breadth[target]):
            raise LayoutError(f"link {link.id!r} has a port outside of its box: {link.leave}, {link.arrive}")
        if not 0 <= link.room < math.inf:
            raise LayoutError(f"link {link.id!r} wants {link.room} px of room; it must be zero or more")
