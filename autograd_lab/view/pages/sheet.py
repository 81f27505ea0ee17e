"""A contact sheet: the pictures of many steps on one page, small, row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from autograd_lab.view.kit.font import FAMILY
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.thumbnails import Thumbnails
from autograd_lab.view.png import svg_size
from autograd_lab.view.scene import Scene

MOST = 12
"""As many steps of a compilation as a sheet can show and still be read."""

PRINT_WIDTH = 480.0
GAP = 16.0
LABEL = 20.0
PAGE_RATIO = 1.4


def steps_of(scene: Scene) -> list[int]:
    """The steps that a sheet shows: as many as can be read, spread evenly over those at which the picture changes, and
    each named moment. Of a compilation these are steps at which something was done to the graph.
    """
    if scene.stills is not None:
        return Thumbnails(scene.stills).steps()
    notable = scene.subject.notable(scene.trace.events) or [0]
    return sorted({notable[round(i * (len(notable) - 1) / (MOST - 1))] for i in range(MOST)})


def contact_sheet(scene: Scene, steps: Sequence[int], theme: str = "light") -> str:
    """One SVG with the picture of each of these steps: of a recording the graph and its headline.

    Raises IndexError for a step there is not, ValueError for a theme of a compilation.
    """
    if scene.stills is not None:
        return Thumbnails(replace(scene.stills, theme=theme)).page(steps)
    if theme != "light":
        raise ValueError("a compilation is drawn in light colours alone")
    return _prints(scene, steps)


def _prints(scene: Scene, steps: Sequence[int]) -> str:
    pictures = [with_own_ids(scene.svg(step), f"s{step}-") for step in steps]
    widest, highest = map(max, zip(*map(svg_size, pictures), strict=True))
    shrink = min(1.0, PRINT_WIDTH / widest)
    width, height = widest * shrink, highest * shrink
    across, down = width + GAP, height + LABEL + GAP
    columns = columns_for(len(steps), across, down)
    paper = f'<rect y="{LABEL}" width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>'
    prints = [
        f'<g transform="translate({GAP + i % columns * across:.1f} {GAP + i // columns * down:.1f})">'
        f"{_label(worded('step {} of {}', step, scene.steps))}{paper}{inset(picture, y=LABEL, shrink=shrink)}</g>"
        for i, (step, picture) in enumerate(zip(steps, pictures, strict=True))
    ]
    rows = math.ceil(len(steps) / columns)
    page = f'width="{columns * across + GAP:.0f}" height="{rows * down + GAP:.0f}" xml:space="preserve"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {page}><rect width="100%" height="100%" fill="#d9dde2"/>'
        f"{''.join(prints)}</svg>"
    )


def columns_for(count: int, width: float, height: float) -> int:
    """How many columns make a page of `count` prints of this size most like a screen's.

    >>> columns_for(12, 400, 300), columns_for(12, 900, 100), columns_for(1, 10, 10)
    (4, 1, 1)
    """

    def strangeness(columns: int) -> float:
        return abs(math.log(columns * width / (math.ceil(count / columns) * height) / PAGE_RATIO))

    return min(range(1, count + 1), key=strangeness, default=1)


def _label(text: str) -> str:
    return f'<text y="13" font-family="{FAMILY}" font-weight="bold" font-size="13" fill="#1b1f24">{text}</text>'


def inset(picture: str, x: float = 0.0, y: float = 0.0, shrink: float = 1.0) -> str:
    """The picture as a part of a larger one, with its corner at (x, y)."""
    width, height = svg_size(picture)
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width * shrink:.1f}" height="{height * shrink:.1f}"'
    root = f'<svg {place} viewBox="0 0 {width:g} {height:g}" xml:space="preserve">'
    return re.sub(r"<svg\b[^>]*>", root, picture, count=1)


def with_own_ids(svg: str, prefix: str) -> str:
    """Two pictures on a page must not share ids: the markers of one would be drawn in the other."""
    return re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{prefix}", svg)
