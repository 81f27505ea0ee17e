"""The maths view: the picture of the engine view in other clothes, with signs for names and without bookkeeping.

Nothing moves, and nothing is there that the engine view has not. What a node saved is shown only when it is stale:
then it is why no gradient can be had.
"""

from __future__ import annotations

from autograd_lab.view.graph.look import HIDDEN
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.signs import symbol_of


def in_maths(kind: str, look: Look) -> Look:
    """What a part of this kind looks like in the maths view when this is its look in the engine view.

    >>> in_maths("pill", Look(("recorded",), (("title", "MulBackward0"), ("number", "#2"), ("state", "ready"))))
    Look(classes=('recorded', 'sign'), texts=(('title', '×'), ('state', 'ready')))
    """
    if kind == "dock" or (kind == "slot" and "stale" not in look.classes):
        return Look(HIDDEN)
    if kind != "pill" or look.classes == HIDDEN:
        return look
    texts = {name: text for name, text in look.texts if not text.startswith("#")}
    return Look((*look.classes, "sign"), tuple((texts | {"title": symbol_of(texts["title"])}).items()))
