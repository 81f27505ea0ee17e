"""The graph of a recording alone, without program, headline and legend: to stand in a page made of other things.

It is laid out for the room that it has there, and folded if it must be, so that its text can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from autograd_lab.view.graph.pictured import Choices, Picture, picture_of
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene
from autograd_lab.view.subject import NothingToDraw

EDGE = 14.0
"""Room around the graph, for badges and sheets that reach beyond their cards, px."""

Edit = Callable[[Part, Look], Look]
Over = Callable[[Part, Look], str]
Adapt = Callable[[Choices], Choices]


@dataclass(frozen=True)
class Excerpt:
    """The graph of a recording in a pane of `width` × `height` px; it has no style sheet of its own."""

    scene: RecordedScene
    picture: Picture
    width: float
    height: float

    @property
    def fits(self) -> bool:
        """Whether its text is as large as it should be."""
        return self.picture.choice.fits

    @property
    def finish(self) -> tuple[int, bool, float]:
        """How much it tells and how large: cards, whether they have more than one line, the size of their names."""
        choice = self.picture.choice
        return len(choice.cards.cards), choice.style.form != "wide", choice.style.name * choice.scale

    def drawn(self, step: int, edit: Edit | None = None, over: Over | None = None) -> str:
        """The graph after `step` events in the middle of its pane, whose corner is at (0, 0); it is at the same place
        in all steps. `edit` may change the looks, and `over` draw something over each part. Raises IndexError."""
        state, picture = self.scene.state(step), self.picture
        looks = [(part, picture.look(part, state)) for part in picture.parts]
        routes = picture.drawing.routes
        body = [picture.draw(part, edit(part, look) if edit else look, routes.get(part.id)) for part, look in looks]
        body += [over(part, look) for part, look in looks] if over else []
        placed, scale = picture.choice.placed, picture.choice.scale
        x, y = (self.width - placed.width * scale) / 2, (self.height - placed.height * scale) / 2
        place = f"translate({x:.2f} {y:.2f}) scale({scale:.4f})"
        return f'<g class="graph" transform="{place}">{_without_ids("".join(body))}</g>'


def excerpt(scene: Scene, width: float, height: float, adapt: Adapt | None = None) -> Excerpt:
    """The graph of a scene in a pane; `adapt` may change what there is to choose from.

    Raises NothingToDraw for a compilation.
    """
    if not isinstance(scene, RecordedScene):
        raise NothingToDraw("this tells how a function was compiled: there is no graph that backward goes through")
    pane, choices = (width - 2 * EDGE, height - 2 * EDGE), scene.choices(scene.view)
    choice = (adapt(choices) if adapt else choices).best(pane, scene.form)
    return Excerpt(scene, picture_of(scene.history, choice, pane, engine=scene.view == "engine"), width, height)


def _without_ids(drawn: str) -> str:
    """Several pictures on a page must not share ids."""
    return re.sub(r' id="[^"]*"', "", drawn)
