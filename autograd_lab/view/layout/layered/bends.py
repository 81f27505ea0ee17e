"""Where the columns are along the ranks, and the paths of links.

A line bends only in the gap between two columns, where no box is; in a column it runs straight. So no line passes
through a box, and lines of one gap, bending over the same stretch, cross only where the order of their ends says so.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from autograd_lab.view.layout.layered.dag import Graph, Point
from autograd_lab.view.layout.layered.net import Net

SAME = 0.005
"""Two places nearer than this many px are one."""
SLANT = 16.0
"""A line that rises by less than this many px is nearly level, px."""


@dataclass(slots=True)
class Along:
    """By column where it begins and ends, and for the gap after it where bends must have ended."""

    begin: list[float]
    end: list[float]
    bent: list[float]


def along(graph: Graph, net: Net, at: list[float], rank_gap: float) -> Along:
    """Columns as near to each other as their boxes, the bends and the room for labels allow."""
    length = [0.0] * len(net.columns)
    for box, column in enumerate(net.rank[: net.boxes]):
        length[column] = max(length[column], graph.length[box])
    room = [0.0] * len(net.columns)
    for wire in graph.wires:
        column = net.rank[wire.target]
        room[column] = max(room[column], wire.room - (length[column] - graph.length[wire.target]) / 2)
    rise = [0.0] * len(net.columns)
    for it in net.segments:
        column = net.rank[it.right]
        rise[column] = max(rise[column], abs(at[it.left] + it.leave - at[it.right] - it.arrive))
    least = _least(graph, net, at)
    result = Along([0.0], [length[0]], [])
    for column in range(1, len(net.columns)):
        bend = 0.8 * rank_gap + min(0.12 * rise[column], rank_gap) if rise[column] > SAME else 0.0
        begin = result.end[-1] + ceil(max(rank_gap, bend + room[column], least[column]))
        result.begin.append(begin)
        result.end.append(begin + length[column])
        result.bent.append(begin - room[column])
    return result


def _least(graph: Graph, net: Net, at: list[float]) -> list[float]:
    """By column, how long a line is at least that bends on its way to it from the column before."""
    least = [0.0] * len(net.columns)
    for wire in graph.wires:
        column = net.rank[wire.target]
        rise = abs(at[wire.source] + wire.leave - at[wire.target] - wire.arrive)
        if column == net.rank[wire.source] + 1 and rise > SLANT:
            least[column] = max(least[column], wire.least)
    return least


def routes(graph: Graph, net: Net, at: list[float], columns: Along) -> list[list[Point]]:
    """A Bézier path for each wire."""
    bends = {lane: _bends(net, at, knots) for lane, knots in net.lanes.items()}
    floor = max(at[item] + net.breadth[item] for item in range(len(at)))
    paths = []
    for wire in graph.wires:
        first, last = net.rank[wire.source], net.rank[wire.target]
        lane = wire.way
        leave, arrive = at[wire.source] + wire.leave, at[wire.target] + wire.arrive
        steps: list[tuple[int, float, float]] = []
        if last == first + 1:
            steps = [(first, leave, arrive)]
        elif lane in net.outside:
            level = floor + 12.0 * (1 + net.outside[lane] % 24)
            steps = [(first, leave, level), (last - 1, level, arrive)]
        else:
            knots = net.lanes[lane]
            inner = bends[lane][: bisect_left(bends[lane], (last - 1,))]
            steps = [(first, leave, at[knots[0]]), *inner, (last - 1, at[knots[last - first - 2]], arrive)]
        start = _middle(graph, net, columns, wire.source) + graph.length[wire.source]
        paths.append(_path((start, leave), steps, (_middle(graph, net, columns, wire.target), arrive), columns))
    return paths


def _bends(net: Net, at: list[float], knots: list[int]) -> list[tuple[int, float, float]]:
    """Where a lane changes its place: after which column, from where, to where."""
    return [(net.rank[a], at[a], at[b]) for a, b in pairwise(knots) if abs(at[a] - at[b]) > SAME]


def _middle(graph: Graph, net: Net, columns: Along, box: int) -> float:
    """Where a box begins, standing in the middle of its column."""
    column = net.rank[box]
    return columns.begin[column] + int((columns.end[column] - columns.begin[column] - graph.length[box]) / 2)


def places(graph: Graph, net: Net, at: list[float], columns: Along) -> list[Point]:
    """The corner of each box."""
    return [(_middle(graph, net, columns, box), at[box]) for box in range(net.boxes)]


def _path(start: Point, steps: list[tuple[int, float, float]], end: Point, columns: Along) -> list[Point]:
    path = [start]
    for column, before, after in steps:
        if abs(before - after) > SAME:
            _line_to(path, (columns.end[column], before))
            _bend_to(path, (columns.bent[column], after))
    _line_to(path, end)
    return path


def _line_to(path: list[Point], end: Point) -> None:
    (x, y), (to_x, to_y) = path[-1], end
    if to_x - x > SAME:
        path += [(x + (to_x - x) / 3, y), (x + (to_x - x) * 2 / 3, to_y), end]


def _bend_to(path: list[Point], end: Point) -> None:
    (x, y), (to_x, to_y) = path[-1], end
    path += [((x + to_x) / 2, y), ((x + to_x) / 2, to_y), end]
