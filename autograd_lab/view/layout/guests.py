"""What stands above and below a spine: leaves, what comes in, second outputs, each with its lines.

A guest stands at one box. A line to that one is upright; those to others run along tracks between the row of guests
and the boxes, the longer the farther outside, so that none crosses another without need.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

from autograd_lab.view.layout.boxes import CORNER, Point, Route, beneath
from autograd_lab.view.layout.layered.fans import PITCH
from autograd_lab.view.layout.spine import Guest, Spine
from autograd_lab.view.layout.steps import Steps, breadth
from autograd_lab.view.layout.strokes import bent, plunge, straight

MOST_TRACKS = 8
"""Lines side by side along a row of guests; a graph that needs more is drawn in another form."""

ByPlace = dict[int, list[Guest]]


@dataclass(frozen=True, slots=True)
class Far:
    """A line of a guest to a box that it does not stand at."""

    link: str
    guest: Guest
    place: int

    @property
    def ends(self) -> tuple[int, int]:
        """The places that it runs between, from left to right."""
        return min(self.place, self.guest.home), max(self.place, self.guest.home)


def seated(spine: Spine) -> tuple[ByPlace, ByPlace] | None:
    """Guests by the place they stand at, above and below; None if there is no room on either side."""
    floor = set(range(len(spine.way)))
    for run in spine.runs:
        first, last = spine.depth[run.first], spine.depth[run.last]
        floor.discard(run.first if first < last else run.last if last < first else -1)
    roof = {place for place, depth in enumerate(spine.depth) if depth == 0}
    rows: tuple[ByPlace, ByPlace] = (defaultdict(list), defaultdict(list))
    for guest in sorted(spine.guests, key=lambda guest: guest.ends):
        row = _row(guest, roof, floor)
        if row is None:
            return None
        rows[row][guest.home].append(guest)
    return None if any(_tracks(row) is None for row in rows) else rows


def _row(guest: Guest, roof: Collection[int], floor: Collection[int]) -> int | None:
    places = {place for _, place in guest.lines}
    return 0 if places <= set(roof) else 1 if places <= set(floor) else None


def _tracks(row: ByPlace) -> dict[Far, int] | None:
    """A track for each line that needs one, from the boxes outwards, if there are enough; lines on one do not meet."""
    lines = [
        Far(link, guest, place)
        for guests in row.values()
        for guest in guests
        for link, place in guest.lines
        if place != guest.home
    ]
    taken: list[list[tuple[float, float]]] = [[] for _ in range(MOST_TRACKS)]
    tracks = {}
    for line in sorted(lines, key=lambda line: line.ends[1] - line.ends[0]):
        number = next((n for n, track in enumerate(taken) if _is_free(track, line.ends)), None)
        if number is None:
            return None
        insort(taken[number], line.ends)
        tracks[line] = number
    return tracks


def _is_free(track: Sequence[tuple[float, float]], ends: tuple[int, int]) -> bool:
    """Whether a line meets none of those on a track, which come from left to right."""
    before = bisect_right(track, (ends[1], inf)) - 1
    return before < 0 or track[before][1] < ends[0]


@dataclass(slots=True)
class Row:
    """One row of guests, on the side of the spine that `sign` says: -1 above, 1 below; `edge` is where boxes end."""

    steps: Steps
    guests: ByPlace
    sign: int
    edge: float
    places: dict[str, Point]
    routes: dict[str, Route] = field(default_factory=dict)
    _tracks: dict[Far, int] = field(default_factory=dict)
    _docks: dict[tuple[str, str], float] = field(default_factory=dict)  # by link and box

    def place(self) -> None:
        """Adds the places of the guests to those of the boxes, and their lines."""
        self._tracks = _tracks(self.guests) or {}
        away = self.steps.lead + PITCH * max((n + 1 for n in self._tracks.values()), default=0)
        for place, guests in self.guests.items():
            x = self._middle(place) - breadth(self.steps, guests) / 2
            for guest in guests:
                box = self.steps.boxes[guest.id]
                y = self.edge + away if self.sign > 0 else self.edge - away - box.height - box.hang
                self.places[guest.id] = (x, y)
                x += box.width + self.steps.crowd
        self._dock_boxes()
        for guests in self.guests.values():
            for guest in guests:
                self._dock_guest(guest)
                self.routes.update({link: self._route(guest, link, place) for link, place in guest.lines})

    def _middle(self, place: int) -> float:
        return self.places[self.steps.spine.way[place]][0] + self.steps.at(place).width / 2

    def _dock_boxes(self) -> None:
        """Lines from the left first, the inner tracks outside; then those of guests that stand here; then the rest."""
        come: dict[int, list[Far]] = defaultdict(list)
        for line in self._tracks:
            come[line.place].append(line)
        for place in come.keys() | self.guests.keys():
            box = self.steps.at(place)
            x = self.places[box.id][0]
            low, high = beneath(box) if self.sign > 0 else (CORNER, box.width - CORNER)
            left = sorted((it for it in come[place] if not it.guest.ends), key=lambda it: self._tracks[it])
            right = sorted((it for it in come[place] if it.guest.ends), key=lambda it: -self._tracks[it])
            own = [(link, guest) for guest in self.guests.get(place, ()) for link, at in guest.lines if at == place]
            wants = [(it.link, 0.27 * box.width if own or right else box.width / 2) for it in left]
            wants += [(link, self._nearest(guest, x + box.width / 2) - x) for link, guest in own]
            wants += [(it.link, 0.73 * box.width if own or left else box.width / 2) for it in right]
            for (link, _), at in zip(wants, _apart([want for _, want in wants], low, high), strict=True):
                self._docks[link, box.id] = x + at

    def _inner(self, guest: Guest) -> tuple[float, float]:
        """Between which places lines dock at the side of a guest that faces the spine."""
        box = self.steps.boxes[guest.id]
        return beneath(box) if self.sign < 0 else (CORNER, box.width - CORNER)

    def _nearest(self, guest: Guest, x: float) -> float:
        """Where a line to x may dock at a guest so that it is as upright as can be."""
        at = self.places[guest.id][0]
        low, high = self._inner(guest)
        return max(at + low, min(at + high, x))

    def _dock_guest(self, guest: Guest) -> None:
        x = self.places[guest.id][0]
        low, high = self._inner(guest)
        far = sorted((it for it in self._tracks if it.guest is guest), key=lambda it: self._tracks[it])
        home = self.steps.spine.way[guest.home]
        wants = [(link, self._docks[link, home] - x) for link, place in guest.lines if place == guest.home]
        if guest.ends:
            wants = [(it.link, low) for it in reversed(far)] + wants
        else:
            wants += [(it.link, high) for it in far]
        for (link, _), at in zip(wants, _apart([want for _, want in wants], low, high), strict=True):
            self._docks[link, guest.id] = x + at

    def _route(self, guest: Guest, link: str, place: int) -> Route:
        """From the guest to the box, or the other way round for one that ends lines."""
        name = self.steps.spine.way[place]
        box, own = self.steps.boxes[name], self.steps.boxes[guest.id]
        start = (self._docks[link, guest.id], self.places[guest.id][1] + (0.0 if self.sign > 0 else own.height))
        end = (self._docks[link, name], self.places[name][1] + (box.height if self.sign > 0 else 0.0))
        if place == guest.home:  # upright beside what hangs at the guest: a swing could meet the guest next to it
            foot = (start[0], start[1] + (0.0 if self.sign > 0 else own.hang))
            swing = plunge(foot, end, self.edge)
            route = (start, *straight(start, foot), *swing[1:]) if foot != start else swing
        else:
            y = self.edge + self.sign * (self.steps.lead / 2 + PITCH * self._tracks[Far(link, guest, place)])
            route = bent(start, (start[0], y), (end[0], y), end)
        return route[::-1] if guest.ends else route


def _apart(wants: Sequence[float], low: float, high: float) -> list[float]:
    """Places in order, near to what is wanted, between two limits, and apart as far as there is room."""
    pitch = min(PITCH, (high - low) / max(1, len(wants) - 1))
    at = [max(low, min(high, want)) for want in wants]
    for i, (a, b) in enumerate(pairwise(range(len(at)))):
        at[b] = max(at[b], low + pitch * (i + 1), at[a] + pitch)
    limit = high
    for i in reversed(range(len(at))):
        at[i] = min(at[i], limit)
        limit = at[i] - pitch
    return at
