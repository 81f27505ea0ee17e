"""Places that stay: pictures of several runs of one program show what they have in common where it was before.

All that was ever drawn is laid out together, in an order that suits every run, and a picture takes what it has of that.
So what two runs share stands at the same place, what one lacks leaves a gap, and a graph seen before looks as it did.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.plan.cell import Cell, Port
from autograd_lab.view.kit.part import Part
from autograd_lab.view.layout.boxes import Box, Direction, Engine, Layout, Link
from autograd_lab.view.layout.shelves import on_shelves

MOST = 400
"""So many cells are remembered; of larger pictures none."""

KEPT = ("number", "docked", "fold-chip", "module")
"""Parts that are as wide as their text, whatever the cell."""
ROOM = 90.0
"""Links have room for a number with a sign and five digits at least, so that few numbers need more than that, px."""


@dataclass
class _Spot:
    """Where a cell stood: what tells it from others, and the largest that it ever was, px."""

    id: str
    key: Hashable
    indent: float = 0.0
    main: float = 0.0
    width: float = 0.0
    height: float = 0.0


Key = Callable[[Cell, History], Hashable]
"""What tells a cell from others, and is the same in other runs."""


class Steady:
    """Remembers the pictures of a program in one direction; cells with the same key stand at the same place."""

    def __init__(self, key: Key) -> None:
        self._key = key
        self._spots: list[_Spot] = []
        self._known: dict[tuple[Hashable, ...], list[_Spot]] = {}
        self._links: dict[tuple[str, str, int], Link] = {}
        self._here: dict[str, _Spot] = {}
        self._count = 0

    def settle(self, cells: Sequence[Cell], history: History) -> None:
        """Find where these cells stood, and make each as wide as it ever was, since lines begin at its edges."""
        self._here = {}
        if len(cells) > MOST:
            return
        spots = self._found([self._key(cell, history) for cell in cells])
        for cell, spot in zip(cells, spots, strict=True):
            _grow(cell, spot.indent, spot.main)
            spot.indent, spot.main = cell.parts[0].x, cell.parts[0].width
            spot.width, spot.height = max(spot.width, cell.width), cell.height
            self._here[cell.id] = spot

    def lay_out(self, boxes: list[Box], links: list[Link], direction: Direction, engine: Engine) -> Layout:
        """The layout of these boxes and links, as part of that of everything remembered."""
        if not self._here:
            return on_shelves(boxes, links, direction, engine)
        keys = self._keep(links)
        all_boxes = [Box(spot.id, spot.width, spot.height) for spot in self._spots]
        placed = on_shelves(all_boxes, list(self._links.values()), direction, engine)
        routes = {link.id: placed.routes.get(self._links[key].id) for link, key in zip(links, keys, strict=True)}
        return replace(
            placed,
            places={name: placed.places[spot.id] for name, spot in self._here.items()},
            ranks={name: placed.ranks[spot.id] for name, spot in self._here.items()},
            routes={name: route for name, route in routes.items() if route is not None},
        )

    def _keep(self, links: Iterable[Link]) -> list[tuple[str, str, int]]:
        """Remember links, each under a key that it will have in other runs, too."""
        seen: Counter[tuple[str, str]] = Counter()
        keys = []
        for link in links:
            ends = self._here[link.source].id, self._here[link.target].id
            key = (*ends, seen[ends])
            seen[ends] += 1
            room = max(link.room, self._links[key].room if key in self._links else ROOM)
            self._links[key] = replace(link, id=" ".join(map(str, key)), source=ends[0], target=ends[1], room=room)
            keys.append(key)
        return keys

    def _found(self, keys: list[Hashable]) -> list[_Spot]:
        """The spots of cells, in their order; new ones among the old where there were none."""
        known = tuple(keys)
        spots = self._known.get(known) or _in_order(self._spots, keys)
        if spots is None:
            self._spots, spots = self._merged(keys)
            if len(self._spots) > MOST:
                self._links, self._known = {}, {}
                self._spots = spots = [self._spot(key) for key in keys]
        self._known[known] = spots
        return spots

    def _merged(self, keys: list[Hashable]) -> tuple[list[_Spot], list[_Spot]]:
        """Old spots and new ones in an order that suits both, and those for `keys`."""
        old, merged, spots = self._spots, list[_Spot](), list[_Spot]()
        matcher = SequenceMatcher(None, [spot.key for spot in old], keys, autojunk=False)
        for kind, start, end, first, last in matcher.get_opcodes():
            new = old[start:end] if kind == "equal" else [self._spot(key) for key in keys[first:last]]
            spots += new
            merged += new if kind == "equal" else [*old[start:end], *new]
        return merged, spots

    def _spot(self, key: Hashable) -> _Spot:
        self._count += 1
        return _Spot(f"p{self._count}", key)


class Places(defaultdict[str, Steady]):
    """What is remembered of each direction."""

    def __init__(self, key: Key | None = None) -> None:
        super().__init__(lambda: Steady(key or key_of))


def _in_order(spots: Iterable[_Spot], keys: list[Hashable]) -> list[_Spot] | None:
    """The first spots that have these keys one after the other; None if there are not all of them."""
    rest = iter(spots)
    found = [next((spot for spot in rest if spot.key == key), None) for key in keys]
    return None if None in found else [spot for spot in found if spot is not None]


def key_of(cell: Cell, history: History) -> Hashable:
    """What a cell is, the line that made it, and how high it is: what differs in one of them stands elsewhere."""
    main = cell.parts[0]
    thing = history.ops.get(main.of) or history.boxes.get(main.of)
    if thing is None:
        return main.kind, main.text, cell.height
    where = thing.event.where if isinstance(thing, Op) else None
    name = thing.name if isinstance(thing, Op) else thing.label
    return main.kind, name, where and (where.file, where.line), cell.height


def _grow(cell: Cell, indent: float, width: float) -> None:
    """Leave at least so much room before the main part of a cell, and make that at least so wide, px."""
    main = cell.parts[0]
    shift, more = max(0.0, indent - main.x), max(0.0, width - main.width)
    cell.parts = [_grown(part, main, shift, more) for part in cell.parts]
    cell.width += shift + more
    if cell.direction == "LR":
        cell.arrive = {name: (across, depth + shift) for name, (across, depth) in cell.arrive.items()}
        return

    def moved(port: Port) -> Port:
        return main.x + shift + (port[0] - main.x) * (main.width + more) / main.width, port[1]

    cell.arrive = {name: moved(port) for name, port in cell.arrive.items()}
    cell.leave = {name: moved(port) for name, port in cell.leave.items()}
    cell.otherwise = moved(cell.otherwise)


def _grown(part: Part, main: Part, shift: float, more: float) -> Part:
    """A part of a cell whose main part moves by `shift` and becomes wider by `more`, px."""
    if part.x >= main.x + main.width:
        return part.moved(shift + more, 0)
    moved = part.moved(shift, 0)
    return moved if part.kind in KEPT else replace(moved, width=part.width + more)
