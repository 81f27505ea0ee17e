"""Blanks on cards and lines: what a worksheet leaves out, the rules to write it on, and what its key has there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from autograd_lab.classroom.demos.roomy import GRIDS, PENCIL, RULED, is_grid
from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.face import Face, Item
from autograd_lab.view.graph.facts.state import GraphState, Slot
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.looks.pocket_look import HIDDEN
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import grid_of, matrix_of, short
from autograd_lab.view.kit.shapes.pocket import PAD, SIZE
from autograd_lab.view.kit.shapes.stroke import group, path, rect, say

RULE = ".blank{fill:#ffffff;stroke:#4d4d4d;stroke-width:1.25}.rule-line{fill:none;stroke:#4d4d4d;stroke-width:1.25}"
"""The style of what is written on."""
BELOW = 5.0
"""How far below the base of its text a rule is, px."""
SPACES = " " * round(PENCIL / text_width(" ", 15, bold=True))
"""What stands in the capsule of a number that is asked for."""
BADGE = (40.0, 24.0)
"""Room for a version, px."""
SIGNED = re.compile(r"^(∂|‖∂‖) ")
WRITER = re.compile(r"line \d+")
"""What stands in the place of a gradient where there is none: which line has written the tensor."""
STAYS = ("own", "second", "joint", "constant")
"""Classes of a card that tell nothing of what became of it."""
GIVEN = re.compile(r"label|times|param\d+|progress")
"""Texts of a module that need not be found out."""


@dataclass
class Blanks:
    """The blanks of a picture, and what stands in them in a state."""

    picture: Picture
    state: GraphState
    versions: bool
    """Whether versions are to be found out; where nothing is written in place all are 0, and stand there."""

    @cached_property
    def _now(self) -> Now:
        return Now(self.picture.history, self.state)

    def empty(self, part: Part, look: Look) -> Look:
        """The look without anything that has to be found out."""
        match part.kind:
            case "card":
                return self._empty_card(part, look)
            case "link" | "drop":
                return look if "nothing" in look.classes else Look(("open",))
            case "number":
                return self._empty_number(part, look)
            case "slot":
                return Look(("saved",), (("title", self._saved(part) + self._version(part) * (not self.versions)),))
            case "lane":
                dashes = " ".join("-" for _ in self.picture.drawing.uses[part.of])
                return Look(("lane", "empty"), (("name", look.text("name")), ("grad", ".grad"), ("parts", dashes)))
            case "versions":
                return Look(HIDDEN)
        return look

    def filled(self, part: Part, look: Look) -> Look:
        """The look with what stands in the blanks: numbers alone on rules, versions of what is freed, too."""
        if part.kind == "slot" and part.text != "tick" and "hidden" not in look.classes:
            title = look.text("title") if self._slot(part) is None else self._saved(part) + self._version(part)
            return Look(look.classes, (("title", title),))
        if part.kind != "card":
            return look
        hidden = GRIDS if is_grid(self._card(part)) else ()
        texts = [(name, SIGNED.sub("", text)) for name, text in look.texts if name not in hidden]
        return Look(look.classes, tuple((name, text) for name, text in texts if not WRITER.fullmatch(text)))

    def rules(self, part: Part, look: Look, *, key: bool) -> str:
        """What is written on: rules, and of small arrays grids, with their numbers in the `key`."""
        if part.kind == "slot" and self.versions and self._slot(part) is not None:
            left = part.x + PAD + text_width(self._saved(part), SIZE)
            return _rule(left + 1, part.x + part.width - PAD + 4, part.y + 19)
        if part.kind == "lane" and not key:
            left = part.x + 14 + text_width(".grad ", 13.5, bold=True)
            return _rule(left, left + PENCIL, part.y + part.height - 10 + 3)
        if part.kind != "card":
            return ""
        drawn = [self._on_card(part, item, look.text(item.role), key=key) for item in self._face(part).items]
        return "".join(drawn) + _version(part, look, key=key)

    def _on_card(self, part: Part, item: Item, text: str, *, key: bool) -> str:
        x, y = part.x + item.x, part.y + item.y
        if item.role in RULED and item.width:
            width = max(item.width, text_width(SIGNED.sub("", text), item.size, bold=item.bold))
            left = x - width if item.anchor == "end" else x
            return _rule(left, left + width, y + BELOW)
        if item.role in GRIDS and is_grid(self._card(part)):
            numbers = _numbers(self._value(part, item)) if key else []
            return _grid(x, y, item, grid_of(self._shape(part)), numbers)
        return ""

    def _value(self, part: Part, item: Item) -> Value | None:
        """What a grid of a card is filled in with."""
        card, now = self._card(part), self._now
        if item.role == "tile":
            return now.value(card.box)
        if card.kind == "leaf":
            return None if card.box is None else now.stored(card.box)
        return now.gathered(card)

    def _empty_card(self, part: Part, look: Look) -> Look:
        card, face = self._card(part), self._face(part)
        texts = {item.role: item.text for item in face.items if item.text and item.role != "was"}
        texts |= {name: text for name, text in look.texts if GIVEN.fullmatch(name)}
        if card.kind == "data" and card.box is not None and card.box.op is None:
            texts |= dict(look.texts)
        if "bars" in dict(look.texts):
            texts["bars"] = re.sub(r",\d+", ",0", look.text("bars"))
        if "glabel" in dict(look.texts):
            texts["glabel"] = ".grad"
        state = "unset" if card.kind == "leaf" else "recorded"
        return Look((card.kind, state, *(name for name in look.classes if name in STAYS)), tuple(texts.items()))

    def _empty_number(self, part: Part, look: Look) -> Look:
        """A capsule without its number, or a hook between two; nothing of an array, whose norm nobody is asked for."""
        hook, asked = look.text("hook"), SPACES if self.picture.choice.is_written[part.of] else ""
        texts = (("hook", hook), ("label", asked), ("after", asked if hook else ""))
        return Look(("open",), tuple((name, text) for name, text in texts if text))

    def _saved(self, part: Part) -> str:
        """What a pocket says without a version: `self = c v`, or how many values a card saved."""
        pocket, history = self.picture.drawing.pockets[part.id], self.picture.history
        slot = self._slot(part)
        if slot is None:
            count = sum(slot.tensor is not None for op in pocket.card.ops for slot in op.slots)
            return "" if part.text == "tick" else f"{count} saved"
        box = history.box_of(slot.tensor or "", 0)
        name = f"{history.boxes[box].label} v" if box is not None and history.boxes[box].label else "v"
        return f"{slot.name} = {name}" if self.picture.choice.faces[pocket.card.id].tells_slots else name

    def _version(self, part: Part) -> str:
        """Of the one value that a pocket is for."""
        slot = self._slot(part)
        return "" if slot is None else str(slot.version)

    def _slot(self, part: Part) -> Slot | None:
        """The slot that a pocket with a name is for."""
        pocket = self.picture.drawing.pockets[part.id]
        if pocket.op is None or part.text == "tick":
            return None
        node = self.state.nodes.get(self.picture.history.ops[pocket.op].node or "")
        return None if node is None or pocket.slot >= len(node.slots) else node.slots[pocket.slot]

    def _card(self, part: Part) -> Card:
        return self.picture.choice.cards.cards[part.of]

    def _face(self, part: Part) -> Face:
        return self.picture.choice.faces[part.of]

    def _shape(self, part: Part) -> tuple[int, ...]:
        box = self._card(part).box
        return () if box is None else box.facts.shape


def _rule(left: float, right: float, y: float) -> str:
    return path("rule-line", f"M{left:.1f} {y:.1f}H{right:.1f}")


def _grid(x: float, y: float, item: Item, size: tuple[int, int], numbers: list[list[str]]) -> str:
    """The cells of a small array, with its numbers as far as they are known."""
    rows, columns = size
    wide, high = item.width / columns, item.height / rows
    drawn = [
        rect("blank", x + column * wide, y + row * high, wide, high) for row in range(rows) for column in range(columns)
    ]
    drawn += [
        say(text, x + (column + 0.5) * wide, y + (row + 0.5) * high + 4.6, "fine strong mid")
        for row, texts in enumerate(numbers)
        for column, text in enumerate(texts)
    ]
    return group("grid", *drawn)


def _numbers(value: Value | None) -> list[list[str]]:
    """What stands in the cells of an array; that there is none stands in the first."""
    return [["none"]] if value is None else [[short(number, 3) for number in row] for row in matrix_of(value)[0]]


def _version(part: Part, look: Look, *, key: bool) -> str:
    """Room for the version of a tensor that is written."""
    if key or not look.text("version"):
        return ""
    x, y = part.x + part.width - BADGE[0] - 6, part.y - BADGE[1] / 2
    return rect("blank", x, y, *BADGE, BADGE[1] / 2) + say("v", x + 9, y + 16, "fine strong")
