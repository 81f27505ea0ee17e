"""Where the boxes of a spine stand on stairs: each level a row, and the next box as soon as its line has turned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from autograd_lab.view.layout.boxes import CORNER, HAIR, Box, Point, beneath
from autograd_lab.view.layout.layered.fans import spread
from autograd_lab.view.layout.spine import Guest, Run, Spine

MARGIN = 10.0
"""Between an upright line and a box beside it, px."""

CROWD = 22.0
"""Between two boxes of a row that no line joins, px, where `clear` is not less."""


@dataclass(slots=True)
class Steps:
    """A spine with sizes, and for each run by number where it docks: how far off its level, and from the left edges."""

    spine: Spine
    boxes: Mapping[str, Box]
    thick: Mapping[str, float]
    gap: float
    clear: float
    room: float = 0.0
    """From one level to the next, free of boxes, at least: for numbers on the lines between, one above the other."""
    number: float = 0.0
    """The same where two lines dock below one box, whose numbers stand side by side beyond the heads of arrows."""
    off: list[float] = field(default_factory=list)
    leave: list[float] = field(default_factory=list)
    arrive: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.spine.runs)
        self.off, self.leave, self.arrive = [0.0] * count, [0.0] * count, [0.0] * count
        self._dock_beneath()
        self._dock_at_sides()

    @property
    def crowd(self) -> float:
        """Between two boxes of a row that no line joins."""
        return min(CROWD, self.clear)

    @property
    def lead(self) -> float:
        """From one level to the next, free of boxes."""
        turns = {run.first for run in self.spine.runs if self.falls(run)}
        is_shared = any(self.rises(run) and run.last in turns for run in self.spine.runs)
        return max(24.0, self.clear + 8.0, self.room, self.number if is_shared else 0.0)

    def at(self, place: int) -> Box:
        """The box at a place of the spine."""
        return self.boxes[self.spine.way[place]]

    def level(self, run: Run) -> int:
        """The level along which a run goes."""
        return max(self.spine.depth[run.first], self.spine.depth[run.last])

    def falls(self, run: Run) -> bool:
        """Whether a run leaves its first box downwards."""
        return self.spine.depth[run.first] < self.level(run)

    def rises(self, run: Run) -> bool:
        """Whether a run comes to its last box from below."""
        return self.spine.depth[run.last] < self.level(run)

    def carried(self, run: Run) -> float:
        """The length of what a run carries, each box with a gap before it."""
        return sum(self.boxes[name].width + self.gap for name in run.boxes)

    def _dock_beneath(self) -> None:
        """Lines of nearer levels outside, so that none crosses; what comes at the left, what leaves at the right."""
        depth, runs = self.spine.depth, self.spine.runs
        into: dict[int, list[int]] = defaultdict(list)
        out: dict[int, list[int]] = defaultdict(list)
        for i, run in enumerate(runs):
            if self.falls(run):
                out[run.first].append(i)
            elif self.rises(run):
                into[run.last].append(i)
        for place in into.keys() | out.keys():
            low, high = beneath(self.at(place))
            ins = sorted(into[place], key=lambda i: (depth[runs[i].first], i))
            outs = sorted(out[place], key=lambda i: (-depth[runs[i].last], -i))
            at_in, at_out = (self.at(place).width * (share if ins and outs else 0.5) for share in (0.27, 0.73))
            if ins and outs and at_out - max(low, at_in) < CROWD:
                at_in, at_out = low, high
            middle = (max(low, at_in) + at_out) / 2
            first, last = [self._px(i, -1) for i in ins], [self._px(i, 0) for i in outs]
            edges = (middle - CORNER / 2, middle + CORNER / 2) if ins and outs else (high, low)
            for i, x in zip(ins, spread(first, low, edges[0], at_in), strict=True) if ins else ():
                self.arrive[i] = x
            for i, x in zip(outs, spread(last, edges[1], high, at_out), strict=True) if outs else ():
                self.leave[i] = x

    def _dock_at_sides(self) -> None:
        """Lines that run between the same two boxes, around the middle of the level."""
        pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i, run in enumerate(self.spine.runs):
            pairs[run.first, run.last].append(i)
        for bundle in pairs.values():
            run = self.spine.runs[bundle[0]]
            ends = [self.at(run.first)] * (not self.falls(run)) + [self.at(run.last)] * (not self.rises(run))
            half = max(min(box.height for box in ends) / 2 - CORNER, 1.0)
            for i, y in zip(bundle, spread([self._px(i, 0) for i in bundle], -half, half), strict=True):
                self.off[i] = y

    def _px(self, run: int, end: int) -> float:
        return self.thick.get(self.spine.runs[run].links[end], HAIR)


def lefts(steps: Steps, upper: Mapping[int, list[Guest]], lower: Mapping[int, list[Guest]]) -> list[float]:
    """Where each box of the spine begins: as near to the one before as all lines and rows allow."""
    depth = steps.spine.depth
    bottom = max(depth) + 1
    into: dict[int, list[int]] = defaultdict(list)
    for i, run in enumerate(steps.spine.runs):
        into[run.last].append(i)
    uprights = _uprights(steps, lower)
    left: list[float] = []
    edge: dict[int, float] = defaultdict(lambda: -inf)  # by level, up to where it is taken
    for k, own in enumerate(depth):
        width = steps.at(k).width
        over = {
            row: (breadth(steps, guests[k]) - width) / 2
            for row, guests in ((-1, upper), (bottom, lower))
            if guests.get(k)
        }
        want = [edge[own] + steps.crowd if k else 0.0, *(_after(steps, i, left) for i in into[k])]
        want += [edge[level] + MARGIN - x for x, levels in uprights[k] for level in levels]
        want += [edge[row] + steps.crowd + beyond for row, beyond in over.items()]
        left.append(max(want))
        edge[own] = left[k] + width
        for x, levels in uprights[k]:
            edge.update({level: max(edge[level], left[k] + x) for level in levels})
        edge.update({row: left[k] + width + beyond for row, beyond in over.items()})
    return left


def _uprights(steps: Steps, lower: Mapping[int, list[Guest]]) -> dict[int, list[tuple[float, range]]]:
    """By box, the upright lines under it: how far from its left edge, and the levels that they come to."""
    depth = steps.spine.depth
    uprights: dict[int, list[tuple[float, range]]] = defaultdict(list)
    for i, run in enumerate(steps.spine.runs):
        for k, at, turns in ((run.first, steps.leave, steps.falls), (run.last, steps.arrive, steps.rises)):
            if turns(run):
                uprights[k].append((at[i], range(depth[k] + 1, steps.level(run) + 1)))
    for k, guests in lower.items():
        if guests:
            uprights[k] += [(x, range(depth[k] + 1, max(depth) + 1)) for x in (0.0, steps.at(k).width)]
    return uprights


def breadth(steps: Steps, guests: list[Guest]) -> float:
    """Of guests side by side."""
    return sum(steps.boxes[guest.id].width for guest in guests) + steps.crowd * (len(guests) - 1)


def _after(steps: Steps, number: int, left: list[float]) -> float:
    """Where the last box of a run may begin at the least, by its first one."""
    run = steps.spine.runs[number]
    right = left[run.first] + steps.at(run.first).width
    if steps.falls(run):
        return left[run.first] + steps.leave[number] + steps.clear + steps.carried(run)
    if steps.rises(run):
        return right + steps.carried(run) + steps.clear - steps.arrive[number]
    return right + steps.carried(run) + steps.gap


def axes(steps: Steps) -> tuple[list[float], float, float]:
    """The height of each level, and between which heights all levels lie."""
    above, below = [0.0] * (max(steps.spine.depth) + 1), [0.0] * (max(steps.spine.depth) + 1)
    standing = [(steps.spine.depth[k], steps.at(k)) for k in range(len(steps.spine.way))]
    standing += [(steps.level(run), steps.boxes[name]) for run in steps.spine.runs for name in run.boxes]
    for level, box in standing:
        above[level] = max(above[level], box.height / 2)
        below[level] = max(below[level], box.height / 2 + box.hang)
    at = [0.0]
    for level in range(1, len(above)):
        at.append(at[-1] + below[level - 1] + steps.lead + above[level])
    return at, -above[0], at[-1] + below[-1]


def carried_places(steps: Steps, run: Run, start: float, end: float, axis: float) -> dict[str, Point]:
    """Places for what a run carries, evenly between two points of its level."""
    free = (end - start - sum(steps.boxes[name].width for name in run.boxes)) / (len(run.boxes) + 1)
    places = {}
    for name in run.boxes:
        places[name] = (start + free, axis - steps.boxes[name].height / 2)
        start += free + steps.boxes[name].width
    return places
