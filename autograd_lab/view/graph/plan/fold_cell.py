"""The cell of a fold, and what is written at the lines that lead into it and out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil

from autograd_lab.view.graph.facts.history import Box
from autograd_lab.view.graph.plan.cell import NAME, PAD, PORT, SMALL, Cell
from autograd_lab.view.graph.plan.fold import Fold
from autograd_lab.view.kit.font import fit, text_width
from autograd_lab.view.kit.numeral import Shape
from autograd_lab.view.kit.part import Part

WIDEST = 420.0
"""The widest line of a fold's text, px."""
SHEET = 4.0
"""How far the sheets of a stack stick out, px."""
FIRST, PITCH = 28.0, 20.0
"""Where the first line of a fold's text stands, and how far the next ones are below, px."""
APART = 36.0
"""Distance of two lines that arrive at a fold, so that the shapes and numbers on them stay apart, px."""
PORTS = 6
"""A fold that makes more than this has one port for all."""
STATES = ("000,000 of 000,000 run backward ✓", "000,000 of 000,000 saved values held, 888.8 MiB")
"""The longest that a fold ever says of its state, for ops and for what they saved."""


def fold_cell(fold: Fold, sources: Iterable[str], leaves: list[Box], results: list[str], direction: str) -> Cell:
    """A fold: with a port for the lines from each of the cells `sources`, chips for `leaves`, and on the other side a
    port for each of the boxes that it makes."""
    sources, across = list(sources), direction == "LR"
    indent = ceil(max((text_width(box.label, SMALL + 1) + 14 for box in leaves), default=-8)) + 8
    texts = [text_width(text, SMALL) for text in (*fold.details, *_states(fold))]
    width = ceil(min(max([text_width(fold.title, NAME, bold=True), *texts, 180.0]), WIDEST) + 4 * PAD)
    below = APART * max(1, len(sources)) if across else APART
    height = max(FIRST + PITCH * (len(fold.details) + 2) + PAD, below + PORT * len(leaves))
    behind = fold.sheets * SHEET
    cell = Cell(fold.id, fold.born, direction, indent + width + behind, height + behind)
    cell.parts.append(Part(fold.id, "fold", fold.id, indent, 0, width, height))
    room = (below if leaves else height) if across else width
    for n, name in enumerate(sources):
        at = round(room * (n + 0.5) / len(sources))
        cell.arrive[name] = (at, indent) if across else (indent + at, 0.0)
    cell.otherwise = (height / 2, 0.0) if across else (indent + width / 2, 0.0)
    for n, name in enumerate(results if len(results) <= PORTS else []):
        cell.leave[name] = (round(height * (n + 1) / (len(results) + 1)), 0.0) if across else cell.otherwise
    for n, box in enumerate(leaves):
        y = below + PORT * (n + 0.2)
        born = max(fold.born, box.born)
        cell.parts.append(Part(f"{fold.id}.c{n}", "fold-chip", box.id, 0, y, indent - 8, 18, born, box.label))
    return cell


def _states(fold: Fold) -> Iterable[str]:
    digits = len(f"{len(fold.nodes):,}")
    return (text.replace("000,000", "0" * digits) for text in STATES)


def flow_text(shapes: Iterable[Shape]) -> str:
    """The shapes of what a line to or from a fold stands for: `[2, 6, 32]`, or `[2, 6] ×3, scalar`."""
    counts = Counter(str(list(shape)) if shape else "scalar" for shape in shapes)
    texts = [shape + (f" ×{count:,}" if count > 1 else "") for shape, count in counts.items()]
    return fit(", ".join(texts[:2]) + (f" and {len(texts) - 2} more" if len(texts) > 2 else ""), 200, SMALL)
