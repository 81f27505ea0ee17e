"""Stills: a recording at any step as a slide that one can paste."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

from autograd_lab.events import ErrorRaised
from autograd_lab.trace import Trace
from autograd_lab.view.graph.around import (
    around_now,
    aside_of,
    bands_of,
    code_lines,
    saved_and_now,
    sparks_of,
    ticks_of,
)
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.frame import lines_of
from autograd_lab.view.graph.keys import keys_of
from autograd_lab.view.graph.pictured import Pictured, pictured
from autograd_lab.view.graph.words.headline import Headlines
from autograd_lab.view.kit.font import clean, text_width
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import reading
from autograd_lab.view.slide import HEAD, HEIGHT, LINES, LOW, MARGIN, MESSAGE, PANEL, TALL, WIDTH, Slide

MESSAGE_LINES = 5
MESSAGE_ROOM = WIDTH - 2 * MARGIN - PANEL - 32


@dataclass
class Stills:
    """All slides of a trace. Lay-out and choice are made once, for all steps.

    >>> Stills(trace).svg(20)  # doctest: +SKIP
    """

    trace: Trace
    subject: Pictured
    theme: str = "light"
    tall: bool = False

    @cached_property
    def headlines(self) -> Headlines:
        return Headlines(self.subject.history, self.trace.events)

    @cached_property
    def _lines(self) -> Any:
        return lines_of(self.trace, self.trace.files)

    @cached_property
    def _bands(self) -> Any:
        return bands_of(self.trace.events)

    @cached_property
    def _ticks(self) -> Any:
        return ticks_of(self.trace.events, self._choice.cards)

    @property
    def _choice(self) -> Any:
        assert self.subject.picture is not None
        return self.subject.picture.choice

    @undisturbed
    def svg(self, step: int | None = None) -> str:
        """The slide after `step` events, by default after all. Raises IndexError for a step that there is not."""
        step = len(self.trace) if step is None else step
        if not 0 <= step <= len(self.trace):
            raise IndexError(f"step {step} is not in this trace; its steps are 0 to {len(self.trace)}")
        state = self.subject.after(self.subject.before(), self.trace.events[:step])
        shown = [(part, self.subject.look(part, state)) for part in self._drawing.parts]
        slide = self._slide(state, shown)
        graph = self._graph(shown)
        title, said = escape(clean(slide.title.text)), escape(clean(self.subject.words.at(state)))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{HEIGHT:g}" '
            f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" xml:space="preserve">'
            f"<title>{title}</title><desc>{said}</desc><style>{language_sheet(self.theme)}</style>"
            f'<rect width="100%" height="100%" class="paper"/>{slide.draw(tall=self.tall)}{graph}</svg>'
        )

    @property
    def _drawing(self) -> Any:
        assert self.subject.picture is not None
        return self.subject.picture.drawing

    def _graph(self, shown: list[tuple[Part, Look]]) -> str:
        """The graph in the middle of its room."""
        choice, foot = self._choice, TALL if self.tall else LOW
        scale = choice.scale
        x = (WIDTH - choice.placed.width * scale) / 2
        y = HEAD + (HEIGHT - HEAD - foot - choice.placed.height * scale) / 2
        drawing = self._drawing
        assert self.subject.picture is not None
        drawn = [self.subject.picture.draw(part, look, drawing.routes.get(part.id)) for part, look in shown]
        kind = "graph" if choice.style.full else "graph terse"
        return f'<g class="{kind}" transform="translate({x:.2f} {y:.2f}) scale({scale:.4f})">{"".join(drawn)}</g>'

    def _slide(self, state: GraphState, shown: list[tuple[Part, Look]]) -> Slide:
        words, steps = self.subject.words, len(self.trace)
        told = [words.iteration(state.step), words.moment(state), f"step {state.step} of {steps}"]
        lines = code_lines(self._lines, state, self.subject.suspects)
        assert self.subject.picture is not None
        return Slide(
            self.headlines.at(state),
            " · ".join(filter(None, told)),
            state.step,
            steps,
            around_now(lines, LINES) if self.tall else [line for line in lines if line.mark],
            self._bands,
            self._ticks,
            aside_of(self._choice.cards),
            keys_of(self._choice, self.subject.picture.ranges, shown),
            sparks_of(self.trace.course, state.step),
            list(self._message(state)),
        )

    def _message(self, state: GraphState) -> Iterator[tuple[str, str]]:
        """The lines of the error that stopped backward, and the two values of what it needs."""
        error = state.error
        if not isinstance(error, ErrorRaised):
            return
        text = clean(f"{error.error}: {' '.join(error.message.split())}")
        for line in textwrap.wrap(text, int(MESSAGE_ROOM / text_width("n", MESSAGE, mono=True)))[:MESSAGE_LINES]:
            yield line, "source alarm"
        for name, saved, now in saved_and_now(self.subject.history, state):
            yield f"{name} saved   {reading(saved)}", "saved-then"
            yield f"{name} now   {reading(now)}", "saved-now"


def stills_of(
    trace: Trace, view: str = "maths", theme: str = "light", asked: Asked | None = None, form: str = "auto"
) -> Stills:
    """The slides of a trace: with lines of code and the timeline where the graph leaves room for them."""
    engine = view == "engine"
    room = (WIDTH - 2 * MARGIN, HEIGHT - HEAD - LOW)
    found = pictured(trace, room, engine=engine, asked=asked, form=form)
    choice = found.picture.choice if found.picture is not None else None
    if choice is not None and choice.style.full and not choice.cards.bars:
        small = pictured(trace, (room[0], HEIGHT - HEAD - TALL), engine=engine, asked=asked, form=form)
        assert small.picture is not None
        other = small.picture.choice
        if other.fits and other.style.full and len(other.cards.cards) >= len(choice.cards.cards):
            return Stills(trace, small, theme, tall=True)
    return Stills(trace, replace(found), theme)
