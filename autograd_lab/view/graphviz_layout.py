"""Places and routes from Graphviz's `dot`, whose boxes have our sizes and whose lines end at our ports.

No text is handed over, so fonts do not matter: a box is a table of empty cells, one at each port. Where lines must be
straight before they arrive, the box is handed over that much longer, and the straight end is added after.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from autograd_lab.view.graphviz_engine import GraphvizMissing, run_dot
from autograd_lab.view.layout import Box, Layout, LayoutError, Link, Point, Route

CELL = 2
"""Breadth of a port's cell, px."""


@dataclass(slots=True)
class Ports:
    """The ports of a box on the side where links arrive and on the side where they leave, and the room before it."""

    arrive: list[float]
    leave: list[float]
    room: float = 0


def lay_out_with_dot(
    boxes: Sequence[Box], links: Sequence[Link], direction: str, rank_gap: float, box_gap: float
) -> Layout:
    """What `lay_out` promises, except that crossings, places and routes are Graphviz's."""
    if not boxes:
        return Layout({}, {}, 0.0, 0.0, "dot")
    ports = _ports(boxes, links)
    source = _source(boxes, links, ports, direction, rank_gap, box_gap)
    try:
        drawn = json.loads(run_dot(source, "json0"))
    except GraphvizMissing as error:
        raise LayoutError(str(error)) from error
    tall = float(drawn["bb"].split(",")[3])
    places = {}
    for box, entry in zip(boxes, sorted(drawn["objects"], key=lambda it: int(it["name"])), strict=True):
        x, y = _points(entry["pos"], tall)[0]
        places[box.id] = _corner(box, ports[box.id].room, (x, y), direction)
    paths = {links[int(edge["class"])].id: _points(edge["pos"], tall) for edge in drawn.get("edges", [])}
    size = {box.id: box for box in boxes}
    routes = {link.id: _route(link, size, places, ports, paths[link.id], direction) for link in links}
    return _framed(boxes, places, routes, _ranks(boxes, links))


def _ports(boxes: Sequence[Box], links: Sequence[Link]) -> dict[str, Ports]:
    ports = {box.id: Ports([], []) for box in boxes}
    for link in links:
        ports[link.source].leave.append(link.leave)
        target = ports[link.target]
        target.arrive.append(link.arrive)
        target.room = max(target.room, link.room)
    for it in ports.values():
        it.arrive, it.leave = sorted(set(it.arrive)), sorted(set(it.leave))
    return ports


def _source(
    boxes: Sequence[Box],
    links: Sequence[Link],
    ports: dict[str, Ports],
    direction: str,
    rank_gap: float,
    box_gap: float,
) -> str:
    number = {box.id: i for i, box in enumerate(boxes)}
    start, end = ("e", "w") if direction == "LR" else ("s", "n")
    lines = [
        f"digraph {{ rankdir={direction} ranksep={rank_gap / 72:.4f} nodesep={box_gap / 72:.4f}",
        "node [shape=plain] edge [dir=none]",
    ]
    lines += [f"{i} [label=<{_table(box, ports[box.id], direction)}>]" for i, box in enumerate(boxes)]
    for i, link in enumerate(links):
        leave = ports[link.source].leave.index(link.leave)
        arrive = ports[link.target].arrive.index(link.arrive)
        ends = f"{number[link.source]}:l{leave}:{start} -> {number[link.target]}:a{arrive}:{end}"
        lines.append(f'{ends} [class="{i}"]')
    return "\n".join([*lines, "}"])


def _table(box: Box, ports: Ports, direction: str) -> str:
    """A box as a table of two strips: cells at the ports where links arrive, cells where they leave."""
    if direction == "LR":
        wide, tall = ceil(box.width + ports.room), ceil(box.height)
        strips = [(ports.arrive, "a", wide // 2), (ports.leave, "l", wide - wide // 2)]
        cells = [f"<TD>{_strip(_cells(at, name, tall), part, True)}</TD>" for at, name, part in strips]
        rows = f"<TR>{''.join(cells)}</TR>"
    else:
        wide, tall = ceil(box.width), ceil(box.height + ports.room)
        strips = [(ports.arrive, "a", tall // 2), (ports.leave, "l", tall - tall // 2)]
        cells = [f"<TR><TD>{_strip(_cells(at, name, wide), part, False)}</TD></TR>" for at, name, part in strips]
        rows = "".join(cells)
    return f'<TABLE {PLAIN} FIXEDSIZE="TRUE" WIDTH="{wide}" HEIGHT="{tall}">{rows}</TABLE>'


PLAIN = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'


def _cells(ports: list[float], name: str, breadth: int) -> list[tuple[int, str]]:
    """How broad each cell of a strip is, and its port if it has one."""
    cells: list[tuple[int, str]] = []
    at = 0
    for i, port in enumerate(ports):
        begin = max(at, min(round(port) - CELL // 2, breadth - CELL * (len(ports) - i)))
        cells += [(begin - at, ""), (CELL, f' PORT="{name}{i}"')]
        at = begin + CELL
    return [cell for cell in [*cells, (breadth - at, "")] if cell[0] > 0]


def _strip(cells: list[tuple[int, str]], thick: int, upright: bool) -> str:
    if upright:
        row = "".join(f'<TR><TD FIXEDSIZE="TRUE" WIDTH="{thick}" HEIGHT="{it}"{port}></TD></TR>' for it, port in cells)
    else:
        row = "".join(f'<TD FIXEDSIZE="TRUE" WIDTH="{it}" HEIGHT="{thick}"{port}></TD>' for it, port in cells)
        row = f"<TR>{row}</TR>"
    return f"<TABLE {PLAIN}>{row}</TABLE>"


def _points(text: str, tall: float) -> list[Point]:
    """Graphviz's points, whose y runs upwards, as ours."""
    pairs = [pair.split(",") for pair in text.split()]
    return [(float(x), tall - float(y)) for x, y in pairs]


def _corner(box: Box, room: float, middle: Point, direction: str) -> Point:
    x, y = middle
    ahead, above = (room, 0.0) if direction == "LR" else (0.0, room)
    return x - ceil(box.width + ahead) / 2 + ahead, y - ceil(box.height + above) / 2 + above


def _route(
    link: Link,
    size: dict[str, Box],
    places: dict[str, Point],
    ports: dict[str, Ports],
    path: list[Point],
    direction: str,
) -> Route:
    """Graphviz's path moved onto the exact ports, straight at both ends, with the room added."""
    (x, y), (to_x, to_y) = places[link.source], places[link.target]
    room = ports[link.target].room
    if direction == "LR":
        start, turn, end = (x + size[link.source].width, y + link.leave), (to_x - room, to_y + link.arrive), to_x
        path = _stretched(path, start, turn)
        path[1], path[-2] = (path[1][0], start[1]), (path[-2][0], turn[1])
        tail = [(turn[0] + room / 3, turn[1]), (turn[0] + room * 2 / 3, turn[1]), (end, turn[1])]
    else:
        start, turn, end = (x + link.leave, y + size[link.source].height), (to_x + link.arrive, to_y - room), to_y
        path = _stretched(path, start, turn)
        path[1], path[-2] = (start[0], path[1][1]), (turn[0], path[-2][1])
        tail = [(turn[0], turn[1] + room / 3), (turn[0], turn[1] + room * 2 / 3), (turn[0], end)]
    return (*path, *(tail if room else []))


def _stretched(path: list[Point], start: Point, end: Point) -> list[Point]:
    """The path with its ends moved to where they should be, and each point between moved by its share."""
    last = len(path) - 1
    (x0, y0), (x1, y1) = path[0], path[-1]
    moves = ((start[0] - x0, start[1] - y0), (end[0] - x1, end[1] - y1))
    shares = [i / last for i in range(last + 1)]
    moved = [
        (x + moves[0][0] * (1 - s) + moves[1][0] * s, y + moves[0][1] * (1 - s) + moves[1][1] * s)
        for (x, y), s in zip(path, shares, strict=True)
    ]
    return [start, *moved[1:-1], end]


def _ranks(boxes: Sequence[Box], links: Sequence[Link]) -> dict[str, int]:
    """Longest paths: what `dot` uses may be higher for a box with slack, and it does not tell."""
    ranks = dict.fromkeys((box.id for box in boxes), 0)
    number = {box.id: i for i, box in enumerate(boxes)}
    for link in sorted(links, key=lambda it: number[it.source]):
        ranks[link.target] = max(ranks[link.target], ranks[link.source] + 1)
    return ranks


def _framed(boxes: Sequence[Box], places: dict[str, Point], routes: dict[str, Route], ranks: dict[str, int]) -> Layout:
    """Everything moved to begin at (0, 0), in rounded numbers."""
    points = [*places.values(), *(point for route in routes.values() for point in route)]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    points += [(places[box.id][0] + box.width, places[box.id][1] + box.height) for box in boxes]

    def moved(point: Point) -> Point:
        return round(point[0] - left, 2) + 0.0, round(point[1] - top, 2) + 0.0

    width, height = moved((max(x for x, _ in points), max(y for _, y in points)))
    return Layout(
        {name: moved(place) for name, place in places.items()},
        {name: tuple(map(moved, route)) for name, route in routes.items()},
        width,
        height,
        "dot",
        ranks,
    )

