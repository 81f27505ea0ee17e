"""Which column each box stands in."""

from __future__ import annotations

from autograd_lab.view.layout.layered.dag import Wire


def ranks_of(count: int, wires: list[Wire]) -> list[int]:
    """A rank for each box, so that every wire runs to a higher rank and few run far.

    Longest path first; then, from the end, a box that would rather be near its users goes to just before the first of
    them: a leaf always, an op where that makes more wires shorter than longer. What hangs on it alone follows, so it
    does not count. Where it makes no difference the program decides, whether the op ran shortly before its user.

    >>> ranks_of(4, [Wire(0, 1, 0, 0, 0), Wire(1, 3, 0, 0, 0), Wire(2, 3, 0, 0, 0)])
    [0, 1, 1, 2]
    """
    sources: list[list[int]] = [[] for _ in range(count)]
    users: list[list[int]] = [[] for _ in range(count)]
    for wire in wires:
        sources[wire.target].append(wire.source)
        users[wire.source].append(wire.target)
    rank = [0] * count
    pull = [0] * count  # how many wires hold the box back
    follows = [False] * count  # everything before it serves only it, and it serves one box
    for box in range(count):
        rank[box] = max((rank[source] + 1 for source in sources[box]), default=0)
        pull[box] = sum(not follows[source] for source in sources[box])
        follows[box] = pull[box] == 0 and len(set(users[box])) == 1
    clock = _clock(sources, users)
    for box in reversed(range(count)):
        if not users[box]:
            continue
        gain = len(users[box]) - pull[box]
        since = clock[box] - max((clock[it] for it in sources[box] if not follows[it]), default=-1)
        if gain > 0 or (gain == 0 and min(clock[user] for user in users[box]) - clock[box] < since):
            rank[box] = min(rank[user] for user in users[box]) - 1
    return _without_gaps(rank)


def _clock(sources: list[list[int]], users: list[list[int]]) -> list[int]:
    """When each op ran, counted in ops; for a leaf, when it was first used, since it may be made long before."""
    clock = []
    ops = 0
    for box_sources in sources:
        clock.append(ops)
        ops += bool(box_sources)
    first_use = [min((clock[user] for user in used_by), default=ops) for used_by in users]
    return [clock[box] if sources[box] else first_use[box] for box in range(len(clock))]


def _without_gaps(rank: list[int]) -> list[int]:
    number = {old: new for new, old in enumerate(sorted(set(rank)))}
    return [number[old] for old in rank]
