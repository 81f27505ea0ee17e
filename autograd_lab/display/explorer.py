"""A function under sliders: each move runs it anew, and the picture follows in the same player, at the same places."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from inspect import signature
from typing import Any

import ipywidgets
from IPython.display import clear_output

from autograd_lab.display.experiment import Run, run
from autograd_lab.display.widget import Player, Twinned
from autograd_lab.view.compare.counterpart import counterpart
from autograd_lab.view.compare.shared_places import Places, by_lines
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.subject import NothingToDraw

TICKS = 100
"""Into so many steps a slider between two bounds is divided."""


class Explorer(Twinned, ipywidgets.interactive):  # type: ignore[misc]  # it has no types
    """Controls, a line that says what came of them, and a `player`.

    A slider waits for the run that it has asked for, so runs do not queue up: a front end of Jupyter sends only the
    last of the values that were passed meanwhile.
    """

    player: Player | None = None
    children: tuple[Any, ...]

    def __init__(self, function: Callable[..., Any], /, **controls: Any) -> None:
        _check(function, controls)
        self.borrowed = tuple(each for each in controls.values() if isinstance(each, ipywidgets.Widget))
        self._words, self._shown, self._places = ipywidgets.HTML(), "", Places()
        super().__init__(function, **controls)
        *widgets, printed = self.children
        row = ipywidgets.Box(widgets, layout=ipywidgets.Layout(flex_flow="row wrap"))
        self.children = (row, self._words, self.player, printed)

    @staticmethod
    def widget_from_tuple(bounds: tuple[Any, ...]) -> Any:
        """As ipywidgets has it, but for a slider between two bounds, which moves a leaf: it is not for counting."""
        if len(bounds) == 2 and all(isinstance(bound, int | float) for bound in bounds):
            low, high = map(float, bounds)
            return ipywidgets.interactive.widget_from_tuple((low, high, (high - low) / TICKS))
        return ipywidgets.interactive.widget_from_tuple(bounds)

    def update(self, *changes: Any) -> None:
        """Run the function with what the controls say, and show that; an error is put into words."""
        self.kwargs = {widget._kwarg: _chosen(widget.get_interact_value()) for widget in self.kwargs_widgets}
        with self.out:
            clear_output(wait=True)
            ran = run(self.f, self.kwargs)
        self.result = ran.result
        try:
            scene = make_scene(ran.trace)
            if isinstance(scene, RecordedScene):
                self._places.hold([scene], [by_lines(scene.history)])
        except NothingToDraw as nothing:
            if self.player is None:
                raise (ran.error or nothing) from None
            self._say(f"{ran.call}: {_told(ran.error or nothing)}. The picture is still that of {self._shown}.")
            return
        self._play(scene)
        self._shown = ran.call
        self._say(ran.call + (_outcome(ran) if ran.error is None else f": {_told(ran.error)}"))

    def _play(self, scene: Scene) -> None:
        if self.player is None:
            self.player = Player(scene, scene.steps, getattr(self.f, "__name__", None))
        else:
            self.player.play(scene, counterpart(self.player.step, self.player.trace, scene.trace))

    def _say(self, words: str) -> None:
        self._words.value = escape(words)

    def twin(self) -> dict[str, Any]:
        """The player's."""
        return {} if self.player is None else self.player.twin()


def _chosen(value: Any) -> Any:
    """What a control says: a slider counts in steps, and comes to 0.09999999999999964 where it shows 0.1."""
    return float(f"{value:.{sys.float_info.dig - 3}g}") if isinstance(value, float) else value


def _check(function: Callable[..., Any], controls: dict[str, Any]) -> None:
    """See to it that there is a control or a default for every argument, and for nothing else."""
    name = getattr(function, "__name__", "the function")
    parameters = signature(function).parameters.values()
    if not any(each.kind is each.VAR_KEYWORD for each in parameters):
        known = [each.name for each in parameters]
        for wrong in [given for given in controls if given not in known]:
            raise TypeError(f"{name} has no argument {wrong!r}; it has {', '.join(known) or 'none'}")
    for each in parameters:
        if each.kind is each.POSITIONAL_ONLY:
            raise TypeError(f"explore calls {name} by the names of its arguments, but {each.name!r} has none to call")
        needed = each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        if needed and each.name not in controls:
            raise ValueError(
                f"what should {each.name!r} of {name} be? Say for example {each.name}=(-5, 5), a slider between the "
                f"two, or {each.name}=[1, 2, 3], a choice"
            )


def _outcome(ran: Run) -> str:
    """What came of a run, if it is one number."""
    result = ran.result
    return f" = {numeral(result.item())}" if hasattr(result, "numel") and result.numel() == 1 else ""


def _told(error: Exception) -> str:
    """An error in a line."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}".removesuffix(".")
