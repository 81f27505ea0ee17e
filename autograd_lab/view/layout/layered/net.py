"""Long links get lanes: a *knot* in each column that they pass, so that they never run behind a box.

Links that leave one port share a lane as far as they go the same way. So a box with a thousand users costs as many
knots as there are columns, not a thousand times that; and where even these would be too many, the longest lanes leave
the columns and run beside the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from autograd_lab.view.layout.layered.dag import Graph, Wire

KNOTS_PER_BOX = 4
KNOTS_FREE = 2000


class Segment(NamedTuple):
    """A stretch from an item of one column to an item of the next; ports as in a Wire."""

    left: int
    right: int
    leave: float
    arrive: float


@dataclass(slots=True)
class Net:
    """Items are boxes, then knots, whose breadth is 0. `lanes` holds knots in order by way."""

    boxes: int
    rank: list[int]
    breadth: list[float]
    columns: list[list[int]]
    segments: list[Segment] = field(default_factory=list)
    lanes: dict[tuple[int, float], list[int]] = field(default_factory=dict)
    outside: dict[tuple[int, float], int] = field(default_factory=dict)


def net_of(graph: Graph, rank: list[int]) -> Net:
    """The graph cut at every column."""
    net = Net(len(rank), rank[:], graph.breadth[:], [[] for _ in range(max(rank) + 1)])
    for box, column in enumerate(rank):
        net.columns[column].append(box)
    _make_lanes(net, graph)
    net.segments = segments_of(net, graph.wires)
    return net


def segments_of(net: Net, wires: list[Wire]) -> list[Segment]:
    """The stretches of all lanes, then those at which wires arrive."""
    leave = {wire.way: wire.leave for wire in wires}
    segments = []
    for way, knots in net.lanes.items():
        segments.append(Segment(way[0], knots[0], leave[way], 0.0))
        segments += [Segment(a, b, 0.0, 0.0) for a, b in pairwise(knots)]
    for wire in wires:
        span = net.rank[wire.target] - net.rank[wire.source]
        if span == 1:
            segments.append(Segment(wire.source, wire.target, wire.leave, wire.arrive))
        elif wire.way not in net.outside:
            segments.append(Segment(net.lanes[wire.way][span - 2], wire.target, 0.0, wire.arrive))
    return segments


def _make_lanes(net: Net, graph: Graph) -> None:
    spans: dict[tuple[int, float], int] = {}
    for wire in graph.wires:
        span = net.rank[wire.target] - net.rank[wire.source]
        if span > 1:
            spans[wire.way] = max(span, spans.get(wire.way, 0))
    budget = KNOTS_PER_BOX * net.boxes + KNOTS_FREE
    for lane, span in sorted(spans.items(), key=lambda item: item[1]):
        budget -= span - 1
        if budget < 0:
            net.outside[lane] = len(net.outside)
    for lane, span in spans.items():
        if lane not in net.outside:
            net.lanes[lane] = _lay(net, lane[0], span)


def _lay(net: Net, source: int, span: int) -> list[int]:
    knots = []
    for column in range(net.rank[source] + 1, net.rank[source] + span):
        knots.append(len(net.rank))
        net.columns[column].append(len(net.rank))
        net.rank.append(column)
        net.breadth.append(0.0)
    return knots
