"""The graph of a scene alone, without program, caption and legend: to stand in a page made of other things."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.scene import FRAME_KINDS, Scene
from autograd_lab.view.svg import draw_part

EDGE = 12.0
"""Room around the graph, px."""

Edit = Callable[[Part, Look], Look]


@dataclass(frozen=True)
class Excerpt:
    """A graph as SVG markup, and where it stands; it has no style sheet of its own."""

    body: str
    x: float
    y: float
    width: float
    height: float

    def placed(self, x: float, y: float, width: float, height: float, *, upper: bool = False) -> str:
        """The graph as large as it can be in the middle of a rectangle, or at its upper left."""
        box = f"{self.x:.1f} {self.y:.1f} {self.width:.1f} {self.height:.1f}"
        corner = ' preserveAspectRatio="xMinYMin meet"' if upper else ""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        return f'<svg {place} viewBox="{box}"{corner} xml:space="preserve">{self.body}</svg>'


def excerpt(scene: Scene, step: int, prefix: str = "", edit: Edit | None = None) -> Excerpt:
    """The graph after `step` events, at the place that it has in all steps.

    `prefix` tells its ids from those of other graphs on the page; `edit` may change the looks. Raises IndexError.
    """
    state = scene.state(step)
    parts = [part for part in scene.parts if part.kind not in FRAME_KINDS]
    looks = [(part, scene.look(part, state)) for part in parts]
    drawn = [
        draw_part(part, edit(part, look) if edit else look, scene)
        for part, look in looks
        if "hidden" not in look.classes
    ]
    body = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{prefix}", "".join(drawn))
    corners = [corner for part in parts if part.id not in scene.routes for corner in _corners(part)]
    corners += [point for route in scene.routes.values() for point in route]
    xs, ys = zip(*corners, strict=True)
    left, top = min(xs) - EDGE, min(ys) - EDGE
    return Excerpt(body, left, top, max(xs) + EDGE - left, max(ys) + EDGE - top)


def _corners(part: Part) -> tuple[tuple[float, float], ...]:
    return (part.x, part.y), (part.x + part.width, part.y + part.height)
