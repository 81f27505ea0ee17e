"""Saved values: pockets that hang from the lower edge of their card, whose shape tells whether they still hold it."""

from __future__ import annotations

from autograd_lab.view.kit.font import clean, fit
from autograd_lab.view.kit.shapes.stroke import at, group, lower_corners, path, say, short, wide

HEIGHT, INSET, GAP, RADIUS = 22, 12, 6, 6
"""Height of a pocket, from the ends of its card, between two of them, of its lower corners; px."""
PAD, SIZE, SIGN, FOOT = 10, 12.5, 22, 16.4
"""Beside its text; size of the text; what a pin or a parcel takes; the foot of the text, so far down that the ring of a
running card does not reach it; px."""
TOOTH, DEPTH = 9, 5
CLOSE = 0.01
"""What is this much too wide still fits: places are sums of floats; px."""
STATES = ("saved", "kept", "freed", "packed", "stale")


def pocket_width(text: str, right: str = "", state: str = "saved") -> float:
    """The least width at which nothing of a pocket is cut."""
    sign = SIGN - PAD if state in ("kept", "packed") else 0
    beside = wide(right, SIZE) + 12 if right else 0
    return wide(text, SIZE, bold=state == "stale") + beside + sign + 2 * PAD


def pocket(
    x: float, y: float, width: float, text: str, state: str = "saved", right: str = "", *, high: float = HEIGHT
) -> str:
    """A pocket of this state, its upper edge at y; texts are cut to its room."""
    shape = path("shape", _torn(x, y, width, high) if state == "stale" else lower_corners(x, y, width, high, RADIUS))
    end = x + width - (SIGN if state in ("kept", "packed") else PAD)
    room = end - x - PAD - (wide(right, SIZE) + 8 if right else 0) + CLOSE
    words = say(fit(clean(text), max(room, 0), SIZE, bold=state == "stale"), x + PAD, y + FOOT)
    beside = say(right, end, y + FOOT, "end") if right else ""
    return group(f"pocket {state}", shape, words, beside, _sign(x + width, y, state))


def pockets(x: float, y: float, width: float, slots: list[tuple[str, str, str]]) -> str:
    """All pockets of a card, side by side below its lower edge: (text, state, text at the right) each."""
    each = (width - 2 * INSET - GAP * (len(slots) - 1)) / max(len(slots), 1)
    steps = [x + INSET + place * (each + GAP) for place in range(len(slots))]
    return "".join(pocket(step, y - 1, each, *slot) for step, slot in zip(steps, slots, strict=True))


def _torn(x: float, y: float, width: float, high: float) -> str:
    teeth = max(4, round(width / TOOTH))
    step = short(width / teeth / 2)
    return f"M{at(x + width, y)}v{short(high)}{f'l-{step} {DEPTH}l-{step} -{DEPTH}' * teeth}V{short(y)}z"


def _sign(end: float, y: float, state: str) -> str:
    if state == "kept":
        return path("pin", f"M{at(end - 12, y + 11)}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0m3 3v5")
    if state == "packed":
        return path("parcel", f"M{at(end - 17, y + 7)}h10v8h-10zm0 4h10m-5 -4v8")
    return ""
