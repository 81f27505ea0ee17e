"""The legend of a recording: only what its picture needs and does not say itself, at most five keys in one line.

What a look needs to have explained are its *signs*; a key explains one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import LARGEST, SAMPLE, short
from autograd_lab.view.kit.shapes.outline import MARK, badge, badge_width, card, shared_mark
from autograd_lab.view.kit.shapes.pocket import pocket
from autograd_lab.view.kit.shapes.stroke import group, path, rect
from autograd_lab.view.kit.shapes.wire import plain, ribbon
from autograd_lab.view.kit.tile import Tile, draw_tile

MOST = 5
SCALE = [[-1.0, -0.4, 0.0, 0.4, 1.0]]
POCKETS = {"saved": "saved", "kept": "kept for another pass", "freed": "saved, now freed", "packed": "packed"}


class Key(NamedTuple):
    """What a sign means: a sample `width` px wide, drawn around the height 0. It is not needed beside `unless`."""

    sign: str
    words: str
    width: float
    drawn: str
    unless: str = ""


def keys_of(picture: Picture, shown: Iterable[tuple[Part, Look]], most: int = MOST) -> list[Key]:
    """The keys for what is shown, most telling first; `most` of them at most."""
    signs = {sign for part, look in shown for sign in signs_of(picture, part, look)}
    found = (key for key in possible_keys(picture) if key.sign in signs and key.unless not in signs)
    return list(found)[:most]


def possible_keys(picture: Picture) -> Iterator[Key]:
    """All keys that any step could need."""
    choice, ranges = picture.choice, picture.ranges
    yield Key("leaf", "yours: a leaf", 24, group("card leaf", rect("shape", 0, -8, 24, 16, 4)), "sent")
    said = "width = log ‖∂‖" if choice.widths.is_logarithmic else "width = ‖∂‖"
    said = said.replace("‖", "|") if all(choice.is_written[name] for name in choice.labels) else said
    yield Key("sent", said, 36, ribbon(((36, 0), (24, 0), (12, 0), (0, 0)), 6, 1.0))
    yield Key("minus", "negative", 36, ribbon(((36, 0), (24, 0), (12, 0), (0, 0)), 6, -1.0))
    for kind, top in (("weight", ranges.weight), ("value", ranges.value), ("gradient", ranges.gradient)):
        most = short(top, 2)
        scale = draw_tile(Tile(SCALE, kind, 1.0), 0, -7, 14, f"from −{most} to {most}")
        yield Key(kind, f"{kind}, ±{most}", 70, scale)
    rails = group("tile", path("rails", "M12 -6V6H0"))
    yield Key(LARGEST, "a cell is the largest of several", 14, rails)
    yield Key(SAMPLE, "a cell is one of several", 14, rails)
    yield Key("bars", "log ‖weight‖ and log ‖.grad‖ of each", 18, _pair_of_bars())
    yield Key("version", "version, after a write in place", badge_width("v1"), badge(badge_width("v1"), -9, "v1"))
    yield Key("shared", "same letter, same module", 2 * MARK, shared_mark(0, 0, "A"))
    yield Key("running", "runs now", 30, _running())
    for state, words in POCKETS.items():
        yield Key(state, words, 30, pocket(0, -9, 30, "", state), "" if state == "saved" else "saved")
    yield Key("nothing", "no gradient", 30, plain(((0, 0), (10, 0), (20, 0), (30, 0)), "nothing"))


def _running() -> str:
    """A card that runs, in its ring."""
    ring = rect("glow", 1, -9, 28, 18, 9)
    return card("op", "running", ring, rect("shape", 4.5, -5.5, 21, 11, 5.5))


def _pair_of_bars() -> str:
    """A weight and its gradient, as a card has them that hides many."""
    bars = rect("bar weight", 2, -7, 6, 14) + rect("bar plus", 9, -2, 6, 9)
    return group("card", path("base", "M0 7h18"), bars)


def signs_of(picture: Picture, part: Part, look: Look) -> Iterator[str]:
    """The signs in how a part looks."""
    match part.kind:
        case "card":
            yield from _on_card(picture.choice.cards.cards[part.of], look)
        case "link" | "drop":
            yield from (name for name in ("sent", "minus", "nothing") if name in look.classes)
        case "slot":
            yield from (name for name in POCKETS if name in look.classes)


def _on_card(card: Card, look: Look) -> Iterator[str]:
    yield from (name for name in ("leaf", "running") if name in look.classes)
    if look.text("version"):
        yield "version"
    if card.share is not None:
        yield "shared"
    for role, text in look.texts:
        if "tile" not in role and "param" not in role and role != "bars":
            continue
        if text.endswith((LARGEST, SAMPLE)):
            yield text[-1]
        if role == "bars":
            yield "bars"
        elif role.startswith("g"):
            yield "gradient"
        elif role == "param0" or (card.kind == "leaf" and role == "tile"):
            yield "weight"
        elif role == "tile":
            yield "value"
