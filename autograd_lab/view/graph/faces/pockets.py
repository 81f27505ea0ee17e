"""Pockets: where on its lower edge a card keeps what its nodes saved."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.view.graph.faces.face import HANG_GAP as GAP
from autograd_lab.view.graph.faces.face import HANG_SIDE as SIDE
from autograd_lab.view.graph.faces.face import Face, Item
from autograd_lab.view.kit.shapes.pocket import pocket_width

DEEP, SHALLOW = 22.0, 9.0
"""How far pockets hang, with and without words, px."""
MOST_NAMED = 3
STRETCH = 40.0
"""So much wider a card may become so that its pockets bear their names, px."""


def with_pockets(
    face: Face, words: list[str], slots: list[str], *, full: bool, single: bool, stale: bool = False
) -> Face:
    """The face with pockets: named, counted in one, or small.

    `words` say what is kept; `slots`, if there are any, what the node calls it, too. `single` cards have one op, whose
    slots have names; of what is `stale`, one is overwritten at some step.
    """
    if not words or face.is_joint:
        return face
    if full and single and len(words) <= MOST_NAMED and all(words):
        for texts in filter(None, (slots, words)):
            widths = tuple(max(pocket_width(text), pocket_width(text, "", "kept")) for text in texts)
            need = sum(widths) + GAP * (len(texts) - 1) + 2 * SIDE
            if need <= face.width + STRETCH:
                wide = _widened(face, need)
                return replace(wide, pockets="named", pocket_widths=widths, hang=DEEP, tells_slots=texts is slots)
    most = pocket_width(f"{len(words)} overwritten", "", "stale") if stale else 0.0
    need = 2 * SIDE + max(most, pocket_width(f"{len(words)} kept", "", "kept"))
    if full and need <= max(face.width, 90.0 + STRETCH):
        return replace(_widened(face, need), pockets="count", pocket_widths=(need - 2 * SIDE,), hang=DEEP)
    return replace(face, pockets="ticks", hang=SHALLOW)


def _widened(face: Face, width: float) -> Face:
    """A face of at least this width: what stands at its right side stays there."""
    more = width - face.width
    if more <= 0:
        return face
    return replace(face, width=width, items=[_kept_right(item, more) for item in face.items])


def _kept_right(item: Item, more: float) -> Item:
    if item.anchor == "end" and item.x > 0:
        return replace(item, x=item.x + more)
    if item.role == "gtile" and item.x > item.width:  # beside the other tile
        return replace(item, x=item.x + more)
    return replace(item, width=item.width + more) if item.role == "sumbar" else item
