"""The scene: one picture for a whole trace, and for each of its parts the few steps at which its look changes.

This is the contract between Python and whatever draws: an SVG, a PNG, a page, a widget. Whoever has a scene needs to
know nothing of autograd; it shows parts at their places and gives them the look that a step asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import Options, Scene, View
from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.compiled.inventory import cards_of
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.layout.boxes import Direction, Engine
from autograd_lab.view.recorded_scene import RecordedScene

__all__ = ["Scene", "make_scene"]


@undisturbed
def make_scene(
    trace: Trace,
    view: View = "engine",
    direction: Direction = "LR",
    layout: Engine = "auto",
    root: str | None = None,
    fold: bool = True,
    depth: int | None = None,
    expand: Sequence[str] = (),
) -> Scene:
    """Lay out a trace once for all of its steps.

    `view` is "engine" (PyTorch's node names, saved slots, versions) or "maths" (signs and values), `direction` "LR" or
    "TB", `layout` "auto", "layered" or "dot". `root` draws only what the tensor of that name was made of.

    What would make the picture too large is folded, unless `fold` is False: calls of modules, of which `depth` levels
    are open (0: the outermost is one box; None: as many as can be read), and turns of loops. `expand` names modules by
    their paths, with `*` and `?` if need be, that are opened in any case.

    Raises NothingToDraw for a trace without a graph, and ValueError for an unknown name or option.
    """
    _check(view, ("engine", "maths"), "view")
    _check(direction, ("LR", "TB"), "direction")
    _check(layout, ("auto", "layered", "dot"), "layout")
    if depth is not None and depth < 0:
        raise ValueError(f"depth should be 0 or more, not {depth}")
    opened = (expand,) if isinstance(expand, str) else tuple(expand)
    options = Options(view, direction, layout, root, fold, depth, opened)
    compiled = cards_of(trace.events)
    return RecordedScene.of(trace, options) if compiled is None else CompiledScene.of(trace, compiled, options)


def _check(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name} should be one of {', '.join(allowed)}, not {value!r}")
