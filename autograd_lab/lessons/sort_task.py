"""S: put the lines of a program into order. An order is judged by running it, so every one that works is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograd_lab.lessons.exercise import Exercise, told
from autograd_lab.lessons.patience import NeverEnds, patience
from autograd_lab.lessons.registry import declare
from autograd_lab.lessons.worded import worded

PATIENCE = 200_000
"""Steps that a program may run before it counts as one that never ends."""


def sort_lines(
    id: str,
    text: str,
    lines: Sequence[str],
    *,
    start: Callable[[], Mapping[str, Any]],
    works: Callable[[dict[str, Any]], str],
    hints: Sequence[str],
    after: str = "",
) -> None:
    """Declare an exercise whose answer is the letters of `lines` in order, such as "DACB"; not all need be used.

    The lines come with their indentation. They are run with the names that `start()` gives, and `works(names)` says
    what is wrong with what they leave behind.
    """

    def judge(answer: Any) -> str:
        letters = "".join(str(each) for each in answer).replace(" ", "").replace(",", "").upper()
        known = {letter(number): line for number, line in enumerate(lines)}
        if unknown := [each for each in letters if each not in known]:
            return worded("There is no line {letter}; the lines are {all}.", letter=unknown[0], all=", ".join(known))
        if twice := [each for each in known if letters.count(each) > 1]:
            return worded("Line {letter} stands there twice.", letter=twice[0])
        names = dict(start())
        wrong = _run("\n".join(known[each] for each in letters) + "\n", names)
        return wrong or works(names)

    shown = "\n".join(f"  {letter(number)} | {line}" for number, line in enumerate(lines))
    declare(Exercise(id, text, judge, tuple(hints), after, shown))


def letter(number: int) -> str:
    """The letter of a line: A for 0."""
    return chr(ord("A") + number)


def _run(program: str, names: dict[str, Any]) -> str:
    """Run a program for a while; what went wrong, or nothing."""
    try:
        code = compile(program, "<your lines>", "exec")
    except SyntaxError as error:
        says = "In this order it is no Python: line {number}: {message}."
        return worded(says, number=error.lineno, message=error.msg)
    try:
        with patience(code.co_filename, PATIENCE):
            exec(code, names)
    except NeverEnds:
        return worded("In this order it never comes to an end.")
    except Exception as error:
        return worded("In this order it stops: {error}", error=told(error))
    return ""
