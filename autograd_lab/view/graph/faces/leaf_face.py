"""Faces of a leaf: name and value above, and below a drawer for its `.grad`, with room for the sum of all parts."""

from __future__ import annotations

from autograd_lab.view.graph.faces.face import FINE, Face, Item, Style
from autograd_lab.view.graph.faces.saying import Saying, small_lines, tile_size, widest
from autograd_lab.view.graph.facts.returning import RETURNED, TO_RETURN
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.shorter import fit_term
from autograd_lab.view.languages.speaking import translated

WIDEST_SUM = 240.0
"""A leaf is made as wide as its sum in figures, up to here, px."""
BAR = 14.0
"""Height of the bar that adds up what has arrived, px."""


class _Measures:
    """Widths of what a leaf says in a style."""

    def __init__(self, it: Saying, style: Style) -> None:
        self.name = fit_term(it.name, 190 if style.full else 130, style.name, bold=True)
        self.name_width = text_width(self.name, style.name, bold=True)
        self.number = it.is_written_in(style)
        one = self.number and len(it.value_texts[0].split("  ")) == 1
        self.value_size = style.value if one else style.few
        self.value_width = widest(it.value_texts, self.value_size) if self.number else 0.0
        self.grad_size = 20.0 if style.full and one else style.gradient
        count = f"none  {it.uses} of {it.uses}" if it.uses > 1 else "none  ←"
        none = text_width(count, 15)  # as it is written where nothing is stored
        self.grad_width = max(none, widest(it.grad_texts, self.grad_size, bold=True))
        returned = [translated(word, "card") for word in (RETURNED, TO_RETURN)]
        self.title_width = widest([".grad", *returned * it.returns], style.formula, bold=True)
        self.tile = (0.0, 0.0) if self.number or it.value is None else tile_size(it.sides, style.tile)
        self.shape_width = 0.0 if self.number else widest(it.shapes, 13)
        self.sum_width = it.sum_width if style.full and it.sum_width <= WIDEST_SUM else 0.0
        self.small_width = it.beside_width


def leaf_face(it: Saying, style: Style) -> Face:
    """The face of a leaf in a style."""
    m = _Measures(it, style)
    if style.form == "wide":
        return _wide(it, style, m)
    if style.form == "tower":
        return _beside(it, style, m) if m.tile[0] and not style.full else _tower(it, style, m)
    return _tall(it, style, m)


def _tall(it: Saying, style: Style, m: _Measures) -> Face:
    pad, y = style.pad, 28.0 if style.full else 22.0
    tile, high = m.tile
    value = m.value_width or m.shape_width
    inner = max(m.name_width + (16 + value if value else 0), m.title_width + 14 + m.grad_width, tile, m.sum_width)
    fine = it.fine_in(style, inner)
    small = max(text_width(fine, FINE), m.small_width)
    width = max(inner + 2 * pad, 110.0 if style.full else 64.0, small + 2 * pad)
    right = width - pad
    items = [Item("name", pad, y, style.name, bold=True, text=m.name)]
    items.append(
        Item("value", right, y, m.value_size, "end") if m.number else Item("shape", right, y, 13, "end", text=it.shape)
    )
    y = small_lines(items, it, fine, pad, y)
    if tile:
        items.append(Item("tile", pad, y + 12, width=tile, height=high))
        y += high + 12
    head = y + (14 if style.full else 10)
    y = head + (24 if style.full else 19)
    items += [
        Item("dotgrad", pad, y, style.formula, bold=True, text=".grad"),
        Item("grad", right, y, m.grad_size, "end", bold=True),
    ]
    if tile and it.grads:
        items.append(Item("gtile", pad, y + 10, width=tile, height=high))
        y += high + 12
    y = _sum(items, it, style, width, y)
    return Face(width, y + (12 if style.full else 9), items, head=head)


def _tower(it: Saying, style: Style, m: _Measures) -> Face:
    pad, y = style.pad, 28.0 if style.full else 22.0
    tile, high = m.tile
    inner = max(m.name_width, m.grad_width + 4, m.title_width, m.value_width or m.shape_width, tile, m.sum_width)
    fine = it.fine_in(style, inner)
    small = max(text_width(fine, FINE), m.small_width)
    width = max(inner + 2 * pad, 64.0, small + 2 * pad)
    items = [Item("name", pad, y, style.name, bold=True, text=m.name)]
    y += (26 if style.full else 20) if m.number else 18
    items.append(Item("value", pad, y, m.value_size) if m.number else Item("shape", pad, y, 13, text=it.shape))
    y = small_lines(items, it, fine, pad, y)
    if tile:
        items.append(Item("tile", pad, y + 10, width=tile, height=high))
        y += high + 12
    head = y + (14 if style.full else 10)
    y = head + (24 if style.full else 19)
    items.append(Item("dotgrad", pad, y, style.formula, bold=True, text=".grad"))
    y += 22 if style.full else 17
    items.append(Item("grad", pad, y, m.grad_size, bold=True))
    if tile and it.grads:
        items.append(Item("gtile", pad, y + 10, width=tile, height=high))
        y += high + 12
    y = _sum(items, it, style, width, y)
    return Face(width, y + (12 if style.full else 9), items, head=head)


def _beside(it: Saying, style: Style, m: _Measures) -> Face:
    """Tiles beside the words, so that a column of leaves is low."""
    pad, (tile, high) = style.pad, m.tile
    left = max(m.name_width, m.grad_width, m.title_width)
    width = max(2 * pad + left + 10 + tile, widest([it.beside], FINE) + 2 * pad)
    head, low = max(32.0, high + 12), max(42.0, high + 12)
    right = width - pad - tile
    middle = head + low / 2
    items = [
        Item("name", pad, head / 2 + 6, style.name, bold=True, text=m.name),
        Item("tile", right, (head - high) / 2, width=tile, height=high),
        Item("dotgrad", pad, middle - 4, style.formula, bold=True, text=".grad"),
        Item("grad", pad, middle + 13, style.gradient, bold=True),
        Item("gtile", right, head + (low - high) / 2, width=tile, height=high),
    ]
    bottom = head + low - 9
    if it.beside:
        bottom += 19
        items.append(Item("beside", pad, bottom, text=it.beside))
    bottom = _sum(items, it, style, width, bottom)
    return Face(width, bottom + 9, items, head=head)


def _wide(it: Saying, style: Style, m: _Measures) -> Face:
    """All in one line: the drawer is at the right."""
    height = 38.0 if style.full else 34.0
    x, y = style.pad, height / 2 + 6
    tile, high = m.tile if m.tile[1] <= height - 6 else (0.0, 0.0)
    items = [Item("name", x, y, style.name, bold=True, text=m.name)]
    x += m.name_width + 12
    if m.number:
        x += m.value_width
        items.append(Item("value", x, y, m.value_size, "end"))
    elif tile:
        items.append(Item("tile", x, (height - high) / 2, width=tile, height=high))
        x += tile
    items += [Item("side", x + 12, 0), Item("dotgrad", x + 22, y, style.formula, bold=True, text=".grad")]
    x += 22 + m.title_width + 8 + m.grad_width
    items.append(Item("grad", x, y, m.grad_size, "end", bold=True))
    return Face(x + style.pad, height, items)


def _sum(items: list[Item], it: Saying, style: Style, width: float, y: float) -> float:
    """Room for the bar of what has arrived and the sum in figures, if there are uses."""
    if it.uses < 2:
        return y
    inner = width - 2 * style.pad
    items.append(Item("sumbar", style.pad, y + 12, width=inner, height=BAR))
    y += 12 + BAR
    if style.full and 0 < it.sum_width <= inner:
        y += 22
        items.append(Item("sum", style.pad, y, style.formula))
    return y
