"""Who is above whom in each column, with few crossings.

Ports count: of two operands of one op, the one that arrives higher wants to stand higher.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from autograd_lab.view.layout.layered.net import Net

Columns = list[list[int]]
Ties = list[list[tuple[int, float, float]]]  # by item: the neighbour, its port and one's own, as shares of a breadth
Stretches = list[list[tuple[int, float, int, float]]]  # by column, what leaves it: item and port, item and port


def order(net: Net, *, as_written: bool = False) -> None:
    """Sorts the columns of the net in place; where ports do not tell operands apart, `as_written` keeps their order."""
    stretches = _stretches(net)
    left, right = _ties(net, stretches)
    best = _by_walk(net, [ties[::-1] for ties in left] if as_written else left)
    fewest = _crossings(stretches, best, len(net.rank))
    sweeps = max(4, min(24, 60_000 // len(net.rank)))
    for columns in (best, net.columns) if len(net.rank) <= 400 else (best,):
        columns = [column[:] for column in columns]
        stale = 0
        for sweep in range(sweeps):
            if fewest == 0 or stale > 3:
                break
            _sweep(columns, left, right, leftwards=sweep % 2 == 0)
            if len(net.rank) <= 400:
                _swap(columns, left, right)
            count = _crossings(stretches, columns, len(net.rank))
            stale += 1
            if count < fewest:
                best, fewest, stale = [column[:] for column in columns], count, 0
    net.columns[:] = best


def _stretches(net: Net) -> Stretches:
    """Ports as shares of their box's breadth, 0 to less than 1, the step to the next item."""
    stretches: Stretches = [[] for _ in net.columns]
    for left, right, leave, arrive in net.segments:
        wide, deep = net.breadth[left], net.breadth[right]
        ports = (0.98 * leave / wide if wide else 0.49), (0.98 * arrive / deep if deep else 0.49)
        stretches[net.rank[left]].append((left, ports[0], right, ports[1]))
    return stretches


def _crossings(stretches: Stretches, columns: Columns, count: int) -> int:
    """How many pairs of segments cross; two that share a port at either end do not."""
    place = _places(columns, count)
    total = 0
    for row in stretches:
        seen: list[float] = []
        for _, arrive in sorted([(place[a] + leave, place[b] + arrive) for a, leave, b, arrive in row]):
            total += len(seen) - bisect_right(seen, arrive)
            insort(seen, arrive)
    return total


def _places(columns: Columns, count: int) -> list[int]:
    place = [0] * count
    for column in columns:
        for i, item in enumerate(column):
            place[item] = i
    return place


def _ties(net: Net, stretches: Stretches) -> tuple[Ties, Ties]:
    left: Ties = [[] for _ in net.rank]
    right: Ties = [[] for _ in net.rank]
    for row in stretches:
        for a, leave, b, arrive in row:
            left[b].append((a, leave, arrive))
            right[a].append((b, arrive, leave))
    return left, right


def _by_walk(net: Net, left: Ties) -> Columns:
    """The order in which a walk back from the outputs, operand by operand, meets the items: planar for a tree."""
    columns: Columns = [[] for _ in net.columns]
    operands = [[item for item, _, _ in sorted(ties, key=lambda tie: -tie[2])] for ties in left]
    has_user = [False] * len(net.rank)
    for it in net.segments:
        has_user[it.left] = True
    met = [False] * len(net.rank)
    stack = [item for item in reversed(range(len(net.rank))) if not has_user[item]]
    while stack:
        item = stack.pop()
        if not met[item]:
            met[item] = True
            columns[net.rank[item]].append(item)
            stack.extend(operands[item])
    return columns


def _sweep(columns: Columns, left: Ties, right: Ties, *, leftwards: bool) -> None:
    """Sorts each column by where its neighbours in the column before are; who has none keeps its place."""
    ties = right if leftwards else left
    place = _places(columns, len(left))
    for column in reversed(columns) if leftwards else columns:
        mean = {
            item: sum(place[it] + port - own for it, port, own in ties[item]) / len(ties[item])
            for item in column
            if ties[item]
        }
        ranked = iter(sorted(mean, key=lambda item: (mean[item], place[item])))
        column[:] = [next(ranked) if item in mean else item for item in column]
        for i, item in enumerate(column):
            place[item] = i


def _swap(columns: Columns, left: Ties, right: Ties) -> None:
    """Exchanges neighbours of a column as long as that takes crossings away."""
    place = _places(columns, len(left))
    for _ in range(4):
        gain = 0
        for column in columns:
            for i in range(len(column) - 1):
                a, b = column[i], column[i + 1]
                change = _crossed(a, b, left, place) + _crossed(a, b, right, place)
                change -= _crossed(b, a, left, place) + _crossed(b, a, right, place)
                if change > 0:
                    gain += change
                    column[i], column[i + 1] = b, a
                    place[a], place[b] = i + 1, i
        if not gain:
            break


def _crossed(upper: int, lower: int, ties: Ties, place: list[int]) -> int:
    """Crossings between the segments of two items of a column towards one side, the first above the second."""
    ends = sorted(place[it] + port for it, port, _ in ties[lower])
    return sum(len(ends) and _below(ends, place[it] + port) for it, port, _ in ties[upper])


def _below(ends: list[float], end: float) -> int:
    return sum(other < end for other in ends)
