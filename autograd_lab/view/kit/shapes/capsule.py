"""Numbers and words in small outlines: capsules of gradients, tags of plain numbers, quiet chips, hooks on a line."""

from __future__ import annotations

import math

from autograd_lab.view.kit.shapes.stroke import at, group, path, rect, say, short, wide

DELIVERED, FLYING = 15, 17
"""Sizes of the text of a number that has arrived, and of one on its way; px."""
TAG, CHIP, HOOK = 26, 28, 34
"""Heights of a number tag, a quiet chip, a hook; px."""


def hue(number: float) -> str:
    """The class of a gradient by its sign; a norm has none and is plum.

    >>> hue(2.0), hue(-0.1), hue(-0.0), hue(float("nan"))
    ('plus', 'minus', 'zero', 'odd')
    """
    if not math.isfinite(number):
        return "odd"
    return "zero" if number == 0 else "minus" if number < 0 else "plus"


def capsule_size(text: str, *, flying: bool = False) -> tuple[float, float]:
    """Width and height of the capsule of a gradient."""
    if flying:
        return wide(text, FLYING, bold=True) + 24, FLYING + 13
    return wide(text, DELIVERED, bold=True) + DELIVERED * 1.1, DELIVERED + 9


def capsule(x: float, y: float, text: str, number: float, *, flying: bool = False) -> str:
    """A gradient around (x, y): hollow once it is delivered, solid while it is on its way."""
    width, height = capsule_size(text, flying=flying)
    width = max(width, height)
    shape = rect("shape", x - width / 2, y - height / 2, width, height, height / 2)
    words = say(text, x, y + 0.36 * (FLYING if flying else DELIVERED))
    return group(f"capsule {hue(number)}{' flying' if flying else ''}", shape, words)


def tag_width(text: str) -> float:
    """How wide the tag of a plain number is."""
    return wide(text, 15) + 16


def number_tag(x: float, y: float, text: str, stub: tuple[float, float] | None = None) -> str:
    """A plain number that an op takes, around (x, y), on a dashed stub to the op."""
    width = tag_width(text)
    line = ""
    if stub is not None:
        (end, down), side = stub, x + math.copysign(width / 2, stub[0] - x)
        bend = (end - side) / 2
        line = path(
            "stub", f"M{at(side, y)}c{short(bend)} 0 {short(bend)} {short(down - y)} {at(end - side, down - y)}"
        )
    return group("tag", line, rect("shape", x - width / 2, y - 13, width, TAG, 6), say(text, x, y + 5.3))


def chip_width(strong: str, rest: str = "") -> float:
    """How wide a quiet chip is."""
    return wide(strong, 13.5, bold=True) + (wide(rest, 13.5) + 8 if rest else 0) + 24


def quiet_chip(x: float, y: float, strong: str, rest: str = "") -> str:
    """Work aside that wants no gradient, in one chip: what it is, and how many ops."""
    shape = rect("shape", x, y, chip_width(strong, rest), CHIP, CHIP / 2)
    first = say(strong, x + 12, y + CHIP / 2 + 4.9, "strong")
    return group("quiet-chip", shape, first, say(rest, x + 20 + wide(strong, 13.5, bold=True), y + CHIP / 2 + 4.9))


def hook_width(text: str) -> float:
    """How wide the box of a hook is."""
    return wide(text, 15, bold=True) + 28


def hook(x: float, y: float, text: str) -> str:
    """What a hook does to a gradient, on its line around (x, y)."""
    width = hook_width(text)
    return group("hook", rect("shape", x - width / 2, y - HOOK / 2, width, HOOK, 6), say(text, x, y + 5.3))
