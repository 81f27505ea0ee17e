"""The parts of a plan at the places that its layout gives them."""

from __future__ import annotations

from autograd_lab.view.graph.plan.plan import Plan
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.layout.boxes import Direction, Layout


def placed(plan: Plan, found: Layout, x: float, y: float, direction: Direction) -> tuple[list[Part], dict[str, Path]]:
    """The parts of a plan where its layout has them, lines first, and the routes of the lines; (x, y) is its corner."""
    corners = {name: (x + left, y + top) for name, (left, top) in found.places.items()}
    parts = [part.moved(*corners[cell.id]) for cell in plan.cells for part in cell.parts]
    ahead = (1.0, 0.0) if direction == "LR" else (0.0, 1.0)
    routes = {name: _moved(route, x, y, plan.reach[name], ahead) for name, route in found.routes.items()}
    return [*(part for part in plan.link_parts if part.id in routes), *parts], routes


def _moved(route: Path, dx: float, dy: float, reach: tuple[float, float], ahead: tuple[float, float]) -> Path:
    """The route in the frame, led on straight at both ends to where it reaches inside of cells."""
    moved = tuple([(round(x + dx, 1), round(y + dy, 1)) for x, y in route])
    before, after = reach
    if before:
        moved = (*[_on(moved[0], -before * part / 3, ahead) for part in (3, 2, 1)], *moved)
    return (*moved, *[_on(moved[-1], after * part / 3, ahead) for part in (1, 2, 3)]) if after else moved


def _on(point: tuple[float, float], by: float, ahead: tuple[float, float]) -> tuple[float, float]:
    return point[0] + by * ahead[0], point[1] + by * ahead[1]
