"""How far a drawn piece reaches: a box that holds all of its ink, read from the SVG itself.

So nobody has to say twice where a piece draws. The box may be too large, as with a text, of which it is not asked which
face it is set in; it is never too small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

from autograd_lab.view.kit.font import text_width
from autograd_lab.view.movie.cascade import Names, values

CORNER = 2.0
"""How far a corner of a stroke goes beyond its outline, in halves of its width, if no angle is below 60 degrees."""
ABOVE, BELOW, BESIDE = 1.25, 0.55, 0.5
"""How far letters of the bundled faces go at most above and below their line, and beside it, in sizes of the text."""
TAKES = {"M": 2, "L": 2, "C": 6, "Q": 4, "A": 7, "H": 1, "V": 1, "Z": 1}
"""How many numbers each command of a path takes; at least one, so that a command without any counts."""
COMMANDS = "".join(TAKES) + "".join(TAKES).lower()

Point = tuple[float, float]


class Area(NamedTuple):
    """A box: left, top, right and bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        """Whether the two have any inside in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def joined(self, *others: Area) -> Area:
        """The smallest box that holds all of them."""
        lefts, tops, rights, bottoms = zip(self, *others, strict=True)
        return Area(min(lefts), min(tops), max(rights), max(bottoms))

    def moved(self, dx: float, dy: float) -> Area:
        """The same box elsewhere."""
        return Area(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    @property
    def size(self) -> float:
        """How much is inside."""
        return (self.right - self.left) * (self.bottom - self.top)

    def wider(self, by: float) -> Area:
        """The box with so much more on each side."""
        return Area(self.left - by, self.top - by, self.right + by, self.bottom + by)


@lru_cache(maxsize=4096)
def reach(svg: str, style: str) -> Area | None:
    """Where a piece of a picture in this style has ink, in px; None where there is none."""
    areas = list(_areas(ElementTree.fromstring(f"<svg>{svg}</svg>"), _Around(style, frozenset(), 1.0)))
    return areas[0].joined(*areas[1:]) if areas else None


class _Around(NamedTuple):
    """What an element has from all that it is in: the style, tags and classes, and the width of its strokes."""

    style: str
    names: Names
    stroke: float

    def of(self, node: ElementTree.Element) -> _Around:
        names = self.names | {node.tag, *node.get("class", "").split()}
        return _Around(self.style, names, float(node.get("stroke-width", self.stroke)))

    def rules(self, name: str) -> tuple[str, ...]:
        return values(self.style, name, self.names)

    @property
    def margin(self) -> float:
        """How far strokes and their corners can go beyond an outline."""
        return CORNER / 2 * max([self.stroke, *map(float, self.rules("stroke-width"))])


def _areas(node: ElementTree.Element, around: _Around) -> Iterator[Area]:
    if node.tag == "clipPath":
        return
    around = around.of(node)
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", node.get("transform", "translate(0 0)"))
    if moved is None:
        raise ValueError(f"how far does {node.get('transform')} move?")
    x, y, scale = map(float, moved.groups("1"))
    inside = [] if node.tag == "text" else [area for child in node for area in _areas(child, around)]
    for area in (*inside, *filter(None, [_own(node, around)])):
        yield Area(*(scale * side + offset for side, offset in zip(area, (x, y, x, y), strict=True)))


def _own(node: ElementTree.Element, around: _Around) -> Area | None:
    """The box of one element; raises ValueError for a kind that no picture of ours has."""
    match node.tag:
        case "svg" | "g" | "title":
            return None
        case "rect":
            x, y, width, height = (float(node.get(name, 0)) for name in ("x", "y", "width", "height"))
            return Area(x, y, x + width, y + height).wider(around.margin)
        case "circle":
            x, y, r = (float(node.get(name, 0)) for name in ("cx", "cy", "r"))
            return Area(x - r, y - r, x + r, y + r).wider(around.margin)
        case "text":
            return _line(node, around)
        case "path":
            xs, ys = zip(*_points(node.get("d", "")), strict=True)
            return Area(min(xs), min(ys), max(xs), max(ys)).wider(around.margin)
    raise ValueError(f"how far does <{node.tag}> reach?")


def _line(node: ElementTree.Element, around: _Around) -> Area:
    """The box of a text in the widest of the faces, and at any of the anchors, that it may have."""
    text, x, y = "".join(node.itertext()), float(node.get("x", 0)), float(node.get("y", 0))
    sizes = re.findall(r"font-size:([^;]+)", node.get("style", "")) or around.rules("font-size")
    size = max(float(size.removesuffix("px")) for size in sizes)
    is_mono = ["Mono" in face for face in around.rules("font-family")]
    width = max(text_width(text, size, bold=not mono, mono=mono) for mono in is_mono)
    anchors = around.rules("text-anchor") or ("start",)
    before = {"start": 0.0, "middle": width / 2, "end": width}
    lefts = [x - before[anchor] for anchor in anchors]
    left, right = min(lefts) - BESIDE * size, max(lefts) + width + BESIDE * size
    return Area(left, y - ABOVE * size, right, y + BELOW * size).wider(around.margin)


def _points(path: str) -> Iterator[Point]:
    """Ends and control points; a curve never leaves the hull of these, and an arc the box around its circle."""
    x = y = 0.0
    start = x, y
    for command, rest in re.findall(rf"([{COMMANDS}])([^{COMMANDS}]*)", path):
        kind, numbers = command.upper(), [float(each) for each in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", rest)]
        for first in range(0, max(1, len(numbers)), TAKES[kind]):
            at = (x, y) if command.islower() else (0.0, 0.0)
            *points, (x, y) = _ends(kind, numbers[first : first + TAKES[kind]], at, (x, y), start)
            yield from (*points, (x, y))
        start = (x, y) if kind == "M" else start


def _ends(kind: str, numbers: list[float], at: Point, now: Point, start: Point) -> list[Point]:
    """The points of one command whose numbers count from `at`; the last one is where it ends."""
    match kind:
        case "Z":
            return [start]
        case "H":
            return [(at[0] + numbers[0], now[1])]
        case "V":
            return [(now[0], at[1] + numbers[0])]
        case "A":
            (x, y), r = (at[0] + numbers[5], at[1] + numbers[6]), max(numbers[:2])
            return [(x - 2 * r, y - 2 * r), (x + 2 * r, y + 2 * r), (x, y)]
    return [(at[0] + x, at[1] + y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
