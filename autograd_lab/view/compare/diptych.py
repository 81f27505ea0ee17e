"""Two graphs on a sheet of 16 : 9, with marks on what differs and, below them, what differs in sentences.

They stand beside each other or one above the other, whichever shows more of them, or shows them larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from autograd_lab.view.compare.both import Both
from autograd_lab.view.compare.marked import marks_on
from autograd_lab.view.compare.told import Sentences
from autograd_lab.view.graph.keys import Key, keys_of
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.needed import needed
from autograd_lab.view.kit.palette import LIGHT
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.key_line import in_lines, legend
from autograd_lab.view.kit.shapes.stroke import group, say
from autograd_lab.view.kit.style import MARKS
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.slide import BETWEEN, HEIGHT, MARGIN, WIDTH

TITLE, SUB, TEXT, KEY = 24.0, 18.0, 15.0, 13.5
"""Sizes of a title, of the lesson below it, of how far it is, and of a key of the legend, px."""
TOP, HEAD, CLEAR = 28.0, 74.0, 14.0
"""Above all, above each graph with its title, and below each graph; px."""
FOOT = 44.0
"""Below the sentences, px."""
KEYS = 5
"""Keys of the legend at most."""

Shown = Sequence[tuple[Part, Look]]


@dataclass(frozen=True)
class _Sheet:
    """Where two graphs stand: side by side, or one above the other."""

    side_by_side: bool
    foot: float
    """From the upper edge of the sentences down, px."""
    width: float = WIDTH
    height: float = HEIGHT
    pictures: tuple[Picture, ...] = ()

    @property
    def worth(self) -> tuple[float, int, bool, float]:
        """What it is good for: how small it can be, how many cards there are, how roomy these are and how large."""
        choices = [picture.choice for picture in self.pictures]
        return (
            -self.width,
            sum(len(choice.cards.cards) for choice in choices),
            all(choice.style.full and choice.style.form != "wide" for choice in choices),
            min(choice.scale for choice in choices),
        )

    @property
    def room(self) -> tuple[float, float]:
        """Width and height of the room for each graph."""
        width, height = self.width - 2 * MARGIN, self.height - TOP - self.foot
        if self.side_by_side:
            return (width - BETWEEN) / 2, height - HEAD - CLEAR
        return width, height / 2 - HEAD - CLEAR

    def corner(self, side: int) -> tuple[float, float]:
        """Where a graph with its title begins."""
        width, height = self.room
        if self.side_by_side:
            return MARGIN + side * (width + BETWEEN), TOP
        return MARGIN, TOP + side * (height + HEAD + CLEAR)

    def filled(self, both: Both) -> _Sheet:
        """With the pictures that its rooms have; larger, if they do not fit."""
        pictures = tuple(scene.picture(scene.view, self.room) for scene in both.scenes)
        sizes = zip(*map(_size, pictures), strict=True)
        over = max(1.0, *(max(each) / room for each, room in zip(sizes, self.room, strict=True)))
        if over < 1.001:
            return replace(self, pictures=pictures)
        more = [(over - 1) * room for room in self.room]
        width = WIDTH + more[0] * (1 + self.side_by_side)
        height = HEIGHT + more[1] * (2 - self.side_by_side)
        wide, high = max(width, height * WIDTH / HEIGHT), max(height, width * HEIGHT / WIDTH)
        return replace(self, pictures=pictures, width=round(wide), height=round(high))


def diptych(both: Both, beat: int | None = None) -> str:
    """The SVG of both graphs at a beat, by default the last. Raises IndexError for a beat that there is not."""
    beats = both.pairing.beats
    at = len(beats) - 1 if beat is None else beat
    if not 0 <= at < len(beats):
        raise IndexError(f"there are beats 0 to {len(beats) - 1}, no beat {at}")
    foot = Sentences(both.told, WIDTH - 2 * MARGIN).height + FOOT
    sheet = max((_Sheet(way, foot).filled(both) for way in (True, False)), key=lambda each: each.worth)
    shown = []
    for picture, scene, step in zip(sheet.pictures, both.scenes, beats[at], strict=True):
        state = scene.state(step)
        shown.append([(part, picture.look(part, state)) for part in picture.parts])
    drawn = [_head(both, side, beats[at][side], sheet) + _graph(both, side, at, shown[side], sheet) for side in (0, 1)]
    told = Sentences(both.told, sheet.width - 2 * MARGIN).draw(MARGIN, sheet.height - foot)
    return _whole(both, sheet, "".join([*drawn, told, _legend(sheet, shown)]))


def _whole(both: Both, sheet: _Sheet, drawn: str) -> str:
    size = f'width="{sheet.width:g}" height="{sheet.height:g}" viewBox="0 0 {sheet.width:g} {sheet.height:g}"'
    paper = '<rect width="100%" height="100%" class="paper"/>'
    style = needed(language_sheet("light") + MARKS.substitute(LIGHT), paper + drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{escape(clean(both.title))}</title><desc>{escape(clean(' '.join(both.told)))}</desc>"
        f"<style>{style}</style>{paper}{drawn}</svg>"
    )


def _scale(picture: Picture) -> float:
    """A graph that does not fit is not made smaller."""
    return max(1.0, picture.choice.scale)


def _size(picture: Picture) -> tuple[float, float]:
    """Width and height of a graph on the sheet, px."""
    placed, scale = picture.choice.placed, _scale(picture)
    return placed.width * scale, placed.height * scale


def _head(both: Both, side: int, step: int, sheet: _Sheet) -> str:
    """What a side is called, where it is, and the lesson of its step."""
    scene, (x, y), room = both.scenes[side], sheet.corner(side), sheet.room[0]
    count = worded("step {} of {}", step, scene.steps)
    title = fit(clean(both.titles[side]), room - text_width(count, TEXT) - BETWEEN, TITLE, bold=True)
    lesson = fit(clean(scene.headline(step).text), room, SUB)
    return say(title, x, y + 22, "thumb") + say(count, x + room, y + 22, "quiet end") + say(lesson, x, y + 49, "sub")


def _graph(both: Both, side: int, beat: int, shown: Shown, sheet: _Sheet) -> str:
    """A graph in the middle of its room, with its marks; ids are its own."""
    picture, (x, y), (width, height) = sheet.pictures[side], sheet.corner(side), sheet.room
    routes = picture.drawing.routes
    drawn = "".join(picture.draw(part, look, routes.get(part.id)) for part, look in shown)
    marks = (mark for each in both.differences for mark in each.marks if mark.side == side and mark.holds(beat))
    across, down = _size(picture)
    place = f"translate({x + (width - across) / 2:.2f} {y + HEAD + (height - down) / 2:.2f})"
    own = f"{drawn}{group('marks', *marks_on(picture, shown, marks))}".replace(' id="', f' id="{"ab"[side]}-')
    return f'<g class="graph" transform="{place} scale({_scale(picture):.4f})">{own}</g>'


def _legend(sheet: _Sheet, shown: Sequence[Shown]) -> str:
    """The keys that either graph needs, as many as fit in a line."""
    found: dict[str, Key] = {}
    for picture, parts in zip(sheet.pictures, shown, strict=True):
        for key in keys_of(picture, parts):
            if key.sign not in found or "‖" in key.words:  # norms, if only one of them has arrays
                found[key.sign] = key
    lines = in_lines([key.entry for key in list(found.values())[:KEYS]], sheet.width - 2 * MARGIN)
    return legend(MARGIN, sheet.height - 20, lines[0] if lines else [])
