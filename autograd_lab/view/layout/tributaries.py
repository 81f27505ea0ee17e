"""Tributaries: what only takes one thing that comes in, and gives to the spine, stands with it beside the spine.

For the spine, the two are one box, such as an embedding with its places: `joined` makes it one, `parted` two again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autograd_lab.view.layout.boxes import Box, Link, Point, Route
from autograd_lab.view.layout.strokes import straight

DOCK = 24.0
"""So much of the lower edge of a box stays free for its line, px."""


@dataclass(frozen=True, slots=True)
class Tributaries:
    """A graph in which each tributary is a box; `fronts` are what comes into them, with the line from there."""

    boxes: list[Box]
    links: list[Link]
    heads: frozenset[str]
    fronts: dict[str, tuple[Box, Link]] = field(default_factory=dict)


def joined(boxes: Sequence[Box], links: Sequence[Link], heads: Collection[str], gap: float) -> Tributaries:
    """The graph with each tributary and its front as one box, `gap` px between the two; but for the last one, which may
    be where the spine begins."""
    by_id = {box.id: box for box in boxes}
    into, out = Counter(link.target for link in links), Counter(link.source for link in links)
    found = {
        link.target: (by_id[link.source], link)
        for link in links
        if link.source in heads and out[link.source] == into[link.target] == out[link.target] == 1
    }
    users = {link.source: link.target for link in links}
    begun = [name for name in found if into[users[name]] > 1]
    fronts = {name: found[name] for name in begun[1:]}
    gone = {front.id for front, _ in fronts.values()}
    wide = [_with(box, fronts[box.id][0], gap) if box.id in fronts else box for box in boxes if box.id not in gone]
    kept = [link for link in links if link.source not in gone]
    return Tributaries(wide, kept, frozenset(heads) - gone | frozenset(fronts), fronts)


def _with(box: Box, front: Box, gap: float) -> Box:
    """A box with its front at the left; what hangs below keeps all lines at the side of the box itself."""
    before = front.width + gap
    hang = max(box.hang, 1.0)
    kept = before + min(box.hang_width, box.width - DOCK)
    return Box(box.id, before + box.width, max(box.height, front.height), hang, kept)


def parted(
    tributaries: Tributaries, boxes: Mapping[str, Box], places: dict[str, Point], routes: dict[str, Route]
) -> None:
    """Puts each front and its box where the two were placed as one, and adds the line between them."""
    for name, (front, link) in tributaries.fronts.items():
        (x, y), box = places[name], boxes[name]
        both = next(each for each in tributaries.boxes if each.id == name)
        left = x + both.width - box.width
        places[name] = left, y + both.height - box.height
        middle = places[name][1] + box.height / 2
        places[front.id] = x, middle - front.height / 2
        routes[link.id] = ((x + front.width, middle), *straight((x + front.width, middle), (left, middle)))
