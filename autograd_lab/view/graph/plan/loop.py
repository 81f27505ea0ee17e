"""Loops: turns of a loop are found by their source lines, which come back with a fixed period.

The same line of two different modules is no turn of a loop: blocks of one class share their lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

SHOWN = 2
"""So many turns of a loop are shown before those that are hidden."""
Place = Hashable
"""What a turn has in common with the one before; None for what must stay open."""


def loops_in(places: Sequence[Place | None], most: int) -> list[tuple[int, int, int]]:
    """(start, end, period) of the turns to hide so that about `most` places stay, longest loop first.

    Of a loop the first turns and the last one stay, since they are what shows how it works.
    """
    rest = list(places)
    found: list[tuple[int, int, int]] = []
    hidden = 0
    while len(places) - hidden > most:
        loop = _longest(rest)
        if loop is None:
            break
        start, end, _ = loop
        rest[start:end] = [None] * (end - start)
        hidden += end - start
        found.append(loop)
    return found


def _longest(places: list[Place | None]) -> tuple[int, int, int] | None:
    """The turns to hide of the longest run in which places come back at a fixed distance."""
    last: dict[Place | None, int] = {}
    distances: Counter[int] = Counter()
    for number, place in enumerate(places):
        if place is not None and place in last:
            distances[number - last[place]] += 1
        last[place] = number
    loops = [_run(places, period) for period, _ in distances.most_common(5)]
    return max((loop for loop in loops if loop is not None), key=lambda loop: loop[1] - loop[0], default=None)


def _run(places: list[Place | None], period: int) -> tuple[int, int, int] | None:
    """The longest run of this period, less the first two turns and the last; None when that leaves nothing."""
    best, run = (0, 0), 0
    for number in range(period, len(places) + 1):
        again = number < len(places) and places[number] is not None and places[number] == places[number - period]
        if again:
            run += 1
        elif run > best[1] - best[0]:
            best, run = (number - run - period, number), 0
        else:
            run = 0
    start, end = best
    turns = (end - start) // period
    return (start + SHOWN * period, start + (turns - 1) * period, period) if turns > 3 else None
