"""Parts of a graph that are not linked are drawn one by one, then set side by side and below each other."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace

from autograd_lab.view.layout.layered.across import across
from autograd_lab.view.layout.layered.bends import along, places, routes
from autograd_lab.view.layout.layered.dag import Drawing, Graph, Point
from autograd_lab.view.layout.layered.fans import docked
from autograd_lab.view.layout.layered.net import net_of, segments_of
from autograd_lab.view.layout.layered.order import order
from autograd_lab.view.layout.layered.ranks import ranks_of


@dataclass(frozen=True, slots=True)
class Part:
    """A connected part: its own graph, and the numbers its boxes and wires have in the whole."""

    graph: Graph
    boxes: list[int]
    wires: list[int]


def draw(graph: Graph, rank_gap: float, box_gap: float) -> Drawing:
    """The whole graph: parts from the top in the order of their first boxes, several to a row where all are short."""
    place: list[Point] = [(0.0, 0.0)] * len(graph.length)
    route: list[list[Point]] = [[] for _ in graph.wires]
    ranks = [0] * len(graph.length)
    parts = _parts(graph)
    drawings = [_draw_part(part.graph, rank_gap, box_gap) for part in parts]
    corners = _pack(drawings, rank_gap, box_gap * 1.5)
    for part, drawn, (x, y) in zip(parts, drawings, corners, strict=True):
        y -= drawn.top
        for box, at, rank in zip(part.boxes, drawn.places, drawn.ranks, strict=True):
            place[box], ranks[box] = (at[0] + x, at[1] + y), rank
        for wire, path in zip(part.wires, drawn.routes, strict=True):
            route[wire] = [(along + x, across + y) for along, across in path]
    length = max((x + drawn.length for (x, _), drawn in zip(corners, drawings, strict=True)), default=0.0)
    breadth = max((y + drawn.breadth for (_, y), drawn in zip(corners, drawings, strict=True)), default=0.0)
    return Drawing(place, route, ranks, length, breadth)


def least_breadth(graph: Graph, box_gap: float) -> float:
    """A breadth that no drawing of the graph is less than: that of its fullest rank, with gaps between boxes."""
    return max((_fullest(part.graph, box_gap) for part in _parts(graph)), default=0.0)


def _fullest(graph: Graph, box_gap: float) -> float:
    breadths: dict[int, float] = defaultdict(lambda: -box_gap)
    for rank, breadth in zip(ranks_of(len(graph.length), graph.wires), graph.breadth, strict=True):
        breadths[rank] += breadth + box_gap
    return max(breadths.values())


def _draw_part(graph: Graph, rank_gap: float, box_gap: float) -> Drawing:
    rank = ranks_of(len(graph.length), graph.wires)
    net = net_of(graph, rank)
    order(net, as_written=bool(graph.docks))
    if graph.docks:
        graph = replace(graph, wires=docked(graph, net))
        net.segments = segments_of(net, graph.wires)
    at = across(net, box_gap)
    columns = along(graph, net, at, rank_gap)
    paths = routes(graph, net, at, columns)
    tops = [y for path in paths for _, y in path]
    top = min([*at[: net.boxes], *tops])
    bottom = max([*(y + breadth for y, breadth in zip(at, graph.breadth, strict=False)), *tops])
    return Drawing(places(graph, net, at, columns), paths, rank, columns.end[-1], bottom - top, top)


def _parts(graph: Graph) -> list[Part]:
    """Connected parts, in the order of their first boxes."""
    root = _roots(graph)
    parts: dict[int, Part] = {}
    number = [0] * len(root)
    for box, top in enumerate(root):
        part = parts.setdefault(top, Part(Graph([], [], []), [], []))
        number[box] = len(part.boxes)
        part.boxes.append(box)
        part.graph.length.append(graph.length[box])
        part.graph.breadth.append(graph.breadth[box])
        part.graph.docks.extend(graph.docks[box : box + 1])
    for i, wire in enumerate(graph.wires):
        part = parts[root[wire.source]]
        part.wires.append(i)
        part.graph.wires.append(wire._replace(source=number[wire.source], target=number[wire.target]))
    return list(parts.values())


def _roots(graph: Graph) -> list[int]:
    """For each box, the first box of its part."""
    root = list(range(len(graph.length)))

    def find(box: int) -> int:
        while root[box] != box:
            root[box] = root[root[box]]
            box = root[box]
        return box

    for wire in graph.wires:
        a, b = find(wire.source), find(wire.target)
        root[max(a, b)] = min(a, b)
    return [find(box) for box in range(len(root))]


def _pack(drawings: list[Drawing], gap_along: float, gap_across: float) -> list[Point]:
    """Corners for the parts, row by row; a row is as long as the longest part, or longer where a square would be."""
    area = sum((it.length + gap_along) * (it.breadth + gap_across) for it in drawings)
    limit = max((it.length for it in drawings), default=0.0)
    limit = max(limit, math.sqrt(1.6 * area))
    corners: list[Point] = []
    x = y = deep = 0.0
    for it in drawings:
        if x and x + it.length > limit:
            x, y, deep = 0.0, y + deep + gap_across, 0.0
        corners.append((x, y))
        x, deep = x + it.length + gap_along, max(deep, it.breadth)
    return corners
