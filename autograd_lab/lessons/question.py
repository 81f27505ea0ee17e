"""Questions to predict: choices, each with the belief behind it, and a truth that is computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_lab.lessons.registry import declare
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.world import world
from autograd_lab.trace import Trace

LETTERS = "ABCDEF"
CONFIDENCE = {1: "guessing", 2: "fairly sure", 3: "certain"}
SKIPPED = "skip"


@dataclass(frozen=True)
class Choice:
    """One answer. `belief` completes "who answers so thinks that …"; `says` is what it takes to think otherwise.

    The right choice has a belief, too: the true one.
    """

    text: str
    belief: str
    says: str


@dataclass(frozen=True)
class Question:
    """`truth(torch)` computes the text of the right choice. In a player, `at(trace)` is the last step that may be
    seen before it is answered, by default 0; `shows(trace)` the one at which the truth is seen, by default the last.
    The player ends there: what comes next may be asked next. `drawn` is the program that a question is about, for a
    wall, if no run of the lesson is: its graph is shown as forward leaves it, which must not give the answer away, and
    when the truth is told as it is in the end.
    """

    id: str
    text: str
    choices: tuple[Choice, ...]
    truth: Callable[[Any], Any]
    at: Callable[[Trace], int] | None = None
    shows: Callable[[Trace], int] = len
    drawn: str = ""

    def right(self, torch: Any = None) -> int:
        """The number of the right choice, computed in a world, by default in this engine.

        Raises LookupError if what comes out is none of the choices.
        """
        found = shown(self.truth(torch or world("autograd_lab")))
        texts = [choice.text for choice in self.choices]
        if found not in texts:
            raise LookupError(f"{self.id}: the truth is {found!r}, which is none of {texts}")
        return texts.index(found)

    def number(self, answer: Any) -> int:
        """The number of the choice that an answer means: its letter, or its text, in English or as it is shown.

        Raises ValueError.
        """
        text = shown(answer).strip()
        if len(text) == 1 and text.upper() in LETTERS[: len(self.choices)]:
            return LETTERS.index(text.upper())
        for texts in ([choice.text for choice in self.choices], [worded(choice.text) for choice in self.choices]):
            if text in texts:
                return texts.index(text)
        letters = ", ".join(LETTERS[: len(self.choices)])
        says = "{id} has the answers {letters}, or {skip}; not {given}"
        raise ValueError(worded(says, id=self.id, letters=letters, skip=repr(SKIPPED), given=repr(answer)))

    def feedback(self, chosen: int, torch: Any = None) -> str:
        """What is said when the prediction is set beside the truth."""
        right = self.right(torch)
        mine, truth = (lettered(number, self.choices[number]) for number in (chosen, right))
        says = "You said {mine}, and so it is:" if chosen == right else "You said {mine}; the truth is {truth}."
        said = worded(says, mine=mine, truth=truth)
        return f"{said}\n{self.reasons(chosen, torch)}"

    def reasons(self, chosen: int, torch: Any = None) -> str:
        """The belief behind a choice, and what is said to it."""
        choice = self.choices[chosen]
        belief, says = worded(choice.belief), worded(choice.says)
        if chosen == self.right(torch):
            return f"{belief[0].upper()}{belief[1:]}. {says}"
        behind = "{letter} often comes from the idea that {belief}. {says}"
        return worded(behind, letter=LETTERS[chosen], belief=belief, says=says)

    def printed(self) -> str:
        """Question and choices, as lines of text."""
        choices = (f"  {lettered(number, choice)}" for number, choice in enumerate(self.choices))
        return "\n".join([f"{self.id}  {worded(self.text)}", *choices])


def question(
    id: str,
    text: str,
    choices: Sequence[Choice],
    *,
    at: Callable[[Trace], int] | None = None,
    shows: Callable[[Trace], int] = len,
    drawn: str = "",
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Declare a question whose truth the decorated function computes, from the module that it gets as `torch`."""

    def declared(truth: Callable[[Any], Any]) -> Callable[[Any], Any]:
        declare(Question(id, text, tuple(choices), truth, at, shows, drawn))
        return truth

    return declared


def lettered(number: int, choice: Choice) -> str:
    """Letter and text of a choice: `B (9)`."""
    return f"{LETTERS[number]} ({worded(choice.text)})"


def shown(value: Any) -> str:
    """A value as choices are written: `20` for 20.0.

    >>> shown(20.0), shown(-0.5), shown("None"), shown(None)
    ('20', '-0.5', 'None', 'None')
    """
    return f"{value:g}" if isinstance(value, float) else str(value)
