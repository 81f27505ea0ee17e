"""A contact sheet: the pictures of many steps on one page, small, row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from autograd_lab.view.kit.font import FAMILY
from autograd_lab.view.png import svg_size
from autograd_lab.view.scene import Scene
from autograd_lab.view.svg import scene_svg

MOST = 48
"""As many steps as a sheet can show and still be read."""

FEW = 12
"""As many steps of a compilation, whose pictures are larger."""

PRINT_WIDTH = 480.0
GAP = 16.0
LABEL = 20.0
PAGE_RATIO = 1.4


def steps_of(scene: Scene, most: int = MOST) -> list[int]:
    """The steps that a sheet shows: all but the empty one, or `most` of them spread evenly with each named moment.

    Of a compilation these are a few at which something was done to the graph.
    """
    if (notable := scene.subject.notable(scene.trace.events)) is not None:
        return sorted({notable[round(i * (len(notable) - 1) / (FEW - 1))] for i in range(FEW)})
    if scene.steps <= most:
        return list(range(1, scene.steps + 1)) or [0]
    named = set(scene.moments.values())
    spread = (round(1 + i * (scene.steps - 1) / (most - 1)) for i in range(most))
    even = [step for step in spread if step not in named]
    surplus = len(even) + len(named) - most
    dropped = {even[i * len(even) // surplus] for i in range(surplus)} if surplus > 0 else set()
    return sorted(named | (set(even) - dropped))


def contact_sheet(scene: Scene, steps: Sequence[int], theme: str = "light") -> str:
    """One SVG with the picture of each of these steps. Raises IndexError for a step there is not."""
    pictures = [with_own_ids(scene_svg(scene, step), f"s{step}-") for step in steps]
    shrink = min(1.0, PRINT_WIDTH / scene.width)
    width, height = scene.width * shrink, max(svg_size(picture)[1] for picture in pictures) * shrink
    across, down = width + GAP, height + LABEL + GAP
    columns = columns_for(len(steps), across, down)
    paper = f'<rect y="{LABEL}" width="{width:.1f}" height="{height:.1f}" fill="#ffffff"/>'
    prints = [
        f'<g transform="translate({GAP + i % columns * across:.1f} {GAP + i // columns * down:.1f})">'
        f"{_label(f'step {step} of {scene.steps}')}{paper}{inset(picture, y=LABEL, shrink=shrink)}</g>"
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
