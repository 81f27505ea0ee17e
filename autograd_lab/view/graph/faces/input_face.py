"""Faces of what takes no gradient: data that starts the flow."""

from __future__ import annotations

from autograd_lab.view.graph.faces.face import FINE, Face, Item, Style
from autograd_lab.view.graph.faces.saying import Saying
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.shorter import fit_term
from autograd_lab.view.languages.speaking import translated

ROOM = 120.0


def input_face(it: Saying, style: Style) -> Face:
    """Name, and value or shape, in a dashed outline."""
    size, pad = (18.0, 14.0) if style.full else (15.0, 8.0)
    name = fit_term(it.name, ROOM, size, bold=True)
    words = max(
        [text_width(text, FINE) for text in (it.value_texts if it.is_written_in(style) else it.shapes)], default=0.0
    )
    width = max(text_width(name, size, bold=True), words) + 2 * pad - 2
    height = 52.0 if style.full else 47.0
    shape = it.shape or translated("scalar", "card")
    items = [
        Item("name", pad - 1, 23 if style.full else 20, size, bold=True, text=name),
        Item("words" if it.is_written_in(style) else "shape", pad - 1, height - 11, text=shape),
    ]
    return Face(width, height, items)
