"""How far a drawn piece reaches: a box that holds all of its ink, read from the SVG itself.

So nobody has to say twice where a piece draws. The box may be too large, as with text that is measured in its widest
face; it is never too small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

from autograd_lab.view.font import text_width

INK = 10.0
"""How far strokes, their corners and the overhang of letters can go beyond an outline, px."""
WIDEST = 1.2
"""Style sheets may enlarge a text that much beyond its own font-size."""


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
    areas = list(_areas(ElementTree.fromstring(f"<g>{svg}</g>"), 0.0, 0.0))
    if not areas:
        return None
    left, top, right, bottom = areas[0].joined(*areas[1:])
    return Area(left - INK, top - INK, right + INK, bottom + INK)


def _areas(node: ElementTree.Element, dx: float, dy: float) -> Iterator[Area]:
    if moved := re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", node.get("transform", "")):
        dx, dy = dx + float(moved[1]), dy + float(moved[2])
    for child in node:
        yield from _areas(child, dx, dy)
    if (own := _own(node)) is not None:
        yield Area(own.left + dx, own.top + dy, own.right + dx, own.bottom + dy)


def _own(node: ElementTree.Element) -> Area | None:
    """The box of one element; raises ValueError for a kind that no picture of ours has."""
    match node.tag:
        case "g":
            return None
        case "rect":
            x, y, width, height = (float(node.get(name, 0)) for name in ("x", "y", "width", "height"))
            return Area(x, y, x + width, y + height)
        case "circle":
            x, y, r = (float(node.get(name, 0)) for name in ("cx", "cy", "r"))
            return Area(x - r, y - r, x + r, y + r)
        case "text":
            return _line(node)
        case "path":
            xs, ys = zip(*_points(node.get("d", "")), strict=True)
            return Area(min(xs), min(ys), max(xs), max(ys))
    raise ValueError(f"how far does <{node.tag}> reach?")


def _line(node: ElementTree.Element) -> Area:
    x, y, size = (float(node.get(name, 0)) for name in ("x", "y", "font-size"))
    text, size = node.text or "", WIDEST * size
    width = max(text_width(text, size, bold=True), text_width(text, size, mono=True))
    before = {"start": 0.0, "middle": width / 2, "end": width}[node.get("text-anchor", "start")]
    return Area(x - before, y - size, x - before + width, y + size / 2)


def _points(path: str) -> Iterator[tuple[float, float]]:
    """Ends and control points; a curve never leaves the hull of these."""
    x = y = 0.0
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", rest)]
        match command:
            case "M" | "L" | "C":
                pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
                yield from pairs
                x, y = pairs[-1]
            case "H" | "h":
                x = numbers[0] + (x if command == "h" else 0.0)
            case "V" | "v":
                y = numbers[0] + (y if command == "v" else 0.0)
        yield x, y
