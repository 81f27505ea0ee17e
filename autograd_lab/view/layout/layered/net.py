"""Long links get lanes: a *knot* in each column that they pass, so that they never run behind a box.

Links that leave one port share a lane as far as they go the same way. So a box with a thousand users costs as many
knots as there are columns, not a thousand times that; and where even these would be too many, the longest lanes leave
the columns and run beside the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from autograd_lab.view.layout.layered.dag import Graph

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
    """Items are boxes, then knots, whose breadth is 0. `lanes` holds knots in order by lane, (source, leave)."""

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
    for wire in graph.wires:
        lane = (wire.source, wire.leave)
        span = rank[wire.target] - rank[wire.source]
        if span == 1:
            net.segments.append(Segment(wire.source, wire.target, wire.leave, wire.arrive))
        elif lane not in net.outside:
            net.segments.append(Segment(net.lanes[lane][span - 2], wire.target, 0.0, wire.arrive))
    return net


def _make_lanes(net: Net, graph: Graph) -> None:
    spans: dict[tuple[int, float], int] = {}
    for wire in graph.wires:
        span = net.rank[wire.target] - net.rank[wire.source]
        if span > 1:
            lane = (wire.source, wire.leave)
            spans[lane] = max(span, spans.get(lane, 0))
    budget = KNOTS_PER_BOX * net.boxes + KNOTS_FREE
    for lane, span in sorted(spans.items(), key=lambda item: item[1]):
        budget -= span - 1
        if budget < 0:
            net.outside[lane] = len(net.outside)
    for lane, span in spans.items():
        if lane not in net.outside:
            net.lanes[lane] = _lay(net, lane, span)


def _lay(net: Net, lane: tuple[int, float], span: int) -> list[int]:
    source, leave = lane
    knots = []
    left = source
    for column in range(net.rank[source] + 1, net.rank[source] + span):
        knot = len(net.rank)
        net.rank.append(column)
        net.breadth.append(0.0)
        net.columns[column].append(knot)
        net.segments.append(Segment(left, knot, leave if left == source else 0.0, 0.0))
        knots.append(knot)
        left = knot
    return knots
