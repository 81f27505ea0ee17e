"""Says in another language what was said in English, by pairs of patterns.

A pattern is a text with holes: `{a} is stored in {b}.` A pair says how it goes in the other language, where holes may
stand in another order: `{b} guarda {a}.` What is in a hole is a phrase of its own, which has a pair, too, or a name or
a number, which stays as it is. A hole with a kind, `{n:count}`, takes a phrase of that kind alone, whose pair begins
with it: `count:two`. So a variable that is called `two` stays what it is; `{line:code}` takes anything, as it is.
Sentences are made in English alone, where their grammar is, and a language needs no code. What has no pair stays
English, a sentence at a time.

>>> pairs = {"{a} is {b}.": "{a} es {b}.", "the sum of {n:count}": "la suma de {n}", "count:two": "dos"}
>>> Phrasebook(pairs, {}).say("The sum of two is 4.0. two is two. y is here now.")
'La suma de dos es 4.0. two es two. y is here now.'
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

HOLE = re.compile(r"\{(\w+)(?::(\w+))?\}")
KIND = re.compile(r"(?:([a-z]+):(?=\S))?(.+)", re.DOTALL)
WORDS = re.compile(r"\b[^\W\d_]\w* [^\W\d_]\w*")
"""Two words side by side: they are language, and no name, number or expression."""
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
"""What stands in brackets: of an expression that may be any code, as `(1 if yes else 0)`."""
SENTENCE = re.compile(r"(?<=[.!?]) (?=\S)")
LONGEST = 500
"""Characters of a sentence that is read; a name from a trace may have far more, and is no language."""
PATIENCE = 4000
"""So many phrases are read for one sentence; whoever needs more is no sentence of ours."""
CODE = "code"
"""The kind of what is a line of the user's program, whatever it says."""


class Hole(NamedTuple):
    """A place in a pattern, by its name, and the kind of phrase that it takes."""

    name: str
    kind: str


class Pattern(NamedTuple):
    """What is said in English between holes, and how it goes in the other language."""

    literals: tuple[str, ...]
    holes: tuple[Hole, ...]
    other: str
    longest: str
    """The longest of the literals, in small letters: most texts do not have it."""

    def filled(self, contents: Sequence[str]) -> str:
        """The other language's text with its holes filled."""
        by_name = {hole.name: content for hole, content in zip(self.holes, contents, strict=True)}
        return HOLE.sub(lambda hole: by_name[hole[1]], self.other)

    def contents(self, text: str) -> Iterator[list[str]]:
        """The ways in which a text fits: what then is in each hole."""
        if all(literal in text for literal in self.literals):
            yield from _between(text, self.literals)


class Phrasebook:
    """The pairs of a language. `grammar` says what becomes of words that meet."""

    def __init__(self, pairs: Mapping[str, str], grammar: Mapping[str, str]) -> None:
        self._patterns: dict[str, list[Pattern]] = defaultdict(list)
        for key, other in pairs.items():
            kind, pattern = kind_and_pattern(key)
            self._patterns[kind].append(pattern_of(pattern, other))
        for patterns in self._patterns.values():
            patterns.sort(key=lambda each: -sum(map(len, each.literals)))
        self._grammar = {before: after for before, after in grammar.items() if before.strip() != before}
        self._known: dict[tuple[str, str], str | None] = {}
        self._left = PATIENCE

    def say(self, text: str, kind: str = "") -> str:
        """A text in the other language, as far as there are pairs for it."""
        whole = "\n".join(self._line(line, kind) for line in text.split("\n"))
        for before, after in self._grammar.items():
            whole = whole.replace(before, after)
        return whole

    def missing(self, text: str, kind: str = "") -> list[str]:
        """The sentences of a text that have no pair, and so stay English."""
        lines = (line for line in text.split("\n") if self._patiently(line, kind) is None)
        return [each for line in lines for each in SENTENCE.split(line) if self._sentence(each) is None]

    def _line(self, text: str, kind: str) -> str:
        """A line: a whole phrase, or sentences, of which each is said as far as it can be."""
        found = self._patiently(text, kind)
        return found if found is not None else " ".join(self._sentence(each) or each for each in SENTENCE.split(text))

    def _sentence(self, text: str) -> str | None:
        """A sentence; one that ends a caption may be a headline with a full stop."""
        if (found := self._patiently(text)) is not None:
            return found
        found = self._patiently(text[:-1]) if text.endswith(".") else None
        return None if found is None else f"{found}."

    def _patiently(self, text: str, kind: str = "") -> str | None:
        self._left = PATIENCE
        return self.phrase(text, kind) if len(text) <= LONGEST else None

    def phrase(self, text: str, kind: str = "") -> str | None:
        """A phrase in the other language, or a name or number as it is; None for English without a pair."""
        if kind == CODE or not (kind or any(map(str.isalpha, text))):
            return text
        if SENTENCE.search(text):
            return None  # more than one sentence: each is read by itself
        if (kind, text) not in self._known:
            self._known[kind, text] = None  # while it is read: a hole with all of it leads nowhere
            found = next(self._read(text, kind), None)
            is_name = text.replace(",", "").isdecimal() if kind else not WORDS.search(_without_brackets(text))
            self._known[kind, text] = text if found is None and is_name else found
        return self._known[kind, text]

    def _read(self, text: str, kind: str) -> Iterator[str]:
        """What the patterns that fit make of a text, the one that says most of it first."""
        self._left -= 1
        small = text.lower()
        for pattern in self._patterns.get(kind, ()) if self._left > 0 else ():
            if pattern.longest not in small:
                continue
            first = pattern.literals[0][:1]
            turned = first.isalpha() and first != text[:1] and first.lower() == text[:1].lower()
            for contents in pattern.contents(first + text[1:] if turned else text):
                said = [self.phrase(each, hole.kind) for hole, each in zip(pattern.holes, contents, strict=True)]
                known = [each for each in said if each is not None]
                if len(known) == len(said):
                    found = pattern.filled(known)
                    yield _turned(found) if turned else found


def kind_and_pattern(key: str) -> tuple[str, str]:
    """The kind of phrase that a key is of, which may be none, and its pattern."""
    found = KIND.fullmatch(key)
    return (found[1] or "", found[2]) if found else ("", key)


def pattern_of(text: str, other: str) -> Pattern:
    """A pattern, and how it goes in the other language."""
    literals = tuple(HOLE.split(text)[::3])
    return Pattern(literals, tuple(Hole(*each) for each in HOLE.findall(text)), other, max(literals, key=len).lower())


def _without_brackets(text: str) -> str:
    """A text without what stands in brackets, which in turn may have brackets in it."""
    shorter = BRACKETS.sub("", text)
    return shorter if shorter == text else _without_brackets(shorter)


def _turned(text: str) -> str:
    """A text with another first letter, small or large."""
    return text[:1].swapcase() + text[1:]


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
