"""Loose ends: views that lead nowhere, as those through which `x[1:3] = y` writes; they would only fill a picture."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.view.graph.cards.ground import VIEWS, word_of
from autograd_lab.view.graph.cards.window import Window
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.kit.signs import base_of


def without_loose_ends(history: History, window: Window) -> Window:
    """The window without views of what is written in place that nobody named, that no op uses for its gradient, and
    through which none ever comes; they count as ops without gradient."""
    used = {edge.node for op in window.ops for edge in getattr(op.event, "edges", ()) if edge is not None}
    used.update(node for node, _ in history.sent)
    loose = [op for op in window.ops if op.node not in used and _is_bare_view(history, op)]
    if not loose or len(loose) == len(window.ops):
        return window
    kept = tuple(op for op in window.ops if op not in loose)
    return replace(window, ops=kept, aside=tuple(sorted((*window.aside, *loose), key=lambda op: op.born)))


def _is_bare_view(history: History, op: Op) -> bool:
    boxes = [history.boxes[box] for box in op.outputs]
    are_written = bool(boxes) and all(box.facts.storage in history.writes for box in boxes)
    return base_of(op.name) in VIEWS and are_written and not any(map(word_of, boxes))
