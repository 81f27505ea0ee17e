"""Plain cards for the sheets: what stands where on a card is decided elsewhere."""

from __future__ import annotations

from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.shapes import outline as cards
from autograd_lab.view.kit.shapes.bar import sum_bar
from autograd_lab.view.kit.shapes.outline import card
from autograd_lab.view.kit.shapes.pocket import pockets


def op(
    x: float,
    y: float,
    width: float,
    name: str,
    value: str = "",
    formula: str = "",
    *,
    state: str = "recorded",
    grad: str = "",
    word: str = "",
    fine: str = "",
    slots: tuple[tuple[str, str, str], ...] = (),
    own: bool = False,
) -> str:
    height = 86 if fine else 66
    sign = " minus" if "−" in grad and state != "running" else ""
    inner = [
        pockets(x, y + height, width, list(slots)) if slots else "",
        cards.outline("op", x, y, width, height, own=own),
        say(name, x + 14, y + 27, "name"),
        say(value, x + width - 14, y + 27, "value end"),
        say(formula, x + 14, y + 52, "formula"),
        say(grad, x + width - 14, y + 52, f"partial end{sign}"),
        say(word, x + width - 14, y + 52, "word end" + (" quiet" if state == "released" else "")),
        say(fine, x + 14, y + height - 12, "fine"),
    ]
    return card("op", state, *inner)


def leaf(
    x: float,
    y: float,
    width: float,
    name: str,
    value: str,
    *,
    stored: str = "",
    word: str = "",
    parts: tuple[float, ...] = (),
    total: float | None = None,
    summed: str = "",
    fine: str = "",
) -> str:
    head = 60 if fine else 42
    drawer = 36 + (26 if parts else 0) + (22 if summed else 0)
    gy = y + head + 24
    inner = [
        cards.leaf_outline(x, y, width, head, drawer),
        say(name, x + 14, y + 28, "name"),
        say(value, x + width - 14, y + 28, "value end"),
        say(fine, x + 14, y + head - 10, "fine"),
        say(".grad", x + 14, gy, "word"),
        say(stored, x + width - 14, gy, "total end"),
        "" if stored else none(x + width - 14, gy, word),
        sum_bar(x + 14, gy + 12, width - 28, parts, total) if parts else "",
        say(summed, x + 14, gy + 50, "sum"),
    ]
    return card("leaf", "set" if stored else "", *inner)


def none(x: float, y: float, word: str) -> str:
    from autograd_lab.view.kit.font import text_width

    shift = text_width(word, 15, bold=True) + 9 if word else 0
    return say("none", x - shift, y, "quiet end") + say(word, x, y, "word end")


def constant(x: float, y: float, width: float, name: str, value: str, fine: str) -> str:
    inner = [cards.outline("constant", x, y, width, 60), say(name, x + 14, y + 28, "name")]
    return card(
        "constant", "", *inner, say(value, x + width - 14, y + 28, "value end"), say(fine, x + 14, y + 49, "fine")
    )
