"""A part between two looks as SVG, for whoever paints frames: just what a browser shows of it at that time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.route import backward, halves
from autograd_lab.view.layout.signposts import at, polyline
from autograd_lab.view.motion.manner import Frames, Manner, value_at
from autograd_lab.view.motion.patterns import FAR

PIECES = 64
"""A number's own place on its line is looked for at so many places."""
NOTHING = 0.02
"""Of a line so little is not drawn."""
RIM = 9.0
"""A look reaches beyond its part by so much at the sides, px."""


@dataclass(frozen=True, slots=True)
class Tween:
    """One part of a picture on its way from one look to the next, at a share of the step."""

    picture: Picture
    part: Part
    before: Look
    after: Look
    manner: Manner
    share: float

    @property
    def svg(self) -> str:
        """The part, and what is left of its look before."""
        turned = self.share >= self.manner.turns
        opacity, scale = self._value("o", 1.0), self._value("s", 1.0)
        dx, dy = self._shift()
        x, y = self.part.x + self.part.width / 2, self.part.y + self.part.height / 2
        main = _faded(self._drawn(self.after if turned else self.before, self._value("d", 1.0)), opacity)
        ghost = self._ghost() if turned and self._frames("g") else ""
        inner = ghost + main if self._route else main + ghost
        if not inner or (dx, dy, scale) == (0, 0, 1):
            return inner
        return _placed(inner, x * (1 - scale) + dx, y * (1 - scale) + dy, scale)

    @property
    def rider(self) -> str:
        """What rides along its line."""
        token, route = self.manner.token, self._route
        if token is None or not route:
            return ""
        value = {frames[0]: value_at(frames, self.share) for frames in token.frames}
        x, y = at(polyline(route), value["u"])
        return _placed(_faded(token.svg, value["o"]), x, y, value["s"])

    def _frames(self, name: str) -> Frames | None:
        return next((frames for frames in self.manner.frames if frames[0] == name), None)

    def _value(self, name: str, rest: float) -> float:
        frames = self._frames(name)
        return rest if frames is None else value_at(frames, self.share)

    @property
    def _route(self) -> Path | None:
        return self.picture.drawing.routes.get(self.part.id)

    def _shift(self) -> tuple[float, float]:
        """How far it stands from its own place."""
        dx, dy, along = self._value("x", 0.0), self._value("y", 0.0), self._frames("u")
        if along is None:
            return dx, dy
        line = polyline(self.picture.drawing.routes[self.part.of])
        own = self.part.x + self.part.width / 2, self.part.y + self.part.height / 2
        home = min((n / PIECES for n in range(PIECES + 1)), key=lambda place: math.dist(at(line, place), own))
        (x, y), (x0, y0) = at(line, value_at(along, self.share, home)), at(line, home)
        return dx + x - x0, dy + y - y0

    def _drawn(self, look: Look, part: float = 1.0) -> str:
        """The part in a look, of a line only so much of it."""
        route = self._route
        if route is None or part >= 1:
            return self.picture.draw(self.part, look, route)
        if "flying" in look.classes:
            part, look = part * FAR, replace(look, classes=tuple(name for name in look.classes if name != "flying"))
        if part < NOTHING:
            return ""
        if "sent" in look.classes:
            return self.picture.draw(self.part, look, backward(halves(backward(route), part)[0]))
        return self.picture.draw(self.part, look, halves(route, part)[0])

    def _ghost(self) -> str:
        """What is left of the look before: faded, or cut away from above or below."""
        part, cut = self.part, self._value("c", 0.0)
        ghost = _faded(self._drawn(self.before), self._value("g", 0.0))
        if not cut or not ghost:
            return ghost
        top = part.y + part.height * max(0.0, cut)
        rect = f'x="{part.x - RIM:.7g}" y="{top:.7g}" width="{part.width + 2 * RIM:.7g}"'
        clip = f'<clipPath id="cut.{part.id}"><rect {rect} height="{part.height * (1 - abs(cut)):.7g}"/></clipPath>'
        return f'{clip}<g clip-path="url(#cut.{part.id})">{ghost}</g>'


def _faded(svg: str, opacity: float) -> str:
    if not svg or opacity <= 0:
        return ""
    return svg if opacity >= 1 else f'<g opacity="{opacity:.3f}">{svg}</g>'


def _placed(svg: str, x: float, y: float, scale: float) -> str:
    return svg and f'<g transform="translate({x:.2f} {y:.2f}) scale({scale:.4f})">{svg}</g>'


def tweens(picture: Picture, changes: dict[str, tuple[Look, Look, Manner]], share: float) -> Iterator[Tween]:
    """Those of some changes, by the ids of parts, at a share of their step."""
    for part in picture.parts:
        if part.id in changes:
            yield Tween(picture, part, *changes[part.id], share)
