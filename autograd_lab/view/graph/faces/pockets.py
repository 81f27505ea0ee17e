"""Pockets: where on its lower edge a card keeps what its nodes saved."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.view.graph.faces.face import HANG_GAP as GAP
from autograd_lab.view.graph.faces.face import HANG_SIDE as SIDE
from autograd_lab.view.graph.faces.face import Face
from autograd_lab.view.kit.shapes.pocket import pocket_width
from autograd_lab.view.languages.speaking import translated

DEEP, SHALLOW = 22.0, 10.0
"""How far pockets hang, with and without words, px."""
MOST_NAMED = 3
STRETCH = 40.0
"""So much wider a card may become so that its pockets bear their names, px."""


WORDS = {"stale": "overwritten"}
"""How states are called on a pocket, if not by their names."""


def with_pockets(
    face: Face, words: list[str], slots: list[str], states: list[str], *, full: bool, single: bool
) -> Face:
    """The face with pockets: named, counted in one, or small.

    `words` say what is kept; `slots`, if there are any, what the node calls it, too. `single` cards have one op, whose
    slots have names; `states` are all that a pocket which counts them may ever have.
    """
    if not words:
        return face
    if face.is_joint:
        return replace(face, pockets="ticks", hang=SHALLOW)
    if full and single and len(words) <= MOST_NAMED and all(words):
        for texts in filter(None, (slots, words)):
            widths = tuple(max(pocket_width(text), pocket_width(text, "", "kept")) for text in texts)
            need = sum(widths) + GAP * (len(texts) - 1) + 2 * SIDE
            if need <= face.width + STRETCH:
                wide = face.at_least(need)
                return replace(wide, pockets="named", pocket_widths=widths, hang=DEEP, tells_slots=texts is slots)
    told = {state: translated(f"{len(words)} {WORDS.get(state, state)}", "pocket") for state in states}
    need = 2 * SIDE + max(pocket_width(text, "", state) for state, text in told.items())
    if full and need <= max(face.width, 90.0 + STRETCH):
        return replace(face.at_least(need), pockets="count", pocket_widths=(need - 2 * SIDE,), hang=DEEP)
    return replace(face, pockets="ticks", hang=SHALLOW)
