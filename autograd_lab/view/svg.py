"""A scene at a step as SVG."""

from __future__ import annotations

from autograd_lab.view.scene import Scene


def to_svg(
    scene: Scene, step: int | None = None, *, same_size: bool = False, theme: str = "light", poster: bool = False
) -> str:
    """The picture after `step` events, by default after all: a recording as a slide, a compilation as it is laid out.

    Slides are all of one size, and have a theme; a `poster` is a large sheet for print. Pictures of a compilation are
    of one size with `same_size`. Raises IndexError for a step that there is not, ValueError for what a compilation
    cannot be.
    """
    return scene.svg(scene.steps if step is None else step, same_size=same_size, theme=theme, poster=poster)
