"""A page inside another: what a notebook keeps as HTML of a trace, a player or a comparison.

So it plays where no kernel and no widget lives: in what nbconvert, MyST-NB, Quarto and sphinx-gallery make. The page is
in a frame of its own that may run scripts and nothing else. The frame lies on a picture, which is seen where frames are
taken out, as GitHub does, and through the frame where scripts do not run.
"""

from __future__ import annotations

import base64
from html import escape

from autograd_lab.findings.diagnosis import aside
from autograd_lab.trace import Trace
from autograd_lab.view.alternative_text import alternative_to
from autograd_lab.view.page import BELOW, page_in_frame
from autograd_lab.view.png import PngUnavailable, to_png
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw

SIDE = 1600
"""The longest side of the picture, in pixels: it is in every save."""
HEIGHT, HEIGHT_OF_BOTH = 620, 760
"""How high a player is, and one of two traces; px."""
MOST = 4_000_000
"""A larger page is left out, in characters: notebooks that hold several would no longer open."""


def embedded(page: str, svg: str, words: str, height: int = HEIGHT) -> str:
    """HTML of a page in a frame, on a picture with `words` for those who do not see it."""
    said = escape(words)
    picture = f'<img alt="{said}" src="{_address(svg)}" style="max-width: 100%">'
    if len(page) > MOST or not page:
        return f'<div class="autograd-lab-still">{picture}</div>'
    return (
        f'<div class="autograd-lab-still" style="position: relative; min-height: {height}px">{picture}'
        f'<iframe title="{said}" sandbox="allow-scripts" loading="lazy" srcdoc="{escape(page)}" '
        f'style="position: absolute; inset: 0; width: 100%; height: 100%; border: 0"></iframe></div>'
    )


def frame_of(trace: Trace, height: int = HEIGHT) -> int:
    """How high a frame is in which the player has this height: the course of a training run stands below it; px."""
    return height if trace.course is None else height + BELOW


def _address(svg: str) -> str:
    try:
        kind, picture = "png", to_png(svg, max_side=SIDE)
    except PngUnavailable:
        kind, picture = "svg+xml", svg.encode("utf-8", "replace")
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"


def html_of(trace: Trace) -> str | None:
    """The player of a trace; nothing where there is nothing to draw."""
    try:
        scene = make_scene(trace)
    except NothingToDraw:
        return None
    svg = scene.svg(scene.steps)
    words = alternative_to(svg) or repr(trace)
    return embedded(page_in_frame(scene, findings=aside(trace)), svg, words, frame_of(trace))
