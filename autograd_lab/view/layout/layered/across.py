"""Where each item is across the ranks: threads straight, boxes apart, everything near the middle of what it is tied to.

Threads are pulled towards the mean of their neighbours, those in touch together, and pushed apart where they came too
near, a few times over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, floor, inf

from autograd_lab.view.layout.layered.net import Net
from autograd_lab.view.layout.layered.threads import Threads, thread

KINK = 16.0
"""A bend smaller than this many px looks like a mistake."""

STILL = 0.05
"""Pulls that move nothing by this many px are no longer followed."""


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
    """For each item, where it begins, across the ranks, in no particular frame; each thread at a whole px."""
    threads = thread(net)
    springs = _springs(net, threads, Gaps(gap))
    at = _project(_start(threads, springs), springs)
    for _ in range(max(4, min(50, 20_000 // len(net.rank)))):
        before = at
        for _ in range(2):
            moves = _moves(at, springs)
            at = _project([x + move / 2 for x, move in zip(at, moves, strict=True)], springs)
        if _is_still(before, at):
            break
    _settle(at, springs)
    return [floor(at[threads.of[item]]) + threads.offset[item] for item in range(len(net.rank))]


def _is_still(before: list[float], after: list[float]) -> bool:
    """Whether nothing has moved against anything else; two pulls later, since some threads swing to and fro."""
    shifts = [y - x for x, y in zip(before, after, strict=True)]
    return max(shifts) - min(shifts) < STILL


def _springs(net: Net, threads: Threads, gaps: Gaps) -> Springs:
    ties: list[list[tuple[int, float, float]]] = [[] for _ in threads.members]
    sources, users = [0] * len(net.rank), [0] * len(net.rank)
    for it in net.segments:
        sources[it.right] += 1
        users[it.left] += 1
    for it in net.segments:
        a, b = threads.of[it.left], threads.of[it.right]
        if a != b:
            lower = threads.offset[it.left] + it.leave - threads.offset[it.right] - it.arrive
            ties[b].append((a, lower, _strength(users[it.left])))
            ties[a].append((b, -lower, _strength(sources[it.right])))
    apart: list[dict[int, float]] = [{} for _ in threads.members]
    for column in net.columns:
        for upper, lower_item in pairwise(column):
            a, b = threads.of[upper], threads.of[lower_item]
            need = threads.offset[upper] + net.breadth[upper] + gaps.between(net, upper, lower_item)
            need = ceil(need - threads.offset[lower_item])
            apart[b][a] = max(need, apart[b].get(a, need))
    above = [list(row.items()) for row in apart]
    return Springs(ties, above, _top_down(above))


def _strength(shared: int) -> float:
    """How much a tie to an item counts that has so many on that side: one that has no other pulls most.

    So a box stands in the middle of what serves it alone, however far off its own user is.
    """
    return 1.0 if shared == 1 else 0.2 / shared


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


def _start(threads: Threads, springs: Springs) -> list[float]:
    """From the longest threads outwards, each where its ties to those already placed want it."""
    at = [0.0] * len(threads.members)
    met, placed = [False] * len(at), [False] * len(at)
    for first in sorted(range(len(at)), key=lambda i: -len(threads.members[i])):
        queue = [] if met[first] else [first]
        for i in queue:  # grows as it is walked
            ties = [(at[j] + lower, strength) for j, lower, strength in springs.ties[i] if placed[j]]
            at[i] = sum(want * s for want, s in ties) / sum(s for _, s in ties) if ties else 0.0
            met[i] = placed[i] = True
            new = [j for j, _, _ in springs.ties[i] if not met[j]]
            for j in new:
                met[j] = True
            queue += dict.fromkeys(new)
    return at


def _moves(at: list[float], springs: Springs) -> list[float]:
    """How far each thread is from where its ties want it; threads that push against each other move as one body."""
    body = list(range(len(at)))
    moves = _pulls(at, springs, body)
    for _ in range(3):
        joined = False
        for i in springs.order:
            for upper, need in springs.above[i]:
                if at[i] - at[upper] < need + STILL and moves[upper] > moves[i] + 1e-9:
                    joined = _join(body, i, upper) or joined
        if not joined:
            break
        body = [_root(body, i) for i in range(len(body))]
        moves = _pulls(at, springs, body)
    return moves


def _pulls(at: list[float], springs: Springs, body: list[int]) -> list[float]:
    """For each thread, the mean pull on its body from outside."""
    force, count = [0.0] * len(at), [0] * len(at)
    for i, ties in enumerate(springs.ties):
        own, x = body[i], at[i]
        for j, lower, _ in ties:
            if body[j] != own:
                force[own] += at[j] + lower - x
                count[own] += 1
    mean = [f / n if n else 0.0 for f, n in zip(force, count, strict=True)]
    return [mean[own] for own in body]


def _root(body: list[int], i: int) -> int:
    while body[i] != i:
        body[i] = body[body[i]]
        i = body[i]
    return i


def _join(body: list[int], i: int, j: int) -> bool:
    a, b = _root(body, i), _root(body, j)
    body[max(a, b)] = min(a, b)
    return a != b


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
    by_weight = sorted((i for i in springs.order if springs.ties[i]), key=lambda i: -len(springs.ties[i]))
    for finish in (_centre, _centre, _centre, _centre, _unkinked):
        for i in by_weight:
            want = finish(at, i, springs.ties[i])
            low = max((at[j] + need for j, need in springs.above[i]), default=-inf)
            high = min((at[j] - need for j, need in below[i]), default=inf)
            at[i] = max(low, min(high, want)) if low <= high else at[i]


def _centre(at: list[float], i: int, ties: list[tuple[int, float, float]]) -> float:
    """The middle of what a thread is tied to."""
    return sum((at[j] + lower) * s for j, lower, s in ties) / sum(s for _, _, s in ties)


def _unkinked(at: list[float], i: int, ties: list[tuple[int, float, float]]) -> float:
    """Where a tie that is nearly straight is so, if no other is and it is not one of several to one thread."""
    bends = sorted((abs(at[j] + lower - at[i]), at[j] + lower, j) for j, lower, _ in ties)
    bend, want, nearest = bends[0]
    alone = sum(j == nearest for j, _, _ in ties) == 1
    return want if alone and STILL < bend < KINK else at[i]
