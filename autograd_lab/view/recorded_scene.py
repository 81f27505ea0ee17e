"""The scene of a recording: cards, as many as a pane has room for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import Options, Scene, View
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.pictured import Choices, Picture, choices_of, picture_of
from autograd_lab.view.graph.recorded import Recorded, recorded
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.large_sheet import poster_of
from autograd_lab.view.still import Stills, form_of, stills_of


@dataclass
class RecordedScene(Scene):
    """A picture of a recording."""

    subject: Recorded
    _choices: dict[View, Choices] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, trace: Trace, options: Options) -> RecordedScene:
        """Raises NothingToDraw for a trace without a graph, and ValueError for an unknown name."""
        scene = cls(trace, recorded(trace), options)
        scene.choices(options.view)
        return scene

    @property
    def history(self) -> History:
        """What there ever is in the graph."""
        return self.subject.history

    @cached_property
    def asked(self) -> Asked:
        """What of it is drawn."""
        return Asked(self.options.root, self.options.fold, self.options.depth, self.options.expand)

    @property
    def form(self) -> str:
        """The form that is asked for; "auto", if any."""
        return form_of(self.options.direction, self.options.layout)

    def choices(self, view: View) -> Choices:
        """What may be drawn of it in a view. Raises ValueError for an unknown name."""
        if view not in self._choices:
            self._choices[view] = self._of_all_views.in_view(engine=view == "engine")
        return self._choices[view]

    @cached_property
    def _of_all_views(self) -> Choices:
        """All views have the same foldings."""
        return choices_of(self.history, self.trace.events, self.asked, engine=self.view == "engine")

    def choose_from(self, view: View, choices: Choices) -> None:
        """Take the pictures of a view from these: from those of a company, whose places they share."""
        self._choices[view] = choices
        for kept in ("stills", "poster"):
            self.__dict__.pop(kept, None)

    def choice(self, view: View, pane: Pane) -> Choice:
        """What is best drawn in a pane of this width and height, px."""
        return self.choices(view).best(pane, self.form)

    def picture(self, view: View, pane: Pane, *, stretches: bool = True) -> Picture:
        """What is drawn in a pane of this width and height, px; it `stretches` to it, or is as small as it can be."""
        choice = self.choice(view, pane)
        return picture_of(self.history, choice, pane, engine=view == "engine", stretches=stretches)

    @cached_property
    def stills(self) -> Stills:
        """Its slides. Raises NothingToDraw where no op was recorded."""
        stills = stills_of(self.trace, self.view, form=self.form, choices=self.choices(self.view))
        stills.lessons = self.subject.headlines
        return stills

    @cached_property
    def poster(self) -> Stills:
        """It on a large sheet for print."""
        return poster_of(self.trace, self.view, form=self.form, choices=self.choices(self.view))

    @cached_property
    def moments(self) -> dict[str, int]:
        """Of several backward passes, those of the first through what is drawn, as one sees them on its slides."""
        return self.stills.moments

    @property
    def parts(self) -> list[Part]:
        return self.stills.picture.parts

    @property
    def routes(self) -> dict[str, Path]:
        return self.stills.picture.drawing.routes

    @property
    def notices(self) -> tuple[str, ...]:
        return self.stills.notices

    @property
    def is_folded(self) -> bool:
        return any(len(card.ops) > 1 for card in self.stills.picture.choice.cards.cards.values())

    @property
    def style(self) -> str:
        return language_sheet("light")

    def look(self, part: Part, state: Any) -> Look:
        return self.stills.picture.look(part, state)

    def draw(self, part: Part, look: Look) -> str:
        return self.stills.picture.draw(part, look, self.routes.get(part.id))

    def keys(self, part: Part) -> Iterable[str]:
        return self.stills.picture.keys(part)

    def turned(self, keys: Iterable[str] | None, state: Any) -> Iterable[str]:
        return self.stills.picture.turned(keys, state)

    def svg(self, step: int, *, same_size: bool = False, theme: str = "light", poster: bool = False) -> str:
        return replace(self.poster if poster else self.stills, theme=theme).svg(step)


def history_in(scene: Scene) -> History:
    """What there ever is in the graph of a scene; nothing in that of a compilation."""
    return scene.history if isinstance(scene, RecordedScene) else History()
