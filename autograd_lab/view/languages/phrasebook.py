"""Says in another language what was said in English, by pairs of patterns.

A pattern is a text with holes: `{a} is stored in {b}.` A pair says how it goes in the other language, where holes may
stand in another order: `{b} guarda {a}.` What is in a hole is a phrase of its own, which has a pair, too, or a name or
a number, which stays as it is. So sentences are made in English alone, where their grammar is, and a language needs no
code. What has no pair stays English, a sentence at a time.

>>> book = Phrasebook({"{a} is {b}.": "{a} es {b}.", "the sum of {a}": "la suma de {a}"}, {" de el ": " del "})
>>> book.say("The sum of el is 4.0. y is not.")
'La suma del is 4.0. y is not.'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

HOLE = re.compile(r"\{(\w+)\}")
WORDS = re.compile(r"[^\W\d_]+ [^\W\d_]+")
"""Two words side by side: they are language, and no name, number or expression."""
SENTENCE = re.compile(r"(?<=[.!?]) (?=\S)")
LONGEST = 600
"""Characters of a text that is read; a name from a trace may have far more, and is no language."""


class Pattern(NamedTuple):
    """What is said in English between holes, their names, and how it goes in the other language."""

    literals: tuple[str, ...]
    holes: tuple[str, ...]
    other: str

    def filled(self, contents: Mapping[str, str]) -> str:
        """The other language's text with its holes filled."""
        return HOLE.sub(lambda hole: contents[hole[1]], self.other)

    def contents(self, text: str) -> Iterator[list[str]]:
        """The ways in which a text fits: what then is in each hole."""
        if len(text) >= sum(map(len, self.literals)) and all(literal in text for literal in self.literals):
            yield from _between(text, self.literals)


def patterns_of(pairs: Mapping[str, str]) -> list[Pattern]:
    """The patterns of pairs, the one that says most first."""
    found = (Pattern(tuple(HOLE.split(key)[::2]), tuple(HOLE.findall(key)), pairs[key]) for key in pairs)
    return sorted(found, key=lambda each: -sum(map(len, each.literals)))


class Phrasebook:
    """The pairs of a language. `grammar` says what becomes of words that meet."""

    def __init__(self, pairs: Mapping[str, str], grammar: Mapping[str, str]) -> None:
        self._patterns = patterns_of(pairs)
        self._grammar = {before: after for before, after in grammar.items() if before.strip() != before}
        self._known: dict[str, str | None] = {}

    def say(self, text: str) -> str:
        """A text in the other language, as far as there are pairs for it."""
        if len(text) > LONGEST:
            return text
        whole = self.phrase(text)
        if whole is None:
            whole = " ".join(self.phrase(sentence) or sentence for sentence in SENTENCE.split(text))
        for before, after in self._grammar.items():
            whole = whole.replace(before, after)
        return whole

    def phrase(self, text: str) -> str | None:
        """A phrase in the other language, or a name or number as it is; None for English without a pair."""
        if text not in self._known:
            self._known[text] = None  # while it is read: a hole with all of it leads nowhere
            found = next(self._read(text), None)
            self._known[text] = text if found is None and not WORDS.search(text) else found
        return self._known[text]

    def _read(self, text: str) -> Iterator[str]:
        """What the patterns that fit make of a text, the one that says most of it first."""
        for pattern in self._patterns:
            first = pattern.literals[0][:1]
            turned = first.isalpha() and first != text[:1] and first.lower() == text[:1].lower()
            for contents in pattern.contents(first + text[1:] if turned else text):
                said = [self.phrase(each) for each in contents]
                known = [each for each in said if each is not None]
                if len(known) == len(said):
                    found = pattern.filled(dict(zip(pattern.holes, known, strict=True)))
                    yield _like(text, found) if first.isalpha() else found


def _like(text: str, other: str) -> str:
    """Another text, which begins with a capital if the first does."""
    return other[:1].upper() + other[1:] if text[:1].isupper() else other[:1].lower() + other[1:]


def _between(text: str, literals: tuple[str, ...]) -> Iterator[list[str]]:
    """What stands between the literals, which come in this order, in all ways; no hole is empty."""
    first, *rest = literals
    if not text.startswith(first):
        return
    text = text[len(first) :]
    if not rest:
        if not text:
            yield []
        return
    if rest == [""]:
        if text:
            yield [text]
        return
    at = text.find(rest[0], 1)
    while at > 0:
        for more in _between(text[at:], tuple(rest)):
            yield [text[:at], *more]
        at = text.find(rest[0], at + 1)
