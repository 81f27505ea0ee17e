"""Numbers on lines: on their lines, or beside them, so that they hide neither a card nor the head of an arrow."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.forms import CAPSULE
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.layout.boxes import Point
from autograd_lab.view.layout.nearby import Area, Nearby, meet
from autograd_lab.view.layout.signposts import SHARES, Polyline, at, length, polyline, signposts, span, touches

RISE = 14.5
"""By how much a number stands over the middle of its line at most, px."""
LEVEL = 1.0
"""A line whose ends are off by less is level, px."""
HEAD = 6.0
"""So much of the head of an arrow is seen at least, px."""
EDGE = 1.0
"""So much of a card a number may hide, px."""
SAMPLES, MOST_HIDDEN = 20, 0.7
"""Points of a line that are looked at, and the share of them that its number may hide."""
HEM = 1.1
"""By how much a capsule is wider than its number, in sizes of its text."""
ON, OVER, UNDER = 0, 1, -1


@dataclass(frozen=True, slots=True)
class Number:
    """The number of a line: its middle is at (x, y), or stands `OVER` that point, or `UNDER` it."""

    name: str
    x: float
    y: float
    wide: float
    high: float
    side: int = ON

    @property
    def area(self) -> Area:
        """What it takes."""
        left, right, half = self.x - self.wide / 2, self.x + self.wide / 2, self.high / 2
        if self.side == ON:
            return left, self.y - half, right, self.y + half
        reach = RISE + self.high - CAPSULE
        return (left, self.y - reach, right, self.y) if self.side == OVER else (left, self.y, right, self.y + reach)


def numbers_of(choice: Choice, size: float, taken: Iterable[Area]) -> list[Number]:
    """The numbers on all lines of a picture, in letters of a size; where something is `taken`, none stands."""
    return _Placing(choice, size, list(taken)).all()


class _Placing:
    """Finds places for the numbers of a picture."""

    def __init__(self, choice: Choice, size: float, taken: list[Area]) -> None:
        self._choice, self._hem, self._high, self._cards = choice, HEM * size, size + CAPSULE, taken
        self._routes: dict[str, Path] = {name: choice.placed.routes[name] for name in choice.labels}
        self._lines = {name: polyline(route) for name, route in self._routes.items()}

    def all(self) -> list[Number]:
        """Norms over level lines, others on theirs; then those that hide an arrow's head beside theirs."""
        over = {name for name, line in self._lines.items() if _is_level(line) and not self._choice.is_written[name]}
        widths = {
            name: width + self._hem * (name not in over and not self._choice.is_written[name])
            for name, width in self._choice.labels.items()
        }
        found = signposts(self._routes, {name: (width, self._high) for name, width in widths.items()}, self._cards)
        numbers = {name: Number(name, *point, widths[name], self._high) for name, point in found.items()}
        numbers |= self._around_pairs(numbers, over)
        self._lift([name for name in sorted(over) if numbers[name].side == ON], numbers)
        self._clear(numbers)
        return list(numbers.values())

    def _lift(self, names: Sequence[str], numbers: dict[str, Number]) -> None:
        """Norms over their level lines: where no other line runs, if there is such a place."""
        near = Nearby([*((area, "") for area in self._cards), *_reaches(numbers.values())])
        taken = self._taken(numbers.values())
        for name in names:
            places = (each for each in _along(numbers[name], self._lines[name]) if self._is_free(each, taken))
            over = replace(numbers[name], side=OVER)
            is_alone = all(other == name for _, other in near.meeting(over.area))
            numbers[name] = next(places, over if is_alone else numbers[name])
            taken.add(numbers[name].area, (name, "lifted"))

    def _around_pairs(self, numbers: Mapping[str, Number], over: Iterable[str]) -> dict[str, Number]:
        """Of two level lines from card to card, as of `h` and `c`, one has its norm over it, the other under it."""
        pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
        for name in over:
            pairs[self._choice.placed.ends[name]].append(name)
        beside = Counter(self._choice.placed.ends.values())
        cards = Nearby((area, "") for area in self._cards)
        found: dict[str, Number] = {}
        for ends, names in pairs.items():
            if len(names) == beside[ends] == 2:
                upper, lower = sorted((numbers[name] for name in names), key=lambda it: it.y)
                both = replace(upper, side=OVER), replace(lower, side=UNDER)
                found |= {it.name: it for it in both if not any(cards.meeting(each.area) for each in both)}
        return found

    def _clear(self, numbers: dict[str, Number]) -> None:
        """Move numbers beside their lines that hide a card, the head of an arrow or nearly all of the line, if there is
        room; on level lines all alike."""
        hiding = {name for name, it in numbers.items() if it.side == ON and self._hides(it)}
        level = {name for name, it in numbers.items() if it.side == ON and _is_level(self._lines[name])}
        moving = sorted(hiding | level if hiding & level else hiding)
        taken = self._taken(numbers.values()) if moving else Nearby()
        for name in moving:
            places = list(self._beside(numbers[name]))
            free = [each for each in places if self._is_free(each, taken)]
            if not free and self._hides_card(numbers[name]):  # better across a line than on a card
                free = [each for each in places if self._is_free(each, taken, lines=False)]
            numbers[name] = next(iter(free), numbers[name])
            taken.add(numbers[name].area, (name, "beside"))

    def _hides(self, number: Number) -> bool:
        line = self._lines[number.name]
        return self._hides_card(number) or _hides_head(line, number.area) or _covers(line, number.area)

    def _hides_card(self, number: Number) -> bool:
        left, top, right, bottom = number.area
        return any(meet((left + EDGE, top + EDGE, right - EDGE, bottom - EDGE), card) for card in self._cards)

    def _taken(self, numbers: Iterable[Number]) -> Nearby[tuple[str, str]]:
        """Where cards, numbers and lines are, each with whose it is and what."""
        taken = Nearby((area, (str(place), "card")) for place, area in enumerate(self._cards))
        for number in numbers:
            taken.add(number.area, (number.name, "number"))
        for name, line in self._lines.items():
            taken.add(span(line), (name, "line"))
        return taken

    def _beside(self, number: Number) -> Iterator[Number]:
        """A number without its capsule, over its line and under it: at its place, then at others along the line."""
        yield from _along(replace(number, wide=number.wide - self._hem), self._lines[number.name])

    def _is_free(self, number: Number, taken: Nearby[tuple[str, str]], *, lines: bool = True) -> bool:
        """Whether neither a card, nor another number, nor another line is there; or nothing but `lines`."""
        area = number.area
        others = [what for _, what in taken.meeting(area) if what[0] != number.name]
        passing = [self._lines[name] for name, kind in others if kind == "line"]
        if len(passing) < len(others):
            return False
        return not (lines and any(touches(area, a, b) for line in passing for a, b in pairwise(line)))


def _along(number: Number, line: Polyline) -> Iterator[Number]:
    """A number over its line and under it, at its place, then at others along the line."""
    for middle in (number.x, *(at(line, share)[0] for share in SHARES)):
        heights = [y for x, y in line if abs(x - middle) <= number.wide / 2] or [number.y]
        yield replace(number, x=middle, y=min(heights), side=OVER)
        yield replace(number, x=middle, y=max(heights), side=UNDER)


def _reaches(numbers: Iterable[Number]) -> Iterator[tuple[Area, str]]:
    """What each number may take, on its line or over it."""
    for number in numbers:
        left, top, right, bottom = number.area
        yield (left, min(top, number.y - RISE - number.high), right, bottom), number.name


def _hides_head(line: Polyline, area: Area) -> bool:
    """Whether an area hides the head of the arrow at the start of a line."""
    x, y = at(line, min(1.0, HEAD / (length(line) or 1.0)))
    return area[0] < x < area[2] and area[1] < y < area[3]


def _covers(line: Polyline, area: Area) -> bool:
    """Whether an area hides nearly all of a line."""
    points = [at(line, step / SAMPLES) for step in range(SAMPLES + 1)]
    hidden = sum(area[0] < x < area[2] and area[1] < y < area[3] for x, y in points)
    return hidden > MOST_HIDDEN * len(points)


def _is_level(line: Sequence[Point]) -> bool:
    heights = [y for _, y in line]
    return max(heights) - min(heights) < LEVEL
