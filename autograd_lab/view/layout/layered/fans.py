"""Ports of lines that share a side of a box: side by side, in the order in which their other ends stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf

from autograd_lab.view.layout.layered.dag import Graph, Wire
from autograd_lab.view.layout.layered.net import Net
from autograd_lab.view.layout.layered.threads import straight

RIBBON_GAP = 5.0
"""Between two lines that dock side by side, px."""

LEAST_HEAD, THICKEST = 9.0, 14.0
"""By how much the head of an arrow is broader than its line at least; what is thicker is a line with its number; px."""

PITCH = 12.0
"""From the middle of one line to that of the next, where there is room, so that their arrow heads stand apart; px."""


def spread(
    thick: Sequence[float], low: float, high: float, middle: float | None = None, main: Sequence[int] = ()
) -> list[float]:
    """Places between `low` and `high` for lines side by side, around the middle; pressed together if they must be.

    Where some are `main`, these are in the middle, if the others find room beside them.

    >>> spread([2, 2, 14], 0, 60)
    [15.5, 27.5, 44.5]
    >>> spread([2, 2, 14], 0, 60, main=[0])
    [30.0, 42.0, 59.0]
    """
    for pitch, gap in ((PITCH, _between_heads), (PITCH, _between_lines), (0.0, _between_lines)):
        at = [0.0]
        for a, b in pairwise(thick):
            at.append(at[-1] + max((a + b) / 2 + gap((a + b) / 2), pitch))
        if at[-1] <= high - low:
            break
    scale = min(1.0, (high - low) / at[-1]) if at[-1] else 1.0
    at = [it * scale for it in at[: len(thick)]]
    centre = sum(at[i] for i in main) / len(main) if main else at[-1] / 2
    first = ((low + high) / 2 if middle is None else middle) - centre
    first = max(low, min(high - at[-1], first))
    return [first + it for it in at]


def _between_heads(thick: float) -> float:
    """From one line to the next, so that the heads of their arrows stand apart: they are broader than the lines."""
    return max(LEAST_HEAD, thick) if thick <= THICKEST else RIBBON_GAP


def _between_lines(_: float) -> float:
    return RIBBON_GAP


def docked(graph: Graph, net: Net) -> list[Wire]:
    """The wires with ports, where the net is in order and each box has its docks; main lines in the middle."""
    place = [0.0] * len(net.rank)
    for column in net.columns:
        for i, item in enumerate(column):
            place[item] = i
    following = {left: right for left, (right, _) in straight(net).items()}
    wires = _leaving(graph, net, place, following)
    arriving: dict[int, list[int]] = defaultdict(list)
    for i, wire in enumerate(wires):
        arriving[wire.target].append(i)
    for target, fan in arriving.items():
        fan.sort(key=lambda i: _behind(wires[i], net, place))
        main = [n for n, i in enumerate(fan) if following.get(_last(wires[i], net)) == target]
        ports = spread([wires[i].thick for i in fan], *graph.docks[target].arrive, main=main)
        for i, port in zip(fan, ports, strict=True):
            wires[i] = wires[i]._replace(arrive=port)
    return wires


def _leaving(graph: Graph, net: Net, place: list[float], following: Mapping[int, int]) -> list[Wire]:
    """The wires with the ports at which they leave; those of one way share one."""
    wires = graph.wires[:]
    bundles: dict[tuple[int, float], list[int]] = defaultdict(list)
    for i, wire in enumerate(wires):
        bundles[wire.way].append(i)
    fans: dict[int, list[list[int]]] = defaultdict(list)
    for (source, _), bundle in bundles.items():
        fans[source].append(bundle)
    for source, fan in fans.items():
        fan.sort(key=lambda bundle: _ahead(wires[bundle[0]], net, place))
        thick = [max(wires[i].thick for i in bundle) for bundle in fan]
        main = [n for n, bundle in enumerate(fan) if _next(wires[bundle[0]], net) == following.get(source)]
        for bundle, port in zip(fan, spread(thick, *graph.docks[source].leave, main=main), strict=True):
            for i in bundle:
                wires[i] = wires[i]._replace(leave=port)
    return wires


def _next(wire: Wire, net: Net) -> int:
    """The item to which a wire goes first; -1 for one that runs outside of all columns."""
    if net.rank[wire.target] == net.rank[wire.source] + 1:
        return wire.target
    return net.lanes[wire.way][0] if wire.way in net.lanes else -1


def _last(wire: Wire, net: Net) -> int:
    """The item from which a wire comes last; -1 as above."""
    span = net.rank[wire.target] - net.rank[wire.source]
    if span == 1:
        return wire.source
    return net.lanes[wire.way][span - 2] if wire.way in net.lanes else -1


def _ahead(wire: Wire, net: Net, place: list[float]) -> tuple[float, float]:
    """Where in its column the item stands to which a wire goes first, and from several to one, which is first."""
    item = _next(wire, net)
    return (inf if item < 0 else place[item]), wire.lane or 0.0


def _behind(wire: Wire, net: Net, place: list[float]) -> tuple[float, float]:
    """Where in its column the item stands from which a wire comes last; wires of one item as they leave it."""
    item = _last(wire, net)
    return (inf if item < 0 else place[item]), wire.leave
