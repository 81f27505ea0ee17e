"""The moments of a demo on one slide: before each question, where backward tells most, at an error, at the end."""

from __future__ import annotations

from html import escape

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.view.graph.frame import wrap
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.style import style_sheet
from autograd_lab.view.pages.excerpt import Excerpt, excerpt

WIDTH, HEIGHT = 1280.0, 720.0
"""A slide, px."""

EDGE, HEAD, WORDS = 24.0, 64.0, 58.0
"""Room around and between the pictures; for the title; for the words above a picture."""
SAID, BOLD = 15.0, 0.87
"""Size of the words, px; how much less of bold ones fits a line."""
MOST = 4
"""So many pictures on a slide can still be read from the last row."""


def strip_steps(demo: Demo) -> list[int]:
    """The steps that are shown, `MOST` of them: the end, those of the questions, and the moments that have a name."""
    moments = demo.scene.moments
    named = [moments[name] for name in ("end", "error", "backward", "forward") if name in moments]
    wanted = dict.fromkeys([moments["end"], *demo.steps, *named])
    return sorted(list(wanted)[:MOST])


def strip(demo: Demo) -> str:
    """The slide, as SVG. Raises NothingToDraw."""
    steps = strip_steps(demo)
    pictures = [excerpt(demo.scene, step, f"s{step}-") for step in steps]
    columns, width, height = _grid(pictures)
    frames = [
        f'<g transform="translate({EDGE + i % columns * (width + EDGE):.1f} '
        f'{HEAD + i // columns * (height + EDGE):.1f})">{_frame(demo, step, picture, width, height)}</g>'
        for i, (step, picture) in enumerate(zip(steps, pictures, strict=True))
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" role="img">'
        f"<title>{escape(clean(demo.title))}</title><style>{style_sheet()}</style>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f"{_text(demo.title, EDGE, 44, 30, bold=True)}{''.join(frames)}</svg>"
    )


def _grid(pictures: list[Excerpt]) -> tuple[int, float, float]:
    """Columns, and the size of a frame, by which the pictures are largest."""

    def frame(columns: int) -> tuple[float, float]:
        rows = -(-len(pictures) // columns)
        return (WIDTH - EDGE) / columns - EDGE, (HEIGHT - HEAD) / rows - EDGE

    def scale(columns: int) -> float:
        width, height = frame(columns)
        return min(width / pictures[0].width, (height - WORDS) / pictures[0].height)

    best = max(range(1, len(pictures) + 1), key=scale)
    return best, *frame(best)


def _frame(demo: Demo, step: int, picture: Excerpt, width: float, height: float) -> str:
    asked = [question.text for question, at in zip(demo.questions, demo.steps, strict=True) if at == step]
    words = f"? {asked[0]}" if asked else demo.scene.caption(step)
    lines = wrap(words, (width - 60) * (BOLD if asked else 1), SAID, 3)
    said = "".join(_text(line, 0, 16 + 18 * row, SAID, bold=bool(asked)) for row, line in enumerate(lines))
    number = f'<text x="{width:.0f}" y="16" font-size="13" text-anchor="end" class="small">step {step}</text>'
    return said + number + picture.placed(0, WORDS, width, height - WORDS)


def _text(text: str, x: float, y: float, size: float, *, bold: bool = False) -> str:
    weight = ' class="bold"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size:g}"{weight}>{escape(clean(text))}</text>'
