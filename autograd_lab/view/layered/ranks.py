"""Which column each box stands in."""

from __future__ import annotations

from autograd_lab.view.layered.graph import Wire


def ranks_of(count: int, wires: list[Wire]) -> list[int]:
    """A rank for each box, so that every wire runs to a higher rank and few run far.

    Longest path first; then, from the end, a box that would rather be near its users goes to just before the first of
    them: a leaf always, and an op unless more wires than it has users would grow longer. What hangs on it alone
    follows, so it does not count.

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
    for box in reversed(range(count)):
        if users[box] and len(users[box]) >= pull[box]:
            rank[box] = min(rank[user] for user in users[box]) - 1
    return _without_gaps(rank)


def _without_gaps(rank: list[int]) -> list[int]:
    number = {old: new for new, old in enumerate(sorted(set(rank)))}
    return [number[old] for old in rank]
