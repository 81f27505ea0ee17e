"""The graph for a browser: every part with all it ever looks like, as plain data of which nothing is said twice.

What a look is made of is drawn by `svg.py` and by nothing else, so a page shows what a PNG shows. A part is drawn at
the origin, where most drawings are alike, and its elements are kept in one list for the whole picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.legend import possible_entries, signs_in
from autograd_lab.view.graph.maths import in_maths
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.pages.inset import Unfolded
from autograd_lab.view.scene import FRAME_KINDS, Scene
from autograd_lab.view.svg import draw_part, swatch
from autograd_lab.view.track import Track, tracks_of


@dataclass
class _Graph:
    """The parts of a scene in the engine view, without what stands around the graph, for which a page has its own."""

    scene: Scene
    parts: list[Part]

    def look(self, part: Part, state: GraphState) -> Look:
        return self.scene.subject.look(part, state)


def views_of(scene: Scene) -> list[str]:
    """The views in which the parts of a scene have a track, first the one in which it was asked for."""
    if not scene.subject.is_turned:
        return ["engine"]
    return ["engine", "maths"] if scene.view == "engine" else ["maths", "engine"]


def in_view(view: str, kind: str, track: Track) -> Track:
    """The track of a part of this kind in a view, made of that in the engine view."""
    if view == "engine":
        return track
    looks = [(step, in_maths(kind, look)) for step, look in track]
    return [looks[0], *(after for before, after in pairwise(looks) if after[1] != before[1])]


@dataclass
class Once:
    """A list in which everything stands once; whoever needs an item twice names its number twice."""

    items: list[Any] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, item: Any) -> int:
        """The number of an item; equal ones share it."""
        found = self._numbers.setdefault(repr(item), len(self.items))
        if found == len(self.items):
            self.items.append(item)
        return found


@dataclass
class Drawings:
    """What graphs are drawn with. The words are those of `widgets/src/film.ts`.

    A shape is a tag with its attributes; an element is the number of a shape, then a text or the numbers of elements
    in it; a look is the number of its class names (with the signs in its texts that a legend explains), those of its
    elements and, where these had to shorten it, all that is said.
    """

    shapes: Once = field(default_factory=Once)
    elements: Once = field(default_factory=Once)
    classes: Once = field(default_factory=Once)
    looks: Once = field(default_factory=Once)
    _known: dict[tuple[str, ...], int] = field(default_factory=dict)
    """The number of the look of which all this is drawn and said."""

    def lists(self) -> dict[str, Any]:
        """The lists, by name."""
        found = {name: getattr(self, name).items for name in ("shapes", "elements", "looks")}
        return found | {name: [pair[n] for pair in self.classes.items] for n, name in enumerate(("classes", "signs"))}

    def graph(self, whole: Unfolded) -> dict[str, Any]:
        """Parts of a scene, each with its place and its track in each view: steps and numbers of looks, in turn.

        Equal tracks are told once. What belongs to insets is by itself.
        """
        scene, insets = whole.scene, whole.insets
        graph = _Graph(scene, [part for part in scene.parts if part.kind not in FRAME_KINDS])
        tracks = tracks_of(graph, scene.subject, scene.trace)
        inside = {part.id for parts in insets.values() for part in parts}

        def told(parts: Iterable[Part]) -> list[list[Any]]:
            return [self._part(part, tracks[part.id], scene) for part in parts]

        return {
            "direction": scene.direction,
            "parts": told(part for part in graph.parts if part.id not in inside),
            "insets": {fold: told(parts) for fold, parts in insets.items()},
            "notices": _notices(scene, insets),
            **_home(graph.parts, scene),
        }

    def _part(self, part: Part, track: Track, scene: Scene) -> list[Any]:
        first, *others = (in_view(view, part.kind, track) for view in views_of(scene))
        place = [round(side) for side in _place(part, scene)]
        known = [self._track(part, each, scene) for each in [first, *(each for each in others if each != first)]]
        return [part.id, part.kind, part.of, part.index, *place, *known]

    def _track(self, part: Part, track: Track, scene: Scene) -> list[int]:
        return [number for step, look in track for number in (step, self._look(part, look, scene))]

    def legend(self, scene: Scene) -> list[list[Any]]:
        """Kind and class that a part must have, what it means, and the look of the sample."""
        rows: list[list[Any]] = []
        for entry in possible_entries(event.kind for event in scene.trace):
            root = ElementTree.fromstring(swatch(entry, 4, 0, scene))
            look = [self.classes.number((root.get("class", ""), "")), [self._element(child) for child in root]]
            rows.append([entry.kind, entry.needs, entry.meaning, self.looks.number(look)])
        return rows

    def _look(self, part: Part, look: Look, scene: Scene) -> int:
        if "hidden" in look.classes:
            return self.looks.number([self.classes.number(("hidden", "")), []])
        at_origin = part
        if part.id not in scene.routes:
            at_origin = Part("", part.kind, part.of, 0.0, 0.0, part.width, part.height, part.index, part.text)
        said = [clean(text) for name, text in look.texts if text and name != "heat"]
        signs = " ".join(dict.fromkeys(signs_in(look)))
        svg, classes = draw_part(at_origin, look, scene), " ".join((part.kind, *look.classes))
        key = (svg, classes, signs, *said)
        if key not in self._known:
            self._known[key] = self._new(svg, classes, signs, said)
        return self._known[key]

    def _new(self, svg: str, classes: str, signs: str, said: list[str]) -> int:
        """The number of a look, of which a part that has nothing to show is a look, too."""
        children: list[ElementTree.Element] = []
        if svg:
            root = ElementTree.fromstring(svg)
            classes = root.get("class", "") if root.tag == "g" else classes
            children = list(root) if root.tag == "g" else [root]
        found: list[Any] = [self.classes.number((classes, signs)), [self._element(child) for child in children]]
        shown = "".join(text for child in children for text in child.itertext())
        return self.looks.number([*found, "\n".join(said)] if any(text not in shown for text in said) else found)

    def _element(self, node: ElementTree.Element) -> int:
        attributes = {name: value for name, value in node.attrib.items() if name != "id"}
        shape = self.shapes.number([node.tag, attributes])
        return self.elements.number([shape, *([node.text] if node.text else map(self._element, node))])


def _notices(scene: Scene, insets: Mapping[str, object]) -> list[str]:
    """What is not drawn, and how to see it in a browser."""
    folds = scene.plan.folds
    if not folds:
        return list(scene.notices)
    hidden = sum(len(fold.ops) for fold in folds)
    how = "; a double click, or o, opens the chosen one" if insets else ""
    return [f"{hidden:,} of {len(scene.looks.history.ops):,} ops lie in folds{how}", *scene.trace.notes]


def _home(parts: Iterable[Part], scene: Scene) -> dict[str, list[int]]:
    """Where the calls of a compilation are: its programs, beside them, come later."""
    places = [_place(part, scene) for part in parts if part.kind in ("input", "call", "wire")]
    if not places:
        return {}
    x, y = min(place[0] for place in places), min(place[1] for place in places)
    right, bottom = max(x + width for x, _, width, _ in places), max(y + height for _, y, _, height in places)
    return {"home": [round(side) for side in (x, y, right - x, bottom - y)]}


def _place(part: Part, scene: Scene) -> tuple[float, float, float, float]:
    """Corner and size; of a line those of what it spans."""
    if part.id not in scene.routes:
        return part.x, part.y, part.width, part.height
    xs, ys = zip(*scene.routes[part.id], strict=True)
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
