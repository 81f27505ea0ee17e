"""Where each item is across the ranks: threads straight, boxes apart, everything near the middle of what it is tied to.

Threads are pulled towards the mean of their neighbours, then pushed apart where they came too near, a few times over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from autograd_lab.view.layered.net import Net
from autograd_lab.view.layered.threads import Threads, thread


@dataclass(slots=True)
class Gaps:
    """How far apart two neighbours of a column must be: `boxes` px, less beside a lane, least between two lanes."""

    boxes: float

    def between(self, net: Net, upper: int, lower: int) -> float:
        """The free px between two items."""
        lanes = (upper >= net.boxes) + (lower >= net.boxes)
        return self.boxes * (1.0, 0.75, 0.5)[lanes]


@dataclass(slots=True)
class Springs:
    """By thread, its ties to others (which one, how much lower than that one it wants to be, how strongly)."""

    ties: list[list[tuple[int, float, float]]]
    above: list[list[tuple[int, float]]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)


def across(net: Net, gap: float) -> list[float]:
    """For each item, where it begins, across the ranks, in no particular frame."""
    threads = thread(net)
    springs = _springs(net, threads, Gaps(gap))
    at = _project(_start(net, threads, Gaps(gap)), springs)
    for _ in range(max(8, min(60, 40_000 // len(net.rank)))):
        at = _project(_pulled(at, springs), springs)
    _settle(at, springs)
    return [at[threads.of[item]] + threads.offset[item] for item in range(len(net.rank))]


def _springs(net: Net, threads: Threads, gaps: Gaps) -> Springs:
    ties: list[list[tuple[int, float, float]]] = [[] for _ in threads.members]
    for it in net.segments:
        a, b = threads.of[it.left], threads.of[it.right]
        if a != b:
            lower = threads.offset[it.left] + it.leave - threads.offset[it.right] - it.arrive
            strength = 4.0 if it.left >= net.boxes and it.right >= net.boxes else 1.0
            ties[b].append((a, lower, strength))
            ties[a].append((b, -lower, strength))
    apart: list[dict[int, float]] = [{} for _ in threads.members]
    for column in net.columns:
        for upper, lower_item in pairwise(column):
            a, b = threads.of[upper], threads.of[lower_item]
            need = threads.offset[upper] + net.breadth[upper] + gaps.between(net, upper, lower_item)
            apart[b][a] = max(need - threads.offset[lower_item], apart[b].get(a, need - threads.offset[lower_item]))
    above = [list(row.items()) for row in apart]
    return Springs(ties, above, _top_down(above))


def _top_down(above: list[list[tuple[int, float]]]) -> list[int]:
    """Threads so that each comes after all that are above it."""
    below: list[list[int]] = [[] for _ in above]
    waiting = [len(row) for row in above]
    for i, row in enumerate(above):
        for upper, _ in row:
            below[upper].append(i)
    ready = [i for i, count in enumerate(waiting) if not count]
    for i in ready:  # grows as it is walked
        for lower in below[i]:
            waiting[lower] -= 1
            if not waiting[lower]:
                ready.append(lower)
    return ready


def _start(net: Net, threads: Threads, gaps: Gaps) -> list[float]:
    """Each column closely packed about a common middle."""
    begin = [0.0] * len(net.rank)
    for column in net.columns:
        end = 0.0
        for i, item in enumerate(column):
            begin[item] = end + (gaps.between(net, column[i - 1], item) if i else 0.0)
            end = begin[item] + net.breadth[item]
        for item in column:
            begin[item] -= end / 2
    return [sum(begin[item] - threads.offset[item] for item in row) / len(row) for row in threads.members]


def _pulled(at: list[float], springs: Springs) -> list[float]:
    """Every thread half the way to the mean of where its ties want it."""
    want = at[:]
    for i, ties in enumerate(springs.ties):
        if ties:
            total = sum(strength for _, _, strength in ties)
            want[i] += sum((at[j] + lower - at[i]) * strength for j, lower, strength in ties) / total / 2
    return want


def _project(want: list[float], springs: Springs) -> list[float]:
    """The nearest places that keep all gaps: midway between pushing only down and pushing only up."""
    low, high = want[:], want[:]
    for i in springs.order:
        for upper, need in springs.above[i]:
            low[i] = max(low[i], low[upper] + need)
    for i in reversed(springs.order):
        for upper, need in springs.above[i]:
            high[upper] = min(high[upper], high[i] - need)
    return [(a + b) / 2 for a, b in zip(low, high, strict=True)]


def _settle(at: list[float], springs: Springs) -> None:
    """Moves one thread at a time all the way to where it wants to be, as far as its neighbours let it."""
    below: list[list[tuple[int, float]]] = [[] for _ in at]
    for i, row in enumerate(springs.above):
        for upper, need in row:
            below[upper].append((i, need))
    by_weight = sorted(springs.order, key=lambda i: -len(springs.ties[i]))
    for _ in range(2):
        for i in by_weight:
            ties = springs.ties[i]
            if ties:
                want = sum((at[j] + lower) * s for j, lower, s in ties) / sum(s for _, _, s in ties)
                low = max((at[j] + need for j, need in springs.above[i]), default=want)
                high = min((at[j] - need for j, need in below[i]), default=want)
                at[i] = max(low, min(high, want)) if low <= high else at[i]
