"""Faces of an operation: name and value, formula and gradient, tiles where the value is no number."""

from __future__ import annotations

from autograd_lab.view.graph.cards.terms import INFIX
from autograd_lab.view.graph.faces.face import FINE, Face, Item, Style
from autograd_lab.view.graph.faces.saying import Saying, small_lines, tile_size, widest
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.shorter import fit_term
from autograd_lab.view.kit.signs import base_of

LEAST, LEAST_TERSE = 112.0, 60.0
"""Least width of a card, px."""
RATHER, LITTLE = 46.0, 26.0
"""By so much a card is rather wider than that the end of its name, or of its formula, is cut off; px."""
JOINT = 32.0
"""Diameter of an op that is a sign and nothing else, px."""
PILL, BESIDE, TERM = 120.0, 10.0, 15.0
"""A term so wide stands in the place of its sign, with so much on both sides, in letters of such a size; px."""
ROOM = {"tall": (190.0, 130.0), "tower": (132.0, 84.0), "wide": (190.0, 190.0)}
"""Room for names and formulas by form, px: full, and terse."""
SLIM = 32.0
"""Of the narrowest faces tiles are so large, px."""
TURNS = 120.0
"""Room for which turns of a loop a card stands for, px."""


def op_face(it: Saying, style: Style, *, signs: bool = True) -> Face:
    """The face of an operation in a style; where `signs` may stand for ops, perhaps a sign alone."""
    if signs and (joint := _joint(it, style)):
        return joint
    return {"tall": _tall, "tower": _tower, "wide": _wide}[style.form](it, style)


def _joint(it: Saying, style: Style) -> Face | None:
    """A lone sign in a circle: an op without a name of the user's, where room is scarce."""
    ops = it.card.ops
    if style.full or style.form == "wide" or it.formula or len(ops) != 1 or it.card.params:
        return None
    sign = INFIX.get(base_of(ops[0].name))
    is_seen = all(use.box is None for use in it.card.operands)  # a factor that is not drawn has to be written
    if sign is None or not is_seen:
        return None
    wide = text_width(it.name, TERM, bold=True) + 2 * BESIDE
    text, width, size = (it.name, wide, TERM) if JOINT < wide <= PILL else (sign, JOINT, 18.0)
    sayings = [Item("sign", width / 2, JOINT / 2 + 5.5, size, "middle", bold=True, text=text)]
    return Face(width, JOINT, sayings, is_joint=True)


class _Measures:
    """Widths of what a card says in a style."""

    def __init__(self, it: Saying, style: Style) -> None:
        room = ROOM[style.form][not style.full]
        room = max(room, TURNS) if it.card.kind == "turn" else room
        self.name = self._name(it, style, room)
        self.name_width = text_width(self.name, style.name, bold=True)
        self.formula = self._formula(it, style, room)
        self.formula_width = text_width(self.formula, style.formula)
        self.before = fit_term(it.before, room, style.formula)
        self.number = it.is_written_in(style)
        self.value_size = style.value if self.number and len(it.value_texts[0].split("  ")) == 1 else style.few
        self.value_width = widest(it.value_texts, self.value_size, bold=it.was) if self.number else 0.0
        self.value_width = max(self.value_width, widest(it.old_texts, self.value_size))
        words = [f"∂ {text}" if not text.startswith("‖") else f"‖∂‖ {text.strip('‖')}" for text in it.grad_texts]
        none = "∂ −0.888" if self.number else "‖∂‖ 0.888"
        self.grad_width = widest([*(words or [none]), *it.states], style.gradient, bold=True)
        side = max(style.tile, min(84.0, max(self.name_width, self.formula_width)) if style.fill else 0.0)
        self.tile = (0.0, 0.0) if self.number or it.value is None else tile_size(it.sides, side)
        self.tiles = 2 if it.grads else 1
        self.shape_width = 0.0 if self.number or not style.full else widest(it.shapes, style.formula)

    def _name(self, it: Saying, style: Style, room: float) -> str:
        """Its whole name, or else a shorter one, of which at least the function is there: the last, of several."""
        found, function = fit_term(it.name, room, style.name, bold=True), it.name.partition("(")[0]
        if not it.card.parts:
            function = function.rpartition(", ")[2]
        for text in (it.name, found if found.startswith(function) else function):
            if text and text_width(text, style.name, bold=True) <= room + RATHER:
                return text
        return found

    def _formula(self, it: Saying, style: Style, room: float) -> str:
        """What the op does; the narrowest face says it only where that costs no width."""
        if it.brief and text_width(it.formula, style.formula) > max(self.name_width, style.tile):
            return fit_term(it.brief, room, style.formula)
        if style.form != "tower" or style.full or style.tile > SLIM or it.card.kind == "turn":
            whole = text_width(it.formula, style.formula)
            room = whole if room < whole <= room + LITTLE else room
            return fit_term(it.formula, room if style.form != "wide" else 110, style.formula) if it.formula else ""
        formula = fit_term(it.formula, max(self.name_width, LEAST_TERSE), style.formula, grace=1.0)
        return "" if formula.endswith("…") else formula


def _tall(it: Saying, style: Style) -> Face:
    """Two lines: name and value, formula and gradient; below them tiles, side by side."""
    m, pad = _Measures(it, style), style.pad
    first, second = (27.0, 52.0) if style.full else (22.0, 42.0)
    value = m.value_width if m.number else m.shape_width
    above = m.name_width + (16 + value if value else 0)
    below = m.grad_width + (m.formula_width + 14 if m.formula else 0)
    tile, high = m.tile
    least = LEAST if style.full else 84.0
    small = max(it.beside_width, widest([it.badge], FINE, bold=True))
    inner = max(least - 2 * pad, above, below, m.tiles * (tile + 14) - 14 if tile else 0.0, small)
    fine = it.fine_in(style, inner)
    width = 2 * pad + max(inner, text_width(fine, FINE))
    right = width - pad
    items = [Item("name", pad, first, style.name, bold=True, text=m.name)]
    if m.number:
        items.append(Item("value", right, first, m.value_size, "end"))
        if it.was:
            items[-1:] = [Item(role, right, first, m.value_size, "end") for role in ("first", "old")]
            items.append(Item("value", right, first + 26, m.value_size, "end", bold=True))
            second += 26
    elif m.shape_width:
        items.append(Item("shape", right, first, style.formula, "end", text=it.shape))
    items += _formulas(m, pad, second, style)
    items.append(Item("grad", right, second, style.gradient, "end", bold=True))
    bottom = second
    if tile:
        items.append(Item("tile", pad, bottom + 12, width=tile, height=high))
        items += [Item("gtile", right - tile, bottom + 12, width=tile, height=high)] * (m.tiles - 1)
        bottom += high + 14
    bottom = small_lines(items, it, fine, pad, bottom)
    return Face(width, bottom + (14 if style.full else 11), items)


def _tower(it: Saying, style: Style) -> Face:
    """One below the other, so that the card is as narrow as can be."""
    m, pad = _Measures(it, style), style.pad
    y, width = (27.0 if style.full else 22.0), m.name_width
    items = [Item("name", pad, y, style.name, bold=True, text=m.name)]
    if m.formula:
        y, width = y + style.line, max(width, m.formula_width)
        items += _formulas(m, pad, y, style)
    if m.number and it.was:
        y += style.line + 2
        items += [Item(role, pad, y, m.value_size) for role in ("first", "old")]
    if m.number:
        y, width = y + style.line + 2, max(width, m.value_width)
        items.append(Item("value", pad, y, m.value_size))
    tile, high = m.tile
    if style.full or not tile:
        y, width = y + style.line, max(width, m.grad_width)
        items.append(Item("grad", pad, y, style.gradient, bold=True))
    if tile:
        items.append(Item("tile", pad, y + 10, width=tile, height=high))
        items += [Item("gtile", pad, y + high + 18, width=tile, height=high)] * (m.tiles - 1)
        y, width = y + m.tiles * (high + 8) + 6, max(width, tile)
    least = (96.0 if style.full else LEAST_TERSE) - 2 * pad
    width = max(width, least, it.beside_width, widest([it.badge], FINE, bold=True))
    fine = it.fine_in(style, width)
    y = small_lines(items, it, fine, pad, y)
    return Face(max(width, text_width(fine, FINE)) + 2 * pad, y + (14 if style.full else 11), items)


def _formulas(m: _Measures, x: float, y: float, style: Style) -> list[Item]:
    """What an op does; of what it writes in place what made that, at the same place."""
    told = (("was", m.before), ("formula", m.formula))
    return [Item(role, x, y, style.formula, text=text) for role, text in told if text]


def _wide(it: Saying, style: Style) -> Face:
    """All in one line, for fans and for panes that are high."""
    m, pad = _Measures(it, style), style.pad
    height = 38.0 if style.full else 32.0
    x, y = pad, height / 2 + 6
    items = [Item("name", x, y, style.name, bold=True, text=m.name)]
    x += m.name_width
    if m.formula:
        items.append(Item("formula", x + 8, y, style.formula, text=m.formula))
        x += m.formula_width + 8
    if m.number:
        x += 14 + m.value_width
        items.append(Item("value", x, y, m.value_size, "end"))
    x += 14 + m.grad_width
    items.append(Item("grad", x, y, style.gradient, "end", bold=True))
    return Face(x + pad, height, items)
