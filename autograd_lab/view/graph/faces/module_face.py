"""Faces of a module: a head with its name, and in its body the weights, each beside its gradient.

Up to two weights are tiles, more are bars of their norms: blue for a weight, plum for its gradient.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.view.graph.cards.destination import short_name
from autograd_lab.view.graph.faces.face import FINE, Face, Item, Style
from autograd_lab.view.graph.faces.saying import CELL, LEAST, Saying, widest
from autograd_lab.view.graph.facts.history import Box
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.reading import grid_of
from autograd_lab.view.kit.shapes.outline import SHEET, SHEETS, SKIP, SKIP_HIGH
from autograd_lab.view.kit.shorter import GRACE, fit_term
from autograd_lab.view.languages.speaking import translated

MOST_BARS = 40
BAR_HEIGHT = 24.0
SLIM = 62.0
"""Room for what a module is on the narrowest face, px."""
BRIEF = 82.0
"""And for the name of the one that it is not called by, px."""
BESIDE = 4.0
"""Between words and the sign of a skip, px; no card is wider for it."""
ENDS = ("name", "times", "formula")
"""What stands in the lines of a head."""
LABEL = 22.0
"""Height of the words above tiles, px."""


def module_face(it: Saying, style: Style) -> Face:
    """The face of a module in a style."""
    items, head, width = _head(it, style)
    params = it.card.params
    bottom = head
    if len(params) in (1, 2) and (style.full or style.tile >= 44):
        across, bottom = _tiles(items, params, style, head)
        width = max(width, across)
    elif params:
        across, bottom = _bars(items, len(params), style, head, "weights" if it.card.call is not None else "leaves")
        width = max(width, across)
    if it.times:
        items.append(Item("progress", style.pad, bottom + 6, width=max(width, 60.0), height=6))
        bottom += 18
    if it.card.skips:
        _skip(items, width, style)
    least = 112.0 if style.full else 56.0
    behind = SHEETS * SHEET if it.card.kind == "stack" else 0.0
    return Face(max(width + 2 * style.pad, least), bottom, items, head=head, behind=behind)


def _head(it: Saying, style: Style) -> tuple[list[Item], float, float]:
    """Name, what it is, how far it has come."""
    pad, y = style.pad, 27.0 if style.full else 21.0
    slim = not style.full and style.form == "tower" and style.tile <= 32
    name_room = 190.0 if style.full else 132.0 if style.form == "tower" else 130.0
    name = fit_term(it.name, name_room, style.name, bold=True)
    name_width = text_width(name, style.name, bold=True)
    times = text_width(f" {it.times}", style.name) if it.times else 0.0
    formula = _kind_in(it, style, max(name_width, SLIM) if slim else name_room, slim=slim)
    has_state = style.full and style.form != "tower"
    state = widest([translated("running", "card"), *it.states], style.formula, bold=True) + 12 if has_state else 0.0
    wide = text_width(formula, style.formula)
    width = max(name_width + times + (0.0 if formula else state), wide + state if formula else 0.0)
    items = [Item("name", pad, y, style.name, bold=True, text=name)]
    if it.times:
        items.append(Item("times", pad + name_width, y, style.name, text=f" {it.times}"))
    if formula:
        y += 25 if style.full else 18
        items.append(Item("formula", pad, y, style.formula, text=formula))
    if state:
        items.append(Item("word", -pad, y, style.formula, "end", bold=True))
    if it.badge:
        y += 18
        items.append(Item("badge", pad, y, FINE, bold=True, text=it.badge))
        width = max(width, widest([it.badge], FINE, bold=True))
    if it.small:
        y += 18
        items.append(Item("beside", pad, y, text=it.beside))
        width = max(width, widest([it.small], FINE))
    return items, y + (14 if style.full else 9), width


def _skip(items: list[Item], width: float, style: Style) -> None:
    """Adds the sign of a skip at the end of a line of the head, or on the upper edge, if there is no room for it."""
    taken = {it.y: it.x - style.pad + text_width(it.text, it.size, bold=it.bold) for it in items if it.role in ENDS}
    busy = {it.y for it in items if it.role == "word"}
    for y, up_to in reversed(taken.items()):
        if y not in busy and up_to + BESIDE + SKIP <= width:
            items.append(Item("skip", -style.pad - SKIP, y - SKIP_HIGH, width=SKIP, height=SKIP_HIGH, text="skip"))
            return
    items.append(Item("skip", style.pad, -SKIP_HIGH / 2 - 3, width=SKIP, height=SKIP_HIGH, text="skip"))


def _kind_in(it: Saying, style: Style, room: float, *, slim: bool) -> str:
    """What a module is; the narrowest face says it only where that costs no width."""
    kind = fit_term(it.formula, room, style.formula, grace=1.0 if slim else GRACE) if it.formula else ""
    return (it.brief if text_width(it.brief, style.formula) <= BRIEF else "") if slim and kind.endswith("…") else kind


def _tiles(items: list[Item], params: tuple[Box, ...], style: Style, top: float) -> tuple[float, float]:
    """Tiles of weights and, if they ever have any, of gradients: tall ones side by side, wide ones above each other."""
    grids = [_grid(box, params) for box in params]
    has_grad = any(box.grads for box in params)
    side = style.tile if style.full else min(style.tile, 56)
    cell = min(max(LEAST, min(side / max(rows, columns), CELL)) for rows, columns in grids)
    sizes = [(columns * cell, rows * cell) for rows, columns in grids]
    across = sum(width for width, _ in sizes) + 7 * (len(sizes) - 1)
    high = max(height for _, height in sizes)
    size = 13.5 if style.full else FINE
    first = max(across, text_width(names_of(params), size, bold=True))
    second = max(across if has_grad else 0.0, text_width(".grad ‖0.0088‖", size, bold=True))
    beside = has_grad and style.form == "tall" and high >= 0.8 * across
    x, y = style.pad, top + 8
    corner = (x + first + 18, y) if beside else (x, y + LABEL + high + 6)
    items += _row("", sizes, x, y, size)
    items += _row("g", sizes if has_grad else [], *corner, size)
    if beside:
        return first + 18 + second, y + LABEL + high + 12
    return max(first, second), y + LABEL + high + 6 + LABEL + (high + 12 if has_grad else 4)


def _row(role: str, sizes: list[tuple[float, float]], x: float, y: float, size: float) -> Iterator[Item]:
    """Words in letters of a size, and below them tiles side by side."""
    yield Item(f"{role}label", x, y + 14, size, bold=True)
    for number, (width, height) in enumerate(sizes):
        yield Item(f"{role}param{number}", x, y + LABEL, width=width, height=height)
        x += width + 7


def names_of(params: tuple[Box, ...]) -> str:
    """How weights are called above their tiles."""
    return ", ".join(short_name(box.label) for box in params)


def _grid(box: Box, params: tuple[Box, ...]) -> tuple[int, int]:
    """Rows and columns of a weight's tile; a bias stands upright beside its matrix."""
    rows, columns = grid_of(box.facts.shape)
    return (columns, rows) if is_upright(box, params) else (rows, columns)


def is_upright(box: Box, params: tuple[Box, ...]) -> bool:
    """Whether a vector's tile is one column, as it adds to the rows of the matrix beside it."""
    first = params[0]
    return len(box.facts.shape) == 1 and len(first.facts.shape) == 2 and first.facts.shape[0] == box.facts.shape[0]


def _bars(items: list[Item], total: int, style: Style, top: float, word: str) -> tuple[float, float]:
    """A pair of bars for each weight, below how many there are."""
    count = min(total, MOST_BARS)
    step = 15.0 if count <= 4 else 9.0 if count <= 8 else 4.5 if count <= 24 else 3.0
    y = top + (22 if style.full else 7)
    if style.full:
        items.append(Item("count", style.pad, y - 6, text=f"{total} {word}"))
    items.append(Item("bars", style.pad, y, width=step * count, height=BAR_HEIGHT))
    return max(step * count, text_width("40 weights", FINE) if style.full else 0.0), y + BAR_HEIGHT + 8
