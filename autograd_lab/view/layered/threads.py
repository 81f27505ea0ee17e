"""Which items are strung on one straight line: a *thread*, which then moves as one.

Every stretch of a lane, and the main line of a program: the op that feeds an op is straight before it, a leaf or a
skip connection that joins them is not. Where two are equal, as the two sides of a product, neither is, so that the
picture stays symmetric.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from autograd_lab.view.layered.net import Net

LANE, MAIN, JOIN, LEAF = 3, 2, 1, 0
"""How much a stretch wants to be straight: within a lane, op to op, from or to a lane, from a leaf or to a dead end."""


@dataclass(slots=True)
class Threads:
    """`of` gives each item's thread, `offset` where the item begins, measured from where its thread is."""

    of: list[int]
    offset: list[float]
    members: list[list[int]] = field(default_factory=list)


def thread(net: Net) -> Threads:
    """Strings the items of an ordered net."""
    following = _straight(net)
    threads = Threads([-1] * len(net.rank), [0.0] * len(net.rank))
    for column in net.columns:
        for item in column:
            if threads.of[item] < 0:
                threads.members.append(_string(item, following, threads))
    return threads


def _string(item: int, following: dict[int, tuple[int, float]], threads: Threads) -> list[int]:
    members = [item]
    threads.of[item] = len(threads.members)
    while item in following:
        right, shift = following[item]
        threads.of[right], threads.offset[right] = len(threads.members), threads.offset[item] + shift
        members.append(right)
        item = right
    return members


def _straight(net: Net) -> dict[int, tuple[int, float]]:
    """For an item, the one straight after it and how much lower that one begins."""
    shifts = _shifts(net)
    arriving, leaving = _wishes(net, shifts)
    wanted = [(left, right) for left, right in shifts
              if _chosen(arriving[right], left) and _chosen(leaving[left], right)]
    wanted.sort(key=lambda pair: -min(arriving[pair[1]][pair[0]], leaving[pair[0]][pair[1]]))
    place = {item: i for column in net.columns for i, item in enumerate(column)}
    kept: list[list[tuple[int, int]]] = [[] for _ in net.columns]
    following = {}
    for left, right in wanted:
        pair = (place[left], place[right])
        row = kept[net.rank[left]]
        i = bisect_left(row, pair)
        if (i and row[i - 1][1] > pair[1]) or (i < len(row) and row[i][1] < pair[1]):
            continue  # it would cross one that is straight already
        row.insert(i, pair)
        following[left] = (right, shifts[left, right])
    return following


def _shifts(net: Net) -> dict[tuple[int, int], float]:
    """By pair of linked items, how much lower the right one begins when they are straight: a mean over their ports."""
    ports: dict[tuple[int, int], list[float]] = defaultdict(list)
    for it in net.segments:
        ports[it.left, it.right].append(it.leave - it.arrive)
    return {pair: sum(shifts) / len(shifts) for pair, shifts in ports.items()}


def _wishes(net: Net, pairs: dict[tuple[int, int], float]) -> tuple[list[dict[int, int]], list[dict[int, int]]]:
    """For each item, how much each neighbour on its left, and on its right, wants to be straight with it."""
    arriving: list[dict[int, int]] = [{} for _ in net.rank]
    leaving: list[dict[int, int]] = [{} for _ in net.rank]
    has_source, has_user = [False] * len(net.rank), [False] * len(net.rank)
    for left, right in pairs:
        has_user[left] = has_source[right] = True
    for left, right in pairs:
        lanes = (left >= net.boxes) + (right >= net.boxes)
        arriving[right][left] = (MAIN if has_source[left] else LEAF, JOIN, LANE)[lanes]
        leaving[left][right] = (MAIN if has_user[right] else LEAF, JOIN, LANE)[lanes]
    return arriving, leaving


def _chosen(wishes: dict[int, int], neighbour: int) -> bool:
    """Whether the neighbour wants it more than any other does."""
    mine = wishes[neighbour]
    return all(wish < mine for other, wish in wishes.items() if other != neighbour)
