"""What lessons say, in the language that is spoken: looked up by what it is in English, which it stays without a pair.

What is kept or compared is English in every language: truths, answers in a progress file, reports. Only what is shown
is worded, so a progress file goes on in another language.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.phrasebook import Pattern, pattern_of
from autograd_lab.view.languages.speaking import language

PART = "lessons"
STRESS = re.compile(r"(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])")
"""What is stressed, outside of code."""
WAYS = 100
"""So many ways to read a sentence of a judge are looked at."""


def worded(text: str, **values: object) -> str:
    """A text with its holes filled, in the language that is spoken.

    >>> worded("You said {mine}; the truth is {truth}.", mine="A (4)", truth="B (9)")
    'You said A (4); the truth is B (9).'
    """
    said = pairs(language(), PART).get(text, text)
    return said.format(**values) if values else said


def without_marks(text: str) -> str:
    """A text for where there is no markup: without the signs of `code` and *stress*. What is code stays as it is.

    >>> without_marks("How *often* does `y = x * x * x` multiply?")
    'How often does y = x * x * x multiply?'
    """
    parts = text.split("`")
    parts[::2] = [STRESS.sub(r"\1", part) for part in parts[::2]]
    return "".join(parts)


def worded_sentence(text: str, chapter: str) -> str:
    """What a judge of a lesson has said: it has a pair, or was made as one with holes says. `chapter` is the lesson's
    file of pairs. A text in a hole is worded, too, if it has a pair.
    """
    known = pairs(language(), PART)
    for pattern in () if text in known else _patterns(language(), chapter):
        ways = islice(pattern.contents(text), WAYS)
        if best := max(ways, key=lambda contents: sum(each in known for each in contents), default=None):
            return pattern.filled([worded(each) for each in best])
    return worded(text)


@cache
def _patterns(code: str, chapter: str) -> list[Pattern]:
    """Those of a chapter that have holes, the one that says most first."""
    patterns = [pattern_of(*pair) for pair in pairs(code, f"{PART}/{chapter}").items()]
    found = [each for each in patterns if each.holes and any(each.literals)]
    return sorted(found, key=lambda each: -sum(map(len, each.literals)))
