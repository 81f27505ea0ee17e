"""A headline: the lesson of a step in one line, and a line below it in short runs of text that may be coloured.

>>> lesson = "b is used twice: two gradients meet there, and add"
>>> headline = Headline(lesson, "Two gradients meet at b", said("5 + 4 = 9"))
>>> headline.fitting(10_000, 32), headline.fitting(500, 32)
('b is used twice: two gradients meet there, and add', 'Two gradients meet at b')
>>> plain(headline.sub)
'5 + 4 = 9'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from autograd_lab.view.kit.font import clean, fit, text_width

PLAIN, NAME, PLUS, MINUS, SAVED, ALARM = "plain", "name", "plus", "minus", "saved", "alarm"
"""What a run of text is: words, what the user named, a gradient by its sign, what a node keeps, what is wrong."""
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

    def fitting(self, width: float, size: float, *, bold: bool = True) -> str:
        """The text in `width` px, or the shorter one, shortened if need be."""
        texts = [clean(text) for text in (self.text, self.short) if text]
        whole = (text for text in texts if text_width(text, size, bold=bold) <= width)
        return next(whole, None) or fit(texts[-1], width, size, bold=bold)


def said(*texts: str | Run) -> tuple[Run, ...]:
    """A line of runs; bare texts are plain."""
    return tuple(text if isinstance(text, Run) else Run(text) for text in texts)


def plain(runs: Iterable[Run]) -> str:
    """The text of a line of runs."""
    return "".join(run.text for run in runs)
