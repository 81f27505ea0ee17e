"""Stills: a recording at any step as a 16:9 slide that one can paste.

The picture is chosen and laid out once for all steps. Where cards are large and few, and where backward is stopped by
an error, the slide has lines of code below the graph, and beside them the timeline or what PyTorch says; else the graph
has that room, and one line of code is left.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice

from autograd_lab.events import ErrorRaised, Where
from autograd_lab.trace import Trace
from autograd_lab.view.charts.run import course_in_words
from autograd_lab.view.graph.around import (
    around_now,
    aside_of,
    bands_of,
    code_lines,
    folded_in,
    is_pytorchs,
    not_drawn,
    running_line,
    saved_and_now,
    sparks_of,
    ticks_of,
)
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.junctions import junctions_of
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.facts.history import History, history_of
from autograd_lab.view.graph.facts.moments import moments_of
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import state_after
from autograd_lab.view.graph.keys import MOST, keys_of
from autograd_lab.view.graph.pictured import Choices, Picture, choices_of, picture_of
from autograd_lab.view.graph.training_cycle import CYCLE
from autograd_lab.view.graph.words.caption import Captions
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.graph.words.on_cards import CardHeadlines
from autograd_lab.view.kit.font import clean, text_width
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.program_lines import Line, line_at, lines_of
from autograd_lab.view.kit.reading import reading
from autograd_lab.view.kit.shapes.axis import Band, Tick
from autograd_lab.view.kit.shapes.panel import PAD, CodeLine, code_height
from autograd_lab.view.kit.shapes.stroke import path, say
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.slide import (
    HEAD,
    HEIGHT,
    KEY_LINES,
    LEGEND,
    LINES,
    LOW,
    MARGIN,
    MESSAGE,
    PANEL,
    TALL,
    WIDEST_PANEL,
    WIDTH,
    Slide,
    panel_for,
)
from autograd_lab.view.subject import NothingToDraw

MESSAGE_LINES = 5
MESSAGE_ROOM = WIDTH - 2 * MARGIN - PANEL - 32
RATIO = WIDTH / HEIGHT
ALL_KEYS = 99
TOOTH = 16.0
"""Height of two teeth of the edge at which a recording broke off, px."""


@dataclass
class Stills:
    """All slides of a trace."""

    trace: Trace
    history: History
    picture: Picture
    theme: str = "light"
    tall: bool = False
    paper: tuple[float, float] = (WIDTH, HEIGHT)
    """Width and height of the slide, px."""
    columns: int = 0
    """So many columns of code show all of it, with every key of the legend; with 0, as much as a slide has room for."""
    conclusion: Headline | None = None
    """What the last slide says of the whole run, in the place of the lesson of its last step."""
    concluded: int | None = None
    """Another step whose slide says that."""
    lessons: Headlines | None = field(default=None, repr=False)
    """What the steps teach, if somebody has found it."""
    _kept: list[GraphState] = field(default_factory=list, repr=False)
    clock = frozenset({"slide.count", "slide.past", "slide.playhead"})
    """The pieces that change at every step, since they tell which one it is."""

    @property
    def steps(self) -> int:
        """How many steps there are; step 0 is before the first event."""
        return len(self.trace)

    @cached_property
    def moments(self) -> dict[str, int]:
        """The steps of the moments that have a name; those that exist."""
        drawn = {op.node for op in self._choice.cards.ground.ops if op.node is not None}
        return moments_of(self.history, self.trace.events, drawn, junctions_of(self._choice.cards))

    @property
    def notices(self) -> tuple[str, ...]:
        """What the trace notes, and what is not drawn op by op."""
        cards = self._choice.cards
        hidden = folded_in(cards)
        note = f" ({cards.note})" if cards.note else ""
        folded = translated(f"{hidden} are drawn folded{note}") if hidden else ""
        return (*self.trace.notes, *filter(None, [folded, not_drawn(cards)]))

    def caption(self, step: int) -> str:
        """What step number `step` did, in one sentence with its numbers."""
        return self._captions.at(self._state(step))

    def headline(self, step: int) -> str:
        """The lesson of a step."""
        return self._title(self._state(step)).text

    def _title(self, state: GraphState) -> Headline:
        if self.conclusion is not None and state.step == (self.steps if self.concluded is None else self.concluded):
            return self.conclusion
        found = self._headlines.of_still(state)
        is_forward = found.is_routine and state.step == self.moments["forward"]
        return (self._lessons.waiting(state) if is_forward else found).translated()

    @undisturbed
    def svg(self, step: int | None = None) -> str:
        """The slide after `step` events, by default after all. Raises IndexError for a step that there is not."""
        state = self._state(self.steps if step is None else step)
        shown = self._shown(state)
        slide = self._slide(state, shown)
        width, height = self.size
        title, said = escape(clean(slide.title.text)), escape(clean(self._said(state)))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img" xml:space="preserve">'
            f"<title>{title}</title><desc>{said}</desc><style>{self.style}</style>"
            f'<rect width="100%" height="100%" class="paper"/>{"".join(slide.pieces(tall=self.tall).values())}'
            f"{self.on_slide(self._drawn(shown))}{self._torn(state)}</svg>"
        )

    @undisturbed
    def pieces(self, step: int) -> dict[str, str]:
        """What lies on the paper of a slide, by name, in the order in which it is painted; each can be painted alone.

        Parts of the graph have their ids, and what stands around it has names such as `slide.title`.
        """
        state = self._state(step)
        shown = self._shown(state)
        around = self._slide(state, shown).pieces(tall=self.tall)
        return {
            **{f"slide.{name}": piece for name, piece in around.items()},
            **{part.id: self.on_slide(self._drawn([(part, look)])) for part, look in shown},
            "slide.torn": self._torn(state),
        }

    def _shown(self, state: GraphState) -> list[tuple[Part, Look]]:
        return [(part, self.picture.look(part, state)) for part in self.picture.drawing.parts]

    def _said(self, state: GraphState) -> str:
        """What the slide shows, for whoever cannot see it."""
        course = self.trace.course
        told = translated(course_in_words(course)) if course is not None and course.series else ""
        return " ".join(filter(None, [self._captions.at(state), told]))

    @undisturbed
    def thumbnail(self, step: int) -> str:
        """The graph alone after `step` events, with its corner at (0, 0); it is as large as `thumbnail_size` tells."""
        return self._drawn(self._shown(self._state(step)))

    @property
    def thumbnail_size(self) -> tuple[float, float]:
        """Width and height of the graph alone, px."""
        return self._choice.placed.width, self._choice.placed.height

    @property
    def first(self) -> int:
        """The step at which the first op that is drawn was made."""
        return min((op.born for card in self._choice.cards.cards.values() for op in card.ops), default=1)

    @property
    def style(self) -> str:
        """The CSS in the colours of the theme."""
        return language_sheet(self.theme)

    @property
    def _choice(self) -> Choice:
        return self.picture.choice

    @cached_property
    def _captions(self) -> Captions:
        return Captions(self.history, self.trace.course, self._lessons, engine=self.picture.engine)

    @cached_property
    def _lessons(self) -> Headlines:
        return self.lessons or Headlines(self.history, self.trace.events)

    @cached_property
    def _headlines(self) -> CardHeadlines:
        return CardHeadlines(self._lessons, self._choice.cards)

    @cached_property
    def _lines(self) -> tuple[Line, ...]:
        return lines_of(self.trace, self.trace.files)

    @cached_property
    def _bands(self) -> list[Band]:
        return bands_of(self.trace.events)

    @cached_property
    def _ticks(self) -> list[Tick]:
        return ticks_of(self.trace.events, self._choice.cards)

    def _state(self, step: int) -> GraphState:
        if not 0 <= step <= self.steps:
            raise IndexError(f"step {step} is not in this trace; its steps are 0 to {self.steps}")
        near = self._kept[0] if self._kept and self._kept[0].step <= step else GraphState()
        self._kept[:] = [state_after(near, self.trace.events[near.step : step])]
        return self._kept[0]

    @property
    def _foot(self) -> float:
        return foot_for(len(self._lines), self.columns) if self.columns else TALL if self.tall else LOW

    @property
    def _scale(self) -> float:
        """A picture that does not fit is not made smaller; the slide is made larger."""
        return max(1.0, self._choice.scale)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of every slide, px."""
        placed, scale = self._choice.placed, self._scale
        if self._choice.fits:
            return self.paper
        width = max(WIDTH, placed.width * scale + 2 * MARGIN)
        height = max(HEIGHT, placed.height * scale + HEAD + self._foot)
        return round(max(width, height * RATIO)), round(max(height, width / RATIO))

    def on_slide(self, drawn: str) -> str:
        """What is drawn of the graph, in the middle of its room."""
        (width, height), placed, scale = self.size, self._choice.placed, self._scale
        x = (width - placed.width * scale) / 2
        y = HEAD + (height - HEAD - self._foot - placed.height * scale) / 2
        place = f"translate({x:.2f} {y:.2f}) scale({scale:.4f})"
        return drawn and f'<g class="graph" transform="{place}">{drawn}</g>'

    def _drawn(self, shown: Sequence[tuple[Part, Look]]) -> str:
        routes = self.picture.drawing.routes
        return "".join(self.picture.draw(part, look, routes.get(part.id)) for part, look in shown)

    def _torn(self, state: GraphState) -> str:
        """The edge of a picture whose recording breaks off here."""
        if state.stopped is None:
            return ""
        width, height = self.size
        teeth = int((height - HEAD - LOW) // TOOTH)
        zigzag = f"l-7 {TOOTH / 2:g}l7 {TOOTH / 2:g}" * teeth
        words = say(translated("The recording breaks off here"), width - MARGIN, HEAD - 2, "note alarm end")
        return path("torn-edge", f"M{width - 16:g} {HEAD:g}{zigzag}") + words

    def _slide(self, state: GraphState, shown: Sequence[tuple[Part, Look]]) -> Slide:
        words, here = self._captions, line_at(self.trace.events, state.step)
        told = [
            words.iteration(state.step),
            words.moment(state),
            translated(f"line {here.line}", "card") if here is not None else "",
        ]
        lines = code_lines(self._lines, state, tuple(self.history.watch.stale), here)
        width, height = self.size
        most, losses = ALL_KEYS if self.columns else MOST, " or ".join(self._lessons.losses(state))
        keys = keys_of(self.picture, shown, most, width - 2 * MARGIN, losses, KEY_LINES)
        return Slide(
            self._title(state),
            " · ".join(filter(None, told)),
            state.step,
            self.steps,
            self._code(lines, here),
            self._bands,
            self._ticks,
            aside_of(self._choice.cards),
            [key.entry for key in keys],
            sparks_of(self.trace, state.step),
            list(self._message(state)),
            width,
            height,
            max(1, self.columns),
            self._panel,
        )

    @cached_property
    def _panel(self) -> float:
        """Width of the panel of code: the same at all steps; more where lines are long."""
        if not self.tall or any(isinstance(event, ErrorRaised) for event in self.trace):
            return PANEL
        room = (self.size[0] - 2 * MARGIN) / (self.columns + 1) if self.columns else WIDEST_PANEL
        return panel_for((text for _, _, text in self._lines), room)

    def _code(self, lines: list[CodeLine], here: Where | None) -> list[CodeLine]:
        """All lines on a large sheet, those around the running one, or that one alone."""
        if self.columns:
            return lines
        return around_now(lines, LINES) if self.tall else running_line(self._lines, lines, here)

    def _message(self, state: GraphState) -> Iterator[tuple[str, str]]:
        """Who speaks, the lines of the error that stopped the program, and the two values of what it needs."""
        error = state.error
        if not isinstance(error, ErrorRaised):
            return
        yield translated("What PyTorch says" if is_pytorchs(error) else "What the error says"), "note quiet"
        is_told = any(part.kind == "versions" for part in self.picture.drawing.parts)
        pairs = [] if is_told else list(self._saved_and_now(state))
        text = clean(f"{error.error}: {' '.join(error.message.split())}")
        letters = int(MESSAGE_ROOM / text_width("n", MESSAGE, mono=True))
        most = MESSAGE_LINES - len(pairs)
        for line in textwrap.wrap(text, letters, max_lines=most, placeholder=" …"):
            yield line, "source alarm"
        yield from pairs

    def _saved_and_now(self, state: GraphState) -> Iterator[tuple[str, str]]:
        """What was saved and what is there now, if what is said of both differs; of the first such slot."""
        for name, saved, now in islice(saved_and_now(self.history, state), 1):
            if reading(saved) != reading(now):
                yield f"{translated(f'{name} saved')}   {reading(saved)}", "saved-then"
                yield f"{translated(f'{name} now')}   {reading(now)}", "saved-now"


def foot_for(lines: int, columns: int) -> float:
    """Room below the graph for all lines of the code in so many columns, px."""
    return LEGEND + code_height(max(3, -(-lines // columns))) + PAD


@undisturbed
def stills_of(
    trace: Trace,
    view: str = "engine",
    theme: str = "light",
    asked: Asked | None = None,
    form: str = "auto",
    choices: Choices | None = None,
) -> Stills:
    """The slides of a recording, in the view "engine" or "maths" and the theme "light", "dark" or "grey".

    `asked` is what of it is drawn, or `choices` has it already; `form` asks for "LR", "TB", "stairs", "zigzag",
    "lanes" or "dot" alone. Raises NothingToDraw for a trace without a graph, and ValueError for a tensor or a module
    that there is not.
    """
    choices = choices or choices_of(drawable(trace), trace.events, asked, engine=view == "engine")
    history = choices.history
    room = (WIDTH - 2 * MARGIN, HEIGHT - HEAD - LOW)
    small = (room[0], HEIGHT - HEAD - TALL)
    if any(isinstance(event, ErrorRaised) for event in trace):
        lower = choices.best(small, form)
        return Stills(trace, history, picture_of(history, lower, small, engine=view == "engine"), theme, tall=True)
    choice = choices.best(room, form)
    bar = CYCLE if choice.cards.update is not None and not choice.cards.bars else 0.0
    if choice.fits and choice.placed.height + bar <= small[1]:
        return Stills(trace, history, picture_of(history, choice, small, engine=view == "engine"), theme, tall=True)
    if choice.style.full and not choice.cards.bars:
        lower = choices.best(small, form, only=choice.cards)
        if lower.fits and lower.style.full:
            return Stills(trace, history, picture_of(history, lower, small, engine=view == "engine"), theme, tall=True)
    return Stills(trace, history, picture_of(history, choice, room, engine=view == "engine"), theme)


def drawable(trace: Trace) -> History:
    """What a trace tells of its graph. Raises NothingToDraw for one without a graph."""
    history = history_of(trace)
    if not history.is_drawable:
        raise NothingToDraw(
            "nothing was recorded: no tensor with requires_grad=True took part, so there is no graph to draw"
        )
    return history


def form_of(direction: str, layout: str) -> str:
    """The form that a direction and a layout ask for."""
    if layout == "dot":
        return "dot"
    if direction == "TB":
        return "TB"
    return "LR" if layout == "layered" else "auto"
