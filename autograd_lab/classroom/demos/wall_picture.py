"""The picture of a question that is about another program than the film on the wall: its graph, for the last row."""

from __future__ import annotations

from html import escape

from autograd_lab.trace import Trace
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.pages.excerpt import excerpt
from autograd_lab.view.scene import make_scene

ROOM = 760.0, 330.0
"""In px of the picture; a wall shows it larger."""


def wall_picture(run: Trace, step: int) -> str:
    """The graph of a run at a step, as SVG.

    It knows nothing of what comes later: where one is told what is to come, one need not predict it.
    """
    scene = make_scene(Trace(list(run)[:step], run.files, run.engine), fold=False)
    shown = excerpt(scene, *ROOM)
    size = f'width="{shown.width:.0f}" height="{shown.height:.0f}" viewBox="0 0 {shown.width:.1f} {shown.height:.1f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{escape(clean(scene.caption(step)))}</title><style>{language_sheet('light')}</style>"
        f'<rect width="100%" height="100%" class="paper"/>{shown.drawn(step)}</svg>'
    )
