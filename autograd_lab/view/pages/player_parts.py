"""The pictures for a browser: every part with all it ever looks like, as plain data of which nothing is said twice.

What a look is made of is drawn in Python and nowhere else, so a page shows what a PNG shows. A part is drawn at the
origin, where most drawings are alike, and its elements are kept in one list for all pictures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.motion.manner import Manner
from autograd_lab.view.motion.patterns import CROSS
from autograd_lab.view.track import Track

HIDDEN = ("hidden", "")
PICTURES = ("tile", "gtile", "bars", "sumbar", "progress", "parts")
CODED = (*PICTURES, "numbers", "signs", "norm", "width", "wide", "sign", "heat")
"""Names of texts that tell what to draw."""
CORNERED = ("card", "slot")
"""Kinds of parts whose drawings hang on nothing else in a picture."""
SHARED = "shared-mark"
"""The class of the letter that cards of one module have in common."""
PLACES = {"x", "y", "d", "width", "height"}
"""Attributes that say where something is, and how large."""
DIGITS = re.compile(r"-?\d*\.\d\d+")
Draw = Callable[[Part, Look], str]
Signs = Callable[[Part, Look], Iterable[str]]


def coarse(places: str) -> str:
    """Places and lengths to a tenth of a px, which nobody sees the rest of.

    >>> coarse("M400.06 42.5h.15v-0.04")
    'M400.1 42.5h0.1v-0'
    """
    return DIGITS.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), places)


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


@dataclass(frozen=True, slots=True)
class Shown:
    """A part as a page has it: what it is called, what it stands for, where it is, and how it looks when."""

    name: str
    part: Part
    things: Sequence[str]
    place: tuple[float, float, float, float]
    track: Track
    manners: Sequence[Manner] = ()
    """How each look after the first comes about, if that is not `CROSS`."""


@dataclass
class Drawings:
    """What pictures are drawn with. The words are those of `widgets/src/film.ts`.

    A shape is a tag with its attributes; an element is the number of a shape, then a text or the numbers of elements
    in it; a look is the number of its class names (with the signs in it that a legend explains), those of its elements
    and, where these had to shorten it, all that is said.
    """

    shapes: Once = field(default_factory=Once)
    elements: Once = field(default_factory=Once)
    classes: Once = field(default_factory=Once)
    looks: Once = field(default_factory=Once)
    tracks: Once = field(default_factory=Once)
    members: Once = field(default_factory=Once)
    manners: Once = field(default_factory=Once)
    _known: dict[tuple[str, ...], int] = field(default_factory=dict)
    """The number of the look of which all this is drawn and said."""
    _told: dict[Manner, int] = field(default_factory=dict)
    _drawn: dict[tuple[Hashable, ...], tuple[Track, list[int]]] = field(default_factory=dict)
    """What was drawn of parts in the corner, by their tracks, as places in memory, and by all else that it hangs on."""
    _said: dict[int, Hashable] = field(default_factory=dict)
    _plain: dict[tuple[Hashable, ...], int] = field(default_factory=dict)
    """The numbers of elements without others in them."""

    def __post_init__(self) -> None:
        self._manner(CROSS)

    def lists(self) -> dict[str, Any]:
        """The lists, by name; what two of them say of the same thing, as tracks and moves do, is kept as a pair."""
        plain = ("shapes", "elements", "looks", "members", "manners")
        pairs = {"classes": ("classes", "signs"), "tracks": ("tracks", "moves")}
        return {name: getattr(self, name).items for name in plain} | {
            name: [pair[n] for pair in getattr(self, kept).items]
            for kept, names in pairs.items()
            for n, name in enumerate(names)
        }

    def part(self, shown: Shown, draw: Draw, signs: Signs) -> list[Any]:
        """A part with its place and the number of its track: steps and numbers of looks, in turn, and of its moves:
        for each look after the first the number of a manner, as far as these are not all 0."""
        part = shown.part
        track = self._track(shown, draw, signs)
        place = [round(side) for side in shown.place]
        members = self.members.number(list(shown.things))
        moves = [self._manner(manner) for manner in shown.manners]
        while moves and not moves[-1]:
            moves.pop()
        return [shown.name, part.kind, members, part.index, *place, self.tracks.number((track, moves))]

    def _track(self, shown: Shown, draw: Draw, signs: Signs) -> list[int]:
        """Steps and numbers of looks, in turn. A part that is in many pictures has one track, and is drawn once."""
        part, track = shown.part, shown.track
        key = (id(track), part.kind, part.width, part.height)
        if key in self._drawn:
            return self._drawn[key][1]
        found = [number for step, look in track for number in (step, self._look(part, look, draw, signs))]
        if part.kind in CORNERED and part.text != "tick":
            self._drawn[key] = track, found
        return found

    def seen(self, told: Sequence[Any]) -> list[tuple[int, Hashable]]:
        """The track of a part that was told of, as far as it is seen: that something runs looks alike at each step."""
        track, _ = self.tracks.items[told[-1]]
        return [(step, self._seen(look)) for step, look in zip(track[::2], track[1::2], strict=True)]

    def _seen(self, look: int) -> Hashable:
        found = self._said.get(look)
        if found is None:
            kind, elements, *_ = self.looks.items[look]
            names = (name for name in self.classes.items[kind][0].split() if name != "now")
            found = self._said[look] = *names, *elements
        return found

    def _manner(self, manner: Manner) -> int:
        if manner not in self._told:
            self._told[manner] = self.manners.number(manner.told(lambda svg: self.sample("", svg)))
        return self._told[manner]

    def sample(self, classes: str, svg: str) -> int:
        """The number of a look that a legend shows."""
        root = ElementTree.fromstring(f"<g>{svg}</g>")
        return self.looks.number([self.classes.number((classes, "")), [self._element(child) for child in root]])

    def _look(self, part: Part, look: Look, draw: Draw, signs: Signs) -> int:
        if "hidden" in look.classes:
            return self.looks.number([self.classes.number(HIDDEN), []])
        said = [clean(text) for name, text in look.texts if text and is_said(name)]
        needs = " ".join(dict.fromkeys(signs(part, look)))
        svg, classes = draw(part, look), (part.kind, *look.classes)
        key = (svg, *classes, needs, *said)
        if key not in self._known:
            self._known[key] = self._new(svg, classes, needs, said)
        return self._known[key]

    def _new(self, svg: str, classes: Sequence[str], signs: str, said: list[str]) -> int:
        """The number of a look, of which a part that has nothing to show is a look, too; its class names are those of
        the drawing, and what the look says besides."""
        children: list[ElementTree.Element] = []
        if svg:
            root = ElementTree.fromstring(svg)
            if root.tag == "g" and "class" in root.attrib:
                classes = (*root.attrib["class"].split(), *classes[1:])
            children = list(root) if root.tag == "g" else [root]
        names = " ".join(dict.fromkeys(classes))
        found: list[Any] = [self.classes.number((names, signs)), [self._element(child) for child in children]]
        shown = "".join(text for child in children for text in child.itertext())
        if all(text in shown for text in said):
            return self.looks.number(found)
        if marks := ["".join(child.itertext()) for child in children if child.get("class") == SHARED]:
            said = sorted([*said, *marks], key=lambda text: text not in shown)  # what is seen is said in one go
        return self.looks.number([*found, "\n".join(said)])

    def _element(self, node: ElementTree.Element) -> int:
        """The number of an element; the same texts and outlines come again at every step."""
        key = None if len(node) else (node.tag, node.text, *node.attrib.items())
        if key is None:
            return self._new_element(node)
        if key not in self._plain:
            self._plain[key] = self._new_element(node)
        return self._plain[key]

    def _new_element(self, node: ElementTree.Element) -> int:
        attributes = {
            name: coarse(value) if name in PLACES else value for name, value in node.attrib.items() if name != "id"
        }
        shape = self.shapes.number([node.tag, attributes])
        return self.elements.number([shape, *([node.text] if node.text else map(self._element, node))])


def is_said(name: str) -> bool:
    """Whether a text of a look is for people, and not for drawing."""
    return name not in CODED and "param" not in name
