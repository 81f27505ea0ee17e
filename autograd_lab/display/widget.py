"""The player as a widget of a notebook, by way of anywidget.

The whole film goes to the browser once; stepping happens there and tells the kernel nothing until the player is left.
After the widget comes a picture with a text, so that nothing is blank where no widget lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets
import traitlets
from IPython.display import publish_display_data

from autograd_lab.display.cells import CELLS
from autograd_lab.display.embedded import HEIGHT, HEIGHT_OF_BOTH, SIDE, embedded, frame_of
from autograd_lab.findings.finding import Finding
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import Both, film_of_both
from autograd_lab.view.compare.diptych import diptych
from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.kit.font import page_face
from autograd_lab.view.languages.texts import for_browser
from autograd_lab.view.page import (
    PLAYER,
    PLAYER_OF_BOTH,
    PLAYER_OF_RUNS,
    packed,
    page_in_frame,
    page_of_both_in_frame,
    page_of_runs_in_frame,
)
from autograd_lab.view.pages.film_question import Asked, Clicks, asking
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.player_style import player_style
from autograd_lab.view.png import PngUnavailable, to_png
from autograd_lab.view.scene import Scene

if TYPE_CHECKING:
    from autograd_lab.display.variation import Variation


class Twinned(ipywidgets.DOMWidget):  # type: ignore[misc]  # it has no types
    """A widget after which a picture with a text is shown, its twin, for wherever no widget lives.

    It is released when its cell runs again; but what it has `borrowed`, widgets of the user's, stays.
    """

    borrowed: tuple[ipywidgets.Widget, ...] = ()

    def twin(self) -> dict[str, Any]:
        """What stands for the widget, by MIME type."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget, and its twin for whoever takes one bundle alone."""
        data, metadata = _bundle(super()._repr_mimebundle_(**options))
        return data | self.twin(), metadata

    def _repr_html_(self) -> str | None:
        """The player in a frame of its own, for what is made of notebooks."""
        return self.twin().get("text/html")

    def _ipython_display_(self, **options: Any) -> None:
        """Two outputs: the widget, then its twin, which a living player hides.

        In one output the twin would be lost: JupyterLab prefers the widget, and without a kernel has only an error. The
        widget has no words of its own: where only words are read, the twin's would be there twice.
        """
        CELLS.show(self)
        data, metadata = _bundle(super()._repr_mimebundle_(**options))
        publish_display_data(data | {"text/plain": ""}, metadata)
        publish_display_data(self.twin())


def _bundle(given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Data and metadata, of which a widget gives both, the data alone, or nothing."""
    return given if isinstance(given, tuple) else (given or {}, {})


class Played(Twinned, anywidget.AnyWidget):
    """A film in a notebook. `step` is the step that is shown, first the one that a page opens at: setting it goes
    there, and it follows when the player is left. `height` is the player's, in px."""

    step = traitlets.Int(0).tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)
    film = traitlets.Bytes().tag(sync=True)
    sheet = traitlets.Unicode().tag(sync=True)
    face = traitlets.Unicode().tag(sync=True)

    def __init__(self, film: dict[str, Any], step: int | None, **traits: Any) -> None:
        traits.setdefault("sheet", player_style())
        opening: int = film.get("start", 0)
        self._opening = opening if step is None else 0
        face = page_face(str(for_browser()))
        super().__init__(film=packed(film), face=face, step=opening if step is None else step, **traits)

    @property
    def _chosen(self) -> int:
        """The step that somebody has gone to, 0 if nobody has."""
        return 0 if self.step == self._opening else self.step

    @property
    def steps(self) -> int:
        """The last step that there is."""
        raise NotImplementedError

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        """The nearest step that there is."""
        return min(max(0, int(proposal["value"])), self.steps)


class Player(Played):
    """Plays a trace.

    It stops before each of the questions `asked` until that is answered: `given` has the answers by id, as they come
    from the browser, and what is put into `replies` is shown beside them.
    """

    says = ""
    """What there is to be seen in it, for whoever reads its twin."""

    _esm = PLAYER.read_text(encoding="utf-8")  # of a path, anywidget would keep each widget for ever
    given = traitlets.Dict().tag(sync=True)
    replies = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        scene: Scene,
        step: int | None = None,
        title: str | None = None,
        *,
        asked: Sequence[Asked | Clicks] = (),
        findings: Sequence[Finding] = (),
        **traits: Any,
    ) -> None:
        self.scene, self.asked, self._title, self._findings = scene, asked, title, findings
        style = player_style(compiled=isinstance(scene, CompiledScene), torn=True)
        film = film_of(scene, title, findings=findings) | asking(*asked)
        super().__init__(film, step, **{"sheet": style} | traits)

    def play(self, scene: Scene, step: int) -> None:
        """Show another scene in place of this one, at a step. Its parts move no more than their places do."""
        self.scene = scene
        with self.hold_sync():
            self.film, self.step = packed(film_of(scene, self._title)), step

    @property
    def trace(self) -> Trace:
        """What is played."""
        return self.scene.trace

    @property
    def steps(self) -> int:
        return self.scene.steps

    def __repr__(self) -> str:
        step = self._twin_step()
        return f"<Player of {self.scene.steps} steps; step {step}: {self.scene.caption(step)}>"

    def _twin_step(self) -> int:
        """The step that somebody chose, or the last one; never one that a question still hides."""
        open_ = [each.step for each in self.asked if isinstance(each, Asked) and each.id not in self.given]
        return min([self._chosen or self.scene.steps, *(step for step in open_ if step is not None)])

    def twin(self) -> dict[str, Any]:
        """What stands for the player where no widget lives, by MIME type: a picture and a text of the step that is
        shown, or of the last one where none is."""
        asked = [f"{each.id}  {each.text}" for each in self.asked]
        svg, words = self.scene.svg(self._twin_step()), "\n".join([*asked, self.says or repr(self)])
        plain = "\n".join([*asked, repr(self)])  # what it says stands above it
        return _still(plain, svg) | {"text/html": embedded(self._page(), svg, words, frame_of(self.trace, self.height))}

    def _page(self) -> str:
        """The page of it; nothing where an answer has to come from the kernel."""
        alone = [each for each in self.asked if isinstance(each, Asked) and each.right is not None]
        if len(alone) < len(self.asked):
            return ""
        return page_in_frame(self.scene, self._title, alone, self.step, self._findings)


class PlayerOfBoth(Played):
    """Plays two traces side by side; a step is one of both, or of one while the other waits."""

    _esm = PLAYER_OF_BOTH.read_text(encoding="utf-8")
    height = traitlets.Int(HEIGHT_OF_BOTH).tag(sync=True)

    def __init__(self, both: Both, step: int = 0, **traits: Any) -> None:
        self.both = both
        super().__init__(film_of_both(both), step, **traits)

    @property
    def steps(self) -> int:
        return len(self.both.pairing.beats) - 1

    def __repr__(self) -> str:
        return "\n".join([f"<Player of {self.both.title}; what differs:", *self.both.told, ">"])

    def twin(self) -> dict[str, Any]:
        """Both pictures at the step that is shown, or at the end where none is, and what differs."""
        svg = diptych(self.both, self.step or self.steps)
        html = embedded(page_of_both_in_frame(self.both, self.step), svg, repr(self), self.height)
        return _still(repr(self), svg) | {"text/html": html}


class PlayerOfRuns(Played):
    """Plays many runs of a program, in which numbers can be dragged; a step is one of the run that is shown.

    At first it has the program's own run alone, which is seen at once; the others come with its twin.
    """

    _esm = PLAYER_OF_RUNS.read_text(encoding="utf-8")

    def __init__(self, variation: Variation, step: int | None = None, **traits: Any) -> None:
        self.variation = variation
        style = player_style(compiled=isinstance(variation.home, CompiledScene), torn=True)
        super().__init__(variation.film(first=1), step, **{"sheet": style} | traits)

    @cached_property
    def whole(self) -> dict[str, Any]:
        """The film of all runs, which is then what is played."""
        film = self.variation.film()
        self.film = packed(film)
        return film

    @property
    def steps(self) -> int:
        return max(scene.steps for scene in self.variation.scenes.values())

    def __repr__(self) -> str:
        return f"<Player of {self.variation.said}>"

    def twin(self) -> dict[str, Any]:
        """The program's own run at the step that is shown, or at the end where none is."""
        home = self.variation.home
        svg = home.svg(min(self._chosen, home.steps) or home.steps)
        page = page_of_runs_in_frame(home, self.whole, self.step)
        return _still(repr(self), svg) | {"text/html": embedded(page, svg, repr(self), self.height)}


def _still(text: str, svg: str) -> dict[str, Any]:
    """A text and a picture, by MIME type."""
    try:
        return {"text/plain": text, "image/png": to_png(svg, max_side=SIDE)}
    except PngUnavailable:
        return {"text/plain": text, "image/svg+xml": svg}
