"""What a graph is like seen from its longest way: what that skips, and what stands beside it.

*Runs* join two boxes of the spine: a step to the next one, or a skip, which may carry a few boxes of its own (as the
projection beside a residual block). *Guests* only begin lines to the spine (leaves, what comes in) or only end them (a
second output).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from autograd_lab.view.layout.boxes import Box, Link

DEEPEST = 24
"""Levels that stairs may have."""

Known = dict[tuple[bool, bool], "Spine | None"]
"""Spines of one graph, which has them whatever its boxes measure: by whether what comes in stands above, and whether
tributaries are boxes of their own."""


@dataclass(frozen=True, slots=True)
class Run:
    """From one place on the spine to a later one, through boxes that it carries: with n of them, n + 1 links."""

    first: int
    last: int
    links: tuple[str, ...]
    boxes: tuple[str, ...] = ()

    @property
    def skipped(self) -> int:
        """So many boxes of the spine it passes over."""
        return self.last - self.first - 1


@dataclass(frozen=True, slots=True)
class Guest:
    """A box beside the spine, and its lines: link and place on the spine, in the order of the places."""

    id: str
    lines: tuple[tuple[str, int], ...]
    ends: bool
    """Whether it only ends lines."""

    @property
    def home(self) -> int:
        """The place that it stands at: its first user, or what it comes from last."""
        return self.lines[-1 if self.ends else 0][1]


@dataclass(slots=True)
class Spine:
    """The longest way, and what hangs on it. `depth` says for each place how many skips pass over it."""

    way: list[str]
    runs: list[Run] = field(default_factory=list)
    guests: list[Guest] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)

    @property
    def skips(self) -> bool:
        """Whether anything is skipped: two branches of one length are no skip."""
        return any(run.skipped > 0 and _is_light(run) for run in self.runs)


def spine_of(boxes: Sequence[Box], links: Sequence[Link], heads: Collection[str], above: bool) -> Spine | None:
    """The spine of a graph whose skips are nested or in a row; None where it has not that shape.

    Of what comes into its first box, one stands before it, unless it shall stand `above`.
    """
    way = _longest(boxes, links, heads)
    if not way:
        return None
    users: dict[str, list[str]] = defaultdict(list)
    for link in links:
        users[link.source].append(link.target)
    fronts = [box.id for box in boxes if box.id in heads and way[0] in users[box.id]]
    fronts.sort(key=lambda name: len(users[name]))
    ways = [[fronts[0], *way], way] if fronts and not (above and len(users[fronts[0]]) == 1) else [way]
    return next((spine for each in ways if (spine := _seen_from(each, boxes, links))), None)


def _longest(boxes: Sequence[Box], links: Sequence[Link], heads: Collection[str]) -> list[str]:
    """The way through most boxes that are no heads; of two, that which ends last in the program."""
    sources: dict[str, list[str]] = defaultdict(list)
    for link in links:
        if link.source not in heads:
            sources[link.target].append(link.source)
    far: dict[str, int] = {}
    for box in boxes:
        if box.id not in heads:
            far[box.id] = 1 + max((far[source] for source in sources[box.id]), default=0)
    way = [max(reversed(far), key=far.__getitem__)] if far else []
    while way and sources[way[-1]]:
        way.append(max(sources[way[-1]], key=far.__getitem__))
    return way[::-1]


def _seen_from(way: list[str], boxes: Sequence[Box], links: Sequence[Link]) -> Spine | None:
    place = {name: i for i, name in enumerate(way)}
    leaving: dict[str, list[Link]] = defaultdict(list)
    arriving: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        leaving[link.source].append(link)
        arriving[link.target].append(link)
    spine = Spine(way, [Run(place[it.source], place[it.target], (it.id,)) for it in links if _both(it, place)])
    for box in boxes:
        out, into = leaving[box.id], arriving[box.id]
        if box.id in place or (out and into and into[0].source not in place):
            continue
        if out and into:
            run = _carrying(box.id, place, leaving, arriving)
            if run is None:
                return None
            spine.runs.append(run)
        else:
            ends = [(it.id, place.get(it.source if into else it.target, -1)) for it in into or out]
            spine.guests.append(Guest(box.id, tuple(sorted(ends, key=lambda end: end[1])), bool(into)))
    if sum(len(run.boxes) for run in spine.runs) + len(way) + len(spine.guests) < len(boxes):
        return None
    if any(not guest.lines or guest.lines[0][1] < 0 for guest in spine.guests) or not _nested(spine):
        return None
    return spine if _skips_more_than_it_forks(spine) else None


def _skips_more_than_it_forks(spine: Spine) -> bool:
    """Whether a box beside one box of the spine is a projection, since other skips carry none, not half of a fork."""
    return any(run.skipped and not run.boxes for run in spine.runs) or all(map(_is_light, spine.runs))


def _is_light(run: Run) -> bool:
    return 2 * len(run.boxes) <= run.skipped


def _both(link: Link, place: dict[str, int]) -> bool:
    return link.source in place and link.target in place


def _carrying(
    name: str, place: dict[str, int], leaving: dict[str, list[Link]], arriving: dict[str, list[Link]]
) -> Run | None:
    """The skip that a box beside the spine begins, if it is one box, or a chain half as long as what it skips."""
    first = place[arriving[name][0].source]
    boxes, links = [], [arriving[name][0].id]
    while name not in place:
        if len(leaving[name]) != 1 or len(arriving[name]) != 1:
            return None
        boxes.append(name)
        links.append(leaving[name][0].id)
        name = leaving[name][0].target
    run = Run(first, place[name], tuple(links), tuple(boxes))
    return run if len(boxes) == 1 or _is_light(run) else None


def _nested(spine: Spine) -> bool:
    """Whether no two skips cross, and none carries boxes along a line that is there already; notes the depths."""
    skips = Counter((run.first, -run.last) for run in spine.runs if run.last > run.first + 1)
    if any(run.boxes and skips[run.first, -run.last] > 1 for run in spine.runs):
        return False
    change = [0] * (len(spine.way) + 1)
    open_ends: list[int] = []
    for first, minus_last in sorted(skips):
        while open_ends and open_ends[-1] <= first:
            open_ends.pop()
        if open_ends and open_ends[-1] < -minus_last:
            return False
        open_ends.append(-minus_last)
        change[first + 1] += 1
        change[-minus_last] -= 1
    spine.depth = list(accumulate(change))[: len(spine.way)]
    return max(spine.depth) <= DEEPEST
