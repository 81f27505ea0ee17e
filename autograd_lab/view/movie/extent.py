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
from autograd_lab.view.kit.style import COMPILED, style_sheet

INK = 10.0
"""How far strokes, their corners and the overhang of letters can go beyond an outline, px."""

Names = frozenset[str]
"""Tags and classes of an element and of all that it is in."""


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


@lru_cache(maxsize=4096)
def reach(svg: str) -> Area | None:
    """Where a piece of a picture has ink, in px; None where there is none."""
    areas = list(_areas(ElementTree.fromstring(f"<svg>{svg}</svg>"), frozenset()))
    if not areas:
        return None
    left, top, right, bottom = areas[0].joined(*areas[1:])
    return Area(left - INK, top - INK, right + INK, bottom + INK)


def _areas(node: ElementTree.Element, names: Names) -> Iterator[Area]:
    names |= {node.tag, *node.get("class", "").split()}
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", node.get("transform", ""))
    x, y, scale = map(float, moved.groups("1")) if moved else (0.0, 0.0, 1.0)
    inside = [area for child in node for area in _areas(child, names)]
    for area in (*inside, *filter(None, [_own(node, names)])):
        yield Area(*(scale * side + offset for side, offset in zip(area, (x, y, x, y), strict=True)))


def _own(node: ElementTree.Element, names: Names) -> Area | None:
    """The box of one element; raises ValueError for a kind that no picture of ours has."""
    match node.tag:
        case "svg" | "g":
            return None
        case "rect":
            x, y, width, height = (float(node.get(name, 0)) for name in ("x", "y", "width", "height"))
            return Area(x, y, x + width, y + height)
        case "circle":
            x, y, r = (float(node.get(name, 0)) for name in ("cx", "cy", "r"))
            return Area(x - r, y - r, x + r, y + r)
        case "text":
            return _line(node.text or "", float(node.get("x", 0)), float(node.get("y", 0)), names)
        case "path":
            xs, ys = zip(*_points(node.get("d", "")), strict=True)
            return Area(min(xs), min(ys), max(xs), max(ys))
    raise ValueError(f"how far does <{node.tag}> reach?")


def _line(text: str, x: float, y: float, names: Names) -> Area:
    """The box of a text in the widest face, at any of the anchors that it may have."""
    size = max(float(rule.partition("px")[0]) for rule in _rules("font-size", names))
    width = max(text_width(text, size, bold=True), text_width(text, size, mono=True))
    anchors = _rules("text-anchor", names) or {"start"}
    before = {"start": 0.0, "middle": width / 2, "end": width}
    lefts = [x - before[anchor] for anchor in anchors]
    return Area(min(lefts), y - size, max(lefts) + width, y + size / 2)


@lru_cache(maxsize=1024)
def _rules(name: str, names: Names) -> set[str]:
    """What the style sheet may give to this property; which of its rules is the strongest is left open."""
    found = set()
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style_sheet(COMPILED, torn=True)):
        for value in re.findall(rf"\b{name}:([^;]+)", body):
            if any(names.issuperset(re.findall(r"[\w-]+", selector)) for selector in selectors.split(",")):
                found.add(value)
    return found


def _points(path: str) -> Iterator[tuple[float, float]]:
    """Ends and control points; a curve never leaves the hull of these."""
    x = y = 0.0
    for command, rest in re.findall(r"([MLCHVZlhvz])([^MLCHVZlhvz]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", rest)]
        match command:
            case "M" | "L" | "C":
                pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
                yield from pairs
                x, y = pairs[-1]
            case "l":
                x, y = x + numbers[0], y + numbers[1]
            case "H" | "h":
                x = numbers[0] + (x if command == "h" else 0.0)
            case "V" | "v":
                y = numbers[0] + (y if command == "v" else 0.0)
        yield x, y
