"""What the stages of the layered layout pass on to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

Point = tuple[float, float]


class Wire(NamedTuple):
    """A link between boxes by number; ports are measured across, from the edge where a box begins."""

    source: int
    target: int
    leave: float
    arrive: float
    room: float
    least: float = 0.0
    thick: float = 0.0
    lane: float | None = None

    @property
    def way(self) -> tuple[int, float]:
        """Wires of the same way share a lane: those that leave one port, where nothing else is said."""
        return self.source, self.leave if self.lane is None else self.lane


class Docks(NamedTuple):
    """Between which places across wires may leave a box, and arrive at it."""

    leave: tuple[float, float]
    arrive: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Graph:
    """Boxes in a topological order, each with a length along the ranks and a breadth across them.

    With `docks`, one for each box, the ports of wires are chosen once it is known who is above whom.
    """

    length: list[float]
    breadth: list[float]
    wires: list[Wire]
    docks: list[Docks] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Points are (along, across); a place is the corner where a box begins. `top` is the least of all across."""

    places: list[Point]
    routes: list[list[Point]]
    ranks: list[int]
    length: float
    breadth: float
    top: float = 0.0
