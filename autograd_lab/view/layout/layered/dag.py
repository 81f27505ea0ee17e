"""What the stages of the layered layout pass on to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Point = tuple[float, float]


class Wire(NamedTuple):
    """A link between boxes by number; ports are measured across, from the edge where a box begins."""

    source: int
    target: int
    leave: float
    arrive: float
    room: float


@dataclass(frozen=True, slots=True)
class Graph:
    """Boxes in a topological order, each with a length along the ranks and a breadth across them."""

    length: list[float]
    breadth: list[float]
    wires: list[Wire]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Points are (along, across); a place is the corner where a box begins. `top` is the least of all across."""

    places: list[Point]
    routes: list[list[Point]]
    ranks: list[int]
    length: float
    breadth: float
    top: float = 0.0
