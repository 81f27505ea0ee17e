"""Lines: what was recorded, what is to come, what carries a gradient, what stops one. Arrows point at the receiver."""

from __future__ import annotations

from autograd_lab.view.kit.shapes.capsule import hue
from autograd_lab.view.kit.shapes.route import Path, course, halves, middle, shortened
from autograd_lab.view.kit.shapes.stroke import at, circle, group, path, short
from autograd_lab.view.kit.shapes.width import LEAST

HEAD = 9
"""Length and breadth of the arrowhead of a recorded line, px."""
CORE, CORE_FROM = 0.34, 3.5
"""The hollow of a negative ribbon in parts of its width, and from which width on there is one."""
CROSS = 12
TWIN = 4.0
"""Between the two lines of a double bar, px."""
CUT = 24


def recorded(route: Path, *, state: str = "") -> str:
    """A line of the program, from what is taken to the op that takes it; `update` if an optimizer sends it."""
    short_of, way = shortened(route, HEAD)
    return group(f"wire {state}".rstrip(), path("line", course(short_of)), _tip(route, way, HEAD, HEAD / 2))


def plain(route: Path, state: str) -> str:
    """A line without a head: a gradient is `waiting` to come, or `nothing` comes this way, or it is `blocked`."""
    return group(f"wire {state}", path("line", course(route)))


def ribbon(route: Path, width: float, number: float, *, tip: bool = True) -> str:
    """A gradient from the op that sends it to the receiver; hollow if it is negative and wide enough to be seen so."""
    head, drawn = "", route
    if tip:
        length, half = _head_of(width)
        drawn, way = shortened(route, length - 1)
        head = _tip(route, way, length, half)
    core = path("core", course(drawn), CORE * width) if number < 0 and width >= CORE_FROM else ""
    return group(f"wire sent {hue(number)}", head, path("ribbon", course(drawn), width), core)


def on_its_way(route: Path, part: float, width: float, number: float) -> str:
    """A ribbon as far as its gradient has come (0 to 1), and the dashed rest; its capsule is at `middle(…)`."""
    behind, ahead = halves(route, part)
    return plain(ahead, "waiting") + ribbon(behind, width, number, tip=False)


def cross(x: float, y: float) -> str:
    """Nothing gets past here."""
    strokes = path("x", f"M{at(x - 4, y - 4)}l8 8m0 -8l-8 8")
    return group("cross", circle("shape", x, y, CROSS), strokes)


def cut(x: float, y: float, height: float = 28) -> str:
    """Two upright bars: the program cut the line here, and wants no gradient beyond."""
    return group("cut", path("bars", f"M{at(x - 4, y - height / 2)}v{short(height)}m8 0v-{short(height)}"))


def twin(route: Path) -> str:
    """A double bar along any course: what stands at its ends is the same bytes."""
    return group("wire shared", path("twin", course(route), TWIN + 4), path("core", course(route), TWIN))


def cut_off(route: Path) -> str:
    """A line up to where the program cuts it, and dashed beyond."""
    before, after = halves(route, 0.5)
    return plain(before, "kept") + plain(after, "nothing") + cut(*middle(route), CUT)


def _head_of(width: float) -> tuple[float, float]:
    """Length and half the breadth of the head of a ribbon."""
    width = max(width, LEAST)
    return max(10.0, 0.8 * width + 5), width / 2 + min(max(0.5 * width, 4.5), 7.0)


def _tip(route: Path, way: tuple[float, float], length: float, half: float) -> str:
    (x, y), (ux, uy) = route[-1], way
    back, down = x - length * ux, y - length * uy
    sides = f"L{at(back - half * uy, down + half * ux)}L{at(back + half * uy, down - half * ux)}z"
    return path("tip", f"M{at(x, y)}{sides}")
