"""A few questions before the lessons and after them, to see what has been learnt."""

from __future__ import annotations

from autograd_lab.lessons import cards
from autograd_lab.lessons.answers import Moment, given_in, questions, result
from autograd_lab.lessons.question import LETTERS, SKIPPED
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.words import tell


def quiz(moment: Moment, answers: str | None = None) -> None:
    """Ask the questions of a moment, or take `answers`, a letter for each or "-" to skip one.

    Before the lessons there are six, and nothing is said of the truth. Afterwards there are twins of the six and four
    new programs, and everything is said. Raises ValueError.
    """
    if moment not in ("before", "after"):
        raise ValueError(worded('a quiz is "before" or "after", not {given}', given=repr(moment)))
    asked = questions(moment)
    if answers is None:
        cards.ask_all(asked, moment)
        return
    given = [each.upper() for each in answers.replace(" ", "")]
    if len(given) != len(asked) or any(each not in f"{LETTERS}-" for each in given):
        says = "{number} letters are wanted, or - for a question to skip; these are {given}"
        raise ValueError(worded(says, number=len(asked), given=repr(answers)))
    for each, letter in zip(asked, given, strict=True):
        said = given_in(each, SKIPPED if letter == "-" else letter, moment)
        if said:
            tell(f"{each.id}: {said}")
    tell(result())
