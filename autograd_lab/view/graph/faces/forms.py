"""One folding in one style, to be laid out in any form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import inf

from autograd_lab.view.graph.cards.card import Cards, Wire
from autograd_lab.view.graph.cards.destination import handed_to, handing_passes, weight_on
from autograd_lab.view.graph.cards.hooked import hook_on
from autograd_lab.view.graph.faces.face import Face, Style
from autograd_lab.view.graph.faces.traffic import UNIT, Load, Traffic
from autograd_lab.view.graph.facts.hooking import word_for
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.shapes.capsule import HOOK, hook_width
from autograd_lab.view.kit.shapes.width import Widths
from autograd_lab.view.layout.boxes import HAIR, Box, Direction, Link
from autograd_lab.view.layout.lanes import lanes
from autograd_lab.view.layout.placed import Placed
from autograd_lab.view.layout.ranked import least, least_across, ranks
from autograd_lab.view.layout.stairs import stairs, zigzag

Pane = tuple[float, float]

BETWEEN, BETWEEN_TERSE = 28.0, 18.0
"""Between cards of a rank, px."""
LEAST_GAP = 30.0
"""Between ranks from left to right at least, px."""
DOWN = 48.0
"""Between ranks from top to bottom, px."""
ROOMY = ((6, 96.0), (8, 64.0))
"""Up to so many full cards, ranks are this far apart at least, px."""
TITLE, LANE = 124.0, 54.0
"""Width of what a lane says of its weight, and the least height of a lane, px."""
HOOKED = 60.0
"""Between a hook and the numbers before and after it, in all, px."""
HOOKED_DOWN = 42.0
"""The same, and what the arrow takes, where the line runs down; px."""
CAPSULE = 9.0
"""By how much a capsule is higher than its number, px."""
ARROW = 16.0
"""The head of an arrow, and the corner of a line at its other end, px."""
BESIDE = 6.0
"""Between two lines side by side, beside the number, px."""
MOST_HEAPED = 4
"""For more numbers one above the other there is no room."""
CROWDED = 14
"""From so many cards on, stairs are steeper."""
SEEN = 26.0
"""So much of a line that bends is seen beside its number, with the head of its arrow, px."""
BROAD = 700.0
"""In a pane that is narrower, as on a phone, lines are as short as can be, px: it has more need of cards."""
ROUNDED = 1.0
"""Places are rounded by no more, px."""
THICKEST, THICK = 14.0, 9.0
"""Width of the widest line where cards are full, and where they are terse, px."""


class Forms:
    """Cards with faces of one style."""

    faces: Mapping[str, Face]
    widths: Widths

    def __init__(self, cards: Cards, style: Style, traffic: Traffic) -> None:
        self.cards, self.style = cards, style
        self._traffic = traffic
        self._bars = set(cards.bars)
        self._spines = cards.spines
        self._laid: dict[tuple[str, Pane | bool], tuple[Placed | None, float]] = {}
        """With the width that was asked for at most."""
        self._along: dict[Direction, float] = {}
        self._across: dict[Direction, float] = {}

    @classmethod
    def of(cls, cards: Cards, faces: Mapping[str, Face], style: Style, traffic: Traffic) -> Forms:
        """With lines as wide as all that travels along them asks for."""
        carried, most = traffic.on(cards), THICKEST if style.full else THICK
        forms = cls(cards, style, traffic)
        forms.faces, forms.widths = faces, Widths(carried.largest, carried.smallest, most)
        return forms

    @property
    def _loads(self) -> Mapping[str, Sequence[Load]]:
        """What each wire ever carries."""
        return self._traffic.on(self.cards).wires

    @cached_property
    def boxes(self) -> list[Box]:
        """The cards as boxes."""
        return [
            Box(name, face.width + face.behind, face.height, face.hang, face.hang_width)
            for name in self.cards.cards
            for face in (self.faces[name],)
        ]

    @cached_property
    def links(self) -> list[Link]:
        """The wires as links."""
        return [Link(wire.id, wire.source, wire.target) for wire in self.cards.wires]

    @cached_property
    def _longer(self) -> list[Link]:
        """The wires as links of which one that bends is longer than what stands on it."""
        chips = {name: self._chip(name) + SEEN for name in self.labels}
        return [replace(link, least=chips.get(link.id, 0.0)) for link in self.links]

    @cached_property
    def heads(self) -> frozenset[str]:
        """Cards that only begin lines."""
        return frozenset(name for name, card in self.cards.cards.items() if not card.ops)

    @cached_property
    def labels(self) -> dict[str, float]:
        """The width of the widest number that ever stands on each wire, px."""
        size, room = label_size(self.style) / UNIT, capsule_room(self.style)
        found: dict[str, float] = {}
        for wire in self.cards.wires:
            for load in self._loads[wire.id]:
                width = load.width * size + (room if load.is_number else 0.0)
                found[wire.id] = max(width, found.get(wire.id, 0.0))
            if wire.id in found and handing_passes(wire, self.cards):
                found[wire.id] += self._handed(wire)
            if wire.id in found and (weight := weight_on(wire, self.cards)):
                found[wire.id] += text_width(f"{weight} ", label_size(self.style), bold=True)
            if wire.id in found and (calls := hook_on(wire, self.cards)):
                found[wire.id] = 2 * found[wire.id] + hook_width(word_for(calls)) + HOOKED
        return found

    @property
    def _falling(self) -> list[Link]:
        """The wires as links that run down, with room for what stands on them one below the other."""
        room = HOOK + 2 * (label_size(self.style) + CAPSULE) + HOOKED_DOWN
        hooked = {wire.id for wire in self.cards.wires if wire.id in self.labels and hook_on(wire, self.cards)}
        return [replace(link, room=room) if link.id in hooked else link for link in self.links]

    def _handed(self, wire: Wire) -> float:
        """Width of what is said of a gradient that was handed out."""
        last = [value for edge in wire.edges for value in self.cards.history.sent.get(edge, ())[-1:]]
        return max(text_width(handed_to(value, self.cards), label_size(self.style), bold=True) for value in last)

    @cached_property
    def is_written(self) -> dict[str, bool]:
        """Whether numbers on each wire are written out, rather than norms."""
        return {wire.id: any(load.is_number for load in self._loads[wire.id]) for wire in self.cards.wires}

    @cached_property
    def gap(self) -> float:
        """Between ranks from left to right: an arrow, and the longest number that ever stands on a line."""
        full = self.style.full
        side = 14 if full else 7
        gap = max(
            [40.0 if full else LEAST_GAP, *(width + side + self._hem(name) for name, width in self.labels.items())]
        )
        least = next((px for count, px in ROOMY if full and len(self.cards.cards) <= count), 0.0)
        return max(least, gap)

    def _chip(self, name: str) -> float:
        """Width of the number on a line in its capsule, px."""
        return self.labels[name] + (0.0 if self.is_written[name] else capsule_room(self.style))

    def _hem(self, name: str) -> float:
        """What the capsule adds to a norm: one beside another line has no room over its own."""
        return capsule_room(self.style) if name in self._twins and not self.is_written[name] else 0.0

    @cached_property
    def _twins(self) -> frozenset[str]:
        """Wires that run beside another, between the same cards."""
        beside = Counter((wire.source, wire.target) for wire in self.cards.wires)
        return frozenset(wire.id for wire in self.cards.wires if beside[wire.source, wire.target] > 1)

    @cached_property
    def thick(self) -> dict[str, float]:
        """How thick each line ever is, px."""
        number = label_size(self.style) + BESIDE
        return {
            wire.id: max(HAIR, *(self.widths(load.largest) for load in self._loads[wire.id]), 0.0)
            + (number if wire.id in self._twins else 0.0)
            for wire in self.cards.wires
        }  # lines side by side leave room for their numbers

    @cached_property
    def broad(self) -> dict[str, float]:
        """How much of the width each line takes that runs down: beside another, the number on it, too."""
        return {
            name: thick if name not in self._twins else max(thick, self.labels.get(name, 0.0) + BESIDE)
            for name, thick in self.thick.items()
        }

    def fits(self, form: str, pane: Pane, least: float) -> bool:
        """Whether a layout of this form may be scaled by so much at `least`."""
        if not self.fits_along(form, pane, least):
            return False
        if form == "LR":
            return pane[1] / max(1.0, self._least_across("LR") - ROUNDED) >= least
        return form != "TB" or pane[0] / max(1.0, self._least_across("TB") - ROUNDED) >= least

    def fits_along(self, form: str, pane: Pane, least: float) -> bool:
        """The same, by the side of the pane along which cards follow each other."""
        if form in ("LR", "lanes"):
            beside = TITLE if form == "lanes" else 0.0
            return pane[0] / max(1.0, beside + self._least_along("LR")) >= least
        return form != "TB" or pane[1] / max(1.0, self._least_along("TB")) >= least

    def _least_along(self, direction: Direction) -> float:
        if direction not in self._along:
            gap = self.gap if direction == "LR" else DOWN
            self._along[direction] = least(self.boxes, self.links, gap=gap, direction=direction)
        return self._along[direction]

    def _least_across(self, direction: Direction) -> float:
        if direction not in self._across:
            found = least_across(self.boxes, self.links, gap=self._between, direction=direction)
            self._across[direction] = found
        return self._across[direction]

    @property
    def _between(self) -> float:
        """Between the cards of a rank."""
        return BETWEEN if self.style.full else BETWEEN_TERSE

    def lay(self, form: str, pane: Pane, most: float = inf) -> Placed | None:
        """The cards in a form; None if they have not that shape. Stairs and zigzags that would be wider than `most` px
        are given up.

        Lanes and zigzags depend on the pane, ranks on whether it is narrow.
        """
        key = form, pane if form in ("lanes", "zigzag") else pane[0] >= BROAD
        placed, width = self._laid.get(key, (None, -1.0))
        if width < most and (width < 0 or (placed is not None and placed.is_too_wide)):
            placed = self._in(form, pane, most)
            self._laid[key] = placed, most
        return placed

    def _in(self, form: str, pane: Pane, most: float) -> Placed | None:
        match form:
            case "lanes":
                return self._lanes(pane)
            case "zigzag":
                return self._zigzag(pane, most)
            case "stairs":
                return self._stairs(most)
        down, is_broad = form == "TB", pane[0] >= BROAD
        return ranks(
            self.boxes,
            self._falling if down else self._longer if is_broad else self.links,
            direction="TB" if down else "LR",
            engine="dot" if form == "dot" else "layered",
            rank_gap=DOWN if down else self.gap,
            box_gap=self._between,
            thick=self.broad if down else self.thick,
        )

    def _zigzag(self, pane: Pane, most: float) -> Placed | None:
        """With room for numbers between the two heights, as far as the pane has it."""
        room = self._heaped
        lay = partial(
            zigzag, self.boxes, self.links, gap=self.gap, heads=self.heads, thick=self.thick, most=most,
            known=self._spines,
        )  # fmt: skip
        found = lay(room=room)
        if found is None or found.is_too_wide or found.height <= pane[1]:
            return found
        return lay(room=room - (found.height - pane[1]))

    @property
    def _heaped(self) -> float:
        """Room for the numbers on all lines of a card one above the other."""
        ends = Counter(end for wire in self.cards.wires if wire.id in self.labels for end in (wire.source, wire.target))
        most = min(MOST_HEAPED, max(ends.values(), default=0))
        return most * (label_size(self.style) + CAPSULE + BESIDE) + BESIDE

    def _stairs(self, most: float) -> Placed | None:
        clear = 24.0 if self.style.full else 11.0 if len(self.cards.cards) > CROWDED else 20.0
        above = not self.style.full and len(self.cards.cards) > CROWDED
        number = label_size(self.style) + CAPSULE + ARROW if self.labels else 0.0
        return stairs(
            self.boxes, self.links, gap=self.gap, clear=clear, heads=self.heads, above=above, number=number,
            thick=self.thick, most=most, known=self._spines,
        )  # fmt: skip

    def _lanes(self, pane: Pane) -> Placed | None:
        if not self._bars:
            return None
        drops = [(card, bar) for card, bar in self.cards.uses if bar in self._bars]
        bars = [Box(bar, TITLE, LANE) for bar in self.cards.bars]
        return lanes(self.boxes, self.links, bars, drops, gap=self.gap, room=pane, thick=self.thick)


def label_size(style: Style) -> float:
    """Size of numbers on lines, px."""
    return 15.0 if style.full else 13.0


def capsule_room(style: Style) -> float:
    """By how much a capsule is wider than its number, px."""
    return 20.0 if style.full else 12.0
