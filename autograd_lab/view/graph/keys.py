"""The legend of a recording: what its picture needs and does not say itself, in a line or two.

What a look needs to have explained are its *signs*; a key explains one of them. Where the lines are too short for all
of them, keys say it in fewer words, from the last one on; then the colours of weights and values, which are the same,
share a key; then the last ones are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.draw.lane_drawing import tile_side
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.looks.now import COMING, PARTLY, READY, WAITING
from autograd_lab.view.graph.looks.pocket_look import UNPACKED
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import LARGEST, SAMPLE, short
from autograd_lab.view.kit.shapes.key_line import Entry, in_lines
from autograd_lab.view.kit.shapes.outline import MARK, SKIP, badge, badge_width, card, layer, shared_mark, skip_mark
from autograd_lab.view.kit.shapes.pocket import pocket
from autograd_lab.view.kit.shapes.stroke import group, path, rect, say
from autograd_lab.view.kit.shapes.wire import cross, cut, plain, recorded, ribbon, twin
from autograd_lab.view.kit.tile import Tile, draw_tile
from autograd_lab.view.languages.speaking import translated

MOST = 14
SCALE = [[-1.0, -0.4, 0.0, 0.4, 1.0]]
STROKE = ((0.0, 0.0), (10.0, 0.0), (20.0, 0.0), (30.0, 0.0))
ALONG = ((36.0, 0.0), (24.0, 0.0), (12.0, 0.0), (0.0, 0.0))
LINES = ("sent", "minus", "cut", "handed", "nothing", "waiting", "blocked", "open", "earlier")
"""Signs that lines have."""
POCKET, POCKET_HIGH, EDGE = 20.0, 19.0, 5.0
"""Width and height of a pocket, and how far the edge of its card reaches beyond it; px."""
POCKETS = {"saved": "saved", "kept": "saved, and kept", "freed": "saved, now freed", "packed": ""}
"""Signs that pockets have, in words; who packed one, and how it is unpacked, is another matter."""

LIKE = {UNPACKED: "freed unpacked"}
"""How a pocket is drawn that has two signs."""


class Key(NamedTuple):
    """What a sign means: a sample `width` px wide, drawn around the height 0. It is not needed beside `unless`.

    `brief` says it in fewer words.
    """

    sign: str
    words: str
    width: float
    drawn: str
    unless: str = ""
    brief: str = ""

    @property
    def entry(self) -> Entry:
        """As a legend has it."""
        return self.width, self.drawn, self.words


def keys_of(
    picture: Picture,
    shown: Iterable[tuple[Part, Look]],
    most: int = MOST,
    room: float = math.inf,
    whose: str = "",
    lines: int = 1,
) -> list[Key]:
    """The keys for what is shown, most telling first; `most` of them at most, and as many as these lines have room for.

    `room` is the length of a line, px. `whose` gradients they are is said where there are several losses.
    """
    signs = {sign for part, look in shown for sign in signs_of(picture, part, look)}
    found = [key for key in possible_keys(picture, whose) if key.sign in signs and key.unless not in signs][:most]
    for count in range(1, lines + 1):
        for shorter in _shorter(found):
            if _lines(shorter, room) <= count:
                return shorter
    found = list(_shorter(found))[-1]
    while _lines(found, room) > lines:
        found.pop()
    return found


def _lines(keys: Iterable[Key], room: float) -> int:
    return len(in_lines([key.entry for key in keys], room))


def _shorter(keys: Sequence[Key]) -> Iterator[list[Key]]:
    """Keys, then with fewer and fewer words."""
    found = list(keys)
    yield found
    for number in reversed(range(len(found))):
        found = found.copy()
        found[number] = found[number]._replace(words=found[number].brief or found[number].words)
        yield found
    yield _merged(found)


def _merged(keys: Sequence[Key]) -> list[Key]:
    """With one key for the colours of weights and of values."""
    found = {key.sign: key for key in keys}
    if {"weight", "value"} <= found.keys():
        value = found.pop("value")
        found["weight"] = found["weight"]._replace(words=f"{found['weight'].words}; {value.words}")
    return list(found.values())


def possible_keys(picture: Picture, whose: str = "") -> Iterator[Key]:
    """All keys that any step could need, in the language that is spoken."""
    for key in _keys(picture, whose):
        yield key._replace(words=translated(key.words, "key"), brief=translated(key.brief, "key"))


def _keys(picture: Picture, whose: str) -> Iterator[Key]:
    """All of them in English."""
    choice = picture.choice
    yield Key("blocked", "no gradient gets past the error", 34, _blocked(), brief="stopped here")
    yield Key("stale", "saved, now outdated", POCKET + 2 * EDGE, _pocket("stale"), brief="outdated")
    yield Key("leaf", "yours: a leaf", 24, group("card leaf", rect("shape", 0, -8, 24, 16, 4)), "sent")
    said = "width = log ‖∂‖" if choice.widths.is_logarithmic else "width = ‖∂‖"
    said = said.replace("‖", "|") if all(choice.is_written[name] for name in choice.labels) else said
    of = f" of {whose}" * bool(whose)
    norm = f"{said}: norm of the gradient ∂" if "‖" in said and not of else f"{said}, ∂ = gradient{of}"
    yield Key("sent", norm, 36, ribbon(ALONG, 6, 1.0), brief=f"{said}, ∂ = gradient{of}")
    yield Key("grad", f"gradient{of}", 12, say("∂", 0, 5, "word"), "sent")
    yield Key("minus", "negative", 36, ribbon(ALONG, 6, -1.0))
    yield Key("waiting", "a gradient is to come", 30, plain(STROKE, "waiting"), brief="to come")
    yield Key("open", "forward: no gradient so far", 30, recorded(STROKE), brief="forward")
    yield Key("running", "runs now", 30, _running())
    yield Key(READY, "has got its gradient", 26, _outlined(READY), brief="has its gradient")
    yield Key("half", "waits for another gradient", 26, _outlined(WAITING), brief="waits for more")
    yield Key("earlier", "of an earlier pass", 36, group("earlier", ribbon(ALONG, 6, 1.0)), brief="earlier")
    yield Key("nothing", "no gradient", 44, _nothing())
    yield Key("twin", "the same bytes: a view", 30, twin(STROKE), brief="a view")
    yield from _rare_keys(picture)
    yield Key("skip", "a skip within", SKIP, skip_mark(0, -8))
    shares = [card.share for card in choice.cards.cards.values() if card.share is not None]
    one = "module" if all(share.same for share in shares) else "weight"
    yield Key("shared", f"same letter, same {one}", 2 * MARK, shared_mark(0, 0, "A"), brief=f"same {one}")
    yield from _keys_of_tiles(picture)
    is_rerun = any(op.unpacks and op.node for op in choice.cards.history.ops.values())
    packed, done = ("to be saved anew in backward", "saved anew in backward") if is_rerun else ("packed by a hook",) * 2
    for state, words in (POCKETS | {"packed": packed, UNPACKED: f"{done}, then freed"}).items():
        brief = words.removeprefix("saved, now ")
        yield Key(state, words, POCKET + 2 * EDGE, _pocket(LIKE.get(state, state)), brief=brief)
    yield Key("own", "your own Function", 26, _own(), brief="your Function")


def _keys_of_tiles(picture: Picture) -> Iterator[Key]:
    """The keys of numbers that are drawn: bars, tiles, versions."""
    bars, norms = "log ‖weight‖ and log ‖.grad‖", "log ‖weight‖, ‖.grad‖"
    shared = any(card.share is not None for card in picture.choice.cards.cards.values())
    of = f"{bars}; of one use, what it adds" if shared else f"{bars} of each"
    yield Key("bars", of, 18, _pair_of_bars(), brief=f"{norms} by use" if shared else norms)
    yield from _scales(picture)
    rails = group("tile", path("rails", "M12 -6V6H0"))
    yield Key(LARGEST, "a cell is the largest of several", 14, rails, brief="largest of several")
    yield Key(SAMPLE, "a cell is one of several", 14, rails, brief="one of several")
    wide = badge_width("v1")
    yield Key("version", "version, after a write in place", wide, badge(wide, -9, "v1"), brief="version")


def _scales(picture: Picture) -> Iterator[Key]:
    """What the colours of tiles mean."""
    ranges, leaf = picture.ranges, _leaves(picture.choice)
    for kind, top in (("weight", ranges.weight), ("value", ranges.value), ("gradient", ranges.gradient)):
        most = short(top, 2)
        word = leaf if kind == "weight" else kind
        told, span, unless = f"{word}, ±{most}", translated(f"from −{most} to {most}"), ""
        brief = ""
        if kind in ranges.own:
            both = {"weight", "value"} <= ranges.own
            told = f"{f'{leaf} or value' if both else word}, each tile on its own scale"
            brief = f"{'value' if both else word}, own scales"
            span = translated("from minus the largest in a tile to plus that")
            unless = "value" if both and kind == "weight" else ""
        yield Key(kind, told, 70, draw_tile(Tile(SCALE, kind, 1.0), 0, -7, 14, span), unless, brief)


def _leaves(choice: Choice) -> str:
    """What leaves are that have tiles: weights, if they belong to modules; else who knows."""
    cards = choice.cards.cards.values()
    words = ["weight"] * any(card.params for card in cards) + ["leaf"] * any(card.kind == "leaf" for card in cards)
    return " or ".join(words) or "weight"


def _rare_keys(picture: Picture) -> Iterator[Key]:
    """The keys of what few programs do: an update, `detach()`, a backward pass that is recorded itself."""
    choice, cards = picture.choice, picture.choice.cards
    if choice.cycle:
        arrow = recorded(STROKE, state="update")
        far = "‖Δ‖" if any("‖" in turn.moved for turn in picture.drawing.turns) else "Δ"
        yield Key("moved", f"the update moves weights by {far}", 30, arrow, brief=f"update, by {far}")
        yield Key("update", "the update changes weights", 30, arrow, "moved", brief="update")
    if any(not wire.edges and cards.cards[wire.source].ops for wire in cards.wires):
        yield Key("cut", "history ends here", 16, cut(8, 0, 16))
    if cards.recorded is not None:
        yield Key("sheet", "recorded in a backward pass", 26, layer(0, -8, 26, 16, ""))
    if cards.history.returning.found:
        yield Key("handed", "part of what grad returns", 30, group("capsule handed", rect("shape", 0, -7, 30, 14, 7)))


def _pocket(state: str) -> str:
    """A pocket that hangs from the lower edge of its card: a short one, as the next line of keys is near."""
    edge = group("card", path("base", f"M0 -11h{POCKET + 2 * EDGE:g}"))
    return pocket(EDGE, -11, POCKET, "", state, high=POCKET_HIGH) + edge


def _nothing() -> str:
    """What takes no gradient, and its line."""
    box = group("card constant", rect("shape", 0, -8, 20, 16, 5))
    return box + plain(((20, 0), (28, 0), (36, 0), (44, 0)), "nothing")


def _blocked() -> str:
    """A line that an error stops."""
    return plain(((0, 0), (11, 0), (23, 0), (34, 0)), "blocked") + cross(17, 0)


def _own() -> str:
    """A card with a second outline."""
    return card("op", "recorded", rect("second", 1, -9, 24, 18, 9), rect("shape", 4.5, -5.5, 17, 11, 5.5))


def _running() -> str:
    """A card that runs, in its ring."""
    ring = rect("glow", 1, -9, 28, 18, 9)
    return card("op", "running", ring, rect("shape", 4.5, -5.5, 21, 11, 5.5))


def _outlined(state: str) -> str:
    """A card that has got gradients, and has not run."""
    return card("op", state, rect("shape", 1, -7, 24, 14, 6))


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
            is_view = "shared" in look.classes
            yield from (name for name in LINES if name in look.classes and not (is_view and name == "open"))
            if is_view:
                yield "twin"
        case "lane":
            yield from _on_lane(look) if tile_side(part, picture.drawing.uses[part.of]) else ()
        case "sheet" if COMING not in look.classes:
            yield "sheet"
        case "cycle" if COMING not in look.classes:
            yield "moved" if any(turn.moved for turn in picture.drawing.turns) else "update"
        case "slot":
            if UNPACKED in look.classes:
                yield UNPACKED
            else:
                yield from (name for name in (*POCKETS, "stale") if name in look.classes)


def _on_lane(look: Look) -> Iterator[str]:
    for role, kind in (("tile", "weight"), ("gtile", "gradient")):
        text = look.text(role)
        yield from [kind] * bool(text)
        yield from [text[-1:]] * text.endswith((LARGEST, SAMPLE))


def _on_card(card: Card, look: Look) -> Iterator[str]:
    yield from (name for name in ("leaf", "running", READY, "own") if name in look.classes)
    yield from [READY] * (PARTLY in look.classes)
    yield from ["half"] * (WAITING in look.classes)
    if "constant" in look.classes and COMING not in look.classes:
        yield "nothing"
    if look.text("version"):
        yield "version"
    if card.share is not None:
        yield "shared"
    for role, text in look.texts:
        if role == "skip":
            yield "skip"
        if role == "grad" and "∂" in text:
            yield "grad"
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
