"""Which items are strung on one straight line: a *thread*, which then moves as one.

Every stretch of a lane, and the main line of a program: the op that feeds an op is straight before it, a leaf or a
skip connection that joins them is not; of two ops, the one with more ops behind it. Where two are equal, as the two
sides of a product, neither is, so that the picture stays symmetric.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from autograd_lab.view.layout.layered.net import Net

MAIN, LANE, JOIN, OWN_LEAF, LEAF = 4, 3, 2, 1, 0
"""How much a stretch wants to be straight: op to op, within a lane, from or to a lane, from a leaf or to a dead end."""

DRIFT = 120.0
"""A thread whose ports would lead it this many px up or down is level instead, with a small bend before each port."""


@dataclass(slots=True)
class Threads:
    """`of` gives each item's thread, `offset` where the item begins, measured from where its thread is."""

    of: list[int]
    offset: list[float]
    members: list[list[int]] = field(default_factory=list)


def thread(net: Net) -> Threads:
    """Strings the items of an ordered net."""
    following = straight(net)
    axis = _axes(net)
    threads = Threads([-1] * len(net.rank), [0.0] * len(net.rank))
    for column in net.columns:
        for item in column:
            if threads.of[item] < 0:
                _string(item, following, axis, threads)
    return threads


def _string(item: int, following: dict[int, tuple[int, float]], axis: list[float], threads: Threads) -> None:
    members, offsets = [item], [0.0]
    while item in following:
        item, shift = following[item]
        members.append(item)
        offsets.append(offsets[-1] + shift)
    levels = [offset + axis[item] for offset, item in zip(offsets, members, strict=True)]
    if max(levels) - min(levels) > DRIFT:
        offsets = [axis[members[0]] - axis[item] for item in members]
    for item, offset in zip(members, offsets, strict=True):
        threads.of[item], threads.offset[item] = len(threads.members), offset
    threads.members.append(members)


def _axes(net: Net) -> list[float]:
    """The level of each item at which lines leave it, or arrive where none leaves."""
    leaves: list[list[float]] = [[] for _ in net.rank]
    arrives: list[list[float]] = [[] for _ in net.rank]
    for it in net.segments:
        leaves[it.left].append(it.leave)
        arrives[it.right].append(it.arrive)
    ports = [leave or arrive or [0.0] for leave, arrive in zip(leaves, arrives, strict=True)]
    return [sum(row) / len(row) for row in ports]


def straight(net: Net) -> dict[int, tuple[int, float]]:
    """For an item, the one straight after it and how much lower that one begins."""
    shifts = _shifts(net)
    arriving, leaving = _wishes(net, shifts)
    wanted = [
        (min(arriving[right][left][0], leaving[left][right][0]), left, right)
        for left, right in shifts
        if _chosen(arriving[right], left) and _chosen(leaving[left], right)
    ]
    wanted.sort(key=lambda it: -it[0])
    place = {item: i for column in net.columns for i, item in enumerate(column)}
    kept: list[list[tuple[int, int]]] = [[] for _ in net.columns]
    following = {}
    for _, left, right in wanted:
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


Wishes = list[dict[int, tuple[int, int]]]  # by item and neighbour: how much that one wants it, and the ops beyond it


def _wishes(net: Net, pairs: dict[tuple[int, int], float]) -> tuple[Wishes, Wishes]:
    """For each item, how much each neighbour on its left, and on its right, wants to be straight with it."""
    behind, ahead, users = [0] * len(net.rank), [0] * len(net.rank), [0] * len(net.rank)
    by_rank = sorted(pairs, key=lambda pair: net.rank[pair[0]])
    for left, right in by_rank:
        behind[right] = max(behind[right], behind[left] + (left < net.boxes))
        users[left] += 1
    for left, right in reversed(by_rank):
        ahead[left] = max(ahead[left], ahead[right] + (right < net.boxes))
    arriving: Wishes = [{} for _ in net.rank]
    leaving: Wishes = [{} for _ in net.rank]
    for left, right in pairs:
        lanes = (left >= net.boxes) + (right >= net.boxes)
        leaf = OWN_LEAF if users[left] == 1 else LEAF
        arriving[right][left] = ((MAIN if behind[left] else leaf, JOIN, LANE)[lanes], behind[left])
        leaving[left][right] = ((MAIN if ahead[right] else LEAF, JOIN, LANE)[lanes], ahead[right])
    return arriving, leaving


def _chosen(wishes: dict[int, tuple[int, int]], neighbour: int) -> bool:
    """Whether the neighbour wants it more than any other does, or as much with more ops on its side."""
    return all(wish < wishes[neighbour] for other, wish in wishes.items() if other != neighbour)
