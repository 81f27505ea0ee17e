"""A poster: a recording at any step for print, with as many of its ops as a sheet of paper has room for.

The sheet is the smallest of A3, A2, A1 and A0, lying down, on which every op can be drawn; what is too much even for A0
is folded as far as it must be, and for a graph that is long and low the sheet is so, too. A px is 1/96 inch on every
sheet, so the smallest letters are 9 pt, and headlines 24 pt.
Below the graph stands all of the code that made it, and a legend of all that is there.
"""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.fineness import foldings
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.pictured import Choices, choices_of, picture_of
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.program_lines import lines_of
from autograd_lab.view.slide import BETWEEN, HEAD, MARGIN, PANEL
from autograd_lab.view.still import Stills, drawable, foot_for

PX = 96 / 25.4
"""Pixels of CSS in a millimetre."""
PAPERS = tuple((width * PX, height * PX) for width, height in ((420, 297), (594, 420), (841, 594), (1189, 841)))
CODE = 0.34
"""So much of the height is for code at most, if there is room for more columns."""
ROOMY, SPARE = 1.2, 0.25
"""A graph may be stretched so far; if then so much of the sheet's height would be empty, the sheet is lower."""
MOST_CARDS = 120
"""Of more ops than this it is certain that no sheet has room for them."""


@undisturbed
def poster_of(
    trace: Trace,
    view: str = "engine",
    theme: str = "light",
    asked: Asked | None = None,
    form: str = "auto",
    choices: Choices | None = None,
) -> Stills:
    """The poster of a recording; the arguments and what is raised are those of `stills_of`."""
    engine = view == "engine"
    choices = choices or choices_of(drawable(trace), trace.events, asked or Asked(), engine=engine)
    history = choices.history
    lines = len(lines_of(trace, trace.files))
    for paper in PAPERS:
        columns = _columns(paper, lines)
        pane = (paper[0] - 2 * MARGIN, paper[1] - HEAD - foot_for(lines, columns))
        choice = _unfolded(choices, pane, form)
        if choice is not None and choice.fits:
            break
    else:
        choice = choices.best(pane, form)
    spare = pane[1] - choice.placed.height * choice.scale * ROOMY
    if choice.fits and spare > SPARE * paper[1]:
        paper, pane = (paper[0], paper[1] - spare), (pane[0], pane[1] - spare)
    return Stills(trace, history, picture_of(history, choice, pane, engine=engine), theme, True, paper, columns)


def _unfolded(choices: Choices, pane: tuple[float, float], form: str) -> Choice | None:
    """Every op in this pane; None if there are far too many."""
    if len(choices.window.ops) > MOST_CARDS:
        return None
    cards = next(foldings(choices.history, choices.window, replace(choices.asked or Asked(), fold=False)))
    return choices.best(pane, form, only=cards)


def _columns(paper: tuple[float, float], lines: int) -> int:
    """Columns of code: as few as keep it low, and as many as fit beside the timeline."""
    most = max(1, int((paper[0] - 2 * MARGIN) // (PANEL + BETWEEN)) - 1)
    return next((count for count in range(1, most) if foot_for(lines, count) <= CODE * paper[1]), most)
