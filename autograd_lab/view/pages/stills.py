"""Pictures that stand in one page, for readers without JavaScript. They cannot be packed, so they say nothing twice."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from autograd_lab.view.graph.legend import Entry, entries_of
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.scene import Scene
from autograd_lab.view.svg import draw_part, scene_svg


@dataclass
class Stills:
    """Pictures one after the other: what looks as it did before is shown by `use`, each sign is explained once."""

    _pictures: list[str] = field(default_factory=list)
    _drawn: dict[str, str] = field(default_factory=dict)
    """What was drawn, and the id under which it can be used again."""
    _explained: list[Entry] = field(default_factory=list)
    _sheet: str = ""

    def add(self, scene: Scene, step: int | None = None) -> None:
        """Draw one more, after `step` events, by default after all."""
        self._pictures.append(scene_svg(scene, step, explained=self._explained, draw=self._draw))
        state = scene.state(scene.steps if step is None else step)
        self._sheet = scene.style
        self._explained += entries_of((part.kind, scene.look(part, state)) for part in scene.parts)

    def _draw(self, part: Part, look: Look, scene: Scene) -> str:
        svg = draw_part(part, look, scene)
        drawing = svg.removeprefix(f'<g id="{part.id}"')
        if drawing == svg:
            return svg
        if drawing in self._drawn:
            return f'<use href="#{self._drawn[drawing]}"/>'
        self._drawn[drawing] = name = f"s{len(self._drawn)}"
        return f'<g id="{name}"{drawing}'

    def markup(self) -> str:
        """The pictures as HTML; the first brings the style sheet, as far as it is needed."""
        drawn = "".join(f"<figure>{svg}</figure>" for svg in self._pictures)
        used = set(re.findall(r'<use href="#(\w+)"', drawn))
        drawn = re.sub(r'<g id="([^"]*)"', lambda found: found[0] if found[1] in used else "<g", drawn)
        sheet = self._sheet
        return drawn.replace(sheet, needed(sheet, drawn), 1).replace(f"<style>{sheet}</style>", "")


def needed(sheet: str, drawing: str) -> str:
    """The rules of a sheet that may match something in a drawing.

    >>> needed(".box .name{fill:red}.pill,.name{fill:blue}", '<text class="name">')
    '.name{fill:blue}'
    """
    names = {name for classes in re.findall(r'class="([^"]*)"', drawing) for name in classes.split()}
    kept = []
    for selectors, body in re.findall(r"([^{}]+)(\{[^{}]*\})", sheet):
        apt = [each.strip() for each in selectors.split(",") if names.issuperset(re.findall(r"\.([\w-]+)", each))]
        kept += [",".join(apt) + body] if apt else []
    return "".join(kept)
