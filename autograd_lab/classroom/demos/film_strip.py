"""The moments of a demo on one slide: before each question, where backward tells most, at an error, at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.shapes.stroke import say
from autograd_lab.view.pages.excerpt import Excerpt, excerpt
from autograd_lab.view.pages.thumbnails import wrapped
from autograd_lab.view.slide import HEIGHT, SIZES, WIDTH

EDGE, HEAD = 28.0, 68.0
"""Around and between the pictures; for the title; px."""
SAID, LINE, LINES = 18.0, 24.0, 3
"""Size of the words above a picture, from one line of them to the next, px; and how many there are at most."""
MOST = 4
"""So many pictures on a slide can still be read from the last row."""
GROWN = (1.0, 1.5, 2.0, 3.0, 4.0)
"""A graph that has no room on a slide is not made smaller; the slide is made so many times larger."""


@dataclass(frozen=True)
class _Grid:
    """Frames in `columns`, each with the lines of its words, and below them the graph at its step."""

    columns: int
    width: float
    height: float
    words: list[list[str]]
    picture: Excerpt
    grown: float


def strip_steps(demo: Demo, most: int = MOST) -> list[int]:
    """The steps that are shown, `most` of them: the end, those of the questions, and the moments that have a name."""
    moments = demo.scene.moments
    named = [moments[name] for name in ("end", "error", "backward", "forward") if name in moments]
    wanted = dict.fromkeys([moments["end"], *demo.steps, *named])
    return sorted(list(wanted)[:most])


def strip(demo: Demo) -> str:
    """The slide, as SVG. Raises NothingToDraw."""
    steps, grid = _grid(demo)
    width, height = WIDTH * grid.grown, HEIGHT * grid.grown
    frames = [
        f'<g transform="translate({EDGE + n % grid.columns * (grid.width + EDGE):.1f} '
        f'{HEAD + n // grid.columns * (grid.height + EDGE):.1f})">{_frame(step, lines, grid)}</g>'
        for n, (step, lines) in enumerate(zip(steps, grid.words, strict=True))
    ]
    title = escape(clean(demo.title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" xml:space="preserve"><title>{title}</title>'
        f"<desc>{_told(demo, steps)}</desc><style>{language_sheet('light')}</style>"
        f'<rect width="100%" height="100%" class="paper"/>{_title(demo.title, width - 2 * EDGE)}{"".join(frames)}</svg>'
    )


def _grid(demo: Demo) -> tuple[list[int], _Grid]:
    """The steps that there is room for, and the frames in which their graphs tell most, and are largest."""
    for grown in GROWN:
        for most in range(MOST, 0, -1):
            steps = strip_steps(demo, most)
            grids = [_frames(demo, steps, columns, grown) for columns in range(1, len(steps) + 1)]
            best = max(grids, key=_worth)
            if best.picture.fits:
                return steps, best
    return steps, best


def _worth(grid: _Grid) -> tuple[float, ...]:
    """How much its graphs tell, how large they are, and how little of the slide is empty."""
    cards, is_roomy, size = grid.picture.finish
    places = grid.columns * -(-len(grid.words) // grid.columns)
    return grid.picture.fits, cards, is_roomy, size * math.sqrt(len(grid.words) / places)


def _frames(demo: Demo, steps: list[int], columns: int, grown: float) -> _Grid:
    rows = -(-len(steps) // columns)
    width = (WIDTH * grown - EDGE) / columns - EDGE
    height = (HEIGHT * grown - HEAD) / rows - EDGE
    words = [wrapped(_words(demo, step), width - text_width(_number(step), 15) - 16, SAID, LINES) for step in steps]
    below = LINE * max(map(len, words))
    return _Grid(columns, width, height, words, excerpt(demo.scene, width, height - below), grown)


def _frame(step: int, lines: list[str], grid: _Grid) -> str:
    said = "".join(say(line, 0, SAID + LINE * row, "sub strong") for row, line in enumerate(lines))
    graph = f'<g transform="translate(0 {grid.height - grid.picture.height:g})">{grid.picture.drawn(step)}</g>'
    return f"{said}{say(_number(step), grid.width, SAID, 'quiet end')}{graph}"


def _number(step: int) -> str:
    return f"step {step}"


def _words(demo: Demo, step: int) -> str:
    """The question before a step, or its lesson."""
    asked = [question.text for question, at in zip(demo.questions, demo.steps, strict=True) if at == step]
    return asked[0] if asked else demo.scene.headline(step).text


def _title(text: str, room: float) -> str:
    """The title as large as it fits."""
    size = next((size for size in SIZES if text_width(clean(text), size, bold=True) <= room), SIZES[-1])
    return say(fit(text, room, size, bold=True), EDGE, 46, "headline").replace(
        "<text", f'<text style="font-size:{size:g}px"', 1
    )


def _told(demo: Demo, steps: list[int]) -> str:
    """What each picture says."""
    return escape(clean(". ".join(f"Step {step}: {_words(demo, step)}" for step in steps)))
