"""The parts of all pictures of a recording, each once: most look the same in many of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.graph.turning import Turning
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.pages.layouts import Layout
from autograd_lab.view.pages.members import Members
from autograd_lab.view.track import Track


class AllParts:
    """The parts of many pictures, each with its members; what looks the same in several of them is there once."""

    def __init__(self, layouts: Sequence[Layout]) -> None:
        self.members = [Members(layout.picture) for layout in layouts]
        self._first: dict[str, tuple[Picture, Part]] = {}
        self._keys: list[dict[str, str]] = []
        names: dict[Hashable, str] = {}
        for layout, members in zip(layouts, self.members, strict=True):
            known = {}
            for part in layout.picture.parts:
                key = _identity(layout, members, part)
                known[part.id] = names.setdefault(key, str(len(names)))
                self._first.setdefault(known[part.id], (layout.picture, part))
            self._keys.append(known)
            layout.picture.onlooker = layouts[0].picture.onlooker
        cards = (card for layout in layouts for card in layout.picture.choice.cards.cards.values())
        self._turning = Turning(layouts[0].picture.onlooker, cards)
        self.parts = [Part(str(name), "any", str(name), 0, 0, 0, 0) for name in self._first]

    def look(self, part: Part, state: Any) -> Look:
        picture, first = self._first[part.id]
        return picture.look(first, state)

    def keys(self, part: Part) -> Iterable[str]:
        picture, first = self._first[part.id]
        return picture.keys(first)

    def turned(self, keys: Iterable[str] | None, state: Any) -> Iterable[str]:
        return self._turning.turned(keys, state)

    def sorted(self, tracks: Mapping[str, Track]) -> list[dict[str, Track]]:
        """For each picture the tracks of its parts, by their ids."""
        return [{part: tracks[key] for part, key in known.items()} for known in self._keys]


def _identity(layout: Layout, members: Members, part: Part) -> tuple[Hashable, ...]:
    """All that the looks of a part depend on, besides the state: most look the same in both views."""
    picture, name = layout.picture, members.name(part)
    choice = picture.choice
    match part.kind:
        case "card":
            lines = tuple(members.line(wire) for wire in members.wires_at(part.of))
            return name, repr(choice.faces[part.of]), lines
        case "link" | "number":
            wire = picture.wire[part.of]
            return "line", members.line(wire), wire.edges, choice.widths
        case "drop":
            return part.kind, name, choice.widths, len(choice.cards.bars)
        case "slot":
            return name, members.of(part), choice.faces[picture.drawing.pockets[part.id].card.id].tells_slots
        case "lane":
            return name, tuple(edges for (_, bar), edges in choice.cards.uses.items() if bar == part.of)
    return layout.view, part.kind, name
