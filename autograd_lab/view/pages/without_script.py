"""What a page shows where no script runs: how it ends, in a picture and in words, and the program."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from autograd_lab.view.graph.around import code_lines
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.needed import needed
from autograd_lab.view.kit.program_lines import line_at, lines_of
from autograd_lab.view.kit.shapes.panel import CodeLine
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.excerpt import EDGE, excerpt
from autograd_lab.view.pages.player_parts import coarse
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene

PANE = (1180.0, 560.0)
"""For so much room the graph is laid out, px."""
UNSEEN = re.compile(r'<rect class="glow"[^>]*/>| id="[^"]*"')
"""What pictures have for players alone: the light around what runs, and names. Nothing is quoted so in a text."""
MOST = 200_000
"""A picture of more letters would make a page half as large again."""
PLACES = re.compile(r' (?:x|y|d|width|height)="[^"]*"')


def without_script(*scenes: Scene) -> str:
    """The end of each of some scenes, with one style sheet for all."""
    told = "".join(map(_end, scenes))
    sheet = scenes[0].style
    return f"<style>{needed(sheet, told)}</style>{told}" if isinstance(scenes[0], RecordedScene) else told


def _end(scene: Scene) -> str:
    if not isinstance(scene, RecordedScene):
        return f"<figure>{UNSEEN.sub('', scene.svg(scene.steps))}</figure>"
    lesson = scene.headline(scene.steps)
    told = f"<h2>{_text(lesson.text)}</h2><p>{_text(scene.caption(scene.steps))}</p>"
    return f"{told}<figure>{_graph(scene, lesson.text)}</figure><pre>{_program(scene)}</pre>"


def _graph(scene: RecordedScene, title: str) -> str:
    graph = excerpt(scene, *PANE)
    choice = graph.picture.choice
    width, height = (side * choice.scale + 2 * EDGE for side in (choice.placed.width, choice.placed.height))
    drawn = replace(graph, width=width, height=height).drawn(scene.steps)
    box = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    small = PLACES.sub(lambda place: coarse(place[0]), UNSEEN.sub("", drawn))
    if len(small) > MOST:
        return worded("This picture is too large to be shown without JavaScript.")
    return f'<svg {box} role="img"><title>{_text(title)}</title>{small}</svg>'


def _program(scene: RecordedScene) -> str:
    """The lines of the program, of which those are marked that the end is about."""
    lines = lines_of(scene.trace, scene.trace.files)
    here = line_at(scene.trace.events, scene.steps)
    shown = code_lines(lines, scene.state(scene.steps), scene.subject.suspects, here)
    return "\n".join(map(_line, shown))


def _line(line: CodeLine) -> str:
    number = f"{'▸' if line.mark == 'now' else ' '} {line.number or '':>4}  "
    return _text(number + line.text + (f"  ← {line.note}" if line.note else ""))


def _text(text: str) -> str:
    return escape(clean(text), quote=False)
