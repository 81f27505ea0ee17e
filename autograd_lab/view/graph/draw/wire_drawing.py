"""Wires and the numbers on them as SVG."""

from __future__ import annotations

from autograd_lab.view.graph.numbers import ON, OVER
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.shapes.capsule import HOOK, hook, hook_width
from autograd_lab.view.kit.shapes.route import Point, backward, halves, middle
from autograd_lab.view.kit.shapes.stroke import group, rect, say
from autograd_lab.view.kit.shapes.wire import cross, cut_off, on_its_way, plain, recorded, ribbon, twin
from autograd_lab.view.layout.signposts import Polyline, at, polyline

FAR = 0.56
"""How far a gradient on its way has come in a still picture."""
ABOVE = 7.5
"""From a line to the foot of the number over it, px: the bars of a norm reach below its digits."""
CAPITALS = 0.72
"""Height of a digit in sizes of its text."""
NEXT = 7.0
"""Between a hook and the numbers before and after it at least, px."""
SIGNS = {"minus": -1.0, "zero": 0.0, "odd": float("nan")}


def draw_wire(part: Part, look: Look, route: Path) -> str:
    """A wire in a look, along its route."""
    drawn = _line(look, route)
    return f'<g id="{part.id}" class="{" ".join(("link", *look.classes))}">{drawn}</g>'


def _line(look: Look, route: Path) -> str:
    if "sent" in look.classes:
        width, number = float(look.text("width")), _number(look)
        if "flying" in look.classes:
            return on_its_way(backward(route), FAR, width, number)
        if look.text("hook"):
            return _hooked(look, backward(route), width, number)
        return ribbon(backward(route), width, number)
    if "waiting" in look.classes:
        return plain(route, "waiting")
    if "cut" in look.classes:
        return cut_off(route)
    if "nothing" in look.classes:
        return plain(route, "nothing")
    if "blocked" in look.classes:
        return plain(route, "blocked") + cross(*middle(route))
    if "coming" in look.classes:
        return plain(route, "coming")
    if "shared" in look.classes:
        return twin(route)
    return recorded(route, state="spent" if "spent" in look.classes else "")


def _hooked(look: Look, route: Path, width: float, number: float) -> str:
    """A gradient as it is before a hook and after it."""
    before, after = halves(route, 0.5)
    if not look.text("after"):
        return plain(after, "waiting") + ribbon(before, width, number, tip=False)
    sign = SIGNS.get(look.text("sign"), 1.0)
    return ribbon(before, width, number, tip=False) + ribbon(after, float(look.text("wide")), sign)


def draw_hook(part: Part, look: Look, route: Path, size: float) -> str:
    """A hook in the middle of its line, between the numbers before it and after it."""
    line = polyline(backward(route))
    text = look.text("hook")
    drawn = [hook(*at(line, 0.5), text)]
    name = next((name for name in SIGNS if name in look.classes), "plus")
    for said, sign, way in ((look.text("label"), name, -1), (look.text("after"), look.text("sign"), 1)):
        drawn.append(_capsule(*_beside_hook(line, way, said, text, size), said, sign, size) if said else "")
    return group("hooked", *drawn, id=part.id)


def _beside_hook(line: Polyline, way: int, said: str, text: str, size: float) -> Point:
    """The middle of the room that a line has for a number beside its hook, before it or after it."""
    (x, y), (width, height) = at(line, 0.5), _size(said, size)
    across, down = (width + hook_width(text)) / 2 + NEXT, (height + HOOK) / 2 + NEXT
    shares = (0.5 + way * step / 100 for step in range(1, 50))
    clear = (share for share in shares for u, v in (at(line, share),) if abs(u - x) >= across or abs(v - y) >= down)
    return at(line, next(clear, 0.5 + way * 0.4))


def _size(text: str, size: float) -> tuple[float, float]:
    """Width and height of the capsule of a number."""
    return text_width(text, size, bold=True) + size * 1.1, size + 9


def _capsule(x: float, y: float, text: str, name: str, size: float) -> str:
    width, height = _size(text, size)
    words = say(text, x, y + 0.36 * size).replace("<text", f'<text style="font-size:{size:g}px"', 1)
    return group(f"capsule {name}", rect("shape", x - width / 2, y - height / 2, width, height, height / 2), words)


def _number(look: Look) -> float:
    return next((SIGNS[name] for name in SIGNS if name in look.classes), 1.0)


def draw_label(part: Part, look: Look, size: float, *, side: int) -> str:
    """The number on a line: in a capsule around the middle of its part, or without one over or under that."""
    text = look.text("label")
    if not text:
        return ""
    x, y = part.x + part.width / 2, part.y + part.height / 2
    name = next((name for name in SIGNS if name in look.classes), "plus")
    flying = "flying" in look.classes
    style = "" if size == 15 else f' style="font-size:{size:g}px"'
    if side != ON and not flying:
        rise = float(look.text("width") or 2) / 2 + ABOVE
        foot = y - rise if side == OVER else y + rise + CAPITALS * size
        words = say(text, x, foot, f"word mid halo {name}").replace("<text", f"<text{style}", 1)
        return f'<g id="{part.id}" class="{" ".join(("over-line", *look.classes))}">{words}</g>'
    width, height = _size(text, size)
    if flying:
        width, height = width + 4, height + 4
    shape = rect("shape", x - width / 2, y - height / 2, width, height, height / 2)
    words = say(text, x, y + 0.36 * size)
    inner = shape + (words.replace("<text", f'<text style="font-size:{size:g}px"', 1) if flying or style else words)
    handed = " handed" * ("handed" in look.classes)
    return f'<g id="{part.id}" class="capsule {name}{handed}{" flying" * flying}">{inner}</g>'


def draw_drop(part: Part, look: Look, route: Path) -> str:
    """The line from a card down to the lane of a weight that it uses."""
    return group(f"drop {' '.join(look.classes)}", _line(look, route))
