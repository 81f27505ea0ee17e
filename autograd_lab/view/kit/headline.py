"""A headline: the lesson of a step in one line, and a line below it in short runs of text that may be coloured.

>>> lesson = "b is used twice: two gradients meet there, and add"
>>> headline = Headline(lesson, "Two gradients meet at b", said("5 + 4 = 9"))
>>> headline.fitting(10_000, 32), headline.fitting(500, 32)
('b is used twice: two gradients meet there, and add', 'Two gradients meet at b')
>>> plain(headline.sub)
'5 + 4 = 9'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.languages.pairs import ENGLISH
from autograd_lab.view.languages.speaking import language, translated

PLAIN, NAME, PLUS, MINUS, SAVED, ALARM = "plain", "name", "plus", "minus", "saved", "alarm"
"""What a run of text is: words, what the user named, a gradient by its sign, what a node keeps, what is wrong."""
PLACES = 0xE000
"""Where characters begin that mean nothing: one stands for a coloured run while its line is translated."""
ROLES = (PLAIN, NAME, PLUS, MINUS, SAVED, ALARM)


class Run(NamedTuple):
    """A short text of one role."""

    text: str
    role: str = PLAIN


@dataclass(frozen=True, slots=True)
class Headline:
    """What a step teaches. `short` says the same, or the heart of it, where `text` is too wide; it may be empty.

    A routine one says what a step does, which is no lesson; a weak one is a lesson for want of a better one.
    One that is of turns tells how a gradient goes through a loop: the lines of a picture have numbers of their own.
    """

    text: str
    short: str = ""
    sub: tuple[Run, ...] = ()
    is_routine: bool = False
    is_weak: bool = False
    is_of_turns: bool = False

    def translated(self) -> Headline:
        """The same in the language that is spoken."""
        if language() == ENGLISH:
            return self
        return replace(self, text=translated(self.text), short=translated(self.short), sub=_translated(self.sub))

    def fitting(self, width: float, size: float, *, bold: bool = True) -> str:
        """The text in `width` px, or the shorter one, shortened if need be."""
        texts = [clean(text) for text in (self.text, self.short) if text]
        whole = (text for text in texts if text_width(text, size, bold=bold) <= width)
        return next(whole, None) or fit(texts[-1], width, size, bold=bold)


def said(*texts: str | Run) -> tuple[Run, ...]:
    """A line of runs; bare texts are plain."""
    return tuple(text if isinstance(text, Run) else Run(text) for text in texts)


def _translated(runs: Sequence[Run]) -> tuple[Run, ...]:
    """A line of runs in the language that is spoken: a sentence, in which those that are no plain words have places."""
    marks = {chr(PLACES + number): run for number, run in enumerate(runs) if run.role != PLAIN}
    line = "".join(next((mark for mark in marks if marks[mark] is run), run.text) for run in runs)
    texts = re.split(f"([{''.join(marks)}])", translated(line)) if marks else [translated(line)]
    return said(*(marks[text]._replace(text=translated(marks[text].text)) if text in marks else text
                  for text in texts if text))  # fmt: skip


def plain(runs: Iterable[Run]) -> str:
    """The text of a line of runs."""
    return "".join(run.text for run in runs)
