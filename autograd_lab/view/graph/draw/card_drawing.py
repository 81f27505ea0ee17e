"""Cards as SVG: an outline that tells kind and state, and on it what the look says, where the face has it."""

from __future__ import annotations

from functools import lru_cache

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.face import Face, Item
from autograd_lab.view.graph.looks.tile_look import LOST, numbers_of
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import LARGEST, SAMPLE
from autograd_lab.view.kit.shapes.bar import progress, sum_bar
from autograd_lab.view.kit.shapes.outline import (
    badge,
    joint_outline,
    leaf_outline,
    low_leaf_outline,
    module_outline,
    outline,
    shared_mark,
    sheets,
    skip_mark,
    struck,
)
from autograd_lab.view.kit.shapes.stroke import path, rect, say, short
from autograd_lab.view.kit.tile import Tile, draw_tile
from autograd_lab.view.languages.speaking import language, translated

CLASSES = {
    "name": "name", "value": "value", "first": "value", "formula": "formula", "was": "formula", "shape": "formula",
    "fine": "fine", "badge": "fine strong",
    "beside": "fine", "words": "fine", "dotgrad": "word", "word": "word", "sum": "strong", "times": "value quiet",
    "label": "word below", "glabel": "word below", "count": "fine count", "sign": "name mid",
}  # fmt: skip
"""How texts are set, by what they say."""
SIZES = {
    "name": 20.0, "value": 20.0, "value quiet": 20.0, "formula": 15.0, "fine": 12.5, "fine strong": 12.5,
    "fine count": 12.5, "word": 15.0, "word below": 15.0, "strong": 15.0, "name mid": 20.0, "arrived": 17.0,
    "partial": 17.0, "total": 20.0, "many": 17.0,
}  # fmt: skip
"""Their size where nothing else is said, px."""
EACH = {LARGEST: "each the largest of several numbers", SAMPLE: "each one of several numbers", "": ""}


def draw_card(part: Part, look: Look, card: Card, face: Face) -> str:
    """A card in a look, with its upper left corner where its part stands."""
    kind = {"data": "constant", "turn": "module" if face.head else "op", "stack": "module"}.get(card.kind, card.kind)
    drawn = [_outline(part, look, kind, card, face)]
    texts = dict(look.texts)
    drawn += [_item(item, texts[item.role], part, look, face) for item in face.items if item.role in texts]
    if card.share is not None:
        drawn.append(shared_mark(part.x + part.width - 16, part.y, card.share.mark))
    if "version" in texts:
        drawn.append(badge(part.x + part.width - 10, part.y - 13, texts["version"]))
    classes = " ".join(dict.fromkeys(("card", kind, *look.classes)))
    return f'<g id="{part.id}" class="{classes}">{"".join(drawn)}</g>'


def _outline(part: Part, look: Look, kind: str, card: Card, face: Face) -> str:
    place = (part.x, part.y, part.width, part.height)
    if kind == "leaf" and (side := face.item("side")) is not None:
        return low_leaf_outline(*place, side.x)
    if kind == "leaf":
        return leaf_outline(*place[:3], face.head, part.height - face.head)
    behind = sheets(*place) if card.kind == "stack" else ""
    if kind == "module":
        return behind + module_outline(*place, min(face.head, part.height))
    if face.is_joint:
        return joint_outline(*place)
    return behind + outline(kind, *place, own="own" in look.classes)


def _item(item: Item, text: str, part: Part, look: Look, face: Face) -> str:
    x, y = part.x + item.x + (part.width if item.x < 0 else 0), part.y + item.y
    if text == LOST and _is_picture(item):
        return say(LOST, x + item.width / 2, y + item.height / 2 + 5, "quiet mid")
    if "tile" in item.role or "param" in item.role:
        return _tile(item, text, x, y)
    if item.role == "bars":
        return _bars(text, x, y, item)
    if item.role == "sumbar":
        words = text.split()
        parts = [int(word.removeprefix("*")) / 1000 for word in words]
        to_come = {place for place, word in enumerate(words) if word.startswith("*")}
        return sum_bar(x, y, item.width, parts, 1.0, to_come)
    if item.role == "skip":
        return skip_mark(x, y, is_on_edge=item.y < 0)
    if item.role == "progress":
        return progress(x, y, item.width, float(text) / 1000)
    if item.role == "old":
        kind = "many" if item.size < 20 else "value"
        right = x if item.anchor == "end" else x + text_width(text, item.size)
        written = struck(text, right, y, item.size, kind)
        return written if item.size == SIZES[kind] else _sized(written, item.size)
    return _text(item, text, x, y, look, face)


def _is_picture(item: Item) -> bool:
    """Whether what stands there is drawn, and not written."""
    return "tile" in item.role or "param" in item.role or item.role in ("bars", "sumbar", "progress", "skip")


def _text(item: Item, text: str, x: float, y: float, look: Look, face: Face) -> str:
    kind = CLASSES.get("words" if item.role == "shape" and item.size < 13 else item.role) or (
        "total" if face.head and item.size >= 20 else "arrived"
    )
    if item.role in ("value", "first") and item.size < 20:
        kind = "many"
    classes = [kind]
    if item.role == "grad":
        if text == translated("stopped", "card"):
            classes = ["partial"]
        elif text.startswith(("none", translated("line", "card"))):
            classes = ["quiet"]
        else:
            classes += [name for name in ("minus", "zero", "odd") if name in look.classes]
    classes += [item.anchor.replace("middle", "mid")] * (item.anchor != "start")
    classes += ["bold"] * (item.bold and kind in ("value", "many"))
    size = SIZES.get(kind, 15.0)
    written = say(text, x, y, " ".join(dict.fromkeys(classes)))
    wanted = 15.0 if classes[0] == "quiet" else item.size
    return written if abs(wanted - size) < 0.1 else _sized(written, wanted)


def _sized(written: str, size: float) -> str:
    return written.replace("<text", f'<text style="font-size:{size:g}px"', 1)


def _tile(item: Item, text: str, x: float, y: float) -> str:
    return tile_in(text, item.role.startswith("g"), item.width, item.height, x, y)


def tile_in(text: str, is_gradient: bool, width: float, height: float, x: float, y: float) -> str:
    """A tile, whose title speaks the language that is spoken."""
    return _tile_in(language(), text, is_gradient, width, height, x, y)


@lru_cache(maxsize=1 << 12)
def _tile_in(_: str, text: str, is_gradient: bool, width: float, height: float, x: float, y: float) -> str:
    """A page asks for the same one at every step at which something else on its card changes."""
    rows, each = numbers_of(text)
    if not rows or not all(rows):
        return ""
    cell = min(width / max(map(len, rows)), height / len(rows))
    return draw_tile(Tile(rows, "gradient" if is_gradient else "value", 1.0, EACH[each]), x, y, cell)


@lru_cache(maxsize=1 << 12)
def _bars(text: str, x: float, y: float, item: Item) -> str:
    """Pairs of bars on a common line: a weight in blue, its gradient in plum."""
    pairs = [pair.split(",") for pair in text.split()]
    step, bottom = item.width / max(1, len(pairs)), y + item.height
    drawn = [path("base", f"M{short(x)} {short(bottom)}h{short(item.width)}")]
    for number, pair in enumerate(pairs):
        for place, (name, height) in enumerate(zip(("weight", "plus"), pair, strict=True)):
            high = item.height * int(height) / 100
            left = x + step * (number + 0.45 * place)
            drawn.append(rect(f"bar {name}", left, bottom - high, 0.4 * step, high) if high else "")
    return "".join(drawn)
