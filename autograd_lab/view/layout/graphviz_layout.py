"""Places and routes from Graphviz's `dot`, whose boxes have our sizes and whose lines end at our ports.

No text is handed over, so fonts do not matter: a box is a table of empty cells, one at each port. Where lines must be
straight before they arrive, the box is handed over that much longer, and the straight end is added after.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import ceil

from autograd_lab.view.layout.graphviz_engine import run_dot
from autograd_lab.view.layout.layered.dag import Drawing, Graph, Point, Wire

PT_PER_INCH = 72  # a px of ours is a pt of Graphviz's, which wants gaps in inches
CELL = 2
"""Breadth of a port's cell, px."""
PLAIN = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'


@dataclass(slots=True)
class Ports:
    """The ports of a box where links arrive, those where they leave, and the room wanted before it."""

    arrive: list[float] = field(default_factory=list)
    leave: list[float] = field(default_factory=list)
    room: float = 0.0


def draw_with_dot(graph: Graph, rank_gap: float, box_gap: float) -> Drawing:
    """What the layered layout draws, with Graphviz's places and routes. Raises GraphvizMissing where it is not."""
    if not graph.length:
        return Drawing([], [], [], 0.0, 0.0)
    ports = _ports(graph)
    drawn = json.loads(run_dot(_source(graph, ports, rank_gap, box_gap), "json0"))
    tall = float(drawn["bb"].split(",")[3])
    places = []
    for box, entry in enumerate(sorted(drawn["objects"], key=lambda it: int(it["name"]))):
        ((x, y),) = _points(entry["pos"], tall)
        room = ports[box].room
        places.append((x - ceil(graph.length[box] + room) / 2 + room, y - ceil(graph.breadth[box]) / 2))
    paths = {int(edge["class"]): _points(edge["pos"], tall) for edge in drawn.get("edges", [])}
    routes = [_route(graph, wire, places, ports, paths[i]) for i, wire in enumerate(graph.wires)]
    return _framed(graph, places, routes)


def _ports(graph: Graph) -> list[Ports]:
    ports = [Ports() for _ in graph.length]
    for wire in graph.wires:
        ports[wire.source].leave.append(wire.leave)
        ports[wire.target].arrive.append(wire.arrive)
        ports[wire.target].room = max(ports[wire.target].room, wire.room)
    for it in ports:
        it.arrive, it.leave = sorted(set(it.arrive)), sorted(set(it.leave))
    return ports


def _source(graph: Graph, ports: list[Ports], rank_gap: float, box_gap: float) -> str:
    lines = [
        f"digraph {{ rankdir=LR ranksep={rank_gap / PT_PER_INCH:.4f} nodesep={box_gap / PT_PER_INCH:.4f}",
        "node [shape=plain] edge [dir=none]",
    ]
    for box, sides in enumerate(zip(graph.length, graph.breadth, strict=True)):
        lines.append(f"{box} [label=<{_table(*sides, ports[box])}>]")
    for i, wire in enumerate(graph.wires):
        leave, arrive = ports[wire.source].leave.index(wire.leave), ports[wire.target].arrive.index(wire.arrive)
        lines.append(f'{wire.source}:l{leave}:e -> {wire.target}:a{arrive}:w [class="{i}"]')
    return "\n".join([*lines, "}"])


def _table(length: float, breadth: float, ports: Ports) -> str:
    """A box as two strips side by side, with cells at the ports where links arrive and where they leave."""
    wide, tall = ceil(length + ports.room), ceil(breadth)
    halves = (ports.arrive, "a", wide // 2), (ports.leave, "l", wide - wide // 2)
    strips = "".join(f"<TD>{_strip(_cells(at, name, tall), half)}</TD>" for at, name, half in halves)
    return f'<TABLE {PLAIN} FIXEDSIZE="TRUE" WIDTH="{wide}" HEIGHT="{tall}"><TR>{strips}</TR></TABLE>'


def _cells(ports: list[float], name: str, breadth: int) -> list[tuple[int, str]]:
    """How broad each cell of a strip is, and its port if it has one."""
    cells: list[tuple[int, str]] = []
    at = 0
    for i, port in enumerate(ports):
        begin = max(at, min(round(port) - CELL // 2, breadth - CELL * (len(ports) - i)))
        cells += [(begin - at, ""), (CELL, f' PORT="{name}{i}"')]
        at = begin + CELL
    return [cell for cell in [*cells, (breadth - at, "")] if cell[0] > 0]


def _strip(cells: list[tuple[int, str]], wide: int) -> str:
    rows = (f'<TR><TD FIXEDSIZE="TRUE" WIDTH="{wide}" HEIGHT="{tall}"{port}></TD></TR>' for tall, port in cells)
    return f"<TABLE {PLAIN}>{''.join(rows)}</TABLE>"


def _points(text: str, tall: float) -> list[Point]:
    """Graphviz's points, whose y runs upwards, as ours."""
    pairs = [pair.split(",") for pair in text.split()]
    return [(float(x), tall - float(y)) for x, y in pairs]


def _route(graph: Graph, wire: Wire, places: list[Point], ports: list[Ports], path: list[Point]) -> list[Point]:
    """Graphviz's path moved onto the exact ports, level at both ends, with the room added."""
    (x, y), (to_x, to_y) = places[wire.source], places[wire.target]
    room = ports[wire.target].room
    start, turn = (x + graph.length[wire.source], y + wire.leave), (to_x - room, to_y + wire.arrive)
    route = _stretched(path, start, turn)
    route[1], route[-2] = (route[1][0], start[1]), (route[-2][0], turn[1])
    if room:
        route += [(turn[0] + room / 3, turn[1]), (turn[0] + room * 2 / 3, turn[1]), (to_x, turn[1])]
    return route


def _stretched(path: list[Point], start: Point, end: Point) -> list[Point]:
    """The path with its ends moved to where they should be, and each point between moved by its share."""
    (x0, y0), (x1, y1) = path[0], path[-1]
    moved = [start]
    for i, (x, y) in enumerate(path[1:-1], 1):
        share = i / (len(path) - 1)
        along = (start[0] - x0) * (1 - share) + (end[0] - x1) * share
        across = (start[1] - y0) * (1 - share) + (end[1] - y1) * share
        moved.append((x + along, y + across))
    return [*moved, end]


def _framed(graph: Graph, places: list[Point], routes: list[list[Point]]) -> Drawing:
    """Everything moved to begin at (0, 0). Ranks are longest paths, since `dot` does not tell its own."""
    points = [*places, *(point for route in routes for point in route)]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    points += [(x + graph.length[box], y + graph.breadth[box]) for box, (x, y) in enumerate(places)]
    ranks = [0] * len(places)
    for wire in sorted(graph.wires):
        ranks[wire.target] = max(ranks[wire.target], ranks[wire.source] + 1)
    return Drawing(
        [(x - left, y - top) for x, y in places],
        [[(x - left, y - top) for x, y in route] for route in routes],
        ranks,
        max(x for x, _ in points) - left,
        max(y for _, y in points) - top,
    )
