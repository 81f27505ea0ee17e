"""Lanes: what repeats stands in columns, what all of it shares lies below as bars, and each use is a straight drop.

A drop passes over the bars above its own one, so a bar that is used often belongs on top. Where boxes of a column stand
one below the other, the lower ones step aside to let the drops of the upper ones through.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from autograd_lab.view.layout.boxes import Box, Link, beneath
from autograd_lab.view.layout.layered.fans import PITCH
from autograd_lab.view.layout.placed import Ends, Placed
from autograd_lab.view.layout.ranked import ALIKE, ranks
from autograd_lab.view.layout.stretch import Ramp, push_of, redrawn

BAR_GAP = 8.0
"""Between two bars, px."""

EDGE = 0.1
"""How wide the strip at the right of a column is of which more is made, px."""

MARGIN = 10.0
"""Between a drop and a box that it passes, px."""


def lanes(
    boxes: Iterable[Box],
    links: Iterable[Link],
    bars: Iterable[Box],
    drops: Iterable[Ends],
    *,
    gap: float,
    room: tuple[float, float],
    box_gap: float = 28,
    thick: Mapping[str, float] = ALIKE,
) -> Placed:
    """Ranks from left to right over `bars`, each with its width for a name before the columns, and its least height.

    `drops` are (box, bar). Bars grow to twice their height at most where the shape of the `room` leaves some free.
    """
    bars = list(bars)
    uses = _uses(bars, drops)
    groups = _groups(list(boxes), list(links))
    over = _in_a_row([ranks(*group, rank_gap=gap, box_gap=box_gap, thick=thick) for group in groups], gap)
    over, at = _with_free_ways(over, uses)
    left = max((bar.width for bar in bars), default=0.0)
    over = replace(_moved(over, left, 0.0), width=round(over.width + left, 2))
    areas = {}
    top = over.height + gap
    for bar, height in zip(bars, _heights(bars, over.width, top, room), strict=True):
        areas[bar.id] = (0.0, round(top, 2), over.width, height)
        top += height + BAR_GAP
    fallen = {
        (box, used): (round(x + left, 2), over.places[box][1] + over.boxes[box].height, areas[used][1])
        for (box, used), x in at.items()
    }
    height = round(top - BAR_GAP, 2) if bars else over.height
    return replace(over, form="lanes", height=height, bars=areas, drops=fallen)


def _groups(boxes: list[Box], links: list[Link]) -> list[tuple[list[Box], list[Link]]]:
    """What hangs together, in the order in which it begins; all that hangs together with nothing is one group."""
    leader = {box.id: box.id for box in boxes}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    for link in links:
        leader[find(link.target)] = find(link.source)
    linked = {name for link in links for name in (link.source, link.target)}
    groups: dict[str, tuple[list[Box], list[Link]]] = {}
    for box in boxes:
        groups.setdefault(find(box.id) if box.id in linked else "", ([], []))[0].append(box)
    for link in links:
        groups[find(link.source)][1].append(link)
    return list(groups.values()) or [([], [])]


def _in_a_row(parts: Sequence[Placed], gap: float) -> Placed:
    """Pictures beside each other, so that each has columns of its own; they stand on one level, above the bars."""
    if len(parts) == 1:
        return parts[0]
    height = max(part.height for part in parts)
    row = replace(parts[0], places={}, routes={}, boxes={}, ends={}, width=-gap, height=height)
    for part in parts:
        moved = _moved(part, row.width + gap, height - part.height)
        row = replace(
            row,
            places=row.places | moved.places,
            routes=row.routes | moved.routes,
            boxes=row.boxes | moved.boxes,
            ends=row.ends | moved.ends,
            width=round(row.width + gap + part.width, 2),
        )
    return row


def _uses(bars: Iterable[Box], drops: Iterable[Ends]) -> dict[str, list[str]]:
    """By box the bars that it uses, from above to below."""
    order = {bar.id: i for i, bar in enumerate(bars)}
    uses: dict[str, list[str]] = defaultdict(list)
    for box, bar in sorted(dict.fromkeys(drops), key=lambda ends: order[ends[1]]):
        uses[box].append(bar)
    return uses


def _heights(bars: Sequence[Box], width: float, top: float, room: tuple[float, float]) -> list[float]:
    """The least of each, times the same for all as far as the room goes, up to twice."""
    least = sum(bar.height for bar in bars)
    free = room[1] / room[0] * width - top - BAR_GAP * (len(bars) - 1)
    share = max(1.0, min(2.0, free / least)) if least else 1.0
    return [round(bar.height * share, 2) for bar in bars]


def _moved(placed: Placed, dx: float, dy: float) -> Placed:
    places = {name: (round(x + dx, 2), round(y + dy, 2)) for name, (x, y) in placed.places.items()}
    routes = {
        name: tuple([(round(x + dx, 2), round(y + dy, 2)) for x, y in route]) for name, route in placed.routes.items()
    }
    return replace(placed, places=places, routes=routes)


def _with_free_ways(placed: Placed, uses: Mapping[str, Sequence[str]]) -> tuple[Placed, dict[Ends, float]]:
    """The picture with room for all drops beside the boxes below, and where each drop is."""
    columns = _columns(placed)
    aside: dict[str, float] = {}
    ramps = []
    for column in columns:
        aside |= _aside(placed, column, uses)
        right = max(_right(placed, name) for name in column)
        beyond = max(_right(placed, name) + aside[name] for name in column) - right
        ramps.append(Ramp(right - EDGE, right, beyond))
    moved = redrawn(placed, (push_of(ramps), push_of(())), aside=aside)
    at = {}
    for column in columns:
        for name in column:
            docks = _docks(moved.boxes[name], len(uses.get(name, ())), below=name is not column[-1])
            at.update(
                {(name, bar): moved.places[name][0] + x for bar, x in zip(uses.get(name, ()), docks, strict=True)}
            )
    return moved, at


def _aside(placed: Placed, column: Sequence[str], uses: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """How far each box of a column steps aside, for the drops of those above it."""
    aside = dict.fromkeys(column, 0.0)
    across = sorted(column, key=lambda name: placed.places[name])
    for _ in column:  # who steps aside takes along who stands beside it, whose drops others must let through, and so on
        before = dict(aside)
        for name in column:
            over = [other for other in column if _bottom(placed, other) <= placed.places[name][1]]
            ways = [placed.places[other][0] + aside[other] + _taken(placed.boxes[other], len(uses.get(other, ())))
                    for other in over]  # fmt: skip
            aside[name] = max(aside[name], max(ways, default=0.0) - placed.places[name][0])
        for number, name in enumerate(across):
            beside = [other for other in across[:number] if _are_beside(placed, other, name)]
            aside[name] = max([aside[name], *(aside[other] for other in beside)])
        if aside == before:
            break
    return aside


def _are_beside(placed: Placed, one: str, other: str) -> bool:
    """Whether two boxes share a height."""
    tops = placed.places[one][1], placed.places[other][1]
    return tops[0] < _bottom(placed, other) and tops[1] < _bottom(placed, one)


def _bottom(placed: Placed, name: str) -> float:
    box = placed.boxes[name]
    return placed.places[name][1] + box.height + box.hang


def _docks(box: Box, count: int, *, below: bool) -> list[float]:
    """Where drops leave a box: all over its lower edge, or at the left if others stand below it."""
    low, high = beneath(box)
    pitch = min(PITCH, (high - low) / max(1, count - 1))
    return [low + (pitch * i if below else (high - low) * (i + 0.5) / count) for i in range(count)]


def _taken(box: Box, count: int) -> float:
    """How much of the lower edge of a box must stay free for its drops."""
    return _docks(box, count, below=True)[-1] + MARGIN if count else 0.0


def _right(placed: Placed, name: str) -> float:
    return placed.places[name][0] + placed.boxes[name].width


def _columns(placed: Placed) -> list[list[str]]:
    """Boxes that stand in one column, from above to below; columns from left to right."""
    columns: list[list[str]] = []
    end = 0.0
    for name in sorted(placed.places, key=lambda name: placed.places[name]):
        if columns and placed.places[name][0] < end:
            columns[-1].append(name)
        else:
            columns.append([name])
        end = max(end, _right(placed, name))
    return [sorted(column, key=lambda name: placed.places[name][1]) for column in columns]
