"""Below a torn pocket, where there is room: what was saved, and what stands there now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from autograd_lab.view.graph.around import versions_in
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import reading
from autograd_lab.view.kit.shapes.stroke import at, group, path, say, short
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.layout.nearby import Area
from autograd_lab.view.layout.signposts import polyline

HIGH, STEM, LINE = 72.0, 20.0, 22.0
"""Height of it all, of the line down to it, and of each line of it; px."""
INDENT, WORD = 22.0, 52.0
SIZE = 15.0


def with_versions(choice: Choice, pockets: Iterable[tuple[str, str, Part]]) -> Iterator[Part]:
    """For each pocket that is ever torn, with its node, the room for the two values, if nothing stands there."""
    history = choice.cards.history
    for node, tensor, pocket in pockets:
        box = history.box_of(tensor, 0)
        if node not in history.watch.stopped or node not in history.watch.stale or box is None:
            continue
        values = [reading(value) for life in history.lives[tensor] for value in history.boxes[life].values]
        width = INDENT + WORD + max(text_width(text, SIZE, bold=True) for text in values)
        x, y = pocket.x, pocket.y + pocket.height + 4
        if _is_free(choice, (x, y, x + width, y + HIGH)):
            yield Part(f"{pocket.id}.versions", "versions", pocket.of, x, y, width, HIGH, pocket.index)


def look_of(history: History, state: GraphState, part: Part) -> Look:
    """The two values, once backward has stopped at what saved one of them."""
    op = history.ops[part.of]
    node = state.nodes.get(op.node or "")
    slot = node.slots[part.index] if node is not None and part.index < len(node.slots) else None
    is_here = state.error is not None and state.error.node == op.node
    if slot is None or slot.tensor is None or not is_here or not state.is_stale(slot):
        return Look(("hidden",))
    found = versions_in(history, state, slot)
    if found is None:
        return Look(("hidden",))
    return Look(("versions",), (("saved", reading(found[1])), ("now", reading(found[2]))))


def draw_versions(part: Part, look: Look) -> str:
    """Both values, on a line from the torn pocket."""
    if "hidden" in look.classes:
        return ""
    x, y = part.x + INDENT, part.y + STEM + SIZE
    stem = path("stem", f"M{at(x + 1, part.y)}v{short(STEM - 2)}")
    rows = []
    for row, (word, kind) in enumerate((("saved", "saved-then"), ("now", "saved-now"))):
        down = y + LINE * row
        rows += [
            say(translated(word, "card"), x, down, f"{kind} said plain"),
            say(look.text(word), x + WORD, down, f"{kind} said"),
        ]
    return group("versions", stem, *rows, id=part.id)


def _is_free(choice: Choice, area: Area) -> bool:
    left, top, right, bottom = area
    placed = choice.placed
    if bottom > placed.height + 12 or right > placed.width:
        return False
    for name, (x, y) in placed.places.items():
        face = choice.faces[name]
        if x < right and x + face.width > left and y < bottom and y + face.height + face.hang > top + 6:
            return False
    lines = (pairwise(polyline(route)) for route in placed.routes.values())
    return not any(
        max(a[1], b[1]) > top and min(a[1], b[1]) < bottom and min(a[0], b[0]) < right and max(a[0], b[0]) > left
        for line in lines
        for a, b in line
    )
