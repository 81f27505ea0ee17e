"""A figure in a lesson: the player where widgets live, a picture elsewhere, and its words for everybody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_lab.compiler.compiled import Compiled
from autograd_lab.display.picture import Drawing, Picture, told_by
from autograd_lab.display.vary import vary
from autograd_lab.findings.diagnosis import diagnose
from autograd_lab.findings.finding import Finding
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.words import in_notebook, tell
from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import View
from autograd_lab.view.charts.strip import strip as draw_strip
from autograd_lab.view.compare.before_after import before_and_after
from autograd_lab.view.scene import Scene, make_scene

NARROW = 900.0
"""What a notebook shows at full size, px."""
LOW = 500
"""Of a player that is seen together with what stands around it, px."""


def figure(run: Any, says: str, *, step: int | None = None, findings: bool = False, **options: Any) -> None:
    """Show a trace, or the graph behind a tensor, to be stepped through; `says` is what there is to be seen in it.

    Of a function that `autograd_lab.compile` gave it shows what became of it when it was first called.

    It begins at `step`, by default at the end of forward: values are there, gradients are still to come; for the trace
    of a compilation when all is captured. With `findings` it begins at the end, and the player has, behind a button,
    what is wrong with the run. `options` are those of `draw`. Without widgets it is a picture of that step; outside of
    notebooks only its words. A `Drawing` is shown as it is. Raises what `draw` raises.
    """
    if isinstance(run, Compiled):
        title = worded("What compile makes of {name}", name=run.name)
        run = Drawing(title, before_and_after(make_scene(run.trace), title, NARROW))
    if isinstance(run, Drawing):
        tell(worded("Figure: {says}", says=says))
        _show(run)
        return
    told = told_by(run)
    scene = make_scene(told, **options)
    first = step if step is not None else scene.steps if findings else _first(scene, run)
    tell(worded("Figure: {says}", says=says))
    if not in_notebook():
        return
    found = diagnose(run) if findings else ()
    if (player := player_of(scene, first, found)) is not None:
        player.says = says
        player._ipython_display_()
        return
    _show(Picture(told, scene, first))


def _first(scene: Scene, run: Any) -> int:
    if not isinstance(run, Trace):
        return scene.steps
    return scene.moments["captured" if "captured" in scene.moments else "forward"]


def drag(
    function: Callable[..., Any], says: str, /, *, step: int | None = None, view: View = "engine", **numbers: Any
) -> None:
    """Show a function in whose picture numbers can be dragged; `says` is what there is to be seen in it.

    `numbers` are ranges, and `view` is one, as for `autograd_lab.vary`. It begins at `step`, by default at the end of
    forward. Without widgets it is a picture; outside of notebooks only its words.
    """
    tell(worded("Figure: {says}", says=says))
    if not in_notebook():
        return
    varied = vary(function, view=view, **numbers)
    step = _first(varied.home, varied.home.trace) if step is None else step
    try:
        from autograd_lab.display.widget import PlayerOfRuns
    except ImportError:
        _show(Picture(varied.home.trace, varied.home, step))
        return
    PlayerOfRuns(varied, step, height=LOW, sheet=calm_style())._ipython_display_()


def calm_style(*, goals: bool = False) -> str:
    """The style of a player without what a first look does not need; with program, moments, and the five `goals` of
    backward, if a question is about these.
    """
    from autograd_lab.view.pages.player_style import player_style

    gone = ".player .legend, .player .held" + ("" if goals else ", .player .goals, .player .stripe, .player .side")
    room = "" if goals else " .player .words:has(.goals > li) { min-height: 54px; }"
    return f"{player_style(torn=True)} {gone} {{ display: none; }}{room}"


def strip(**runs: Trace) -> Drawing:
    """A chart for each run, by its name: bytes that slots hold, step after step."""
    return Drawing(worded("bytes in slots"), draw_strip(runs))


def _show(picture: Any) -> None:
    if in_notebook():
        from IPython.display import display

        display(picture)


def player_of(scene: Scene, step: int, findings: Sequence[Finding] = ()) -> Any:
    """A player, or None without anywidget."""
    try:
        from autograd_lab.display.widget import Player
    except ImportError:
        return None
    return Player(scene, step, findings=findings)
