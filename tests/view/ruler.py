"""What a reader sees of a drawing: each text with its size and its box, as the style sheet of the drawing has it.

It reads the rules that the drawing brings along, of the few kinds that there are: words of a group, of its parent, of
an ancestor.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from autograd_lab.view.kit.font import text_width

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
MOVED = re.compile(r"(translate|scale)\(([^)]*)\)")
ASCENT, DESCENT = 0.7, 0.16
"""Above and below the line on which letters stand, in sizes of the text."""

Compound = tuple[str, frozenset[str]]
"""A tag and classes."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text where it stands; `path` are the classes of the groups around it."""

    text: str
    size: float
    box: tuple[float, float, float, float]
    path: tuple[str, ...]

    @property
    def is_of_graph(self) -> bool:
        return "graph" in self.path


def texts_of(svg: str) -> list[Text]:
    """All texts of a drawing, in its own px."""
    root = ElementTree.fromstring(svg)
    sheet = "".join(element.text or "" for element in root.iter() if _tag(element) == "style")
    return list(_texts(root, (), (1.0, 0.0, 0.0), {}, _sheet(sheet)))


def overlapping(texts: Sequence[Text], least: float = 1.0) -> list[tuple[str, str]]:
    """Pairs of texts that share more than `least` px both ways."""
    return [(one.text, other.text) for one, other in combinations(texts, 2) if _shared(one.box, other.box) > least]


def _shared(one: Sequence[float], other: Sequence[float]) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    return min(across, min(one[3], other[3]) - max(one[1], other[1]))


def outside(texts: Sequence[Text], width: float, height: float) -> list[str]:
    """Texts that are not wholly in the drawing."""
    return [it.text for it in texts
            if it.box[0] < 0 or it.box[1] < 0 or it.box[2] > width or it.box[3] > height]  # fmt: skip


def _texts(
    element: ElementTree.Element, path: tuple[Compound, ...], place: tuple[float, float, float],
    inherited: dict[str, str], sheet: _Sheet,
) -> Iterator[Text]:  # fmt: skip
    """`place` is a scale and an offset."""
    path = (*path, (_tag(element), frozenset(element.get("class", "").split())))
    style = {**inherited, **sheet.of(path), **_declared(element.get("style", ""))}
    scale, x, y = place
    for kind, numbers in MOVED.findall(element.get("transform", "")):
        values = [float(number) for number in numbers.replace(",", " ").split()]
        if kind == "translate":
            x, y = x + scale * values[0], y + scale * values[1]
        else:
            scale *= values[0]
    if _tag(element) == "text":
        text = "".join(element.itertext())
        size = float(style["font-size"].removesuffix("px"))
        bold, mono = style.get("font-weight") == "600", "Mono" in style["font-family"]
        width = text_width(text, size, bold=bold, mono=mono)
        left = float(element.get("x", "0")) - {"end": width, "middle": width / 2}.get(style.get("text-anchor", ""), 0.0)
        base = float(element.get("y", "0"))
        box = (left, base - ASCENT * size, left + width, base + DESCENT * size)
        moved = tuple(scale * at + (y if n % 2 else x) for n, at in enumerate(box))
        yield Text(text, scale * size, moved, tuple(word for _, words in path for word in words))  # type: ignore[arg-type]
        return
    for child in element:
        yield from _texts(child, path, (scale, x, y), style, sheet)


INHERITED = ("font-size", "font-weight", "font-family", "text-anchor")
Step = tuple[str, Compound]
"""How it hangs together with the step before ("" or ">"), and what it asks for."""


class _Sheet:
    """The rules of a style sheet that texts inherit, from the least to the most particular."""

    def __init__(self, sheet: str) -> None:
        found = []
        for number, (selectors, body) in enumerate(RULE.findall(sheet)):
            declared = {name: value for name, value in _declared(body).items() if name in INHERITED}
            for selector in selectors.split(",") if declared else ():
                steps = tuple(_steps(selector.strip()))
                words = sum(len(compound[1]) for _, compound in steps)
                found.append(((words, sum(bool(compound[0]) for _, compound in steps), number), steps, declared))
        self._rules = [(steps, declared) for _, steps, declared in sorted(found, key=lambda rule: rule[0])]
        self._known: dict[tuple[Compound, ...], dict[str, str]] = {}

    def of(self, path: tuple[Compound, ...]) -> dict[str, str]:
        """What the sheet says of an element, itself the last of those around it."""
        if path not in self._known:
            said = (declared for steps, declared in self._rules if _matches(path, steps))
            self._known[path] = {name: value for declared in said for name, value in declared.items()}
        return self._known[path]


_sheet = cache(_Sheet)


def _steps(selector: str) -> Iterator[Step]:
    how = ""
    for part in re.findall(r">|[^\s>]+", selector):
        if part == ">":
            how = ">"
            continue
        tag, *words = part.split(".")
        yield how, (tag, frozenset(words))
        how = ""


def _matches(path: tuple[Compound, ...], steps: tuple[Step, ...]) -> bool:
    how, (tag, words) = steps[-1]
    if not path or (tag and path[-1][0] != tag) or not words <= path[-1][1]:
        return False
    if len(steps) == 1:
        return True
    ends = [len(path) - 1] if how == ">" else range(1, len(path))
    return any(_matches(path[:end], steps[:-1]) for end in ends)


def _declared(body: str) -> dict[str, str]:
    pairs = (each.split(":", 1) for each in body.split(";") if ":" in each)
    return {name.strip(): value.strip() for name, value in pairs}


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
