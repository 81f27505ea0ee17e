"""Parts that no line joins, each laid out for itself, on shelves in the order of the program, as many to one as fit."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.view.layout.boxes import Box, Direction, Engine, Layout, Link, Point, lay_out
from autograd_lab.view.layout.rows import LONG, in_rows

GAP = 44.0
"""Distance between parts, px."""


def on_shelves(boxes: list[Box], links: list[Link], direction: Direction, engine: Engine) -> Layout:
    """One layout of all parts. Left to right, a part that is too long is cut into rows; top down, nothing is cut."""
    laid: list[Layout] = []
    for part in _parts(boxes, links):
        names = {box.id for box in part}
        inside = [link for link in links if link.source in names] if len(part) < len(boxes) else links
        layout = lay_out(part, inside, direction=direction, engine=engine)
        laid.append(in_rows(layout, part, inside) if direction == "LR" else layout)
    if len(laid) == 1:
        return laid[0]
    return _stacked(laid, max([LONG, *(layout.width for layout in laid)]))


def _parts(boxes: list[Box], links: list[Link]) -> list[list[Box]]:
    """Boxes by the part they belong to, in the order of their first boxes; boxes without any line make one part."""
    leader = {box.id: box.id for box in boxes}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for link in links:
        leader[find(link.target)] = find(link.source)
    joined = {name for link in links for name in (link.source, link.target)}
    parts: dict[str, list[Box]] = {}
    for box in boxes:
        parts.setdefault(find(box.id) if box.id in joined else "", []).append(box)
    alone = parts.pop("", [])
    return [*parts.values(), *([alone] if alone else [])]


def _stacked(laid: list[Layout], width: float) -> Layout:
    """Parts share a shelf as long as they fit."""
    corners: dict[int, Point] = {}
    x = y = shelf = right = 0.0
    for number, layout in enumerate(laid):
        if x and x + layout.width > width:
            x, y, shelf = 0.0, y + shelf + GAP, 0.0
        corners[number] = x, y
        x, shelf, right = x + layout.width + GAP, max(shelf, layout.height), max(right, x + layout.width)
    places = {name: _moved(at, corners[n]) for n in corners for name, at in laid[n].places.items()}
    routes = {
        name: tuple(_moved(at, corners[n]) for at in route) for n in corners for name, route in laid[n].routes.items()
    }
    ranks = {name: rank for layout in laid for name, rank in layout.ranks.items()}
    notice = next((layout.notice for layout in laid if layout.notice), "")
    return replace(laid[0], places=places, routes=routes, width=right, height=y + shelf, ranks=ranks, notice=notice)


def _moved(point: Point, corner: Point) -> Point:
    return round(point[0] + corner[0], 2), round(point[1] + corner[1], 2)
