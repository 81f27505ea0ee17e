"""A page to fill in with a pencil: program, questions, and the graph with blanks for what backward leaves behind.

It is drawn in greys that a copier keeps apart. The key is the same page with what stands in the blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from textwrap import dedent

from autograd_lab.classroom.demos.blanks import RULE, Blanks
from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.questions import LETTERS
from autograd_lab.classroom.demos.roomy import with_room
from autograd_lab.events import BackwardFinished, BackwardStarted, ErrorRaised, GradientSent, TensorModified
from autograd_lab.view.kit.font import clean, fit, text_width, wrap
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.shapes.panel import coloured, runs
from autograd_lab.view.kit.shapes.stroke import path, say
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.excerpt import EDGE, Excerpt, excerpt
from autograd_lab.view.pages.thumbnails import wrapped

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height, mm."""

PX = 96 / 25.4
"""Pixels of CSS in a millimetre."""

MARGIN, HEAD, TASK_ROOM = 15 * PX, 56.0, 63.0
"""Around the page, for the title, and for the two lines above the graph, px."""
LINES, PITCH = (40, 28, 18, 10), 16.5
"""Lines of the program that are printed: all, or fewer where the graph needs the room; and the height of each, px."""

TYPE, SMALL_TYPE = 12.5, 8.5
"""Sizes of the program's letters: as a rule, and at least, for the sake of a long line, px."""
NUMBERS = 30.0
"""Room for the numbers of its lines, px."""
ASKED, ASKED_LINE, INDENT = 13.5, 19.0, 36.0
"""Size of a question, from one of its lines to the next, and how far to the right its choices begin; px."""
QUESTION, BOLD = "?", 0.93
"""What marks a line of a question; how much less of bold letters fits a line."""
CODE, APART = 0.58, 24.0
"""How much of the width the program takes where there are questions beside it, and what is between them, px."""
NAME, TITLES = 190.0, (22.0, 18.0, 16.0)
"""The rule for a name, and sizes of the title, px."""

SHRUNK = (1.0, 0.85, 0.7)
"""How much smaller a graph may be drawn, rather than leave out lines of the program: at last a rule is 8 mm wide."""

TASK = (
    "Fill in what there is after backward: on each card the value and ∂, the gradient of the result with respect to "
    "it; in each oval the gradient that was sent back."
)
STOPPED = "Fill in what there is after backward: the values and .grad. Mark where it stops, if it does."
FORWARD = "There is no backward here. Fill in the values and .grad."
VERSIONS = "Beside what is saved: its version (v)."

RECORDS = re.compile(r"with record\(\) as \w+:\n((?:(?: {4}.*)?\n?)+)")
LOOKS = re.compile(r"^(?:assert .*|print\(.*|for .*:\n(?: {4}print\(.*\n?)+)\n?", re.MULTILINE)
"""Lines after a recording that look at what came of it."""
CATCHES = re.compile(r"^try:\n((?: {4}.*\n)+)except \w+(?: as \w+)?:\n(?: {4}.*\n?)+", re.MULTILINE)


@dataclass(frozen=True)
class Sheet:
    """One printed page, as SVG, and its size in mm."""

    svg: str
    width: float
    height: float


@dataclass(frozen=True)
class _Plan:
    """What stands where on a page of this size, px."""

    demo: Demo
    width: float
    height: float
    lines: int
    """So many lines of the program."""

    @property
    def inner(self) -> float:
        return self.width - 2 * MARGIN

    @property
    def code_width(self) -> float:
        return self.inner * CODE if self.demo.questions else self.inner

    @property
    def asked_width(self) -> float:
        return self.inner - self.code_width - APART

    @property
    def program(self) -> list[str]:
        """The lines of the program, as many as there is room for."""
        lines = bare(next(iter(self.demo.trace.files.values()), "").rstrip()).splitlines()
        if len(lines) <= self.lines:
            return lines
        return [*lines[: self.lines - 1], f"… {worded('and {} more', len(lines) - self.lines + 1)}"]

    @property
    def above(self) -> float:
        """How far down the page the graph begins."""
        asked = ASKED_LINE * len(list(_asked(self.demo, self.asked_width, key=False)))
        return MARGIN + HEAD + max(PITCH * len(self.program), asked) + TASK_ROOM

    @cached_property
    def graph(self) -> Excerpt:
        """The graph for what room is left for it, in a pane that is larger by so much as the graph is shrunk."""
        width, height = self.inner + 2 * EDGE, self.height - MARGIN + EDGE - self.above
        adapt = partial(with_room, engine=self.demo.scene.view == "engine")
        for shrunk in SHRUNK:
            found = excerpt(self.demo.scene, width / shrunk, height / shrunk, adapt)
            if found.fits:
                break
        return found

    @property
    def shrunk(self) -> float:
        """How much smaller the graph is drawn."""
        return (self.inner + 2 * EDGE) / self.graph.width


def worksheet(demo: Demo, paper: str = "a4", *, key: bool = False) -> Sheet:
    """The page of a demo, upright or lying down as its graph wants it. Raises NothingToDraw, KeyError for a paper."""
    short, long = (side * PX for side in PAPERS[paper])
    for lines in LINES:
        plans = [_Plan(demo, short, long, lines), _Plan(demo, long, short, lines)]
        plan = max(plans, key=_worth)
        if plan.graph.fits:
            break
    return Sheet(_page(plan, key), plan.width / PX, plan.height / PX)


def _worth(plan: _Plan) -> tuple[float, ...]:
    """How much a graph tells on a page, and how large it is."""
    cards, is_roomy, size = plan.graph.finish
    return plan.graph.fits, cards, is_roomy, size * plan.shrunk


def last_backward(demo: Demo) -> int:
    """The step after which the last backward pass has ended, or was stopped; without any the last step."""
    ends = (step for step, event in enumerate(demo.trace, 1) if isinstance(event, BackwardFinished | ErrorRaised))
    return max(ends, default=len(demo.trace))


def task(demo: Demo) -> str:
    """What is to be done: no gradient is asked for where none moves."""
    kinds = {type(event) for event in demo.trace}
    if BackwardStarted not in kinds:
        asked = worded(FORWARD)
    else:
        asked = worded(TASK) if GradientSent in kinds else worded(STOPPED)
    return f"{asked} {worded(VERSIONS)}" if asks_versions(demo) else asked


def asks_versions(demo: Demo) -> bool:
    """Whether anything is written in place: who has not met that has no use for versions."""
    return any(isinstance(event, TensorModified) for event in demo.trace)


def bare(program: str) -> str:
    """A cell of a lesson without the line that records it, and without those that catch an error, or check and print
    what comes of it: these would tell."""
    program = LOOKS.sub("", program) if program.startswith("with record()") else program
    recorded = RECORDS.fullmatch(program)
    return CATCHES.sub(lambda found: dedent(found[1]), dedent(recorded[1])) if recorded else program


def _page(plan: _Plan, key: bool) -> str:
    demo, top = plan.demo, MARGIN + HEAD
    body = [
        *_head(plan, key),
        *_code(plan, MARGIN, top),
        *_questions(plan, MARGIN + plan.code_width + APART, top, key),
        *([] if key else _task(plan)),
        f'<g transform="translate({MARGIN - EDGE:.1f} {plan.above - EDGE:.1f}) scale({plan.shrunk:.3f})">',
        f"{_graph(plan, key)}</g>",
    ]
    size = f'width="{plan.width:.1f}" height="{plan.height:.1f}" viewBox="0 0 {plan.width:.1f} {plan.height:.1f}"'
    title = escape(clean(f"{demo.title}: key" if key else demo.title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve"><title>{title}</title>'
        f"<desc>{_told(demo, key)}</desc><style>{language_sheet('grey')}{RULE}</style>"
        f'<rect width="100%" height="100%" class="paper"/>{"".join(body)}</svg>'
    )


def _graph(plan: _Plan, key: bool) -> str:
    step = last_backward(plan.demo)
    blanks = Blanks(plan.graph.picture, plan.demo.scene.state(step), asks_versions(plan.demo))
    return plan.graph.drawn(step, blanks.filled if key else blanks.empty, partial(blanks.rules, key=key))


def _told(demo: Demo, key: bool) -> str:
    asked = " ".join(question.text for question in demo.questions)
    return escape(clean(" ".join(filter(None, ("" if key else task(demo), asked)))))


def _head(plan: _Plan, key: bool) -> Iterator[str]:
    base, right = MARGIN + 22, plan.width - MARGIN
    room = plan.inner - NAME - 70
    size = next((size for size in TITLES if text_width(clean(plan.demo.title), size, bold=True) <= room), TITLES[-1])
    for row, line in enumerate(wrapped(plan.demo.title, room, size)):
        yield _sized(line, MARGIN, base + 1.2 * size * row, size, "strong")
    if key:
        yield say(worded("Key"), right, base, "strong end")
        return
    yield say(worded("Name"), right - NAME - 8, base, "end")
    yield path("rule-line", f"M{right - NAME:.1f} {base + 3:.1f}H{right:.1f}")


def _task(plan: _Plan) -> Iterator[str]:
    """What is to be done, in lines that end above the graph."""
    lines = wrap(task(plan.demo), plan.inner * BOLD, ASKED, 3)
    for row, line in enumerate(reversed(lines)):
        yield _sized(line, MARGIN, plan.above - 18 - ASKED_LINE * row, ASKED, "strong")


def _code(plan: _Plan, x: float, y: float) -> Iterator[str]:
    """The program, in letters so small that its longest line fits, if they can be."""
    lines = [clean(line.expandtabs(4)) for line in plan.program]
    room = plan.code_width - NUMBERS
    widest = max((text_width(line, TYPE, mono=True) for line in lines), default=0.0)
    size = max(SMALL_TYPE, min(1.0, room / max(widest, 1.0)) * TYPE)
    for number, line in enumerate(lines, 1):
        base = y + PITCH * number - 4
        is_code = not line.startswith("…")
        yield _sized(f"{number}" if is_code else "", x + NUMBERS - 10, base, 10, "quiet end")
        text = fit(line, room, size, mono=True)
        yield _restyled(runs(x + NUMBERS, base, coloured(text) if is_code else [(text, "quiet")], "source"), size)


def _asked(demo: Demo, width: float, *, key: bool) -> Iterator[tuple[str, str]]:
    """Lines of text, each with the box before it; a question has none, and begins farther to the left."""
    for question in demo.questions:
        yield from ((line, QUESTION) for line in wrap(question.text, width * BOLD, ASKED, 4))
        for letter, choice in zip(LETTERS, question.choices, strict=False):
            box = f"{'☒' if key and choice.right else '☐'} {letter})"
            lines = wrap(choice.text, width - INDENT, ASKED, 3)
            yield from ((line, "" if row else box) for row, line in enumerate(lines))
        yield "", ""


def _questions(plan: _Plan, x: float, y: float, key: bool) -> Iterator[str]:
    for row, (text, box) in enumerate(_asked(plan.demo, plan.asked_width, key=key)):
        base = y + ASKED + ASKED_LINE * row
        if box == QUESTION:
            yield _sized(text, x, base, ASKED, "strong")
        else:
            yield _sized(box, x, base, ASKED, "") + _sized(text, x + INDENT, base, ASKED, "")


def _sized(text: str, x: float, y: float, size: float, kind: str) -> str:
    return _restyled(say(text, x, y, kind), size)


def _restyled(written: str, size: float) -> str:
    return written.replace("<text", f'<text style="font-size:{size:g}px"', 1)
