"""The words of the lessons: what each means, in a sentence, and which lesson explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.speaking import language

READY = {16: 7, 17: 11, 18: 4, 19: 7, 20: 10}
"""Lessons that come after an earlier one than their number says: by then the words up to that one are known."""
PROTECTED = re.compile(
    r"(`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)|\*\*[^*]+\*\*|^#.*$|^\|[-| ]+\|$|<[^>]+>)", re.MULTILINE
)
"""Parts of a text in which no word is explained: code, formulas, links, what is explained there, headings."""


@dataclass(frozen=True)
class Term:
    """A word, what it means, and the lesson that explains it. `forms` is a pattern for how it stands in a text."""

    word: str
    says: str
    lesson: int
    forms: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        english = self.forms or re.escape(self.word) + "s?"
        said = pairs(language(), "glossary").get(self.word, self.word)
        return re.compile(rf"\b(?:{english if said == self.word else said})\b", re.IGNORECASE)

    @property
    def meaning(self) -> str:
        """What it means, in the language that is spoken."""
        return pairs(language(), "glossary").get(self.says, self.says)


TERMS = (
    Term("weight", "a number that a network learns", 0),
    Term("training", "changing the weights of a network, a little at a time, so that its loss falls", 0, "training"),
    Term("loss", "one number that says how wrong a network is", 0, "loss(?:es)?"),
    Term("gradient", "how fast a result grows when this number grows", 0),
    Term("autograd", "what records a program's operations, and goes through them backwards for gradients", 0),
    Term("tensor", "what PyTorch computes with: a number, a row of numbers, a table, or more", 0),
    Term("leaf", "a tensor that no recorded operation made", 0, "leaf|leaves"),
    Term("node", "a note of what backward has to do: one for each recorded operation, and one for each leaf", 0),
    Term("edge", "leads from a node to a node to which it sends gradients", 0),
    Term("saved value", "a tensor that a node keeps, since its backward needs it", 0),
    Term("pocket", "where a saved value hangs, below the card of its operation", 0),
    Term("version", "how often a tensor has been written to", 0),
    Term("AccumulateGrad", "the node of a leaf: it adds what arrives to the leaf's .grad", 0),
    Term("operand", "what goes into an operation", 1),
    Term("root", "the node of the result, where backward begins", 1),
    Term("seed", "the gradient with which backward begins at the result: 1, or one that is given", 3),
    Term("Jacobian", "the table of all slopes: a row for each result, a column for each input", 6, "Jacobians?"),
    Term("broadcasting", "a small tensor counts as a larger one, its numbers repeated", 6, "broadcast(?:ing)?"),
    Term("in place", "so that a tensor is written to, and none is made", 0, "in[ -]place"),
    Term("view", "a tensor that shares its numbers with another one", 9),
    Term("module", "a part of a network, with its own parameters", 11),
    Term("optimizer", "changes the parameters by their gradients, a step at a time", 5),
    Term("hook", "a function that autograd calls with a gradient when all of it has arrived", 14),
    Term("checkpoint", "a part of a program whose insides are not kept: it runs again in backward", 17),
)  # fmt: skip


def known_before(number: int) -> Iterator[Term]:
    """The words that other lessons have explained before this one."""
    for term in TERMS:
        if term.lesson <= READY.get(number, number) and term.lesson != number:
            yield term


def plain_parts(text: str) -> Iterator[tuple[str, bool]]:
    """A text in parts, and of each whether words in it may be explained."""
    for place, part in enumerate(PROTECTED.split(text)):
        yield part, place % 2 == 0


def explained(texts: list[str], number: int) -> list[str]:
    """The texts of a lesson, in which each word of an earlier one says what it means, the first time that it stands
    there: a notebook shows that to whoever rests on it with the mouse.
    """
    left = list(known_before(number))
    return ["".join(_explained(part, left) if free else part for part, free in plain_parts(text)) for text in texts]


def _explained(part: str, left: list[Term]) -> str:
    """A part with the words that it is the first to have; they are taken out of those that are left."""
    found = [(match, term) for term in left if (match := term.pattern.search(part))]
    for match, term in sorted(found, key=lambda pair: -pair[0].start()):
        left.remove(term)
        said = f'<abbr title="{escape(term.meaning)}">{match[0]}</abbr>'
        part = part[: match.start()] + said + part[match.end() :]
    return part
