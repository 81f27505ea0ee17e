"""The legend of a still: only what this picture needs and does not say itself, at most five keys in one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.looks.card_look import Ranges
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import short
from autograd_lab.view.kit.shapes.pocket import pocket
from autograd_lab.view.kit.shapes.stroke import group, path, rect
from autograd_lab.view.kit.shapes.wire import plain, ribbon
from autograd_lab.view.kit.tile import Tile, draw_tile

Key = tuple[float, str, str]
"""Width of a sample, its drawing around the height 0, and its words."""

MOST = 5
SAMPLE = [[-1.0, -0.4, 0.0, 0.4, 1.0]]


def keys_of(choice: Choice, ranges: Ranges, shown: Iterable[tuple[Part, Look]], most: int = MOST) -> list[Key]:
    """The keys for what is shown, most telling first; `most` of them at most."""
    looks = list(shown)
    classes = [(part.kind, name) for part, look in looks for name in look.classes]
    found: list[Key] = []
    if ("card", "leaf") in classes and ("link", "sent") not in classes:
        found.append((24, group("card leaf", rect("shape", 0, -8, 24, 16, 4)), "yours: a leaf"))
    if any(kind in ("link", "drop") and name == "sent" for kind, name in classes):
        said = "width = log ‖∂‖" if choice.widths.is_logarithmic else "width = ‖∂‖"
        said = said.replace("‖", "|") if all(choice.is_written.values()) else said
        found.append((36, ribbon(((36, 0), (24, 0), (12, 0), (0, 0)), 6, 1.0), said))
    if ("link", "minus") in classes:
        found.append((36, ribbon(((36, 0), (24, 0), (12, 0), (0, 0)), 6, -1.0), "negative"))
    found += _tiles(choice, ranges, looks)
    found += _pockets(classes)
    if ("link", "nothing") in classes:
        found.append((30, plain(((0, 0), (10, 0), (20, 0), (30, 0)), "nothing"), "no gradient"))
    if any("+" in text for part, look in looks if part.kind == "card" for name, text in look.texts if _is_tile(name)):
        found.append((14, path("rails", "M12 -6V6H0"), "a cell is the largest of several"))
    return found[:most]


def _is_tile(name: str) -> bool:
    return "tile" in name or "param" in name


def _tiles(choice: Choice, ranges: Ranges, looks: Sequence[tuple[Part, Look]]) -> list[Key]:
    """The scales of the tiles that are shown, with their ranges."""
    cards = choice.cards.cards
    roles = {(cards[part.of].kind, role) for part, look in looks if part.kind == "card" for role, _ in look.texts}
    weights = any(role == "param0" or (kind == "leaf" and role == "tile") for kind, role in roles)
    values = any(role == "tile" and kind != "leaf" for kind, role in roles)
    gradients = any(role.startswith("g") and _is_tile(role) for _, role in roles)
    asked = ((weights, "weight", ranges.weight), (values, "value", ranges.value),
             (gradients, "gradient", ranges.gradient))  # fmt: skip
    return [
        (70.0, draw_tile(Tile(SAMPLE, kind, 1.0), 0, -7, 14), f"{kind}, ±{short(most, 2)}")
        for is_there, kind, most in asked
        if is_there
    ]


def _pockets(classes: Sequence[tuple[str, str]]) -> list[Key]:
    words = {"saved": "saved", "kept": "kept for another pass", "freed": "saved, now freed", "packed": "packed"}
    for state, said in words.items():
        if ("slot", state) in classes:
            return [(30.0, pocket(0, -9, 30, "", state), said)]
    return []
