"""The scene of a compilation: its cards with a headline, a caption, the program's lines and a legend around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import ceil
from typing import Any

from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import Options, Scene
from autograd_lab.view.compiled.captured import ONE_VIEW, Captured
from autograd_lab.view.compiled.frame import GAP, HEAD, MARGIN, Frame
from autograd_lab.view.compiled.frame_drawing import draw_panel, draw_part, legend_rows
from autograd_lab.view.compiled.inventory import Cards
from autograd_lab.view.compiled.legend import Entry, entries_of, legend_height
from autograd_lab.view.compiled.places import placed
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.program_lines import lines_of
from autograd_lab.view.kit.style import style_sheet

FRAME_KINDS = ("title", "caption", "code")

NARROWEST = 1000.0
"""Width of the narrowest picture, so that captions and legend have room, px."""
PAPER = '<rect width="100%" height="100%" fill="#ffffff"/>'


@dataclass
class CompiledScene(Scene):
    """A picture of how a function was compiled. All steps fit `width` × `height` px."""

    subject: Captured
    frame: Frame
    cards: list[Part]
    lines: dict[str, Path]

    @classmethod
    def of(cls, trace: Trace, cards: Cards, options: Options) -> CompiledScene:
        """Raises ValueError for options that it does not have."""
        subject, wanted = Captured(cards), options._replace(fold=True, depth=None, expand=())
        if wanted != Options():
            raise ValueError(ONE_VIEW)
        found = placed(cards)
        width = ceil(max(found.width + 2 * MARGIN, NARROWEST))
        below = HEAD + 10 + found.height + GAP
        frame = Frame(subject.words, subject.headline, lines_of(trace, trace.files), len(trace), width, below)
        there = found.moved((width - found.width) // 2, HEAD + 10)
        edge = _torn_edge(trace, (width + found.width) / 2, found.height)
        return cls(trace, subject, options, frame, [*there.parts, *edge], there.routes)

    @property
    def parts(self) -> list[Part]:
        return [*self.cards, *self.frame.parts]

    @property
    def routes(self) -> dict[str, Path]:
        return self.lines

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(self.trace.notes)

    @property
    def style(self) -> str:
        return style_sheet(self.subject.style, torn=self.trace.is_torn)

    @property
    def width(self) -> float:
        """Width of the picture, px."""
        return self.frame.width

    def height_for(self, entries: int) -> float:
        """Height of a picture whose legend has so many entries, px."""
        legend = legend_height(entries, self.width - 2 * MARGIN - self.frame.code_width - 30)
        return self.frame.below + max(self.frame.height, legend) + MARGIN

    def look(self, part: Part, state: Any) -> Look:
        return self.frame.at(part, state) if part.kind in FRAME_KINDS else self.subject.look(part, state)

    def draw(self, part: Part, look: Look) -> str:
        return draw_part(part, look, self.lines)

    def keys(self, part: Part) -> Iterable[str]:
        return self.subject.keys(part)

    @cached_property
    def entries(self) -> list[Entry]:
        """What the legend has to explain at one step or another."""
        return entries_of((part.kind, look) for part in self.parts for _, look in self.tracks[part.id])

    def svg(self, step: int, *, same_size: bool = False, theme: str = "light", poster: bool = False) -> str:
        if theme != "light" or poster:
            raise ValueError("a compilation is drawn in light colours alone, and not as a poster")
        return sheet_svg(self, step, same_size=same_size)


def sheet_svg(scene: CompiledScene, step: int, *, same_size: bool = False) -> str:
    """The sheet after `step` events.

    The graph stands where it always stands; the program's lines follow right below it or, with `same_size`, where they
    are below the highest of all steps, and rows of the legend keep their places, too.
    """
    state = scene.state(step)
    drawn = _shown(scene, state)
    if not same_size:
        scene = _narrowed(scene, [part for part, _ in drawn])
        drawn = _shown(scene, state)
    entries = entries_of((part.kind, look) for part, look in drawn)
    places = scene.entries if same_size else entries
    graph = [scene.draw(part, look) for part, look in drawn if part.kind != "code"]
    code = [scene.draw(part, look) for part, look in drawn if part.kind == "code"]
    up = 0.0 if same_size else scene.frame.below - GAP - _bottom(scene, [part for part, _ in drawn])
    legend = f'<g class="legend">{"".join(legend_rows(entries, places, scene.frame))}</g>'
    below = "".join([draw_panel(scene.frame), *code, legend])
    height = scene.height_for(len(places)) - up
    size = f'width="{scene.width:.0f}" height="{height:.0f}" viewBox="0 0 {scene.width:.0f} {height:.0f}"'
    title, said = escape(clean(scene.headline(step).text)), escape(clean(scene.caption(step)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{title}</title><desc>{said}</desc><style>{scene.style}</style>{PAPER}"
        f'{"".join(graph)}<g transform="translate(0 {-up:.7g})">{below}</g></svg>'
    )


def _shown(scene: CompiledScene, state: Any) -> list[tuple[Part, Look]]:
    """What there is to be seen in a state."""
    looks = ((part, scene.look(part, state)) for part in scene.parts)
    return [(part, look) for part, look in looks if "hidden" not in look.classes]


def _narrowed(scene: CompiledScene, drawn: list[Part]) -> CompiledScene:
    """A scene without the room that later steps will take to the right."""
    right = max((part.x + part.width for part in drawn if part.kind not in FRAME_KINDS), default=0.0)
    right = max([right, *(x for part in drawn for x, _ in scene.routes.get(part.id, ()))])
    width = max(ceil(right + MARGIN), NARROWEST)
    return replace(scene, frame=replace(scene.frame, width=width)) if width < scene.width else scene


def _bottom(scene: CompiledScene, drawn: list[Part]) -> float:
    """How far down the graph reaches."""
    parts = [part.y + part.height for part in drawn if part.kind not in FRAME_KINDS]
    lines = [y for part in drawn if part.id in scene.routes for _, y in scene.routes[part.id]]
    return max([*parts, *lines], default=HEAD)


def _torn_edge(trace: Trace, right: float, height: float) -> list[Part]:
    """The edge of a picture whose recording broke off, to the right of the graph."""
    if not trace.is_torn:
        return []
    return [Part("edge", "edge", "", right + 6, HEAD + 10, 9, max(height, 60), index=len(trace))]
